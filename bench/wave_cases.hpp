// The cases and acceptance thresholds of the suite `wave`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <macareu/image.hpp>

#include "suite.hpp"

namespace macareu::bench {

/// `auto` may take at most this factor of the better of tiles and contraction.
constexpr double most_of_better = 1.3;
/// The largest side whose result the cpu device also computes.
constexpr std::int64_t largest_computed_twice = 32768;

/// A pair of images: generated, then mirrored.
struct wave_origin {
  /// A name of generate(), `published`, or `one-seed`: the mask of random, with its first pixel as marker.
  std::string_view family;
  std::int64_t side;
  int coverage = 50;
  int copies = 1;
  bool volume = false;

  std::int64_t whole_side() const { return side * copies; }
  bool same_base(const wave_origin& other) const {
    return family == other.family && side == other.side && coverage == other.coverage;
  }
};

enum class wave_strategies {
  all,      ///< of the device, and auto
  leading,  ///< tiles, contraction and auto
  slides,   ///< the leading ones, and the two that paper 2 compares
  automatic,
};

struct wave_variant {
  dtype type = dtype::u8;
  int neighbours = 4;
  wave_strategies strategies = wave_strategies::leading;
  bool transfers = false;
};

struct wave_instance {
  std::string name;
  wave_origin from;
  std::vector<wave_variant> variants;    ///< grouped by type and by host memory
  std::optional<time_limit> limit = {};  ///< of `auto`; images: u8 and 4 neighbours, volumes: 26
  double published_ms = 0;               ///< of the published megapixel code, u8 and 4 neighbours, on an H200
  int repeat = 11;
};

/// Instances with one base are adjacent. The limits of real tissue apply to generated tissue if the real pair
/// is not available.
std::vector<wave_instance> wave_instances(bool published_is_here);

std::vector<std::string> strategies_of(const wave_variant& variant, std::string_view device);
std::optional<time_limit> limit_of(const wave_instance& about, const wave_variant& variant,
                                   std::string_view strategy);
double published_of(const wave_instance& about, const wave_variant& variant);

}  // namespace macareu::bench
