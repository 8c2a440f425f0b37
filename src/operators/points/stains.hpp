// Optical density, and the amounts of stains in it.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "core/call.hpp"
#include "operators/common/logarithm.hpp"
#include "operators/common/vectors.hpp"
#include "patterns/map.hpp"

namespace macareu {

/// The weights of the density in red, green and blue for each stain: the columns of the inverse of the
/// stains' matrix. Throws usage_error if there is none.
std::array<three_numbers, 3> stain_directions(const call& call);

/// What the type's pixels are without stain: 255, 65535 or 1.
double full_value(const call& call);
/// Of each channel, as the caller gives it.
three_numbers white_of(const call& call);
/// White is given, or found.
void refuse_two_whites(const call& call);

struct optical_density {
  double least;         // a lower value counts as this
  three_numbers white;  // least is of v where `relative` is not set, else of v / white
  double divisor;       // of the logarithm
  bool relative;

  optical_density(const call& call, const three_numbers& white);

  MACAREU_HD double operator()(int channel, double value) const {
    const double of = white[static_cast<std::size_t>(channel)];
    if (!relative && value < least) value = least;
    value = value / of;
    if (relative && value < least) value = least;
    return logarithm(value) / divisor;
  }
};

/// Sums in f64, from left to right. Negative amounts are 0.
struct amount_of_stain {
  optical_density density;
  three_numbers direction;

  template <class T>
  MACAREU_HD float operator()(site, T red, T green, T blue) const {
    const double sum =
        density(0, red) * direction[0] + density(1, green) * direction[1] + density(2, blue) * direction[2];
    return static_cast<float>(sum > 0 ? sum : 0);
  }
};

/// The same for bytes, by tables. Of one stain, or of all at once; a fourth lane makes up vectors.
template <std::size_t Stains>
struct amounts_of_bytes {
  static constexpr std::size_t lanes = Stains == 1 ? 1 : 4;
  using result = std::conditional_t<Stains == 1, float, std::array<float, lanes>>;
  alignas(8 * lanes) double term[3][256][lanes];

  amounts_of_bytes(const optical_density& density, const three_numbers* directions) {
    for (int channel = 0; channel < 3; ++channel)
      for (int value = 0; value < 256; ++value) {
        const double own = density(channel, value);
        for (std::size_t stain = 0; stain < lanes; ++stain)
          term[channel][value][stain] =
              stain < Stains ? own * directions[stain][static_cast<std::size_t>(channel)] : 0;
      }
  }

  MACAREU_HD result operator()(site, std::uint8_t red, std::uint8_t green, std::uint8_t blue) const {
    std::array<float, lanes> amounts;
    for (std::size_t stain = 0; stain < lanes; ++stain) {
      const double sum = term[0][red][stain] + term[1][green][stain] + term[2][blue][stain];
      amounts[stain] = static_cast<float>(sum > 0 ? sum : 0);
    }
    if constexpr (Stains == 1)
      return amounts[0];
    else
      return amounts;
  }
};

}  // namespace macareu
