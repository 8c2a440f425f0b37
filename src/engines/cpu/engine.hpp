// The cpu engine: threads over rows for the regular patterns, tiles for the wave.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/call.hpp"
#include "engines/cpu/component/run_component.hpp"
#include "engines/cpu/edges/run_edges.hpp"
#include "engines/cpu/gather/run_gather.hpp"
#include "engines/cpu/line/near_objects.hpp"
#include "engines/cpu/line/run_carry.hpp"
#include "engines/cpu/line/run_line.hpp"
#include "engines/cpu/line/run_square_lines.hpp"
#include "engines/cpu/reduce/run_histogram.hpp"
#include "engines/cpu/reduce/run_summary.hpp"
#include "engines/cpu/runtime/run_channels.hpp"
#include "engines/cpu/runtime/threads.hpp"
#include "engines/cpu/runtime/units.hpp"
#include "engines/cpu/tally/run_tally.hpp"
#include "engines/cpu/tuning.hpp"
#include "engines/cpu/wave/bottleneck.hpp"
#include "engines/cpu/wave/general.hpp"
#include "engines/cpu/window/extremes.hpp"
#include "engines/cpu/window/run_boxes.hpp"
#include "engines/cpu/window/run_summits.hpp"
#include "engines/cpu/window/run_weighted.hpp"
#include "engines/cpu/window/run_window.hpp"
#include "patterns/boxes.hpp"
#include "patterns/channels.hpp"
#include "patterns/engine.hpp"
#include "patterns/located.hpp"

namespace macareu::cpu {

class engine : public images_in_memory {
 public:
  static constexpr std::string_view name = "cpu";
  static constexpr bool in_pieces = true;  // engines/pieces can run on it
  static std::vector<std::string_view> strategies(std::string_view pattern) {
    return pattern == "wave" ? wave_strategies() : std::vector<std::string_view>();
  }

  explicit engine(job& work) : work_(work) {}

  template <class T, class Like>
  temporary_image<T, buffer<T>> temporary(const framed<Like>& like) const {
    const auto& size = like.pixels();
    return {buffer<T>(size.depth, size.height, size.width), like.whole()};
  }
  template <class T>
  temporary_image<T, buffer<T>> temporary(const frame& shape) const {
    return {buffer<T>(shape.depth, shape.height, shape.width), shape};
  }

  template <class Rule, class Out, class... In>
  requires map_rule<Rule, Out, In...>
  void map(const Rule& rule, const framed<Out>& out, const framed<const In>&... in) const {
    over_rows(out.pixels(), [&](int, std::int64_t z, std::int64_t y) {
      const site first = site{z, y, 0} + out.origin();
      const auto each = [&](std::int64_t x, Out& to, const In&... value) {
        to = rule(site{first.z, first.y, first.x + x}, value...);
      };
      over_row({z, y, 0}, out.pixels().width, each, out.pixels(), in.pixels()...);
    });
  }

  template <class Rule, class Out, class In, std::size_t Outputs>
  void map_channels(const Rule& rule, const std::array<framed<Out>, Outputs>& out,
                    const std::array<framed<const In>, 3>& in) const {
    over_rows(out[0].pixels(), [&](int, std::int64_t z, std::int64_t y) {
      std::array<Out*, Outputs> to;
      std::array<const In*, 3> from;
      for (std::size_t c = 0; c < Outputs; ++c) to[c] = out[c].pixels().at(z, y);
      for (std::size_t c = 0; c < 3; ++c) from[c] = in[c].pixels().at(z, y);
      map_channel_row(rule, site{z, y, 0} + out[0].origin(), out[0].pixels().width, to,
                      out[0].pixels().step_x, from, in[0].pixels().step_x);
    });
  }

  template <class Rule, class Out, class In>
  void boxes(const Rule& rule, window_radius radius, const border<In>& edge, const framed<Out>& out,
             const framed<const In>& in) const {
    run_boxes(work_, rule, radius, edge, out.origin(), out.pixels(), in.pixels());
  }

  template <class Rule, class Out, class In>
  requires window_rule<Rule, Out, In>
  void window(const Rule& rule, border<In> edge, const framed<Out>& out, const framed<const In>& in) const {
    run_window(work_, located_in(out.whole(), rule), edge, out.pixels(), in.pixels());
  }

  template <class Rule, class Out, class In>
  requires gather_rule<Rule, Out, In>
  void gather(const Rule& rule, const framed<Out>& out, const framed<const In>& in) const {
    if (is_plain_image(out, in)) {
      if constexpr (mixes_rows<Rule>) return gather_mixed(work_, rule, out, in);
      if constexpr (means_of_blocks<Rule>)
        if (rule.sums_blocks()) return gather_means(work_, rule, out, in);
    }
    map(gathered<Rule, In>{rule, {in.pixels(), in.origin()}}, out);
  }

  template <direction Toward, class T>
  summits_found summits(const neighbourhood& near, const framed<std::uint8_t>& summits,
                        const framed<std::uint8_t>& undercut, const framed<const T>& image) const {
    work_.report.threads = threads_for(image.pixels().pixels(), work_.how.threads);
    work_.report.strategy = "runs";  // of the binary wave that may follow
    return run_summits<Toward>(work_, near, summits.pixels(), undercut.pixels(), image.pixels());
  }

  template <class F, class In>
  void separable(const separable_weights<F>& weights, border<F> edge, const framed<F>& out,
                 const framed<const In>& in) const {
    const plain_sums<F> plain;
    if (weights[0].empty()) return sum_in_slices(weights, edge, plain, out, in);
    const auto values = temporary<F>(in), summed = temporary<F>(in);
    map(as_type<F>{}, values.image(), in);
    sum_along_z(work_, weights, edge, plain, summed.image().pixels(), values.reading().pixels());
    sum_in_slices(weights, edge, plain, out, summed.reading());
  }

  /// One pass, unless z is one of several axes.
  template <class Rule, class F, class Out, class In>
  requires map_rule<Rule, Out, F>
  void map_sums(const Rule& rule, const separable_weights<F>& weights, const border<F>& edge,
                const framed<Out>& out, const framed<const In>& in) const {
    const auto here = located_in(out.whole(), rule);
    if (weights[0].empty()) return sum_in_slices(weights, edge, here, out, in);
    if (weights[1].empty() && weights[2].empty())
      return sum_along_z(work_, weights, edge, here, out.pixels(), in.pixels());
    const auto sums = temporary<F>(in);
    separable(weights, edge, sums.image(), in);
    map(rule, out, sums.reading());
  }

  template <class F, class In>
  void weighted(std::span<const tap<F>> taps, border<F> edge, const framed<F>& out,
                const framed<const In>& in) const {
    run_weighted(work_, taps, edge, out.pixels(), in.pixels());
  }

  template <class Key>
  void extremes(const key_map<Key>& order, std::span<const chord> footprint, border<Key> edge,
                const framed<Key>& out, const framed<const Key>& in) const {
    run_extremes(work_, order, footprint, edge, out.pixels(), in.pixels());
  }

  template <class T>
  summary<T> reduce(const summary_of<T>& rule, const framed<const T>& image) const {
    return in_whole(rule, image, run_summary(work_, summary_of_part<T>(image.pixels()), image.pixels()));
  }

  template <class Rule, class First, class... In>
  requires reduce_rule<Rule, First, In...>
  typename Rule::value reduce(const Rule& rule, const framed<const First>& image,
                              const framed<const In>&... in) const {
    const auto& first = image.pixels();
    std::vector<typename Rule::value> own(
        static_cast<std::size_t>(threads_for(first.pixels(), work_.how.threads)), rule.identity());
    over_rows(first, [&](int thread, std::int64_t z, std::int64_t y) {
      auto row = rule.identity();
      const site begin = site{z, y, 0} + image.origin();
      const auto each = [&](std::int64_t x, const First& one, const In&... more) {
        row = rule.join(row, rule.lift(site{begin.z, begin.y, begin.x + x}, one, more...));
      };
      over_row({z, y, 0}, first.width, each, first, in.pixels()...);
      auto& mine = own[static_cast<std::size_t>(thread)];
      mine = rule.join(mine, row);
    });
    auto total = rule.identity();
    for (const auto& part : own) total = rule.join(total, part);
    return total;
  }

  template <class T>
  requires(sizeof(T) == 1) void histogram(const value_bins<T>& rule, std::span<std::uint64_t> bins,
                                          const framed<const T>& image) const {
    run_histogram(work_, rule, bins, image.pixels());
  }

  template <class Rule, class First, class... In>
  requires histogram_rule<Rule, First, In...>
  void histogram(const Rule& rule, std::span<std::uint64_t> bins, const framed<const First>& first,
                 const framed<const In>&... in) const {
    run_histogram(work_, located_in(first.whole(), rule), bins, first.pixels(), in.pixels()...);
  }

  template <class Rule, class Out, class In>
  requires line_rule<Rule, Out, In>
  void line(const Rule& rule, line_axis axis, const framed<Out>& out, const framed<const In>& in) const {
    run_line(work_, rule, axis, out.pixels(), in.pixels());
  }

  template <class Out, class In, class... Rules>
  void lines(const framed<Out>& out, const framed<const In>& in, const along<Rules>&... one_by_one) const {
    one_line_after_another(*this, out, in, one_by_one...);
  }

  template <class Out, class In, class Count, class Last>
  requires are_square_lines<Count, Last, Out>
  void lines(const framed<Out>& out, const framed<const In>& in, const along<Count>& count,
             const along<Last>& last) const {
    const auto& from = in.pixels();
    const bool fused = count.axis == line_axis::y && last.axis == line_axis::x && last.rule.unit_squares() &&
                       from.depth == 1 && from.width >= least_width_of_squares && out.pixels().step_x == 1;
    if (fused)
      run_square_lines(work_, count.rule, last.rule, out.pixels(), from);
    else
      one_line_after_another(*this, out, in, count, last);
  }

  template <class Rule, class In, class Carried>
  void carry(const Rule& rule, line_axis axis, Carried nothing, const framed<Carried>& out,
             const framed<const In>& in, const framed<const Carried>& carried) const {
    run_carry(work_, rule, axis, in.pixels(), by_size(nothing, out.pixels(), carried.pixels()));
  }

  /// False where the images are not suitable.
  bool near_objects(std::uint32_t limit, const framed<float>& distance, const framed<std::uint32_t>& nearest,
                    const framed<const std::uint32_t>& labels) const {
    const auto& to = distance.pixels();
    if (to.depth != 1 || to.step_x != 1 || nearest.pixels().step_x != 1 || labels.pixels().step_x != 1)
      return false;
    cpu::near_objects(limit, to, nearest.pixels(), labels.pixels()).run(work_);
    return true;
  }

  template <class Rule, class State, class Start, class Refuse, class... In>
  requires wave_rule<Rule, State, In...>
  void wave(const Rule& rule, const neighbourhood& near, const framed<State>& state,
            const guarded<Start, Refuse>& start, const framed<const In>&... in) const {
    start.refuse();
    wave(rule, near, state, start.start, in...);
  }

  template <class Rule, class State, class Start, class... In>
  requires wave_rule<Rule, State, In...>
  void wave(const Rule& rule, const neighbourhood& near, const framed<State>& state, const Start& start,
            const framed<const In>&... in) const {
    const auto here = located_in(state.whole(), rule);
    if constexpr (bottleneck_rule<Rule, State, In...>)
      bottleneck_wave(work_, here, near, state.pixels(), start, in.pixels()...);
    else
      general_wave(work_, here, near, state.pixels(), start, in.pixels()...);
  }

  template <class Key>
  void basins(const neighbourhood& near, const framed<std::uint32_t>& labels, const framed<const Key>& passes,
              const framed<const std::uint32_t>& seeds) const {
    best_wave_kernels<Key>().basins(work_, near, labels.pixels(), passes.pixels(), seeds.pixels());
  }

  template <edge_rule Rule, class Kept, class Source>
  void edges(const Rule& rule, const smoothing& how, const neighbourhood& near,
             const framed<std::uint8_t>& out, const Kept& kept, const Source& image) const {
    const kept_views<typename Rule::value> views{kept.gradient.pixels(), kept.crossings.pixels()};
    run_edges(work_, rule, how, near, out.pixels(), views, image);
  }

  template <edge_rule Rule, class Kept, class Source>
  void edge_levels(const Rule& rule, const smoothing& how, const framed<std::uint8_t>& levels,
                   const Kept& kept, const Source& image) const {
    const kept_views<typename Rule::value> views{kept.gradient.pixels(), kept.crossings.pixels()};
    run_edge_levels(work_, rule, how, levels.pixels(), views, image);
  }

  template <class T, component_rule<T> Rule, label_number Label>
  std::uint64_t component(const Rule& rule, const neighbourhood& near, const framed<Label>& labels,
                          const framed<const T>& image) const {
    return run_component(work_, rule, near, labels.pixels(), image.pixels());
  }

  template <class Rule, label_number Label, class... In>
  std::vector<typename Rule::row> tally(const Rule& rule, std::uint64_t count,
                                        const framed<const Label>& labels,
                                        const framed<const In>&... in) const {
    const auto& size = labels.pixels();
    return tally_band(rule, count, {0, size.depth > 1 ? size.depth : size.height}, labels, in...);
  }

  template <class Rule, label_number Label, class... In>
  std::vector<typename Rule::row> tally_band(const Rule& rule, std::uint64_t count, macareu::tally_band band,
                                             const framed<const Label>& labels,
                                             const framed<const In>&... in) const {
    return run_tally(work_, rule, labels.origin(), count, band, labels.pixels(), in.pixels()...);
  }

  template <label_number Label>
  void recode(const framed<Label>& image, const std::vector<Label>& number) const {
    const auto& labels = image.pixels();
    const auto each = [&](std::int64_t, Label& label) { label = number[static_cast<std::size_t>(label)]; };
    over_rows(labels, [&](int, std::int64_t z, std::int64_t y) {
      over_row({z, y, 0}, labels.width, each, labels);
    });
  }

  host_threads lend_threads(std::int64_t pixels) const {
    return cpu::lend_threads(pixels, work_.how.threads);
  }

  template <class T>
  T read(const framed<const T>& image, site p) const {
    return image.pixels()[p - image.origin()];
  }
  void finish() const {}

 private:
  /// Sums along y and x.
  template <class F, class Rule, class Out, class In>
  void sum_in_slices(const separable_weights<F>& weights, const border<F>& edge, const Rule& rule,
                     const framed<Out>& out, const framed<const In>& in) const {
    if (weights[1].empty() || radius_of(weights).x <= tuning::widest_sum_together)
      return sum_along_y_and_x(work_, weights, edge, rule, out.pixels(), in.pixels());
    auto along_y = weights, along_x = weights;
    along_y[2] = {};
    along_x[1] = {};
    const auto sums = temporary<F>(in);
    sum_along_y_and_x(work_, along_y, edge, plain_sums<F>{}, sums.image().pixels(), in.pixels());
    sum_along_y_and_x(work_, along_x, edge, rule, out.pixels(), sums.reading().pixels());
  }

  /// visit(thread, z, y) for every row. Threads claim several rows at a time: narrow images would contend for
  /// the counter.
  template <class T, class Visit>
  void over_rows(const view<T>& image, Visit&& visit) const {
    const std::int64_t rows = image.depth * image.height;
    const std::int64_t batch =
        std::max<std::int64_t>(1, tuning::pixels_claimed / std::max<std::int64_t>(image.width, 1));
    over_units(work_, threads_for(image.pixels(), work_.how.threads), rows, batch,
               [&](int thread, std::int64_t row) { visit(thread, row / image.height, row % image.height); });
  }

  job& work_;
};

static_assert(pattern_engine<engine>);
static_assert(finds_summits<engine, direction::up, std::uint8_t>);
static_assert(sums_boxes<engine, probe::box_rule, probe::pixel, probe::pixel>);
static_assert(maps_sums<engine, as_type<float>, double, float, probe::pixel>);
static_assert(maps_channels<engine, probe::channel_rule, probe::pixel, probe::pixel, 1>);
static_assert(searches_near<engine>);

}  // namespace macareu::cpu
