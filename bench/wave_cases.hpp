// What the suite `wave` measures, and what must come out of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <macareu/image.hpp>

#include "suite.hpp"

namespace macareu::bench {

/// `auto` takes at most so many times what the better of tiles and contraction takes.
constexpr double most_of_better = 1.3;
/// The largest side whose result the cpu device computes too.
constexpr std::int64_t largest_computed_twice = 32768;

/// A pair of images: made by one formula, then mirrored.
struct wave_origin {
  /// Of generate(); or `published`; or `one-seed`: the mask of random, and its first pixel as marker.
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
  slides,   ///< these, and the two that paper 2 compares
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
  std::vector<wave_variant> variants;    ///< those of one type, and of host memory, follow each other
  std::optional<time_limit> limit = {};  ///< of `auto`; images: u8 and 4 neighbours, volumes: 26
  double published_ms = 0;               ///< of the published megapixel code, u8 and 4 neighbours, on an H200
  int repeat = 11;
};

/// Those made from one base follow each other. The limits of real tissue apply to generated tissue where the
/// real pair is not at hand.
std::vector<wave_instance> wave_instances(bool published_is_here);

std::vector<std::string> strategies_of(const wave_variant& variant, std::string_view device);
std::optional<time_limit> limit_of(const wave_instance& about, const wave_variant& variant,
                                   std::string_view strategy);
double published_of(const wave_instance& about, const wave_variant& variant);

}  // namespace macareu::bench
