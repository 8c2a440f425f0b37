// d on the rims of a flat tile. All its pixels are linked, so steps between two pixels are their distance:
// max(|dx|, |dy|), or |dx| + |dy| without diagonals. The rims are the least of offers and distances, which
// scans along the four sides find. Fronts would take 64 steps and more.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "engines/cuda/basins/world.cuh"

namespace macareu::cuda::tile_basins {

/// Lines around a tile, or its own outermost lines. Columns: rows 2 * lane and 2 * lane + 1. Rows: columns
/// lane and lane + 32.
struct rim_lines {
  std::uint32_t left[2], right[2], top[2], bottom[2];

  __device__ std::uint64_t sum() const {
    std::uint64_t all = 0;
#pragma unroll
    for (int i = 0; i < 2; ++i) all += std::uint64_t{left[i]} + right[i] + top[i] + bottom[i];
    return all;
  }
  __device__ std::uint32_t least() const {
    return min(min(min(left[0], left[1]), min(right[0], right[1])),
               min(min(top[0], top[1]), min(bottom[0], bottom[1])));
  }
};

/// One value for each of 64 places: 2 * lane and 2 * lane + 1.
struct side_line {
  int first, second;

  __device__ side_line least_with(side_line other) const {
    return {min(first, other.first), min(second, other.second)};
  }
  __device__ side_line plus(int a, int b) const { return {first + a, second + b}; }
  __device__ int least() const { return __reduce_min_sync(all_lanes, min(first, second)); }
  /// The least up to every place, or from it on.
  __device__ side_line up_to() const {
    int all = min(first, second);
#pragma unroll
    for (int by = 1; by < 32; by *= 2) all = min(all, __shfl_up_sync(all_lanes, all, by));
    const int before = __shfl_up_sync(all_lanes, all, 1);
    return {threadIdx.x % 32 == 0 ? first : min(before, first), all};
  }
  __device__ side_line from() const {
    int all = min(first, second);
#pragma unroll
    for (int by = 1; by < 32; by *= 2) all = min(all, __shfl_down_sync(all_lanes, all, by));
    const int after = __shfl_down_sync(all_lanes, all, 1);
    return {all, threadIdx.x % 32 == 31 ? second : min(second, after)};
  }
  __device__ side_line reversed() const {
    const int lane = 31 - static_cast<int>(threadIdx.x % 32);
    return {__shfl_sync(all_lanes, second, lane), __shfl_sync(all_lanes, first, lane)};
  }
};

class flat_crossing {
 public:
  __device__ flat_crossing(bool diagonals, int lane) : diagonals_(diagonals), at_(2 * lane) {}

  __device__ rim_lines rims(const rim_lines& offers) const {
    const reach top(*this, from_row(offers.top)), bottom(*this, from_row(offers.bottom)),
        left(*this, from_column(offers.left)), right(*this, from_column(offers.right));
    const auto all = [](side_line a, side_line b, side_line c, side_line d) {
      return a.least_with(b).least_with(c.least_with(d));
    };
    rim_lines found;
    to_row(all(top.own, bottom.opposite, left.from_start, right.from_start.reversed()), found.top);
    to_row(all(bottom.own, top.opposite, left.from_end.reversed(), right.from_end), found.bottom);
    to_column(all(left.own, right.opposite, top.from_start, bottom.from_start.reversed()), found.left);
    to_column(all(right.own, left.opposite, top.from_end.reversed(), bottom.from_end), found.right);
    return found;
  }

 private:
  static constexpr int no_offer = 1 << most_step_bits, far = side - 1;

  /// What a side's offers give to the sides, by their places: from_start to the side at its first place, by
  /// the distance from there; from_end to the side at its last place, by 63 less that distance.
  struct reach {
    side_line own, opposite, from_start, from_end;

    __device__ reach(const flat_crossing& tile, side_line offers) {
      const int i = tile.at_;
      const auto before = offers.plus(-i, -i - 1).up_to(), after = offers.plus(i, i + 1).from();
      own = before.plus(i, i + 1).least_with(after.plus(-i, -i - 1));
      if (tile.diagonals_) {
        const int across = offers.least() + far;
        opposite = {across, across};
        from_start = offers.up_to().plus(i, i + 1).least_with(after);
        from_end = offers.from().plus(far - i, far - i - 1).least_with(before.plus(far, far));
      } else {
        opposite = own.plus(far, far);
        const int start = __shfl_sync(all_lanes, after.first, 0);
        const int end = __shfl_sync(all_lanes, before.second, 31) + far;
        from_start = {start + i, start + i + 1};
        from_end = {end + far - i, end + far - i - 1};
      }
    }
  };

  static __device__ int known(std::uint32_t offer) {
    return offer == never ? no_offer : static_cast<int>(offer);
  }
  static __device__ std::uint32_t as_steps(int d) {
    return d >= no_offer ? never : static_cast<std::uint32_t>(d);
  }

  static __device__ side_line from_column(const std::uint32_t* d) { return {known(d[0]), known(d[1])}; }
  static __device__ void to_column(side_line line, std::uint32_t* d) {
    d[0] = as_steps(line.first), d[1] = as_steps(line.second);
  }
  /// A row's places are the lane and the lane + 32.
  __device__ side_line from_row(const std::uint32_t* d) const {
    const auto place = [&](int i) {
      const auto low = __shfl_sync(all_lanes, d[0], i & 31), high = __shfl_sync(all_lanes, d[1], i & 31);
      return known(i < 32 ? low : high);
    };
    return {place(at_), place(at_ + 1)};
  }
  __device__ void to_row(side_line line, std::uint32_t* d) const {
    const int lane = at_ / 2;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int from = (lane + 32 * half) / 2;
      const int first = __shfl_sync(all_lanes, line.first, from),
                second = __shfl_sync(all_lanes, line.second, from);
      d[half] = as_steps(lane % 2 ? second : first);
    }
  }

  bool diagonals_;
  int at_;  // the first place of the lane
};

}  // namespace macareu::cuda::tile_basins
