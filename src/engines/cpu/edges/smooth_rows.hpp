// Rows of the smoothed image for a strip of columns, in order: sums along y, then x. Input rows are kept in
// f64 until no sum needs them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "engines/cpu/runtime/aligned_memory.hpp"
#include "engines/cpu/window/sums.hpp"
#include "patterns/edges.hpp"

namespace macareu::cpu {

/// Load(y, first, count, to): values of an image row in f64. Columns must lie inside the image.
template <class Value, class Load>
class smooth_rows {
 public:
  /// For columns first ... first + count - 1, all inside the image, and rows from `y` on.
  smooth_rows(const smoothing& how, std::int64_t height, std::int64_t width, std::int64_t first,
              std::int64_t count, std::int64_t y, const Load& load)
      : how_(how),
        load_(load),
        height_(height),
        width_(width),
        first_(first),
        count_(count),
        reach_y_(radius_of(how.weights).y),
        reach_x_(radius_of(how.weights).x),
        length_(count + 2 * reach_x_),
        pitch_(aligned_memory<double>::pitch_of(length_)),
        next_(y),
        loaded_(y - reach_y_),
        memory_(pitch_ * lines()),
        sums_(2 * pitch_),
        rows_(static_cast<std::size_t>(lines())) {}

  std::int64_t count() const { return count_; }

  void write(Value* to) {
    const double* const values = along_y();
    if (how_.weights[2].empty()) {
      for (std::int64_t i = 0; i < count_; ++i) to[i] = static_cast<Value>(values[i]);
    } else {
      best_smoothing<Value>().along(values, how_.weights[2].data(), reach_x_, count_, to);
    }
    if (how_.classes.rows > 0) divide(to);
    ++next_;
  }

 private:
  /// A ring buffer with the rows that two sums read. y is at least -reach_y_, so line_of() stays positive.
  int lines() const { return 2 * reach_y_ + 2; }
  std::int64_t line_of(std::int64_t y) const { return (y + lines()) % lines(); }
  double* line_at(std::int64_t line) { return memory_.data() + line * pitch_; }

  /// Rounded sums of the current row, with the halo that the sums along x need. Sums two rows at once and
  /// keeps the second for the next call.
  const double* along_y() {
    double* const later = sums_.data() + pitch_;
    if (waiting_) {
      waiting_ = false;
      return later;
    }
    const bool two = !how_.weights[1].empty() && next_ + 1 < height_;
    for (; loaded_ <= next_ + reach_y_ + two; ++loaded_) fill(loaded_, line_at(line_of(loaded_)));
    if (how_.weights[1].empty()) return line_at(line_of(next_));
    auto line = line_of(next_ - reach_y_);
    for (auto& row : rows_) {
      row = line_at(line);
      line = line + 1 < lines() ? line + 1 : 0;
    }
    const auto& kernels = best_smoothing<Value>();
    const double* const weights = how_.weights[1].data();
    if (two)
      kernels.two_across(rows_.data(), weights, reach_y_, length_, sums_.data(), later);
    else
      kernels.across(rows_.data(), weights, reach_y_, length_, sums_.data());
    waiting_ = two;
    if (how_.edge.mode == border_mode::constant) {
      put_outside(sums_.data());
      put_outside(later);
    }
    return sums_.data();
  }

  /// Fills the columns outside the image with the border value.
  void put_outside(double* sums) const {
    const auto inside = std::clamp<std::int64_t>(reach_x_ - first_, 0, length_);
    const auto behind = std::clamp<std::int64_t>(width_ + reach_x_ - first_, 0, length_);
    std::fill(sums, sums + inside, how_.edge.outside);
    std::fill(sums + behind, sums + length_, how_.edge.outside);
  }

  void fill(std::int64_t y, double* to) const {
    const auto& edge = how_.edge;
    const bool constant = edge.mode == border_mode::constant;
    if (constant && (y < 0 || y >= height_)) {
      std::fill_n(to, length_, edge.outside);
      return;
    }
    const auto row = constant ? y : edge.fold(y, height_);
    const auto begin = std::max<std::int64_t>(first_ - reach_x_, 0);
    const auto end = std::min(first_ + count_ + reach_x_, width_);
    double* const origin = to - (first_ - reach_x_);
    load_(row, begin, end - begin, origin + begin);
    const auto before = first_ - reach_x_, after = first_ + count_ + reach_x_;
    if (constant || edge.mode == border_mode::nearest) {
      std::fill(origin + before, origin + begin, constant ? edge.outside : origin[begin]);
      std::fill(origin + end, origin + after, constant ? edge.outside : origin[end - 1]);
      return;
    }
    for (auto x = before; x < begin; ++x) load_(row, edge.fold(x, width_), 1, origin + x);
    for (auto x = end; x < after; ++x) load_(row, edge.fold(x, width_), 1, origin + x);
  }

  void divide(Value* to) const {
    const auto& classes = how_.classes;
    const double* const shares =
        how_.shares.data() + share_classes::class_of(next_, height_, classes.rows) * classes.columns;
    const auto one = [&](std::int64_t i) {
      const double by = shares[share_classes::class_of(first_ + i, width_, classes.columns)];
      to[i] = static_cast<Value>(static_cast<double>(to[i]) / by);
    };
    // The middle columns all have one class.
    const auto begin = std::clamp<std::int64_t>(classes.columns / 2 - first_, 0, count_);
    const auto end = std::clamp<std::int64_t>(width_ - classes.columns / 2 - first_, begin, count_);
    for (std::int64_t i = 0; i < begin; ++i) one(i);
    if (classes.columns == width_)
      for (auto i = begin; i < end; ++i) one(i);
    else
      divide_all(to + begin, end - begin, shares[classes.columns / 2], how_.moderate);
    for (auto i = end; i < count_; ++i) one(i);
  }

  /// Divides by one number, correctly rounded.
  static void divide_all(Value* values, std::int64_t count, double by, [[maybe_unused]] bool moderate) {
    // The quotient rounds to the same f32: `by` differs from 1 by less than half a unit in the last place.
    if (std::is_same_v<Value, float> && std::fabs(by - 1) < 0x1p-30) return;
#ifdef __FP_FAST_FMA
    // Markstein: a product with the reciprocal, corrected once, is the rounded quotient. Exceptions: all
    // digits of the divisor are 1, or the remainder underflows or overflows.
    int extreme = 0;
    for (std::int64_t i = 0; !moderate && i < count; ++i) {
      const double size = std::fabs(static_cast<double>(values[i]));
      extreme |= !((size > 1e-200) & (size < 1e300)) & (size != 0);
    }
    if (std::is_same_v<Value, double> && by > 1 && by < 1.5 && !extreme) {
      const double reciprocal = 1 / by;
      for (std::int64_t i = 0; i < count; ++i) {
        const double value = values[i], near = value * reciprocal;
        values[i] = static_cast<Value>(std::fma(std::fma(-near, by, value), reciprocal, near));
      }
      return;
    }
#endif
    for (std::int64_t i = 0; i < count; ++i)
      values[i] = static_cast<Value>(static_cast<double>(values[i]) / by);
  }

  const smoothing& how_;
  const Load& load_;
  std::int64_t height_, width_, first_, count_;
  int reach_y_, reach_x_;
  std::int64_t length_, pitch_, next_, loaded_;
  aligned_memory<double> memory_, sums_;
  std::vector<const double*> rows_;
  bool waiting_ = false;  // the sums of the current row are computed already
};

}  // namespace macareu::cpu
