#include <macareu/compare.hpp>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

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
  } else {  // unsigned arithmetic: the difference of any two values is exact
    using U = std::make_unsigned_t<T>;
    const auto difference = static_cast<U>(static_cast<U>(a) - static_cast<U>(b));
    return static_cast<double>(a > b ? difference : static_cast<U>(-difference));
  }
}

template <class T>
void add(comparison& total, const view<const T>& left, const view<const T>& right,
         const std::stop_token& stop) {
  for (std::int64_t z = 0; z < left.depth; ++z)
    for (std::int64_t y = 0; y < left.height; ++y) {
      if (stop.stop_requested()) throw interrupted();
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
}

void check_shapes(const const_image_view& left, const const_image_view& right) {
  if (left.shape() != right.shape())
    throw usage_error("compare",
                      "shapes differ: " + to_string(left.shape()) + " and " + to_string(right.shape()));
}

/// Writes 1 for each pixel of a row that is not 0, else 0.
void read_edges(const const_image_view& image, std::int64_t z, std::int64_t y, std::uint8_t* edges) {
  with_pixel_type(image.type(), [&]<class T>(std::type_identity<T>) {
    const auto pixels = typed_view<const T>(image);
    for (std::int64_t x = 0; x < pixels.width; ++x) edges[x] = pixels[{z, y, x}] != T{0};
  });
}

}  // namespace

comparison compare(const const_image_view& left, const const_image_view& right, std::stop_token stop) {
  check_shapes(left, right);
  if (left.type() != right.type())
    throw usage_error("compare", "pixel types differ: " + std::string(name_of(left.type())) + " and " +
                                     std::string(name_of(right.type())));
  if (left.channels() != right.channels())
    throw usage_error("compare", "channels differ: " + std::to_string(left.channels()) + " and " +
                                     std::to_string(right.channels()));
  comparison total;
  total.pixels = left.shape().pixels() * left.channels();
  with_pixel_type(left.type(), [&]<class T>(std::type_identity<T>) {
    for (int c = 0; c < left.channels(); ++c)
      add(total, typed_view<const T>(left.channel(c)), typed_view<const T>(right.channel(c)), stop);
  });
  return total;
}

edge_comparison compare_edges(const const_image_view& reference, const const_image_view& found) {
  check_shapes(reference, found);
  if (reference.channels() != 1 || found.channels() != 1)
    throw usage_error("compare", "edge maps must have one channel");
  const auto& shape = reference.shape();
  std::vector<std::uint8_t> a(static_cast<std::size_t>(shape.width())), b(a.size());
  edge_comparison total;
  for (std::int64_t z = 0; z < shape.depth(); ++z)
    for (std::int64_t y = 0; y < shape.height(); ++y) {
      read_edges(reference, z, y, a.data());
      read_edges(found, z, y, b.data());
      for (std::size_t x = 0; x < a.size(); ++x) {
        total.expected += a[x];
        total.found += b[x];
        total.both += a[x] & b[x];
      }
    }
  return total;
}

}  // namespace macareu
