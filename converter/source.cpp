#include "source.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

#include <macareu/error.hpp>

namespace macareu::converter {
namespace {

namespace fs = std::filesystem;

constexpr int deepest_include = 16;
constexpr std::size_t longest_source = 16 << 20;

std::string content_of(const std::string& file, const std::string& blame) {
  std::error_code none;
  if (fs::is_directory(file, none))
    throw io_error(blame + file + " is a directory, expected a C or C++ file");
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw io_error(blame + "cannot read " + file);
  std::string text{std::istreambuf_iterator<char>(stream), {}};
  if (text.size() > longest_source || text.find('\0') != std::string::npos)
    throw usage_error(blame + file + " is not text, expected a C or C++ file");
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (text.starts_with(byte_order_mark)) text.erase(0, byte_order_mark.size());
  return text;
}

/// Tracks whether a line begins inside a comment. Strings do not cross lines.
class comment_state {
 public:
  bool inside() const { return inside_; }
  void read(const std::string& line) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      const auto two = line.substr(i, 2);
      if (inside_) {
        if (two == "*/") inside_ = false, ++i;
      } else if (two == "//") {
        return;
      } else if (two == "/*") {
        inside_ = true, ++i;
      } else if (line[i] == '"' || (line[i] == '\'' && !parts_digits(line, i))) {
        const char quote = line[i];
        for (++i; i < line.size() && line[i] != quote; ++i)
          if (line[i] == '\\') ++i;
      }
    }
  }

 private:
  bool inside_ = false;
};

std::optional<category> category_named(std::string name) {
  std::ranges::transform(name, name.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const auto kind : {category::p2p, category::n2p, category::r2s, category::r2v, category::iwpp})
    if (name == name_of(kind)) return kind;
  return {};
}

constexpr std::string_view blanks = " \t\v\f";

std::string_view without_blanks(std::string_view text) {
  const auto begin = text.find_first_not_of(blanks);
  return begin == std::string_view::npos ? std::string_view() : text.substr(begin);
}

/// Removes the first word and returns it.
std::string_view taken_word(std::string_view& text) {
  const auto letter = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  const auto end = std::ranges::find_if_not(text, letter) - text.begin();
  const auto word = text.substr(0, static_cast<std::size_t>(end));
  text = without_blanks(text.substr(word.size()));
  return word;
}

/// As a C string literal.
std::string quoted(const std::string& file) {
  std::string text = "\"";
  for (const char letter : file) {
    if (letter == '"' || letter == '\\') text += '\\';
    text += letter;
  }
  return text + "\"";
}

class reader {
 public:
  source result;

  /// Adds a file that the user names.
  void add_named(const std::string& file) {
    included_.push_back(fs::weakly_canonical(file).string());
    add_file(file, content_of(file, ""));
  }

 private:
  void add_file(const std::string& file, const std::string& text) {
    result.text += "#line 1 " + quoted(file) + "\n";
    open_.push_back(fs::weakly_canonical(file).string());
    comment_state comments;
    unsigned number = 0;
    for (std::size_t at = 0; at < text.size();) {
      auto end = text.find('\n', at);
      if (end == std::string::npos) end = text.size();
      auto line = text.substr(at, end - at);
      if (!line.empty() && line.back() == '\r') line.pop_back();
      at = end + 1;
      ++number;
      const bool comment = comments.inside();
      comments.read(line);
      if (continued_ && !comment) {
        result.lines.back().line += "\n" + line;
        continued_ = line.ends_with('\\');
        result.text += line + "\n";
      } else {
        const auto known = result.lines.size();
        add_line(comment ? "" : line, line, {file, number});
        // Text after the name on its line is dropped.
        if (comments.inside() && result.lines.size() == known + 1 && result.lines.back().line == line)
          result.lines.back().line += " */";
      }
    }
    continued_ = false;
    open_.pop_back();
  }

  void add_line(const std::string& code, const std::string& line, const place& where) {
    auto rest = without_blanks(code);
    if (!rest.starts_with('#')) {
      result.text += line + "\n";
      return;
    }
    rest = without_blanks(rest.substr(1));
    const auto word = taken_word(rest);
    if (add_directive(word, rest, line, where)) return;
    if (word == "include" && rest.starts_with('"')) {
      const auto end = rest.find('"', 1);
      if (end != std::string_view::npos && end > 1)
        return include(std::string(rest.substr(1, end - 1)), rest.substr(end + 1), line, where);
    }
    if (word.starts_with("if")) ++conditions_;
    if (word == "endif") --conditions_;
    if (word == "define" || word == "undef" || word == "include") {
      result.lines.push_back({result.text.size(), line, where});
      continued_ = line.ends_with('\\');
    }
    result.text += line + "\n";
  }

  /// Each header gets a guard, because it holds definitions. It is included again if the first time was under
  /// a condition. A block comment may begin after the name and continue.
  void include(const std::string& name, std::string_view behind, const std::string& line,
               const place& where) {
    const auto path = (fs::path(where.file).parent_path() / name).string();
    const auto known = fs::weakly_canonical(path).string();
    const bool is_open = std::ranges::find(open_, known) != open_.end();
    if (!is_open && std::ranges::find(included_, known) == included_.end()) {
      std::string text;
      try {
        text = content_of(path, to_string(where));
      } catch (const error&) {
        return add_fault(std::current_exception(), line);
      }
      if (open_.size() > deepest_include || result.text.size() + text.size() > longest_source)
        throw usage_error(to_string(where) + "headers include each other too deeply; expected less than " +
                          std::to_string(deepest_include) + " levels");
      if (conditions_ == 0) included_.push_back(known);
      const auto guard = guard_of(known);
      result.text += "#ifndef " + guard + "\n#define " + guard + "\n";
      add_file(path, text);
      result.text += "#endif\n";
    }
    result.text += "#line " + std::to_string(where.line) + " " + quoted(where.file) + "\n";
    if (without_blanks(behind).starts_with("/*")) result.text += behind;
    result.text += "\n";
  }

  std::string guard_of(const std::string& header) {
    auto at = std::ranges::find(guarded_, header);
    if (at == guarded_.end()) at = guarded_.insert(at, header);
    return "MACAREU_INCLUDED_" + std::to_string(at - guarded_.begin());
  }

  /// Kept as a comment, so that texts with different faults differ.
  void add_fault(std::exception_ptr what, const std::string& line) {
    result.faults.push_back({result.text.size(), std::move(what)});
    result.text += "//" + line.substr(0, line.find_last_not_of('\\') + 1) + "\n";
  }

  /// Directives of C, C++ and compilers.
  static bool is_c(std::string_view word) {
    constexpr std::array<std::string_view, 19> known{
        "assert", "define", "elif",   "elifdef", "elifndef",     "else", "endif",  "error", "ident",  "if",
        "ifdef",  "ifndef", "import", "include", "include_next", "line", "pragma", "undef", "warning"};
    return std::ranges::find(known, word) != known.end();
  }

  /// Whether the line is a directive of Macareu, misspelled ones included.
  bool add_directive(std::string_view word, std::string_view rest, const std::string& line,
                     const place& where) {
    constexpr std::string_view mark = "_FUNC";
    std::string name, written = "#" + std::string(word);
    if (word == "STRUCT") {
      name = "struct";
    } else if (word.ends_with(mark) && word.size() > mark.size()) {
      name = word.substr(0, word.size() - mark.size());
    } else if (word == "pragma" && taken_word(rest) == "macareu") {
      name = taken_word(rest);
      written = "#pragma macareu " + name;
    } else if (word.empty() || std::isalpha(static_cast<unsigned char>(word[0])) == 0 || is_c(word)) {
      return false;
    }
    const auto kind = category_named(name);
    std::string fault;
    if (!kind && name != "struct")
      fault = "unknown directive " + written +
              "; expected #P2P_FUNC, #N2P_FUNC, #R2S_FUNC, #R2V_FUNC, #IWPP_FUNC or #STRUCT, or #pragma "
              "macareu with p2p, n2p, r2s, r2v, iwpp or struct";
    else if (!rest.empty() && !rest.starts_with("//") && !rest.starts_with("/*"))
      fault = "'" + std::string(rest) + "' behind " + written +
              "; expected the directive alone on its line, and the function on the next";
    if (!fault.empty()) {
      add_fault(std::make_exception_ptr(usage_error(to_string(where) + fault)), line);
      return true;
    }
    result.directives.push_back({kind, written, where, result.text.size()});
    // A block comment may begin here and continue on the next line.
    result.text += std::string(rest) + "\n";
    return true;
  }

  bool continued_ = false;
  int conditions_ = 0;
  std::vector<std::string> included_, open_, guarded_;
};

/// The header of #include <math.h>; empty for other lines.
std::string_view included_by(std::string_view line) {
  line = without_blanks(line);
  if (!line.starts_with('#')) return {};
  line = without_blanks(line.substr(1));
  if (taken_word(line) != "include" || !line.starts_with('<')) return {};
  return line.substr(1, line.find('>') - 1);
}

language language_of(const std::string& file, const source& from) {
  const auto not_of_c = [](const source::preprocessing& each) {
    const auto header = included_by(each.line);
    return !header.empty() && (!header.ends_with(".h") || header == "tgmath.h");
  };
  const bool c = fs::path(file).extension() == ".c" && std::ranges::none_of(from.lines, not_of_c);
  return c ? language::c : language::cpp;
}

}  // namespace

bool parts_digits(std::string_view text, std::size_t quote) {
  const auto is_part = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '\''; };
  auto begin = quote;
  while (begin > 0 && is_part(static_cast<unsigned char>(text[begin - 1]))) --begin;
  return begin < quote && std::isdigit(static_cast<unsigned char>(text[begin])) != 0;
}

bool includes(const source& from, std::string_view header) {
  return std::ranges::any_of(from.lines, [&](const auto& each) { return included_by(each.line) == header; });
}

std::string to_string(const place& where) { return where.file + ":" + std::to_string(where.line) + ": "; }

source read_source(const std::string& file, const std::string& header) {
  reader all;
  if (!header.empty()) all.add_named(header);
  all.add_named(file);
  all.result.written_in = language_of(file, all.result);
  return std::move(all.result);
}

}  // namespace macareu::converter
