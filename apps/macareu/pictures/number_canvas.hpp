// Numbers on a picture: where they have room, and their pixels.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <macareu/image.hpp>

namespace macareu::tool {

using colour = std::array<std::uint8_t, 3>;

/// `bottom` and `right` are exclusive.
struct rectangle {
  std::int64_t top, left, bottom, right;

  std::int64_t area() const { return (bottom - top) * (right - left); }
};

struct drawn_number {
  std::string text;
  rectangle place;
  std::int64_t scale;  ///< pixels per pixel of the 3 x 5 digits
  colour with;
};

/// The rectangle of a number, margin included: centred at (y, x), moved inside the picture if it fits.
rectangle place_of(const extents& picture, const std::string& number, std::int64_t y, std::int64_t x,
                   std::int64_t scale);

/// The rectangles of numbers, which must not meet.
class taken_places {
 public:
  void take(const rectangle& place);
  bool is_taken(const rectangle& place) const;

 private:
  /// visit(cell) for cells of a coarse grid that the rectangle meets.
  template <class Visit>
  static void over_cells(const rectangle& place, const Visit& visit);

  std::vector<rectangle> places_;
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> cells_;
};

/// Draws what lies in a box of a picture: three channels of u8. The ground is dark, for contrast.
void draw(const drawn_number& number, std::span<std::uint8_t> pixels, const rectangle& box);

}  // namespace macareu::tool
