#include "layout.hpp"

namespace macareu::converter {

std::string in_brackets(const std::string& opening, const std::vector<std::string>& items,
                        const std::string& closing) {
  const auto start = opening.rfind('\n');
  const auto indent = opening.size() - (start == std::string::npos ? 0 : start + 1);
  auto text = opening;
  auto column = indent;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto item = items[i] + (i + 1 < items.size() ? "," : closing);
    const bool first = i == 0, fits = column + (first ? 0 : 1) + item.size() <= line_width;
    if (!first && fits) text += ' ';
    if (!first && !fits) text += '\n' + std::string(indent, ' ');
    column = (first || !fits ? indent : column + 1) + item.size();
    text += item;
  }
  return items.empty() ? text + closing : text;
}

}  // namespace macareu::converter
