// gather on the cpu: any rule pixel by pixel, as a map. Rules that work by rows take each input row once.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "core/ceil_div.hpp"
#include "engines/cpu/runtime/threads.hpp"
#include "engines/cpu/runtime/units.hpp"
#include "engines/cpu/tuning.hpp"
#include "patterns/gather.hpp"
#include "patterns/images.hpp"

namespace macareu::cpu {

/// One slice, with pixels side by side.
template <class Out, class In>
bool is_plain_image(const framed<Out>& out, const framed<const In>& in) {
  return in.whole().depth == 1 && out.whole().depth == 1 && out.pixels().step_x == 1 &&
         in.pixels().step_x == 1;
}

/// visit(first row, last row) for bands of rows: of small images several too, so that progress shows.
template <class T, class Visit>
void over_row_bands(const job& work, const view<T>& image, Visit&& visit) {
  const auto rows = std::clamp<std::int64_t>(
      tuning::gathered_pixels_claimed / std::max<std::int64_t>(image.width, 1), 1,
      std::max<std::int64_t>(1, ceil_div(image.height, tuning::least_gathered_bands)));
  over_units(work, threads_for(image.pixels(), work.how.threads), ceil_div(image.height, rows), 1,
             [&](int, std::int64_t band) { visit(band * rows, std::min(image.height, (band + 1) * rows)); });
}

/// Input rows mixed along x, of which each serves several output rows.
template <class Rule, class In>
class mixed_rows {
 public:
  mixed_rows(const Rule& rule, const framed<const In>& in, std::int64_t first, std::int64_t count)
      : in_(in), before_(static_cast<std::size_t>(count)), next_(before_), beyond_(before_.size()) {
    for (std::int64_t x = 0; x < count; ++x) {
      const auto place = rule.column(first + x);
      const auto i = static_cast<std::size_t>(x);
      before_[i] = static_cast<std::int32_t>(place.before - in.origin().x);
      next_[i] = before_[i] + (place.beyond > 0);
      beyond_[i] = place.beyond;
    }
  }

  std::vector<double> room() const { return std::vector<double>(before_.size()); }
  void mix(std::int64_t y, std::vector<double>& to) const {
    const In* const row = in_.pixels().at(0, y - in_.origin().y);
    for (std::size_t i = 0; i < to.size(); ++i)
      to[i] =
          Rule::mixed(static_cast<double>(row[before_[i]]), static_cast<double>(row[next_[i]]), beyond_[i]);
  }

 private:
  framed<const In> in_;
  std::vector<std::int32_t> before_, next_;
  std::vector<double> beyond_;
};

template <class Rule, class Out, class In>
void gather_mixed(const job& work, const Rule& rule, const framed<Out>& out, const framed<const In>& in) {
  const auto& to = out.pixels();
  const mixed_rows<Rule, In> rows(rule, in, out.origin().x, to.width);
  over_row_bands(work, to, [&](std::int64_t first, std::int64_t last) {
    constexpr std::int64_t none = -1;
    auto low = rows.room(), high = rows.room();
    std::int64_t low_y = none, high_y = none;
    for (auto y = first; y < last; ++y) {
      const auto place = rule.row(out.origin().y + y);
      if (place.before == high_y) {
        std::swap(low, high);
        std::swap(low_y, high_y);
      }
      if (place.before != low_y) rows.mix(low_y = place.before, low);
      Out* const row = to.at(0, y);
      const double* const a = low.data();
      if (!(place.beyond > 0)) {
        for (std::int64_t x = 0; x < to.width; ++x) row[x] = rule.pixel(a[x]);
        continue;
      }
      if (place.before + 1 != high_y) rows.mix(high_y = place.before + 1, high);
      const double* const b = high.data();
      for (std::int64_t x = 0; x < to.width; ++x) row[x] = rule.pixel(Rule::mixed(a[x], b[x], place.beyond));
    }
  });
}

/// Adds the pixels of blocks of `Side` pixels of a row. A constant lets compilers vectorise.
template <std::int64_t Side, class In>
void add_blocks(const In* row, std::int64_t blocks, std::uint32_t* to) {
  for (std::int64_t i = 0; i < blocks; ++i) {
    std::uint32_t sum = 0;
    for (std::int64_t k = 0; k < Side; ++k) sum += row[Side * i + k];
    to[i] += sum;
  }
}

template <class In>
void add_blocks(std::int64_t side, const In* row, std::int64_t width, std::uint32_t* to) {
  const auto whole = width / side;
  if (side == 2)
    add_blocks<2>(row, whole, to);
  else if (side == 4)
    add_blocks<4>(row, whole, to);
  else
    for (std::int64_t i = 0; i < whole; ++i)
      for (std::int64_t k = 0; k < side; ++k) to[i] += row[side * i + k];
  for (auto x = whole * side; x < width; ++x) to[whole] += row[x];
}

template <class Rule, class Out, class In>
void gather_means(const job& work, const Rule& rule, const framed<Out>& out, const framed<const In>& in) {
  const auto& to = out.pixels();
  if (to.pixels() == 0) return;
  over_row_bands(work, to, [&](std::int64_t first, std::int64_t last) {
    std::vector<std::uint32_t> sums(static_cast<std::size_t>(to.width));
    for (auto y = first; y < last; ++y) {
      const site begin = rule.first(site{0, y, 0} + out.origin()),
                 end = rule.last(site{0, y, to.width - 1} + out.origin());
      const auto width = end.x - begin.x + 1, rows = end.y - begin.y + 1, side = rule.factor.x;
      std::ranges::fill(sums, 0);
      for (auto from = begin.y; from <= end.y; ++from)
        add_blocks(side, in.pixels().at(0, from - in.origin().y) + begin.x - in.origin().x, width,
                   sums.data());
      Out* const row = to.at(0, y);
      const auto count = static_cast<std::uint32_t>(rows * side);
      const auto whole = width / side;
      if (std::has_single_bit(count)) {
        const int bits = std::countr_zero(count);
        const std::uint32_t half = count / 2;
        for (std::int64_t x = 0; x < whole; ++x)
          row[x] = static_cast<Out>((sums[static_cast<std::size_t>(x)] + half) >> bits);
      } else {
        for (std::int64_t x = 0; x < whole; ++x) row[x] = rule.mean(sums[static_cast<std::size_t>(x)], count);
      }
      if (whole < to.width)
        row[whole] = rule.mean(sums[static_cast<std::size_t>(whole)], rows * (width - whole * side));
    }
  });
}

}  // namespace macareu::cpu
