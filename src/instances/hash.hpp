// Counter-based random numbers without state. Any thread can compute any pixel, and every machine gets the
// same bytes.
#pragma once

#include <cstdint>

namespace macareu::formula {

/// The finaliser of splitmix64.
constexpr std::uint64_t mix64(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// A 32-bit finaliser ("lowbias32"); unlike mix64 it vectorises everywhere.
constexpr std::uint32_t mix32(std::uint32_t x) {
  x = (x ^ (x >> 16)) * 0x7feb352du;
  x = (x ^ (x >> 15)) * 0x846ca68bu;
  return x ^ (x >> 16);
}

inline constexpr std::uint64_t golden = 0x9e3779b97f4a7c15u;

/// Purposes of random numbers. Each has its own stream, so that no two are correlated.
enum class stream : std::uint64_t {
  random,
  percolation,
  sites,
  noise,
  slide,
  direction,
  fibres,
  texture,
  nuclei,
  glass,
  stained
};

constexpr std::uint64_t key_of(std::uint64_t seed, stream use, std::uint64_t index = 0) {
  return mix64(mix64(seed + golden) + golden * (static_cast<std::uint64_t>(use) + 1) + index);
}

/// 64 random bits for each pixel of one row: splitmix64 started at the row's own key.
class row_bits {
 public:
  constexpr row_bits(std::uint64_t seed, stream use, std::int64_t z, std::int64_t y)
      : key_(mix64(mix64(key_of(seed, use) + golden * static_cast<std::uint64_t>(z)) +
                   golden * static_cast<std::uint64_t>(y))) {}

  constexpr std::uint64_t operator[](std::int64_t x) const {
    return mix64(key_ + golden * (static_cast<std::uint64_t>(x) + 1));
  }

 private:
  std::uint64_t key_;
};

/// 16 random bits for each point of a lattice.
class lattice {
 public:
  constexpr explicit lattice(std::uint64_t key) : key_(static_cast<std::uint32_t>(key)) {}

  constexpr std::uint32_t bits(std::uint32_t z, std::uint32_t y, std::uint32_t x) const {
    return mix32(key_ + z * 0xc2b2ae3du + y * 0x85ebca77u + x * 0x9e3779b1u);
  }
  constexpr std::int32_t operator()(std::uint32_t z, std::uint32_t y, std::uint32_t x) const {
    return static_cast<std::int32_t>(bits(z, y, x) >> 16);
  }

 private:
  std::uint32_t key_;
};

}  // namespace macareu::formula
