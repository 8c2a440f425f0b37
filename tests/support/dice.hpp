// Random numbers that are the same everywhere, from fixed seeds that failures print.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <string_view>

namespace macareu::test {

/// splitmix64 (Steele, Lea and Flood 2014).
class dice {
 public:
  explicit dice(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  /// 0 .. n - 1, for n up to 2^32.
  std::int64_t below(std::int64_t n) {
    return static_cast<std::int64_t>(((next() >> 32) * static_cast<std::uint64_t>(n)) >> 32);
  }
  std::int64_t between(std::int64_t low, std::int64_t high) { return low + below(high - low + 1); }
  bool once_in(int n) { return below(n) == 0; }
  template <class List>
  const auto& pick(const List& list) {
    return *std::next(std::begin(list), below(std::ssize(list)));
  }

 private:
  std::uint64_t state_;
};

/// A seed for everything that a name and some numbers tell apart.
template <class... Number>
constexpr std::uint64_t seed_of(std::string_view name, Number... numbers) {
  std::uint64_t hash = 0xcbf29ce484222325;
  const auto add = [&](std::uint64_t value) { hash = (hash ^ value) * 0x100000001b3; };
  for (const char c : name) add(static_cast<unsigned char>(c));
  (add(static_cast<std::uint64_t>(numbers)), ...);
  return hash;
}

/// Which part of the random images to run: MACAREU_TEST_WEIGHT of the build, or of a test's environment,
/// times MACAREU_TEST_SHARE of the caller's environment.
inline double share_of_images() {
  static const char* const weight = std::getenv("MACAREU_TEST_WEIGHT");
  static const char* const share = std::getenv("MACAREU_TEST_SHARE");
  return (weight ? std::strtod(weight, nullptr) : MACAREU_TEST_WEIGHT) *
         (share ? std::strtod(share, nullptr) : 1.0);
}

/// How many of n random images to run, at least one.
inline std::int64_t scaled(std::int64_t n) {
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(static_cast<double>(n) * share_of_images()));
}

/// As many on average over many seeds, so that a part of an image is one image for some of them.
inline std::int64_t scaled_on_average(std::int64_t n, std::uint64_t seed) {
  constexpr std::int64_t parts = 1 << 20;
  const auto part = static_cast<double>(dice(seed).below(parts)) / parts;
  return static_cast<std::int64_t>(static_cast<double>(n) * share_of_images() + part);
}

}  // namespace macareu::test
