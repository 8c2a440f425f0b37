// A picture to write numbers on.
#pragma once

#include <array>
#include <cstdint>
#include <string>
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

class canvas {
 public:
  /// Three channels of u8.
  explicit canvas(image picture);

  /// The rectangle of a number, margin included: centred at (y, x), moved inside the picture if it fits.
  /// `scale`: pixels per pixel of the 3 x 5 digits.
  rectangle place_of(const std::string& number, std::int64_t y, std::int64_t x, std::int64_t scale) const;
  /// On a dark background, for contrast.
  void write(const std::string& number, const rectangle& place, std::int64_t scale, const colour& with);
  /// Whether a number has been written there.
  bool is_taken(const rectangle& place) const;

  image take() { return std::move(picture_); }

 private:
  /// Does nothing outside the picture.
  void paint(std::int64_t y, std::int64_t x, const colour& with);
  void fill(const rectangle& part, const colour& with);
  rectangle inside(const rectangle& part) const;

  image picture_;
  extents shape_;
  std::vector<bool> taken_;
};

}  // namespace macareu::tool
