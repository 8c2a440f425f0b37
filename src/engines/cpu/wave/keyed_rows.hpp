// Pixels of an image as rising keys. The bits to flip are a run-time value, so code over keys is compiled
// once per width, not per pixel type and direction.
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "core/key.hpp"
#include "core/view.hpp"
#include "patterns/wave.hpp"

namespace macareu::cpu {

/// key = bits ^ flip, and also ^ negative where the sign bit is set, as in negative floats.
template <class Key>
struct key_code {
  static constexpr Key sign = static_cast<Key>(Key{1} << (8 * sizeof(Key) - 1));
  Key flip, negative;

  /// Keys equal the pixels, as in most images.
  bool is_plain() const { return flip == 0 && negative == 0; }

  /// For one pixel or a vector of pixels.
  template <class Bits>
  Bits key(Bits bits) const {
    return static_cast<Bits>((bits ^ flip) ^ where_set(bits, negative));
  }
  template <class Bits>
  Bits bits(Bits key) const {
    // `flip` restores the sign bit of a float, which then selects `negative`.
    const Bits turned = static_cast<Bits>(key ^ flip);
    return static_cast<Bits>(turned ^ where_set(turned, negative));
  }

 private:
  template <class Bits>
  static Bits where_set(Bits bits, Key value) {
    if constexpr (std::is_integral_v<Bits>)
      return bits & sign ? value : Key{0};
    else
      return (bits >= sign ? ~Bits{} : Bits{}) & value;
  }
};

template <direction Toward, class T>
constexpr key_code<key_of<T>> key_code_of() {
  using key = key_of<T>;
  constexpr key sign = key_code<key>::sign, all = std::numeric_limits<key>::max();
  const key turned = std::is_signed_v<T> ? sign : key{0};
  return {static_cast<key>(Toward == direction::up ? turned : turned ^ all),
          std::is_floating_point_v<T> ? static_cast<key>(all ^ sign) : key{0}};
}

template <class Key>
class keyed_rows {
 public:
  template <class T>
  keyed_rows(const view<T>& image, key_code<Key> code)
      : data_(reinterpret_cast<pixel*>(const_cast<std::remove_const_t<T>*>(image.data))),
        step_z_(image.step_z),
        step_y_(image.step_y),
        step_x_(image.step_x),
        code_(code) {}

  bool packed() const { return step_x_ == 1; }

  Key operator[](site p) const { return code_.key(static_cast<Key>(*at(p))); }
  void read(site first, std::int64_t count, Key* keys) const {
    const pixel* const row = at(first);
    if (packed())
      for_each_key(count, [=](std::int64_t i, auto code) { keys[i] = code.key(static_cast<Key>(row[i])); });
    else
      for_each_key(count, [=, step = step_x_](std::int64_t i, auto code) {
        keys[i] = code.key(static_cast<Key>(row[i * step]));
      });
  }
  void write(site first, std::int64_t count, const Key* keys) const {
    pixel* const row = at(first);
    if (packed())
      for_each_key(count, [=](std::int64_t i, auto code) { row[i] = code.bits(keys[i]); });
    else
      for_each_key(count,
                   [=, step = step_x_](std::int64_t i, auto code) { row[i * step] = code.bits(keys[i]); });
  }

  /// For pixels that other threads access at the same time.
  void read_shared(site first, std::int64_t count, Key* keys) const {
    const pixel* const row = at(first);
    for_each_key(count, [=, step = step_x_](std::int64_t i, auto code) {
      keys[i] = code.key(static_cast<Key>(__atomic_load_n(row + i * step, __ATOMIC_RELAXED)));
    });
  }
  void write_shared(site first, std::int64_t count, const Key* keys) const {
    pixel* const row = at(first);
    for_each_key(count, [=, step = step_x_](std::int64_t i, auto code) {
      __atomic_store_n(row + i * step, code.bits(keys[i]), __ATOMIC_RELAXED);
    });
  }

  void set_shared(site p, Key key) const { __atomic_store_n(at(p), code_.bits(key), __ATOMIC_RELAXED); }

  /// A vector of pixels; rows must be packed.
  template <class Vector>
  Vector load(site first) const {
    Vector bits;
    std::memcpy(&bits, at(first), sizeof bits);
    return code_.is_plain() ? bits : code_.key(bits);
  }
  template <class Vector>
  void store(site first, Vector keys) const {
    const Vector bits = code_.is_plain() ? keys : code_.bits(keys);
    std::memcpy(at(first), &bits, sizeof bits);
  }
  /// Inlined, because a compiler may drop calls of a function whose only effect is a prefetch.
  [[gnu::always_inline]] void fetch(site p) const { __builtin_prefetch(at(p)); }
  [[gnu::always_inline]] void fetch_to_write(site p) const { __builtin_prefetch(at(p), 1); }

 private:
  typedef Key pixel __attribute__((may_alias));  // aliases any type of this size

  struct plain_code {
    static Key key(Key bits) { return bits; }
    static Key bits(Key key) { return key; }
  };
  /// visit(i, code), with a separate loop for plain keys.
  template <class Visit>
  void for_each_key(std::int64_t count, const Visit& visit) const {
    const auto code = code_;  // a local copy: stores cannot alias it
    if (code.is_plain())
      for (std::int64_t i = 0; i < count; ++i) visit(i, plain_code{});
    else
      for (std::int64_t i = 0; i < count; ++i) visit(i, code);
  }

  pixel* at(site p) const { return data_ + p.z * step_z_ + p.y * step_y_ + p.x * step_x_; }

  pixel* data_;
  std::int64_t step_z_, step_y_, step_x_;
  key_code<Key> code_;
};

}  // namespace macareu::cpu
