// Squared distances with unit spacing, in integers. The first axis becomes bits, then the last axis is solved
// from them, then in volumes the middle axis. Integer sums do not depend on the order of axes. Compiled once,
// for all pixel types.
#pragma once

#include <cstdint>

#include "core/ceil_div.hpp"
#include "engines/cuda/line/finish.cuh"
#include "engines/cuda/line/site_words.cuh"

namespace macareu::cuda {

/// Rows and columns that are searched again together.
inline constexpr int rows_per_flag = 8, columns_per_flag = 32;

/// Words for lines along an axis of an image, a flag per eight rows and, where it is set, a flag per 32 of
/// their columns. Takes a quarter of a byte per pixel if lines are long.
class site_memory {
 public:
  template <class T>
  site_memory(const gpu& on, line_axis axis, const view<T>& image) {
    const stacked_rows<T> lines(axis, image);
    site_words& w = words_;
    w.pitch = ceil_div(lines.width, 4) * 4;
    w.rows = lines.rows;
    w.plane = w.rows * w.pitch;
    w.length = lines.length;
    w.count = ceil_div(lines.length, 32);
    flags_per_row_ = ceil_div(w.length, rows_per_flag);
    const auto words = w.count * w.plane;
    column_flags_per_row_ = ceil_div(lines.width, columns_per_flag);
    memory_ = device_array<unsigned char>(on, 8 * words + flag_count() * (1 + column_flags_per_row_));
    w.word = reinterpret_cast<std::uint32_t*>(memory_.data());
    w.before = reinterpret_cast<std::uint16_t*>(w.word + words);
    w.after = w.before + words;
  }
  const site_words& words() const { return words_; }
  std::uint8_t* flags() const {
    return reinterpret_cast<std::uint8_t*>(words_.after + words_.count * words_.plane);
  }
  std::int64_t flags_per_row() const { return flags_per_row_; }
  std::int64_t flag_count() const { return flags_per_row_ * words_.rows; }
  /// Written by the kernel that sets flags.
  std::uint8_t* column_flags() const { return flags() + flag_count(); }
  std::int64_t column_flags_per_row() const { return column_flags_per_row_; }

 private:
  device_array<unsigned char> memory_;
  site_words words_{};
  std::int64_t flags_per_row_ = 0, column_flags_per_row_ = 0;
};

/// Whether lines of these lengths fit the shared memory of a block. `columns` is 1 in images.
bool squares_fit(const gpu& on, std::int64_t columns, std::int64_t width);

/// `none` exceeds all squared distances; values without a site are at least `none` (fused_squares.cuh). Their
/// sum with the square of (line length + 64) fits 32 bits.
template <class Finish>
void run_square_rows(const gpu& on, const site_memory& sites, std::uint32_t none, line_axis first,
                     const view<typename Finish::result>& out, const Finish& finish);

/// `values` may be the memory of `out`.
template <class Finish>
void run_square_columns(const gpu& on, std::uint32_t none, const view<const std::uint32_t>& values,
                        const view<typename Finish::result>& out, const Finish& finish);

}  // namespace macareu::cuda
