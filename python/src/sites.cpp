#include "sites.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>

#include <macareu/error.hpp>

#include "engines/cpu/runtime/threads.hpp"

namespace macareu::python {
namespace {

/// As volumes, which have axes of one pixel in front.
struct shape {
  explicit shape(std::span<const std::int64_t> sizes, std::span<const double> spacing) {
    std::ranges::copy(sizes, size.end() - std::ssize(sizes));
    std::ranges::copy(spacing, step.end() - std::ssize(spacing));
  }
  std::int64_t pixels() const { return size[0] * size[1] * size[2]; }

  std::array<std::int64_t, 3> size{1, 1, 1};
  std::array<double, 3> step{0, 0, 0};
};

/// One row. Index: a type that holds all indices, the shorter the faster it is divided.
template <class Index>
void split_row(const shape& of, std::int64_t row, int axes, const std::int64_t* nearest, std::int32_t* places,
               double* distances) {
  const auto width = static_cast<Index>(of.size[2]), height = static_cast<Index>(of.size[1]);
  const auto z = row / of.size[1], y = row % of.size[1], first = row * of.size[2];
  std::int32_t* to[3];  // the axes that there are
  for (int axis = 0; axis < 3; ++axis)
    to[axis] = axis < 3 - axes ? nullptr : places + (axis - (3 - axes)) * of.pixels() + first;
  for (std::int64_t x = 0; x < of.size[2]; ++x) {
    const auto site = static_cast<Index>(nearest[first + x]);
    const Index line = site / width, slice = line / height;
    const auto of_z = static_cast<std::int32_t>(slice), of_y = static_cast<std::int32_t>(line % height),
               of_x = static_cast<std::int32_t>(site % width);
    if (to[0]) to[0][x] = of_z;
    if (to[1]) to[1][x] = of_y;
    to[2][x] = of_x;
    if (!distances) continue;
    const auto square = [&](std::int64_t from, std::int64_t site_there, int axis) {
      const double apart = static_cast<double>(site_there - from) * of.step[static_cast<std::size_t>(axis)];
      return apart * apart;
    };
    distances[first + x] = std::sqrt(square(z, of_z, 0) + square(y, of_y, 1) + square(x, of_x, 2));
  }
}

}  // namespace

void split_sites(const std::int64_t* nearest, std::span<const std::int64_t> sizes,
                 std::span<const double> spacing, std::int32_t* places, double* distances,
                 std::stop_token stop) {
  const shape of(sizes, spacing);
  if (of.pixels() == 0) return;
  const auto axes = static_cast<int>(sizes.size());
  const auto rows = of.size[0] * of.size[1], batch = std::max<std::int64_t>(1, (1 << 14) / of.size[2]);
  const auto split =
      of.pixels() < std::int64_t{1} << 32 ? &split_row<std::uint32_t> : &split_row<std::int64_t>;
  std::atomic<std::int64_t> next{0};
  cpu::parallel(cpu::threads_for(of.pixels(), 0), [&](int) {
    for (std::int64_t begin; (begin = next.fetch_add(batch, std::memory_order_relaxed)) < rows;) {
      if (stop.stop_requested()) throw interrupted();
      for (auto row = begin; row < std::min(rows, begin + batch); ++row)
        split(of, row, axes, nearest, places, distances);
    }
  });
}

}  // namespace macareu::python
