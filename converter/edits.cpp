#include "edits.hpp"

#include <algorithm>
#include <sstream>
#include <string_view>

namespace macareu::converter {
namespace {

/// "const struct rgb" and " rgb " are rgb.
std::string name_of_struct(std::string_view text) {
  std::istringstream words{std::string(text)};
  std::string name;
  for (std::string word; words >> word;)
    if (word != "const" && word != "struct") name += word;
  return name;
}

void add_struct_literals(const unit& file, CXCursor cursor, std::vector<edit>& edits) {
  const auto type = clang_getCursorType(cursor);
  const auto where = file.plain_range_of(cursor);
  if (clang_getCursorKind(cursor) == CXCursor_CompoundLiteralExpr && where &&
      clang_getCanonicalType(type).kind == CXType_Record) {
    const auto close = file.text().find(')', where->begin);
    const auto name = name_of_struct(taken(clang_getTypeSpelling(type)));
    // Inside a macro the text differs, so it is checked.
    const std::string_view written(file.text().data() + where->begin, close - where->begin);
    if (written.starts_with('(') && name_of_struct(written.substr(1)) == name)
      edits.push_back({{where->begin, close + 1}, name});
  }
  for (const auto& child : children_of(cursor)) add_struct_literals(file, child, edits);
}

}  // namespace

std::vector<edit> struct_literals(const unit& file, CXCursor function) {
  std::vector<edit> edits;
  add_struct_literals(file, function, edits);
  return edits;
}

std::string edited(const unit& file, CXCursor function, std::vector<edit> edits) {
  const auto begin_of = [](const edit& each) { return each.where.begin; };
  std::ranges::stable_sort(edits, {}, begin_of);
  const auto same = [](const edit& a, const edit& b) {
    return a.where.begin == b.where.begin && a.where.end == b.where.end && a.text == b.text;
  };
  edits.erase(std::unique(edits.begin(), edits.end(), same), edits.end());
  const auto start = file.range_of(function).begin;
  auto text = file.text_of(function);
  for (auto each = edits.rbegin(); each != edits.rend(); ++each)
    text.replace(each->where.begin - start, each->where.end - each->where.begin, each->text);
  return text;
}

}  // namespace macareu::converter
