// The rows around a row, in thread-private memory: in the window's value type, contiguous, with a halo on
// both sides. Readers therefore need no bounds checks and no strides. Moving down row by row copies each row
// once per slice of the window.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engines/cpu/runtime/aligned_memory.hpp"
#include "engines/cpu/tuning.hpp"
#include "patterns/window.hpp"

namespace macareu::cpu {

/// Pixels as values, row by row.
struct converted_rows {
  template <class In, class Value>
  void operator()(const In* from, std::int64_t step, std::int64_t count, Value* to) const {
    if (step == 1)
      for (std::int64_t i = 0; i < count; ++i) to[i] = static_cast<Value>(from[i]);
    else
      for (std::int64_t i = 0; i < count; ++i) to[i] = static_cast<Value>(from[i * step]);
  }
};

template <class Value, class In, class Copy = converted_rows>
class near_rows {
 public:
  /// For columns first ... first + count - 1. Up to 64 values past the last column may be read and ignored.
  near_rows(const view<const In>& image, const border<Value>& edge, window_radius radius, std::int64_t first,
            std::int64_t count, const Copy& copy = {})
      : copy_(copy),
        image_(image),
        edge_(edge),
        radius_(radius),
        first_(first - radius.x),
        count_(count + 2 * radius.x),
        pitch_(aligned_memory<Value>::pitch_of(count_ + slack)),
        lines_(2 * radius.y + 1),
        memory_(pitch_ * lines_ * (2 * radius.z + 1)),
        rows_(static_cast<std::size_t>(lines_ * (2 * radius.z + 1))) {}

  void move_to(std::int64_t z, std::int64_t y) {
    const bool next = z == z_ && y == y_ + 1;
    z_ = z;
    y_ = y;
    line_ = static_cast<int>(y % lines_);
    for (int dz = -radius_.z; dz <= radius_.z; ++dz)
      for (int dy = next ? radius_.y : -radius_.y; dy <= radius_.y; ++dy) fill(z + dz, y + dy, place(dz, dy));
    for (int dz = -radius_.z; dz <= radius_.z; ++dz)
      for (int dy = -radius_.y; dy <= radius_.y; ++dy)
        rows_[static_cast<std::size_t>((dz + radius_.z) * lines_ + dy + radius_.y)] =
            place(dz, dy) + radius_.x;
  }

  /// At [(dz + radius.z) * (2 * radius.y + 1) + dy + radius.y], each at its first column.
  const Value* const* rows() const { return rows_.data(); }

 private:
  static constexpr std::int64_t slack = 64, ahead = tuning::window_rows_ahead;

  Value* place(int dz, int dy) {
    int line = line_ + dy;
    line += line < 0 ? lines_ : line >= lines_ ? -lines_ : 0;
    return memory_.data() + ((dz + radius_.z) * lines_ + line) * pitch_;
  }

  void fill(std::int64_t z, std::int64_t y, Value* to) const {
    const bool outside = z < 0 || z >= image_.depth || y < 0 || y >= image_.height;
    if (outside && edge_.mode == border_mode::constant) {
      std::fill_n(to, count_, edge_.outside);
      return;
    }
    const In* const row = image_.at(edge_.fold(z, image_.depth), edge_.fold(y, image_.height));
    if (!outside && y + ahead < image_.height) fetch(image_.at(z, y + ahead));
    const auto begin = std::clamp<std::int64_t>(-first_, 0, count_);
    const auto end = std::clamp<std::int64_t>(image_.width - first_, begin, count_);
    const auto beyond = [&](std::int64_t i) {
      if (edge_.mode == border_mode::constant)
        to[i] = edge_.outside;
      else
        copy_(row + edge_.fold(first_ + i, image_.width) * image_.step_x, 1, 1, to + i);
    };
    for (std::int64_t i = 0; i < begin; ++i) beyond(i);
    copy_(row + (first_ + begin) * image_.step_x, image_.step_x, end - begin, to + begin);
    for (std::int64_t i = end; i < count_; ++i) beyond(i);
  }

  /// Strips of rows lie too far apart for the processor to fetch the next ones by itself.
  void fetch(const In* row) const {
    if (image_.step_x != 1) return;
    const auto begin = std::max<std::int64_t>(first_, 0), end = std::min(first_ + count_, image_.width);
    for (auto x = begin; x < end; x += 64 / static_cast<std::int64_t>(sizeof(In)))
      __builtin_prefetch(row + x);
  }

  [[no_unique_address]] Copy copy_;
  view<const In> image_;
  border<Value> edge_;
  window_radius radius_;
  std::int64_t first_, count_, pitch_;
  int lines_, line_ = 0;  // line_: of the row at hand
  std::int64_t z_ = -1, y_ = -2;
  aligned_memory<Value> memory_;
  std::vector<const Value*> rows_;
};

}  // namespace macareu::cpu
