// The cpu engine: OpenMP over rows for the regular patterns, tiles for the wave.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/call.hpp"
#include "engines/cpu/component/run_component.hpp"
#include "engines/cpu/edges/run_edges.hpp"
#include "engines/cpu/line/run_carry.hpp"
#include "engines/cpu/line/run_line.hpp"
#include "engines/cpu/line/run_square_lines.hpp"
#include "engines/cpu/run_histogram.hpp"
#include "engines/cpu/run_summary.hpp"
#include "engines/cpu/run_tally.hpp"
#include "engines/cpu/threads.hpp"
#include "engines/cpu/units.hpp"
#include "engines/cpu/wave/bottleneck.hpp"
#include "engines/cpu/wave/general.hpp"
#include "engines/cpu/window/run_summits.hpp"
#include "engines/cpu/window/run_weighted.hpp"
#include "engines/cpu/window/run_window.hpp"
#include "patterns/component.hpp"
#include "patterns/edges.hpp"
#include "patterns/histogram.hpp"
#include "patterns/line.hpp"
#include "patterns/map.hpp"
#include "patterns/reduce.hpp"
#include "patterns/tally.hpp"
#include "patterns/wave.hpp"
#include "patterns/weighted.hpp"
#include "patterns/window.hpp"

namespace macareu::cpu {

class engine {
 public:
  static constexpr std::string_view name = "cpu";
  static std::vector<std::string_view> strategies(std::string_view pattern) {
    return pattern == "wave" ? wave_strategies() : std::vector<std::string_view>();
  }

  explicit engine(job& work) : work_(work) {}

  template <class T>
  buffer<T> temporary(const view<const T>& like) const {
    return buffer<T>(like.depth, like.height, like.width);
  }

  template <class Rule, class Out, class... In>
  requires map_rule<Rule, Out, In...>
  void map(const Rule& rule, view<Out> out, view<const In>... in) const {
    over_rows(out, [&](int, std::int64_t z, std::int64_t y) {
      const auto each = [&](std::int64_t x, Out& to, const In&... value) {
        to = rule(site{z, y, x}, value...);
      };
      over_row({z, y, 0}, out.width, each, out, in...);
    });
  }

  template <class Rule, class Out, class In>
  requires window_rule<Rule, Out, In>
  void window(const Rule& rule, border<In> edge, view<Out> out, view<const In> in) const {
    run_window(work_, rule, edge, out, in);
  }

  /// summits: 1 where no neighbour is further, but not on values that none is further back than. undercut: 1
  /// on those of them that touch a pixel as far which is none.
  template <direction Toward, class T>
  summits_found summits(const neighbourhood& near, view<std::uint8_t> summits, view<std::uint8_t> undercut,
                        view<const T> image) const {
    work_.report.threads = threads_for(image.pixels(), work_.how.threads);
    work_.report.strategy = "runs";  // of a binary wave, if one has to follow
    return run_summits<Toward>(work_, near, summits, undercut, image);
  }

  template <class F, class In>
  void separable(const separable_weights<F>& weights, border<F> edge, view<F> out, view<const In> in) const {
    if (weights[0].empty()) return sum_along_y_and_x(work_, weights, edge, out, in);
    const buffer<F> values(in.depth, in.height, in.width), summed(in.depth, in.height, in.width);
    map(as_type<F>{}, values.pixels(), in);
    sum_along_z(work_, weights[0], edge, summed.pixels(), view<const F>(values.pixels()));
    sum_along_y_and_x(work_, weights, edge, out, view<const F>(summed.pixels()));
  }

  template <class F, class In>
  void weighted(std::span<const tap<F>> taps, border<F> edge, view<F> out, view<const In> in) const {
    run_weighted(work_, taps, edge, out, in);
  }

  template <class T>
  summary<T> reduce(const summary_of<T>& rule, view<const T> image) const {
    return run_summary(work_, rule, image);
  }

  template <class Rule, class First, class... In>
  requires reduce_rule<Rule, First, In...>
  typename Rule::value reduce(const Rule& rule, view<const First> first, view<const In>... in) const {
    std::vector<typename Rule::value> own(
        static_cast<std::size_t>(threads_for(first.pixels(), work_.how.threads)), rule.identity());
    over_rows(first, [&](int thread, std::int64_t z, std::int64_t y) {
      auto row = rule.identity();
      const auto each = [&](std::int64_t x, const First& one, const In&... more) {
        row = rule.join(row, rule.lift(site{z, y, x}, one, more...));
      };
      over_row({z, y, 0}, first.width, each, first, in...);
      auto& mine = own[static_cast<std::size_t>(thread)];
      mine = rule.join(mine, row);
    });
    auto total = rule.identity();
    for (const auto& part : own) total = rule.join(total, part);
    return total;
  }

  template <class Rule, class First, class... In>
  requires histogram_rule<Rule, First, In...>
  void histogram(const Rule& rule, std::span<std::uint64_t> bins, view<const First> first,
                 view<const In>... in) const {
    run_histogram(work_, rule, bins, first, in...);
  }

  template <class Rule, class Out, class In>
  requires line_rule<Rule, Out, In>
  void line(const Rule& rule, line_axis axis, view<Out> out, view<const In> in) const {
    run_line(work_, rule, axis, out, in);
  }

  template <class Out, class In, class... Rules>
  void lines(view<Out> out, view<const In> in, const along<Rules>&... one_by_one) const {
    one_line_after_another(*this, out, in, one_by_one...);
  }

  template <class Out, class In, class Count, class Last>
  requires are_square_lines<Count, Last, Out>
  void lines(view<Out> out, view<const In> in, const along<Count>& count, const along<Last>& last) const {
    const bool fused = count.axis == line_axis::y && last.axis == line_axis::x && last.rule.unit_squares() &&
                       in.depth == 1 && in.width >= least_width_of_squares && out.step_x == 1;
    if (fused)
      run_square_lines(work_, count.rule, last.rule, out, in);
    else
      one_line_after_another(*this, out, in, count, last);
  }

  template <class Rule, class In, class Carried>
  void carry(const Rule& rule, line_axis axis, Carried nothing, view<Carried> out, view<const In> in,
             view<const Carried> carried) const {
    run_carry(work_, rule, axis, in, by_size(nothing, out, carried));
  }

  template <class Rule, class State, class Start, class Refuse, class... In>
  requires wave_rule<Rule, State, In...>
  void wave(const Rule& rule, const neighbourhood& near, view<State> state,
            const guarded<Start, Refuse>& start, view<const In>... in) {
    start.refuse();
    wave(rule, near, state, start.start, in...);
  }

  template <class Rule, class State, class Start, class... In>
  requires wave_rule<Rule, State, In...>
  void wave(const Rule& rule, const neighbourhood& near, view<State> state, const Start& start,
            view<const In>... in) const {
    if constexpr (bottleneck_rule<Rule, State, In...>)
      bottleneck_wave(work_, rule, near, state, start, in...);
    else
      general_wave(work_, rule, near, state, start, in...);
  }

  template <edge_rule Rule, class Source>
  void edges(const Rule& rule, const smoothing& how, const neighbourhood& near, view<std::uint8_t> out,
             const kept_stages<typename Rule::value>& kept, const Source& image) const {
    run_edges(work_, rule, how, near, out, kept, image);
  }

  template <class T, component_rule<T> Rule, label_number Label>
  std::uint64_t component(const Rule& rule, const neighbourhood& near, view<Label> labels,
                          view<const T> image) const {
    return run_component(work_, rule, near, labels, image);
  }

  template <class Rule, label_number Label, class... In>
  std::vector<typename Rule::row> tally(const Rule& rule, std::uint64_t count, view<const Label> labels,
                                        view<const In>... in) const {
    return run_tally(work_, rule, count, labels, in...);
  }

  template <label_number Label>
  void recode(view<Label> labels, const std::vector<Label>& number) const {
    const auto each = [&](std::int64_t, Label& label) { label = number[static_cast<std::size_t>(label)]; };
    over_rows(labels, [&](int, std::int64_t z, std::int64_t y) {
      over_row({z, y, 0}, labels.width, each, labels);
    });
  }

  host_threads lend_threads(std::int64_t pixels) const {
    return cpu::lend_threads(pixels, work_.how.threads);
  }

  template <class T>
  T read(view<const T> image, site p) const {
    return image[p];
  }
  void finish() const {}

 private:
  /// visit(thread, z, y) for every row, several rows at a time so that narrow images do not queue for the
  /// counter.
  template <class T, class Visit>
  void over_rows(const view<T>& image, Visit&& visit) const {
    const std::int64_t rows = image.depth * image.height;
    const std::int64_t batch = std::max<std::int64_t>(1, 16 * 1024 / std::max<std::int64_t>(image.width, 1));
    over_units(work_, threads_for(image.pixels(), work_.how.threads), rows, batch,
               [&](int thread, std::int64_t row) { visit(thread, row / image.height, row % image.height); });
  }

  job& work_;
};

}  // namespace macareu::cpu
