// Summits on the cpu, by rising keys: pixels of all types of one width, upwards and downwards, share the
// kernels (summit_kernel.cpp).
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "core/call.hpp"
#include "core/neighbourhood.hpp"
#include "core/view.hpp"
#include "engines/cpu/wave/keyed_rows.hpp"
#include "patterns/summits.hpp"

namespace macareu::cpu {

/// Bits of pixels as rising keys. Not for NaN, which has no order.
template <class Key>
struct summit_keys {
  key_code<Key> code;
  Key minus_zero, zero;  // the first counts as the second; both 0 for integers
  Key lowest;            // the key of the type's furthest value backwards

  /// Copies a row, as near_rows does.
  void operator()(const Key* from, std::int64_t step, std::int64_t count, Key* to) const {
    typedef Key pixel __attribute__((may_alias));  // aliases any type of this size
    const auto* const row = reinterpret_cast<const pixel*>(from);
    const auto self = *this;  // a local copy: stores cannot alias it
    if (step != 1)
      for (std::int64_t i = 0; i < count; ++i) to[i] = self.key(row[i * step]);
    else if (code.is_plain())
      std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(Key));
    else if (code.negative == 0)
      for (std::int64_t i = 0; i < count; ++i) to[i] = static_cast<Key>(row[i] ^ self.code.flip);
    else
      for (std::int64_t i = 0; i < count; ++i) to[i] = self.key(row[i]);
  }
  Key key(Key bits) const {
    const Key found = code.key(bits);
    return found == minus_zero ? zero : found;
  }
};

template <direction Toward, class T>
constexpr summit_keys<key_of<T>> summit_keys_of() {
  using limits = std::numeric_limits<T>;
  if constexpr (limits::has_infinity)
    return {key_code_of<Toward, T>(), rising_key<Toward>(-T{0}), rising_key<Toward>(T{0}),
            rising_key<Toward>(Toward == direction::up ? -limits::infinity() : limits::infinity())};
  else
    return {key_code_of<Toward, T>(), 0, 0, 0};
}

template <class Key>
using find_summits = summits_found(const job& work, const neighbourhood& near,
                                   const view<std::uint8_t>& summits, const view<std::uint8_t>& undercut,
                                   const view<const Key>& image, const summit_keys<Key>& keys);

struct summit_kernels {
  find_summits<std::uint8_t>* on_8;
  find_summits<std::uint16_t>* on_16;
  find_summits<std::uint32_t>* on_32;
  find_summits<std::uint64_t>* on_64;

  template <class Key>
  find_summits<Key>* on() const {
    if constexpr (sizeof(Key) == 1) return on_8;
    if constexpr (sizeof(Key) == 2) return on_16;
    if constexpr (sizeof(Key) == 4) return on_32;
    if constexpr (sizeof(Key) == 8) return on_64;
  }
};

/// Of the instruction set that this is compiled for, and of the chosen one.
extern const summit_kernels own_summit_kernels;
const summit_kernels& best_summit_kernels();

template <direction Toward, class T>
summits_found run_summits(const job& work, const neighbourhood& near, const view<std::uint8_t>& summits,
                          const view<std::uint8_t>& undercut, const view<const T>& image) {
  using key = key_of<T>;
  const view<const key> bits{reinterpret_cast<const key*>(image.data),
                             image.depth,
                             image.height,
                             image.width,
                             image.step_z,
                             image.step_y,
                             image.step_x};
  return best_summit_kernels().on<key>()(work, near, summits, undercut, bits, summit_keys_of<Toward, T>());
}

}  // namespace macareu::cpu
