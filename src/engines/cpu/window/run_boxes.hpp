// boxes on the cpu. A thread takes a band of rows. It keeps the sums of all columns over the height of the
// box: the next row's are those of the last row, plus the row that enters and less the row that leaves.
// Differences of their prefix sums are the sums over the box. In volumes this takes as many rows as the box
// has slices.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/ceil_div.hpp"
#include "engines/cpu/runtime/aligned_memory.hpp"
#include "engines/cpu/runtime/threads.hpp"
#include "engines/cpu/runtime/units.hpp"
#include "patterns/boxes.hpp"

namespace macareu::cpu {

template <class Rule, class In>
class box_columns {
  using sum = typename Rule::sum;

 public:
  box_columns(const Rule& rule, window_radius radius, const border<In>& edge, const view<const In>& in)
      : rule_(rule),
        radius_(radius),
        edge_(edge),
        in_(in),
        pitch_(aligned_memory<sum>::pitch_of(in.width + 2 * radius.x + 1)),
        columns_(pitch_ * Rule::terms),
        prefix_(pitch_ * Rule::terms),
        outside_(edge.mode == border_mode::constant ? in.width : 0) {
    std::fill_n(outside_.data(), edge.mode == border_mode::constant ? in.width : 0, edge.outside);
  }

  void start(std::int64_t z, std::int64_t y) {
    std::fill_n(columns_.data(), pitch_ * Rule::terms, sum{0});
    for (auto k = y - radius_.y; k <= y + radius_.y; ++k)
      over_slices(z, k, [&](const In* row, std::int64_t step) {
        each_term([&](int t, sum* to) {
          for (std::int64_t x = 0; x < in_.width; ++x) to[x] += rule_.lift(t, row[x * step]);
        });
      });
  }

  /// From row y - 1 to row y.
  void advance(std::int64_t z, std::int64_t y) {
    for (int dz = -radius_.z; dz <= radius_.z; ++dz) {
      const auto [enters, step] = row(z + dz, y + radius_.y);
      const auto [leaves, other] = row(z + dz, y - radius_.y - 1);
      each_term([&, enters = enters, leaves = leaves, step = step, other = other](int t, sum* to) {
        const Rule rule = rule_;
        const auto width = in_.width;
        if (step == 1 && other == 1)
          for (std::int64_t x = 0; x < width; ++x) to[x] += rule.lift(t, enters[x]) - rule.lift(t, leaves[x]);
        else
          for (std::int64_t x = 0; x < width; ++x)
            to[x] += rule.lift(t, enters[x * step]) - rule.lift(t, leaves[x * other]);
      });
    }
  }

  template <class Out>
  void write(site origin, std::int64_t z, std::int64_t y, const view<Out>& out) {
    each_term([&](int t, sum* columns) { add_up(t, columns - radius_.x); });
    const auto reach = 2 * radius_.x + 1;
    const site first = site{z, y, 0} + origin;
    const auto visit = [&](const In* from, std::int64_t in_step, Out* to, std::int64_t out_step) {
      // Copies, which bytes that are written cannot change: otherwise loops are not vectorised.
      const Rule rule = rule_;
      const auto pitch = pitch_, width = out.width;
      const sum* const sums = prefix_.data();
      for (std::int64_t x = 0; x < width; ++x) {
        box_sums<Rule> box;
        for (int t = 0; t < Rule::terms; ++t)
          box.of[t] = static_cast<sum>(sums[t * pitch + x + reach] - sums[t * pitch + x]);
        to[x * out_step] = rule(first + site{0, 0, x}, from[x * in_step], box);
      }
    };
    const In* const from = in_.at(z, y);
    Out* const to = out.at(z, y);
    if (in_.step_x == 1 && out.step_x == 1)
      visit(from, 1, to, 1);
    else
      visit(from, in_.step_x, to, out.step_x);
  }

 private:
  struct strided_row {
    const In* first;
    std::int64_t step;
  };

  strided_row row(std::int64_t z, std::int64_t y) const {
    const bool inside = z >= 0 && z < in_.depth && y >= 0 && y < in_.height;
    if (!inside && edge_.mode == border_mode::constant) return {outside_.data(), 1};
    return {in_.at(edge_.fold(z, in_.depth), edge_.fold(y, in_.height)), in_.step_x};
  }
  template <class Visit>
  void over_slices(std::int64_t z, std::int64_t y, const Visit& visit) const {
    for (int dz = -radius_.z; dz <= radius_.z; ++dz) {
      const auto [first, step] = row(z + dz, y);
      visit(first, step);
    }
  }
  /// visit(term, sums of the columns inside the image)
  template <class Visit>
  void each_term(const Visit& visit) const {
    for (int t = 0; t < Rule::terms; ++t) visit(t, columns_.data() + t * pitch_ + radius_.x);
  }

  /// Fills the columns outside the image, then adds up all.
  void add_up(int t, sum* columns) const {
    const auto rows = static_cast<sum>((2 * radius_.z + 1) * (2 * radius_.y + 1));
    const auto outside = [&](std::int64_t x) {
      return edge_.mode == border_mode::constant ? static_cast<sum>(rows * rule_.lift(t, edge_.outside))
                                                 : columns[radius_.x + edge_.fold(x, in_.width)];
    };
    for (std::int64_t k = 1; k <= radius_.x; ++k) {
      columns[radius_.x - k] = outside(-k);
      columns[radius_.x + in_.width - 1 + k] = outside(in_.width - 1 + k);
    }
    sum* const prefix = prefix_.data() + t * pitch_;
    sum total = 0;
    for (std::int64_t x = 0; x < in_.width + 2 * radius_.x; ++x) {
      prefix[x] = total;
      total = static_cast<sum>(total + columns[x]);
    }
    prefix[in_.width + 2 * radius_.x] = total;
  }

  const Rule& rule_;
  window_radius radius_;
  border<In> edge_;
  view<const In> in_;
  std::int64_t pitch_;
  aligned_memory<sum> columns_, prefix_;
  aligned_memory<In> outside_;
};

template <class Rule, class Out, class In>
void run_boxes(const job& work, const Rule& rule, window_radius radius, const border<In>& edge, site origin,
               const view<Out>& out, const view<const In>& in) {
  const int threads = threads_for(out.pixels(), work.how.threads);
  // A band begins with all rows of a box, so it has several times as many.
  const auto rows = std::clamp<std::int64_t>(4 * (2 * radius.y + 1), ceil_div(out.height, 4 * threads),
                                             ceil_div(out.height, threads));
  const auto bands = ceil_div(out.height, rows);
  over_units(work, threads, out.depth * bands, 1, [&](int, std::int64_t unit) {
    box_columns<Rule, In> columns(rule, radius, edge, in);
    const auto z = unit / bands, top = unit % bands * rows, bottom = std::min(top + rows, out.height);
    columns.start(z, top);
    columns.write(origin, z, top, out);
    for (auto y = top + 1; y < bottom; ++y) {
      columns.advance(z, y);
      columns.write(origin, z, y, out);
    }
  });
}

}  // namespace macareu::cpu
