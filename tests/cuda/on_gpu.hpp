// What the tests of the cuda engine share: they are skipped where no GPU is, saying why.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include <macareu/catalogue.hpp>
#include <macareu/machine.hpp>

#include "support/dice.hpp"

namespace macareu::test {

inline bool has_gpu() {
  const auto all = devices();
  return std::ranges::find(all, "cuda") != all.end();
}

class on_gpu : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_gpu()) GTEST_SKIP() << "no GPU: " << this_machine().no_gpu;
  }

  const context cuda_{.device = "cuda"};
  const context serial_{.device = "serial"};
};

/// A mask of noise, and a marker that is nowhere above it.
struct noise_pair {
  explicit noise_pair(const extents& of_shape)
      : shape(of_shape),
        marker(static_cast<std::size_t>(of_shape.pixels())),
        mask(static_cast<std::size_t>(of_shape.pixels())) {
    dice from(seed_of("noise_pair", of_shape.pixels(), of_shape.width()));
    for (std::size_t i = 0; i < mask.size(); ++i) {
      mask[i] = static_cast<std::uint8_t>(from.below(256));
      marker[i] = static_cast<std::uint8_t>(from.once_in(20) ? mask[i] : mask[i] / 4);
    }
  }
  const_image_view marker_view() const { return {marker.data(), shape}; }
  const_image_view mask_view() const { return {mask.data(), shape}; }

  extents shape;
  std::vector<std::uint8_t> marker, mask;
};

}  // namespace macareu::test
