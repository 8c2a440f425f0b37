#include "operators/common/pixel_bits.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

#include "core/key.hpp"
#include "core/pixel_types.hpp"
#include "operators/common/numbers.hpp"
#include "operators/objects/labels/object_rules.hpp"

namespace macareu {

std::uint64_t pixel_bits(const number& value, dtype type) {
  return with_pixel_type(type, [&]<class T>(std::type_identity<T>) -> std::uint64_t {
    const auto bits = std::bit_cast<key_of<T>>(pixel_from<T>(value));
    return type == dtype::boolean ? bits != 0 : bits;
  });
}

std::optional<bit_interval> interval_bits(const number& low, const number& high, dtype type) {
  return with_pixel_type(type, [&]<class T>(std::type_identity<T>) -> std::optional<bit_interval> {
    using limits = std::numeric_limits<T>;
    std::optional<T> first = limits::has_infinity ? -limits::infinity() : limits::lowest(),
                     last = limits::has_infinity ? limits::infinity() : limits::max();
    if (!std::isnan(low.to_double())) first = least_from<T>(low);
    if (!std::isnan(high.to_double())) last = greatest_to<T>(high);
    if (!first || !last || *first > *last) return std::nullopt;
    return bit_interval{std::bit_cast<key_of<T>>(*first), std::bit_cast<key_of<T>>(*last)};
  });
}

}  // namespace macareu
