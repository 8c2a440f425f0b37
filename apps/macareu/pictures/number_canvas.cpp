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

/// Fills the part of a rectangle that lies in a box of a picture.
void fill(const rectangle& part, const colour& with, std::span<std::uint8_t> pixels, const rectangle& box) {
  for (auto y = std::max(part.top, box.top); y < std::min(part.bottom, box.bottom); ++y)
    for (auto x = std::max(part.left, box.left); x < std::min(part.right, box.right); ++x)
      std::copy(with.begin(), with.end(),
                pixels.begin() + 3 * ((y - box.top) * (box.right - box.left) + x - box.left));
}

}  // namespace

rectangle place_of(const extents& picture, const std::string& number, std::int64_t y, std::int64_t x,
                   std::int64_t scale) {
  const auto length = static_cast<std::int64_t>(number.size());
  const auto height = (digit_height + 2) * scale, width = (length * (digit_width + 1) + 1) * scale;
  const auto top =
      std::clamp<std::int64_t>(y - height / 2, 0, std::max<std::int64_t>(picture[0] - height, 0));
  const auto left = std::clamp<std::int64_t>(x - width / 2, 0, std::max<std::int64_t>(picture[1] - width, 0));
  return {top, left, top + height, left + width};
}

template <class Visit>
void taken_places::over_cells(const rectangle& place, const Visit& visit) {
  constexpr int bits = 6;
  for (auto y = place.top >> bits; y <= (place.bottom - 1) >> bits; ++y)
    for (auto x = place.left >> bits; x <= (place.right - 1) >> bits; ++x)
      visit(static_cast<std::uint64_t>(y) << 32 | static_cast<std::uint64_t>(x));
}

void taken_places::take(const rectangle& place) {
  over_cells(place, [&](std::uint64_t cell) { cells_[cell].push_back(places_.size()); });
  places_.push_back(place);
}

bool taken_places::is_taken(const rectangle& place) const {
  bool taken = false;
  over_cells(place, [&](std::uint64_t cell) {
    const auto found = cells_.find(cell);
    if (found == cells_.end()) return;
    taken = taken || std::ranges::any_of(found->second, [&](std::size_t i) {
              const auto& other = places_[i];
              return other.top < place.bottom && place.top < other.bottom && other.left < place.right &&
                     place.left < other.right;
            });
  });
  return taken;
}

void draw(const drawn_number& number, std::span<std::uint8_t> pixels, const rectangle& box) {
  const auto& [text, place, scale, with] = number;
  fill(place, {0, 0, 0}, pixels, box);
  for (std::size_t i = 0; i < text.size(); ++i)
    for (std::int64_t row = 0; row < digit_height; ++row)
      for (std::int64_t column = 0; column < digit_width; ++column)
        if (is_set(text[i], row, column)) {
          const auto top = place.top + scale * (1 + row);
          const auto left =
              place.left + scale * (1 + static_cast<std::int64_t>(i) * (digit_width + 1) + column);
          fill({top, left, top + scale, left + scale}, with, pixels, box);
        }
}

}  // namespace macareu::tool
