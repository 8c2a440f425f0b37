#include "source.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>

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
  return text;
}

/// Tells for each line whether it begins inside a comment; strings do not cross lines.
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
      } else if (line[i] == '"' || line[i] == '\'') {
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

class reader {
 public:
  source result;

  void add_file(const std::string& file, const std::string& blame, int depth) {
    included_.push_back(fs::weakly_canonical(file).string());
    if (depth > deepest_include) throw usage_error(blame + "headers include each other too deeply");
    const auto text = content_of(file, blame);
    result.text += "#line 1 \"" + file + "\"\n";
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
        add_line(comment ? "" : line, line, {file, number}, depth);
      }
    }
  }

 private:
  void add_line(const std::string& code, const std::string& line, const place& where, int depth) {
    static const std::regex starts(R"(^\s*#\s*(\w+)\s*(.*)$)");
    std::smatch parts;
    if (!std::regex_match(code, parts, starts)) {
      result.text += line + "\n";
      return;
    }
    const std::string word = parts[1], rest = parts[2];
    if (add_directive(word, rest, where)) {
      result.text += "\n";
      return;
    }
    static const std::regex quoted(R"re(^"([^"]+)".*$)re");
    if (std::smatch name; word == "include" && std::regex_match(rest, name, quoted)) {
      include(name[1], where, depth);
      return;
    }
    if (word == "define" || word == "undef" || word == "include") {
      result.lines.push_back({result.text.size(), line});
      continued_ = line.ends_with('\\');
    }
    result.text += line + "\n";
  }

  void include(const std::string& name, const place& where, int depth) {
    const auto path = (fs::path(where.file).parent_path() / name).string();
    // As if every header had a guard: they hold definitions, which may stand once only.
    if (std::ranges::find(included_, fs::weakly_canonical(path).string()) == included_.end())
      add_file(path, to_string(where), depth + 1);
    result.text += "#line " + std::to_string(where.line + 1) + " \"" + where.file + "\"\n";
  }

  /// Whether the line is one of ours.
  bool add_directive(const std::string& word, const std::string& rest, const place& where) {
    static const std::regex pragma(R"(^macareu\b\s*(\w*)\s*(.*)$)");
    static const std::regex ours(R"(^(\w+)_FUNC$)");
    std::smatch parts;
    std::string name, behind, written = "#" + word;
    if (word == "STRUCT") {
      name = "struct";
      behind = rest;
    } else if (std::regex_match(word, parts, ours)) {
      name = parts[1];
      behind = rest;
    } else if (word == "pragma" && std::regex_match(rest, parts, pragma)) {
      name = parts[1];
      behind = parts[2];
      written = "#pragma macareu " + name;
    } else {
      return false;
    }
    const auto kind = category_named(name);
    if (!kind && name != "struct")
      throw usage_error(
          to_string(where) + "unknown directive " + written +
          "; expected #P2P_FUNC, #N2P_FUNC, #R2S_FUNC, #R2V_FUNC, #IWPP_FUNC or #STRUCT, or #pragma "
          "macareu with p2p, n2p, r2s, r2v, iwpp or struct");
    if (!behind.empty() && !behind.starts_with("//") && !behind.starts_with("/*"))
      throw usage_error(to_string(where) + "'" + behind + "' behind " + written +
                        "; expected the directive alone on its line, and the function on the next");
    result.directives.push_back({kind, written, where, result.text.size()});
    return true;
  }

  bool continued_ = false;
  std::vector<std::string> included_;
};

}  // namespace

std::string to_string(const place& where) { return where.file + ":" + std::to_string(where.line) + ": "; }

source read_source(const std::string& file, const std::string& header) {
  reader all;
  if (!header.empty()) all.add_file(header, "", 0);
  all.add_file(file, "", 0);
  return std::move(all.result);
}

}  // namespace macareu::converter
