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

/// The ends are outside.
struct rectangle {
  std::int64_t top, left, bottom, right;

  std::int64_t area() const { return (bottom - top) * (right - left); }
};

class canvas {
 public:
  /// Three channels of u8.
  explicit canvas(image picture);

  /// Where a number is written, with a rim of its ground: around (y, x), moved to lie inside where there is
  /// room. `scale`: pixels for each of the digits' own, of which there are 3 x 5.
  rectangle place_of(const std::string& number, std::int64_t y, std::int64_t x, std::int64_t scale) const;
  /// On a dark ground so that it can be read everywhere.
  void write(const std::string& number, const rectangle& place, std::int64_t scale, const colour& with);
  /// Whether a number has been written there.
  bool is_taken(const rectangle& place) const;

  image take() { return std::move(picture_); }

 private:
  /// Nothing, outside.
  void paint(std::int64_t y, std::int64_t x, const colour& with);
  void fill(const rectangle& part, const colour& with);
  rectangle inside(const rectangle& part) const;

  image picture_;
  extents shape_;
  std::vector<bool> taken_;
};

}  // namespace macareu::tool
