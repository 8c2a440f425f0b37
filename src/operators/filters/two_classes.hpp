// Bright and dark pixels, and the threshold between their local means.
#pragma once

#include <cstdint>

#include "core/site.hpp"
#include "operators/filters/local_threshold_rules.hpp"

namespace macareu {

enum class class_part { bright, dark, share };

/// The value of a pixel of the class, 0 elsewhere; or 1 for bright pixels.
struct class_values {
  float split;
  class_part part;
  MACAREU_HD float operator()(site, float value) const {
    const bool bright = value > split;
    if (part == class_part::share) return bright ? 1.0F : 0.0F;
    return bright == (part == class_part::bright) ? value : 0.0F;
  }
};

/// Pixels of both classes, and sums of whole_values, which are exact in any order. The first class is dark.
struct class_sums {
  struct value {
    std::uint64_t pixels[2], sums[2];
    bool operator==(const value&) const = default;
  };
  float split;
  whole_values<float, std::uint64_t> whole;

  MACAREU_HD value identity() const { return {}; }
  MACAREU_HD value lift(site, float pixel) const {
    value one{};
    const int bright = pixel > split;
    one.pixels[bright] = 1;
    one.sums[bright] = whole(pixel);
    return one;
  }
  MACAREU_HD value join(const value& a, const value& b) const {
    value both{};
    for (int i = 0; i < 2; ++i) {
      both.pixels[i] = a.pixels[i] + b.pixels[i];
      both.sums[i] = a.sums[i] + b.sums[i];
    }
    return both;
  }

  double mean(const value& all, int bright) const {
    return static_cast<double>(static_cast<std::int64_t>(all.sums[bright])) / whole.scale /
           static_cast<double>(all.pixels[bright]);
  }
};

/// From local means of the values of each class, and the local share of bright pixels, in f64.
struct above_classes {
  double bright_mean, dark_mean, weight, scale, margin;
  static constexpr double pull = 0.05;  // towards the global means, as a share of the window

  MACAREU_HD std::uint8_t operator()(site, float value, float bright, float dark, float share) const {
    const double own = static_cast<double>(share);
    const double b = (static_cast<double>(bright) + pull * bright_mean) / (own + pull),
                 d = (static_cast<double>(dark) + pull * dark_mean) / ((1 - own) + pull);
    return static_cast<double>(value) > scale * (weight * b + (1 - weight) * d) - margin;
  }
};

}  // namespace macareu
