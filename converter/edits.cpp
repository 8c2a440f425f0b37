#include "edits.hpp"

#include <algorithm>

namespace macareu::converter {

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
