// Small stained slides with known nuclei.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include <macareu/image.hpp>

#include "support/dice.hpp"

namespace macareu::test {

struct drawn_slide {
  image rgb, truth;
  std::uint32_t nuclei = 0;
};

/// Violet ellipses on pink tissue with noise; some touch. Pixels are a quarter of a micrometre.
inline drawn_slide draw_slide(dice& from, std::int64_t height, std::int64_t width, int nuclei) {
  drawn_slide slide{image(dtype::u8, {height, width}, 3), image(dtype::u32, {height, width})};
  auto truth = slide.truth.pixels<std::uint32_t>();
  auto rgb = slide.rgb.pixels<std::uint8_t>();
  for (auto& label : truth) label = 0;
  struct ellipse {
    double y, x, a, b, turn;
  };
  std::vector<ellipse> all;
  for (int tries = 0; tries < 50 * nuclei && static_cast<int>(all.size()) < nuclei; ++tries) {
    const ellipse one{static_cast<double>(from.below(height)), static_cast<double>(from.below(width)),
                      static_cast<double>(from.between(13, 20)), static_cast<double>(from.between(10, 13)),
                      static_cast<double>(from.between(0, 314)) / 100};
    bool apart = true;
    for (const auto& other : all) apart = apart && std::hypot(one.y - other.y, one.x - other.x) > 27;
    if (apart) all.push_back(one);
  }
  for (const auto& one : all) {
    ++slide.nuclei;
    for (std::int64_t y = 0; y < height; ++y)
      for (std::int64_t x = 0; x < width; ++x) {
        const double dy = static_cast<double>(y) - one.y, dx = static_cast<double>(x) - one.x;
        const double u = (dx * std::cos(one.turn) + dy * std::sin(one.turn)) / one.a,
                     v = (dy * std::cos(one.turn) - dx * std::sin(one.turn)) / one.b;
        auto& label = truth[static_cast<std::size_t>(y * width + x)];
        if (u * u + v * v <= 1 && label == 0) label = slide.nuclei;
      }
  }
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const int noise = static_cast<int>(from.between(-12, 12));
    const int colour[3]{truth[i] != 0 ? 95 : 228, truth[i] != 0 ? 60 : 180, truth[i] != 0 ? 140 : 210};
    for (std::size_t c = 0; c < 3; ++c) rgb[3 * i + c] = static_cast<std::uint8_t>(colour[c] + noise);
  }
  return slide;
}

}  // namespace macareu::test
