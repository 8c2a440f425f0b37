#include "macros.hpp"

#include <cctype>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include <macareu/error.hpp>

namespace macareu::converter {
namespace {

bool is_letter(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

struct change {
  std::string name;
  std::optional<std::string> value;  ///< nothing: #undef
};

std::optional<change> change_of(const std::string& line) {
  const auto words = words_of(line);
  if (words.size() < 2 || (words[0] != "define" && words[0] != "undef")) return {};
  if (words[0] == "undef") return change{words[1], {}};
  const auto name = line.find(words[1], line.find("define") + 6);
  return change{words[1], line.substr(name + words[1].size())};
}

using values = std::map<std::string, std::string>;

void apply(values& known, const change& what) {
  if (what.value)
    known[what.name] = *what.value;
  else
    known.erase(what.name);
}

std::optional<std::string> value_in(const values& known, const std::string& name) {
  const auto at = known.find(name);
  return at == known.end() ? std::nullopt : std::optional(at->second);
}

void add_used(std::string_view text, const values& known, std::set<std::string>& used) {
  for (const auto& word : words_of(text)) {
    if (!used.insert(word).second) continue;
    if (const auto value = value_in(known, word)) add_used(*value, known, used);
  }
}

}  // namespace

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < text.size();) {
    const auto two = text.substr(i, 2);
    if (two == "//") {
      i = text.find('\n', i);
    } else if (two == "/*") {
      i = text.find("*/", i + 2);
      if (i != std::string_view::npos) i += 2;
    } else if (text[i] == '"' || (text[i] == '\'' && !parts_digits(text, i))) {
      const char quote = text[i];
      for (++i; i < text.size() && text[i] != quote; ++i)
        if (text[i] == '\\') ++i;
      ++i;
    } else if (is_letter(text[i])) {
      const auto begin = i;
      while (i < text.size() && is_letter(text[i])) ++i;
      words.emplace_back(text.substr(begin, i - begin));
    } else {
      ++i;
    }
    if (i == std::string_view::npos) break;
  }
  return words;
}

bool defines_macro(const source& from, const std::string& name) {
  for (const auto& each : from.lines)
    if (const auto what = change_of(each.line); what && what->value && what->name == name) return true;
  return false;
}

void check_macro_names(const source& from) {
  static const std::set<std::string> taken{"RULE",   "WITH_CUDA", "WITH_OPENCV", "atomicAdd",   "reduction",
                                           "double", "defined",   "device",      "maybe_unused"};
  for (const auto& each : from.lines) {
    const auto what = change_of(each.line);
    if (!what || !(taken.contains(what->name) || what->name.starts_with("__"))) continue;
    throw usage_error(to_string(each.where) + "macro '" + what->name +
                      "', a name that generated code or compilers use; expected another name");
  }
}

void check_macros(const source& from, const kept_function& function) {
  values before, behind, last;
  for (const auto& each : from.lines) {
    const auto what = change_of(each.line);
    if (!what) continue;
    if (each.offset < function.begin) apply(before, *what);
    if (each.offset < function.end) apply(behind, *what);
    apply(last, *what);
  }
  std::set<std::string> used;
  const auto text = std::string_view(from.text).substr(function.begin, function.end - function.begin);
  add_used(text, behind, used);
  for (const auto& each : from.lines) {
    const auto what = change_of(each.line);
    if (!what || each.offset < function.begin || !used.contains(what->name)) continue;
    const auto at_end = value_in(last, what->name);
    const bool of_its_own = !before.contains(what->name) && value_in(behind, what->name) == at_end;
    if (of_its_own || value_in(before, what->name) == at_end) continue;
    throw usage_error(to_string(each.where) + "macro '" + what->name + "' changes after '" + function.name +
                      "' used it; expected one meaning for each macro in a file");
  }
}

}  // namespace macareu::converter
