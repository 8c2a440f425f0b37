#include "pictures/number_canvas.hpp"

#include <algorithm>
#include <utility>

namespace macareu::tool {
namespace {

/// Digits of 3 x 5 pixels, three bits per row.
constexpr std::int64_t digit_height = 5, digit_width = 3;
constexpr std::array<std::array<std::uint8_t, digit_height>, 10> digits{{{7, 5, 5, 5, 7},
                                                                         {2, 6, 2, 2, 7},
                                                                         {7, 1, 7, 4, 7},
                                                                         {7, 1, 7, 1, 7},
                                                                         {5, 5, 7, 1, 1},
                                                                         {7, 4, 7, 1, 7},
                                                                         {7, 4, 7, 5, 7},
                                                                         {7, 1, 1, 2, 2},
                                                                         {7, 5, 7, 5, 7},
                                                                         {7, 5, 7, 1, 7}}};

bool is_set(char digit, std::int64_t row, std::int64_t column) {
  return digits[static_cast<std::size_t>(digit - '0')][static_cast<std::size_t>(row)] >>
             (digit_width - 1 - column) &
         1;
}

}  // namespace

canvas::canvas(image picture)
    : picture_(std::move(picture)),
      shape_(picture_.shape()),
      taken_(static_cast<std::size_t>(shape_[0] * shape_[1])) {}

void canvas::paint(std::int64_t y, std::int64_t x, const colour& with) {
  if (y < 0 || y >= shape_[0] || x < 0 || x >= shape_[1]) return;
  std::copy(with.begin(), with.end(), picture_.pixels<std::uint8_t>().begin() + 3 * (y * shape_[1] + x));
}

rectangle canvas::place_of(const std::string& number, std::int64_t y, std::int64_t x,
                           std::int64_t scale) const {
  const auto length = static_cast<std::int64_t>(number.size());
  const auto height = (digit_height + 2) * scale, width = (length * (digit_width + 1) + 1) * scale;
  const auto top = std::clamp<std::int64_t>(y - height / 2, 0, std::max<std::int64_t>(shape_[0] - height, 0));
  const auto left = std::clamp<std::int64_t>(x - width / 2, 0, std::max<std::int64_t>(shape_[1] - width, 0));
  return {top, left, top + height, left + width};
}

void canvas::write(const std::string& number, const rectangle& place, std::int64_t scale,
                   const colour& with) {
  fill(place, {0, 0, 0});
  for (std::size_t i = 0; i < number.size(); ++i)
    for (std::int64_t row = 0; row < digit_height; ++row)
      for (std::int64_t column = 0; column < digit_width; ++column)
        if (is_set(number[i], row, column)) {
          const auto top = place.top + scale * (1 + row);
          const auto left =
              place.left + scale * (1 + static_cast<std::int64_t>(i) * (digit_width + 1) + column);
          fill({top, left, top + scale, left + scale}, with);
        }
  const auto seen = inside(place);
  for (auto y = seen.top; y < seen.bottom; ++y)
    std::fill_n(taken_.begin() + y * shape_[1] + seen.left, seen.right - seen.left, true);
}

bool canvas::is_taken(const rectangle& place) const {
  const auto seen = inside(place);
  for (auto y = seen.top; y < seen.bottom; ++y) {
    const auto row = taken_.begin() + y * shape_[1];
    if (std::find(row + seen.left, row + seen.right, true) != row + seen.right) return true;
  }
  return false;
}

void canvas::fill(const rectangle& part, const colour& with) {
  for (auto y = part.top; y < part.bottom; ++y)
    for (auto x = part.left; x < part.right; ++x) paint(y, x, with);
}

rectangle canvas::inside(const rectangle& part) const {
  return {std::min(part.top, shape_[0]), std::min(part.left, shape_[1]), std::min(part.bottom, shape_[0]),
          std::min(part.right, shape_[1])};
}

}  // namespace macareu::tool
