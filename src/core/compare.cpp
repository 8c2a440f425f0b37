#include <macareu/compare.hpp>

#include <cmath>
#include <string>

#include <macareu/error.hpp>

#include "core/call.hpp"
#include "core/pixel_types.hpp"

namespace macareu {
namespace {

template <class T>
bool equal(T a, T b) {
  return a == b || (a != a && b != b);
}

template <class T>
double apart(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return equal(a, b) ? 0 : std::abs(static_cast<double>(a) - static_cast<double>(b));
  } else {  // modulo the size of the type the difference of any two values is exact
    using U = std::make_unsigned_t<T>;
    const auto difference = static_cast<U>(static_cast<U>(a) - static_cast<U>(b));
    return static_cast<double>(a > b ? difference : static_cast<U>(-difference));
  }
}

template <class T>
void add(comparison& total, const view<const T>& left, const view<const T>& right) {
  for (std::int64_t z = 0; z < left.depth; ++z)
    for (std::int64_t y = 0; y < left.height; ++y)
      for (std::int64_t x = 0; x < left.width; ++x) {
        const T a = left[{z, y, x}], b = right[{z, y, x}];
        if (equal(a, b)) continue;
        if (total.different++ == 0) {
          total.first = {z, y, x};
          total.left = static_cast<double>(a);
          total.right = static_cast<double>(b);
        }
        const double difference = apart(a, b);
        if (!(difference <= total.largest) && !std::isnan(total.largest)) total.largest = difference;
      }
}

}  // namespace

comparison compare(const const_image_view& left, const const_image_view& right) {
  if (left.shape() != right.shape())
    throw usage_error("compare: shapes differ: " + to_string(left.shape()) + " and " +
                      to_string(right.shape()));
  if (left.type() != right.type())
    throw usage_error("compare: pixel types differ: " + std::string(name_of(left.type())) + " and " +
                      std::string(name_of(right.type())));
  if (left.channels() != right.channels())
    throw usage_error("compare: channels differ: " + std::to_string(left.channels()) + " and " +
                      std::to_string(right.channels()));
  comparison total;
  total.pixels = left.shape().pixels() * left.channels();
  with_pixel_type(left.type(), [&]<class T>(std::type_identity<T>) {
    for (int c = 0; c < left.channels(); ++c)
      add(total, typed_view<const T>(left.channel(c)), typed_view<const T>(right.channel(c)));
  });
  return total;
}

}  // namespace macareu
