#include "math_arguments.hpp"

#include <algorithm>
#include <cctype>

#include "c_mathematics.hpp"

namespace macareu::converter {
namespace {

/// Functions with overloads that compute integers in double.
bool is_of_double(const std::string& name) { return is_c_mathematics(name) && name != "abs"; }

bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

bool is_one_word(const std::string& text) {
  return std::ranges::all_of(text,
                             [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '.'; });
}

/// The comma-separated arguments in the brackets that open at `open`, without surrounding blanks.
std::vector<range> arguments_at(const std::string& text, std::size_t open) {
  std::vector<range> result;
  const auto add = [&](std::size_t begin, std::size_t end) {
    while (begin < end && is_space(text[begin])) ++begin;
    while (begin < end && is_space(text[end - 1])) --end;
    result.push_back({begin, end});
  };
  int depth = 0;
  auto begin = open + 1;
  for (auto i = open; i < text.size(); ++i) {
    const char c = text[i];
    if (text.compare(i, 2, "/*") == 0)
      i = std::min(text.find("*/", i + 2), text.size() - 2) + 1;
    else if (text.compare(i, 2, "//") == 0)
      i = std::min(text.find('\n', i), text.size());
    else if (c == '\'' && !parts_digits(text, i))
      i = std::min(text.find('\'', i + (text[i + 1] == '\\' ? 3 : 2)), text.size());
    else if (c == '(' || c == '[' || c == '{')
      ++depth;
    else if (c == ')' || c == ']' || c == '}')
      --depth;
    if (depth == 0) {
      add(begin, i);
      return result;
    }
    if (c == ',' && depth == 1) {
      add(begin, i);
      begin = i + 1;
    }
  }
  return {};
}

class conversions {
 public:
  conversions(const unit& file, CXCursor function) : file_(file), function_(file.range_of(function)) {}

  std::vector<edit> result;

  void visit(CXCursor cursor) {
    if (clang_getCursorKind(cursor) == CXCursor_CallExpr && is_of_double(name_of(cursor)) &&
        !is_users(clang_getCursorReferenced(cursor)))
      call(cursor);
    for (const auto& child : children_of(cursor)) visit(child);
  }

 private:
  void call(CXCursor cursor) {
    std::vector<CXTypeKind> types;
    for (int i = 0; i < clang_Cursor_getNumArguments(cursor); ++i)
      types.push_back(written_type(clang_Cursor_getArgument(cursor, static_cast<unsigned>(i))));
    if (std::ranges::all_of(types, [&](auto type) {
          return type == types.front() && (type == CXType_Float || type == CXType_Double);
        }))
      return;
    const auto name = name_of(cursor);
    auto open = written_offset(children_of(cursor).front());
    const bool here =
        function_.begin <= open && open < function_.end && file_.text().compare(open, name.size(), name) == 0;
    open += name.size();
    while (here && is_space(file_.text()[open])) ++open;
    const auto ranges =
        here && file_.text()[open] == '(' ? arguments_at(file_.text(), open) : std::vector<range>();
    if (ranges.size() != types.size())
      refuse(cursor, "'" + name + "' of an integer, written by a macro",
             "(double) before the integer: a GPU has " + name + " for floating point numbers only");
    for (std::size_t i = 0; i < types.size(); ++i)
      if (types[i] != CXType_Double) convert(ranges[i]);
  }

  void convert(const range& where) {
    const bool word = is_one_word(file_.text().substr(where.begin, where.end - where.begin));
    result.push_back({{where.begin, where.begin}, word ? "(double)" : "(double)("});
    if (!word) result.push_back({{where.end, where.end}, ")"});
  }

  const unit& file_;
  range function_;
};

void add_mathematics(CXCursor cursor, std::vector<std::string>& names) {
  const auto name = called_name(cursor);
  if (clang_getCursorKind(cursor) == CXCursor_DeclRefExpr && is_c_mathematics(name) &&
      !is_users(clang_getCursorReferenced(cursor)))
    names.push_back(name);
  for (const auto& child : children_of(cursor)) add_mathematics(child, names);
}

}  // namespace

std::string called_name(CXCursor function) {
  auto name = name_of(function);
  for (const std::string each : {"isfinite", "isinf", "isnan", "signbit"})
    if (name == "__builtin_" + each || name == "__builtin_" + each + "_sign") return each;
  return name;
}

std::vector<std::string> mathematics_of(CXCursor function) {
  std::vector<std::string> names;
  add_mathematics(function, names);
  return names;
}

std::vector<edit> conversions_to_double(const unit& file, CXCursor function) {
  conversions all(file, function);
  all.visit(function);
  return std::move(all.result);
}

}  // namespace macareu::converter
