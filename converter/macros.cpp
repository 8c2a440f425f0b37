#include "macros.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include <macareu/error.hpp>

namespace macareu::converter {
namespace {

struct change {
  std::string name;
  std::optional<std::string> value;  ///< empty: #undef
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

/// The values of macros before and after a function, and all words that it uses, directly or through macros.
struct uses {
  values before, behind;
  std::set<std::string> words;
};

uses uses_of(const source& from, const kept_function& function) {
  uses result;
  for (const auto& each : from.lines) {
    const auto what = change_of(each.line);
    if (!what) continue;
    if (each.offset < function.begin) apply(result.before, *what);
    if (each.offset < function.end) apply(result.behind, *what);
  }
  const auto text = std::string_view(from.text).substr(function.begin, function.end - function.begin);
  add_used(text, result.behind, result.words);
  return result;
}

/// Whether the text after the line uses the macro that the line undefines.
bool is_named_behind(const source& from, const source::preprocessing& line, const std::string& name) {
  values known;
  for (const auto& each : from.lines)
    if (const auto what = change_of(each.line); what && each.offset <= line.offset) apply(known, *what);
  std::set<std::string> words;
  add_used(std::string_view(from.text).substr(from.text.find('\n', line.offset)), known, words);
  return words.contains(name);
}

}  // namespace

bool is_letter(unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c >= 0x80; }

std::vector<std::string_view> words_in(std::string_view text) {
  std::vector<std::string_view> words;
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
      words.push_back(text.substr(begin, i - begin));
    } else {
      ++i;
    }
    if (i == std::string_view::npos) break;
  }
  return words;
}

std::vector<std::string> words_of(std::string_view text) {
  const auto words = words_in(text);
  return {words.begin(), words.end()};
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

void drop_late_undefs(source& from, const std::vector<kept_function>& functions) {
  std::vector<uses> all;
  std::ranges::transform(functions, std::back_inserter(all),
                         [&](const auto& each) { return uses_of(from, each); });
  const auto is_late = [&](const source::preprocessing& line) {
    const auto what = change_of(line.line);
    if (!what || what->value) return false;
    bool needed = false;
    for (std::size_t k = 0; k < functions.size(); ++k)
      needed = needed || (functions[k].end <= line.offset && all[k].words.contains(what->name) &&
                          all[k].before.contains(what->name));
    return needed && !is_named_behind(from, line, what->name);
  };
  // Not in place: each decision depends on all the other lines.
  std::vector<source::preprocessing> kept;
  std::ranges::remove_copy_if(from.lines, std::back_inserter(kept), is_late);
  from.lines = std::move(kept);
}

void check_macros(const source& from, const kept_function& function) {
  const auto [before, behind, used] = uses_of(from, function);
  values last;
  for (const auto& each : from.lines)
    if (const auto what = change_of(each.line)) apply(last, *what);
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
