// The cuda engine: one GPU, one stream. Host images are uploaded at their first use. finish() downloads the
// results.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/call.hpp"
#include "engines/cpu/runtime/threads.hpp"
#include "engines/cuda/basins/basins.cuh"
#include "engines/cuda/basins/tiles.cuh"
#include "engines/cuda/component/run_component.cuh"
#include "engines/cuda/edges/edges.cuh"
#include "engines/cuda/line/run_line.cuh"
#include "engines/cuda/map/map.cuh"
#include "engines/cuda/reduce/histogram.cuh"
#include "engines/cuda/reduce/reduce.cuh"
#include "engines/cuda/reduce/summary.cuh"
#include "engines/cuda/runtime/current_device.hpp"
#include "engines/cuda/runtime/input_bands.cuh"
#include "engines/cuda/runtime/open_gpu.cuh"
#include "engines/cuda/runtime/residence.cuh"
#include "engines/cuda/strategies.hpp"
#include "engines/cuda/tally/tally.cuh"
#include "engines/cuda/tuning.hpp"
#include "engines/cuda/wave/bottleneck.cuh"
#include "engines/cuda/wave/general.cuh"
#include "engines/cuda/window/extremes.cuh"
#include "engines/cuda/window/separable.cuh"
#include "engines/cuda/window/window.cuh"
#include "patterns/basins.hpp"
#include "patterns/basins_of_minima.hpp"
#include "patterns/boxes_by_axes.hpp"
#include "patterns/engine.hpp"
#include "patterns/host_rows.hpp"
#include "patterns/line_slabs.hpp"
#include "patterns/located.hpp"

namespace macareu::cuda {

class engine : public images_in_memory {
 public:
  static constexpr std::string_view name = "cuda";
  static constexpr bool in_pieces = cuda::in_pieces;
  static std::vector<std::string_view> strategies(std::string_view pattern) {
    return cuda::strategies(pattern);
  }

  explicit engine(job& work) : current_(gpu_of(work.how)), on_(open_gpu(work)), images_(on_) {}
  /// After an error, waits for the kernels that still run.
  ~engine() {
    if (!finished_) cudaStreamSynchronize(on_.stream);
  }
  engine(const engine&) = delete;
  engine& operator=(const engine&) = delete;

  template <class T, class Like>
  temporary_image<T, device_image<T>> temporary(const framed<Like>& like) const {
    const auto& size = like.pixels();
    return {device_image<T>(on_, size.depth, size.height, size.width), like.whole()};
  }
  template <class T>
  temporary_image<T, device_image<T>> temporary(const frame& shape) const {
    return {device_image<T>(on_, shape.depth, shape.height, shape.width), shape};
  }

  template <class Rule, class Out, class... In>
  requires map_rule<Rule, Out, In...>
  void map(const Rule& rule, const framed<Out>& out, const framed<const In>&... in) {
    over_inputs(
        [&](const auto&... there) { run_map(on_, located_in(out.whole(), rule), writing(out), there...); },
        in...);
  }

  template <class Rule, class Out, class In>
  requires window_rule<Rule, Out, In>
  void window(const Rule& rule, border<In> edge, const framed<Out>& out, const framed<const In>& in) {
    const auto from = reading(in);
    run_window(on_, located_in(out.whole(), rule), edge, writing(out), from);
  }

  template <class Rule, class Out, class In>
  requires gather_rule<Rule, Out, In>
  void gather(const Rule& rule, const framed<Out>& out, const framed<const In>& in) {
    const gathered<Rule, In> from{rule, {reading(in), in.origin()}};
    run_map(on_, located_in(out.whole(), from), writing(out));
  }

  template <class Rule, class Out, class In>
  void boxes(const Rule& rule, window_radius radius, const border<In>& edge, const framed<Out>& out,
             const framed<const In>& in) {
    boxes_by_axes<engine, Rule, In, Out>(*this, rule, radius, edge, out, in);
  }

  template <class F, class In>
  void separable(const separable_weights<F>& weights, border<F> edge, const framed<F>& out,
                 const framed<const In>& in) {
    const auto from = reading(in);
    run_separable(on_, weights, edge, writing(out), from);
  }

  template <class F, class In>
  void weighted(std::span<const tap<F>> taps, border<F> edge, const framed<F>& out,
                const framed<const In>& in) {
    const auto from = reading(in);
    run_weighted(on_, taps, edge, writing(out), from);
  }

  template <class Key>
  void extremes(const key_map<Key>& order, std::span<const chord> footprint, border<Key> edge,
                const framed<Key>& out, const framed<const Key>& in) {
    const auto from = reading(in);
    run_extremes(on_, order, footprint, edge, writing(out), from);
  }

  template <class T>
  summary<T> reduce(const summary_of<T>& rule, const framed<const T>& image) {
    return in_whole(rule, image, run_summary(on_, summary_of_part<T>(image.pixels()), reading(image)));
  }

  template <class Rule, class First, class... In>
  requires reduce_rule<Rule, First, In...>
  typename Rule::value reduce(const Rule& rule, const framed<const First>& first,
                              const framed<const In>&... in) {
    return run_reduce(on_, located_in(first.whole(), rule), reading(first), reading(in)...);
  }

  template <class Rule, class First, class... In>
  requires adds_to<Rule, shared_bins, First, In...>
  void histogram(const Rule& rule, std::span<std::uint64_t> bins, const framed<const First>& first,
                 const framed<const In>&... in) {
    const auto from = reading(first);
    if constexpr (std::is_same_v<Rule, value_bins<std::uint8_t>>)
      if (run_byte_histogram(on_, rule, bins, from)) return;
    run_histogram(on_, located_in(first.whole(), rule), bins, from, reading(in)...);
  }

  template <class Rule, class Out, class In>
  requires line_rule<Rule, Out, In>
  void line(const Rule& rule, line_axis axis, const framed<Out>& out, const framed<const In>& in) {
    const auto from = reading(in);
    run_line(on_, rule, axis, writing(out), from);
  }

  template <class Out, class In, class... Rules>
  void lines(const framed<Out>& out, const framed<const In>& in, const along<Rules>&... one_by_one) {
    if (run_fused_squares(on_, images_, out.pixels(), in.pixels(), one_by_one...)) return;
    // Uploads the whole image first: `residence` would treat each slab as an image of its own.
    const framed<const In> from(reading(in), in.whole());
    lines_by_slabs(*this, tuning::slab_pixels, framed<Out>(writing(out), out.whole()), from, one_by_one...);
  }

  template <class Rule, class In, class Carried>
  void carry(const Rule& rule, line_axis axis, Carried nothing, const framed<Carried>& out,
             const framed<const In>& in, const framed<const Carried>& carried) {
    const auto from = reading(in);
    const auto given = reading(carried);
    run_carry(on_, rule, axis, nothing, writing(out), from, given);
  }

  template <class Rule, class State, class StartRule, class... StartIn, class... In>
  requires wave_rule<Rule, State, In...>
  void wave(const Rule& rule, const neighbourhood& near, const framed<State>& state,
            const mapped<StartRule, StartIn...>& start, const framed<const In>&... in) {
    over_inputs(
        [&](const auto&... there) {
          const auto here = located_in(state.whole(), rule);
          if constexpr (bottleneck_rule<Rule, State, In...>) {
            bottleneck_wave(here, near, state, start, there...);
          } else {
            write_start(state, start);
            run_general(on_, here, near, writing(state), there...);
          }
        },
        in...);
  }

  /// The wave detects a start beyond its capacity, so `refuse` runs only if it may have found one. Where the
  /// wave overwrites the start, `refuse` runs first.
  template <class Rule, class State, class StartRule, class... StartIn, class Refuse, class... In>
  requires wave_rule<Rule, State, In...>
  void wave(const Rule& rule, const neighbourhood& near, const framed<State>& state,
            const guarded<mapped<StartRule, StartIn...>, Refuse>& start, const framed<const In>&... in) {
    if constexpr (bottleneck_rule<Rule, State, In...> && start_is_input<StartRule>) {
      if (!std::get<0>(start.start.in).is_in_place_of(state)) {
        over_inputs(
            [&](const auto&... there) {
              const auto here = located_in(state.whole(), rule);
              if (!bottleneck_wave(here, near, state, start.start, there...)) start.refuse();
            },
            in...);
        return;
      }
    }
    start.refuse();
    wave(rule, near, state, start.start, in...);
  }

  template <class Key>
  void basins(const neighbourhood& near, const framed<std::uint32_t>& labels, const framed<const Key>& passes,
              const framed<const std::uint32_t>& seeds) {
    const auto from = reading(passes);
    const auto starts = reading(seeds);
    run_basins(on_, near, writing(labels), from, starts);
  }

  template <class Key>
  requires(sizeof(Key) <= 4) bool has_basins_of_minima(const neighbourhood& near,
                                                       const framed<const Key>& image) const {
    return tile_basins::fits(near, image.pixels().height, image.pixels().width);
  }
  template <class Key>
  requires(sizeof(Key) <= 4) std::uint64_t
      basins_of_minima(const neighbourhood& near, const framed<std::uint32_t>& labels,
                       const framed<Key>& levels, const framed<const Key>& heights,
                       const framed<const std::uint8_t>* mask) {
    const auto floor = reading(heights);
    const auto inside = mask ? reading(*mask) : view<const std::uint8_t>{};
    return tile_basins::run_from_minima(on_, near, writing(labels), writing(levels), floor, inside);
  }

  template <edge_rule Rule, class Kept, class Enter, class In>
  void edges(const Rule& rule, const smoothing& how, const neighbourhood& near,
             const framed<std::uint8_t>& out, const Kept& kept, const mapped<Enter, In>& image) {
    const auto in = reading(std::get<0>(image.in));
    if constexpr (Rule::rank == 2) {
      const bool by_tiles = !kept.gradient && !kept.crossings;
      if (by_tiles && !rule.weak() && mark_levels(on_, rule, how, image.rule, in, writing(out), true)) return;
      if (by_tiles && link_edges(on_, rule, how, near, image.rule, in, writing(out))) return;
    }
    const auto levels = temporary<std::uint8_t>(out);
    edge_levels(rule, how, levels.image(), kept, image);
    wave(flood_levels{}, near, out, mapped(highest_level{}, levels.reading()), levels.reading());
  }

  /// All stages of `edges` but the last.
  template <edge_rule Rule, class Kept, class Enter, class In>
  void edge_levels(const Rule& rule, const smoothing& how, const framed<std::uint8_t>& levels,
                   const Kept& kept, const mapped<Enter, In>& image) {
    const auto in = reading(std::get<0>(image.in));
    kept_views<typename Rule::value> views;
    if (kept.gradient) views.gradient = writing(kept.gradient);
    if (kept.crossings) views.crossings = writing(kept.crossings);
    const auto marked = writing(levels);
    if constexpr (Rule::rank == 2)
      if (!kept.gradient && !kept.crossings && mark_levels(on_, rule, how, image.rule, in, marked)) return;
    mark_by_stages(on_, rule, how, image.rule, in, views, marked);
  }

  template <class Rule, label_number Label, class T>
  requires component_rule<Rule, T> std::uint64_t component(const Rule& rule, const neighbourhood& near,
                                                           const framed<Label>& labels,
                                                           const framed<const T>& image) {
    return run_component(on_, images_, rule, near, labels.pixels(), image.pixels());
  }

  template <class Rule, label_number Label, class... In>
  host_rows<typename Rule::row> tally(const Rule& rule, std::uint64_t count,
                                      const framed<const Label>& labels, const framed<const In>&... in) {
    const auto& size = labels.pixels();
    return tally_band(rule, count, {0, size.depth > 1 ? size.depth : size.height}, labels, in...);
  }

  template <class Rule, label_number Label, class... In>
  host_rows<typename Rule::row> tally_band(const Rule& rule, std::uint64_t count, macareu::tally_band band,
                                           const framed<const Label>& labels, const framed<const In>&... in) {
    const auto numbers = reading(labels);
    return run_tally(on_, rule, labels.origin(), count, band, numbers, reading(in)...);
  }

  template <label_number Label>
  void recode(const framed<Label>& labels, const std::vector<Label>& number) {
    const auto there = on_device(on_, std::span<const Label>(number));
    const auto before = reading(labels.reading());
    run_map(on_, renamed<Label>{there.data()}, writing(labels), before);
  }

  host_threads lend_threads(std::int64_t pixels) const {
    return cpu::lend_threads(pixels, on_.work.how.threads);
  }

  void over_input_bands(const call& call, band_visit visit) { cuda::over_input_bands(on_, call, visit); }

  template <class T>
  T read(const framed<const T>& image, site p) {
    const site at = p - image.origin();
    const auto& pixels = image.pixels();
    return images_.is_on_host(host_pixels_of(pixels)) ? pixels[at] : fetch(on_, &reading(image)[at]);
  }

  void finish() {
    images_.finish();
    finished_ = true;
  }

 private:
  template <class T>
  view<const T> reading(const framed<const T>& image) {
    return images_.reading(image.pixels());
  }
  template <class T>
  view<T> writing(const framed<T>& image) {
    return images_.writing(image.pixels());
  }
  /// visit(device views...). All inputs are uploaded before anything is written.
  template <class Visit, class... In>
  void over_inputs(const Visit& visit, const framed<const In>&... in) {
    std::apply(visit, std::tuple<view<const In>...>{reading(in)...});
  }

  template <class State, class StartRule, class... StartIn>
  void write_start(const framed<State>& state, const mapped<StartRule, StartIn...>& start) {
    std::apply([&](const auto&... in) { map(start.rule, state, in...); }, start.in);
  }

  /// True if every start lies within its capacity. False: unknown.
  template <class Rule, class State, class Start, class... In>
  bool bottleneck_wave(const Rule& rule, const neighbourhood& near, const framed<State>& state,
                       const Start& start, const view<const In>&... in) {
    if constexpr (capacity_is_input<Rule>) {
      return spread(rule, near, state, start, in...);
    } else {
      const auto capacity = temporary<State>(state);
      run_map(on_, capacity_of<Rule>{rule}, capacity.image().pixels(), in...);
      return spread(rule, near, state, start, capacity.reading().pixels());
    }
  }

  template <class Rule, class State, class StartRule, class... StartIn>
  bool spread(const Rule&, const neighbourhood& near, const framed<State>& state,
              const mapped<StartRule, StartIn...>& start, const view<const State>& capacity) {
    using key = key_of<State>;
    const auto map = key_map_of<Rule::algebra::toward, State>();
    if constexpr (start_is_border<StartRule>) {
      const frame own{capacity.depth, capacity.height, capacity.width, {}};
      const bool of_capacity = reading(std::get<0>(start.in)).data == capacity.data;
      if (of_capacity && start.rule.whole == own &&
          contract_from_border<key>(
              on_, {as_bits<key>(writing(state)), {}, as_bits<const key>(capacity), map, near, true}))
        return true;
    }
    view<const State> first;
    if constexpr (start_is_input<StartRule>)
      first = reading(std::get<0>(start.in));
    else
      write_start(state, start);
    const view<State> result = writing(state);
    if constexpr (!start_is_input<StartRule>) first = result;
    return run_bottleneck<key>(
        on_, {as_bits<key>(result), as_bits<const key>(first), as_bits<const key>(capacity), map, near});
  }

  current_device current_;
  gpu on_;
  residence images_;
  bool finished_ = false;
};

static_assert(pattern_engine<engine>);
static_assert(copies_bands<engine>);
static_assert(sums_boxes<engine, probe::box_rule, probe::pixel, probe::pixel>);
static_assert(finds_basins_of_minima<engine, std::uint8_t>);

}  // namespace macareu::cuda
