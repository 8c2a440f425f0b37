#include "halve.hpp"

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <type_traits>

namespace macareu::files {
namespace {

template <class T>
using sum_of = std::conditional_t<std::is_floating_point_v<T>, double, std::int64_t>;

template <class T>
T mean(sum_of<T> sum, int count) {
  if constexpr (std::is_floating_point_v<T>)
    return static_cast<T>(sum / count);
  else  // A shift rounds down for negative sums too.
    return static_cast<T>((sum + count / 2) >> (count / 2));
}

template <class T>
void halve_as(const source_form& form, const T* from, bool nearest, T* to) {
  const auto& shape = form.shape;
  const auto height = shape.height(), width = shape.width();
  const std::int64_t channels = form.channels;
  for (std::int64_t z = 0; z < shape.depth(); ++z, from += height * width * channels)
    for (std::int64_t y = 0; y < height; y += 2)
      for (std::int64_t x = 0; x < width; x += 2)
        for (std::int64_t c = 0; c < channels; ++c, ++to) {
          const auto* first = from + (y * width + x) * channels + c;
          if (nearest) {
            *to = *first;
            continue;
          }
          const auto rows = std::min<std::int64_t>(height - y, 2),
                     columns = std::min<std::int64_t>(width - x, 2);
          sum_of<T> sum = 0;
          for (std::int64_t j = 0; j < rows; ++j)
            for (std::int64_t i = 0; i < columns; ++i)
              sum += static_cast<sum_of<T>>(first[(j * width + i) * channels]);
          *to = mean<T>(sum, static_cast<int>(rows * columns));
        }
}

}  // namespace

void halve(const source_form& from, const void* pixels, bool nearest, void* to) {
  const auto as = [&]<class T>(T, bool one_of_four) {
    halve_as(from, static_cast<const T*>(pixels), one_of_four, static_cast<T*>(to));
  };
  switch (from.type) {
    case dtype::boolean:
      return as(std::uint8_t{}, true);
    case dtype::i8:
      return as(std::int8_t{}, nearest);
    case dtype::u8:
      return as(std::uint8_t{}, nearest);
    case dtype::i16:
      return as(std::int16_t{}, nearest);
    case dtype::u16:
      return as(std::uint16_t{}, nearest);
    case dtype::i32:
      return as(std::int32_t{}, nearest);
    case dtype::u32:
      return as(std::uint32_t{}, nearest);
    case dtype::i64:
    case dtype::u64:
      return as(std::int64_t{}, true);
    case dtype::f32:
      return as(float{}, nearest);
    case dtype::f64:
      return as(double{}, nearest);
  }
}

extents halved(const extents& shape) {
  const auto height = (shape.height() + 1) / 2, width = (shape.width() + 1) / 2;
  return shape.rank() == 3 ? extents{shape.depth(), height, width} : extents{height, width};
}

}  // namespace macareu::files
