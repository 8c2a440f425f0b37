#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "macareu/itk/edges.hpp"
#include "pixelwise.hpp"

namespace macareu::itk {
namespace {

/// The type of sums of pixels: exact, or f64 as in ITK.
template <class From>
using sum_of = std::conditional_t<std::is_integral_v<From> && sizeof(From) <= 2, std::int32_t, double>;

/// Three rows of `width` pixels, each extended by one repeated pixel at both ends.
template <class Sum, class To>
void sobel_row(const std::array<const Sum*, 3>& rows, std::int64_t width, To* to) {
  const auto [above, here, below] = rows;
  for (std::int64_t x = 0; x < width; ++x) {
    const auto along_x =
        static_cast<To>(-above[x] + above[x + 2] - 2 * here[x] + 2 * here[x + 2] - below[x] + below[x + 2]);
    const auto along_y = static_cast<To>(-above[x] - 2 * above[x + 1] - above[x + 2] + below[x] +
                                         2 * below[x + 1] + below[x + 2]);
    to[x] = std::sqrt(along_x * along_x + along_y * along_y);
  }
}

template <class From, class To>
void by_rows(::itk::ProcessObject& filter, const const_image_view& source, const image_view& out) {
  const auto height = out.shape().height(), width = out.shape().width();
  const auto* const from = static_cast<const From*>(source.data());
  auto* const to = static_cast<To*>(out.data());
  in_rounds(filter, {}, height, width, [&](std::int64_t first, std::int64_t last) {
    using sum = sum_of<From>;
    std::array<std::vector<sum>, 3> kept;
    for (auto& row : kept) row.resize(static_cast<std::size_t>(width + 2));
    auto next = std::max<std::int64_t>(first - 1, 0);
    for (auto y = first; y < last; ++y) {
      for (; next <= std::min(y + 1, height - 1); ++next) {
        auto& row = kept[static_cast<std::size_t>(next % 3)];
        const From* const pixels = from + next * source.steps()[0];
        for (std::int64_t x = 0; x < width; ++x)
          row[static_cast<std::size_t>(x + 1)] = static_cast<sum>(pixels[x]);
        row.front() = row[1];
        row.back() = row[static_cast<std::size_t>(width)];
      }
      const auto row_of = [&](std::int64_t other) {
        return kept[static_cast<std::size_t>(std::clamp<std::int64_t>(other, 0, height - 1) % 3)].data();
      };
      sobel_row<sum>({row_of(y - 1), row_of(y), row_of(y + 1)}, width, to + y * width);
    }
  });
}

}  // namespace

void sobel_of_image(::itk::ProcessObject& filter, const const_image_view& source, const image_view& out) {
  if (out.shape().pixels() == 0) return;
  pixelwise::with_type(source.type(), [&]<class From>(std::type_identity<From>) {
    if (out.type() == dtype::f32)
      by_rows<From, float>(filter, source, out);
    else
      by_rows<From, double>(filter, source, out);
  });
}

bool are_finite(::itk::ProcessObject& filter, const const_image_view& image) {
  if (image.type() != dtype::f32 && image.type() != dtype::f64) return true;
  const auto& shape = image.shape();
  std::atomic<bool> finite = true;
  const auto check = [&]<class T>(std::type_identity<T>) {
    in_parallel(filter, shape.depth() * shape.height(), [&](std::int64_t first, std::int64_t last) {
      for (auto row = first; row < last; ++row) {
        const auto z = row / shape.height(), y = row % shape.height();
        const auto* pixels =
            static_cast<const T*>(image.data()) +
            (shape.rank() == 3 ? z * image.steps()[0] + y * image.steps()[1] : y * image.steps()[0]);
        int others = 0;
        for (std::int64_t x = 0; x < shape.width(); ++x) others |= pixels[x] - pixels[x] != T{};
        if (others) finite = false;
      }
    });
  };
  if (image.type() == dtype::f32)
    check(std::type_identity<float>{});
  else
    check(std::type_identity<double>{});
  return finite;
}

}  // namespace macareu::itk
