// The cuda engine: one GPU. Patterns are kernels on one stream; what they need of the host's memory is
// brought over when it is first used, and brought back by finish().
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/call.hpp"
#include "engines/cpu/threads.hpp"
#include "engines/cuda/current_device.hpp"
#include "engines/cuda/edges.cuh"
#include "engines/cuda/histogram.cuh"
#include "engines/cuda/labels/run_component.cuh"
#include "engines/cuda/line/run_line.cuh"
#include "engines/cuda/map.cuh"
#include "engines/cuda/open_gpu.cuh"
#include "engines/cuda/reduce.cuh"
#include "engines/cuda/residence.cuh"
#include "engines/cuda/separable.cuh"
#include "engines/cuda/summary.cuh"
#include "engines/cuda/tally.cuh"
#include "engines/cuda/wave/bottleneck.cuh"
#include "engines/cuda/wave/general.cuh"
#include "engines/cuda/window.cuh"
#include "patterns/component.hpp"
#include "patterns/edges.hpp"
#include "patterns/line_slabs.hpp"
#include "patterns/tally.hpp"
#include "patterns/wave.hpp"

namespace macareu::cuda {

/// The capacity of a bottleneck rule as an image.
template <class Rule>
struct capacity_of {
  Rule rule;
  template <class... In>
  MACAREU_HD auto operator()(site q, const In&... in) const {
    return rule.capacity(q, in...);
  }
};

class engine {
 public:
  static constexpr std::string_view name = "cuda";
  static std::vector<std::string_view> strategies(std::string_view pattern) {
    if (pattern == "wave") return wave_strategies();
    return pattern == "general_wave" ? general_strategies() : std::vector<std::string_view>();
  }

  explicit engine(job& work) : current_(gpu_of(work.how)), on_(open_gpu(work)), images_(on_) {}
  /// Nothing of a call that failed goes on behind the caller's back.
  ~engine() {
    if (!finished_) cudaStreamSynchronize(on_.stream);
  }
  engine(const engine&) = delete;
  engine& operator=(const engine&) = delete;

  template <class T>
  device_image<T> temporary(const view<const T>& like) const {
    return {on_, like.depth, like.height, like.width};
  }

  template <class Rule, class Out, class... In>
  requires map_rule<Rule, Out, In...>
  void map(const Rule& rule, view<Out> out, view<const In>... in) {
    ((in = images_.reading(in)), ...);
    run_map(on_, rule, images_.writing(out), in...);
  }

  template <class Rule, class Out, class In>
  requires window_rule<Rule, Out, In>
  void window(const Rule& rule, border<In> edge, view<Out> out, view<const In> in) {
    in = images_.reading(in);
    run_window(on_, rule, edge, images_.writing(out), in);
  }

  template <class F, class In>
  void separable(const separable_weights<F>& weights, border<F> edge, view<F> out, view<const In> in) {
    in = images_.reading(in);
    run_separable(on_, weights, edge, images_.writing(out), in);
  }

  template <class F, class In>
  void weighted(std::span<const tap<F>> taps, border<F> edge, view<F> out, view<const In> in) {
    in = images_.reading(in);
    run_weighted(on_, taps, edge, images_.writing(out), in);
  }

  template <class T>
  summary<T> reduce(const summary_of<T>& rule, view<const T> image) {
    return run_summary(on_, rule, images_.reading(image));
  }

  template <class Rule, class First, class... In>
  requires reduce_rule<Rule, First, In...>
  typename Rule::value reduce(const Rule& rule, view<const First> first, view<const In>... in) {
    return run_reduce(on_, rule, images_.reading(first), images_.reading(in)...);
  }

  template <class Rule, class First, class... In>
  requires adds_to<Rule, shared_bins, First, In...>
  void histogram(const Rule& rule, std::span<std::uint64_t> bins, view<const First> first,
                 view<const In>... in) {
    first = images_.reading(first);
    if constexpr (std::is_same_v<Rule, value_bins<std::uint8_t>>)
      if (run_byte_histogram(on_, rule, bins, first)) return;
    run_histogram(on_, rule, bins, first, images_.reading(in)...);
  }

  template <class Rule, class Out, class In>
  requires line_rule<Rule, Out, In>
  void line(const Rule& rule, line_axis axis, view<Out> out, view<const In> in) {
    in = images_.reading(in);
    run_line(on_, rule, axis, images_.writing(out), in);
  }

  template <class Out, class In, class... Rules>
  void lines(view<Out> out, view<const In> in, const along<Rules>&... one_by_one) {
    constexpr std::int64_t slab_pixels = 1 << 24;  // of f64 128 MiB, and work enough
    if (run_fused_squares(on_, images_, out, in, one_by_one...)) return;
    in = images_.reading(in);  // as a whole: slabs of it are not known as images
    lines_by_slabs(*this, slab_pixels, images_.writing(out), in, one_by_one...);
  }

  template <class Rule, class In, class Carried>
  void carry(const Rule& rule, line_axis axis, Carried nothing, view<Carried> out, view<const In> in,
             view<const Carried> carried) {
    in = images_.reading(in);
    carried = images_.reading(carried);
    run_carry(on_, rule, axis, nothing, images_.writing(out), in, carried);
  }

  template <class Rule, class State, class StartRule, class... StartIn, class... In>
  requires wave_rule<Rule, State, In...>
  void wave(const Rule& rule, const neighbourhood& near, view<State> state,
            const mapped<StartRule, StartIn...>& start, view<const In>... in) {
    ((in = images_.reading(in)), ...);
    if constexpr (bottleneck_rule<Rule, State, In...>) {
      bottleneck_wave(rule, near, state, start, in...);
    } else {
      write_start(state, start);
      run_general(on_, rule, near, images_.writing(state), in...);
    }
  }

  /// A wave sees itself whether its start lies within the capacity, but must not write over it then.
  template <class Rule, class State, class StartRule, class... StartIn, class Refuse, class... In>
  requires wave_rule<Rule, State, In...>
  void wave(const Rule& rule, const neighbourhood& near, view<State> state,
            const guarded<mapped<StartRule, StartIn...>, Refuse>& start, view<const In>... in) {
    if constexpr (bottleneck_rule<Rule, State, In...> && start_is_input<StartRule>) {
      if (std::get<0>(start.start.in).data != state.data) {
        ((in = images_.reading(in)), ...);
        if (!bottleneck_wave(rule, near, state, start.start, in...)) start.refuse();
        return;
      }
    }
    start.refuse();
    wave(rule, near, state, start.start, in...);
  }

  template <edge_rule Rule, class Enter, class In>
  void edges(const Rule& rule, const smoothing& how, const neighbourhood& near, view<std::uint8_t> out,
             kept_stages<typename Rule::value> kept, const mapped<Enter, In>& image) {
    const auto in = images_.reading(std::get<0>(image.in));
    bool by_tiles = Rule::rank == 2 && !kept.gradient.data && !kept.crossings.data;
    if constexpr (Rule::rank == 2)
      if (by_tiles && link_edges(on_, rule, how, near, image.rule, in, images_.writing(out))) return;
    if (kept.gradient.data) kept.gradient = images_.writing(kept.gradient);
    if (kept.crossings.data) kept.crossings = images_.writing(kept.crossings);
    const device_image<std::uint8_t> levels(on_, out.depth, out.height, out.width);
    if constexpr (Rule::rank == 2)
      by_tiles = by_tiles && mark_levels(on_, rule, how, image.rule, in, levels.pixels());
    if (!by_tiles) mark_by_stages(on_, rule, how, image.rule, in, kept, levels.pixels());
    const view<const std::uint8_t> marked = levels.pixels();
    wave(flood_levels{}, near, out, mapped(highest_level{}, marked), marked);
  }

  template <class Rule, label_number Label, class T>
  requires component_rule<Rule, T> std::uint64_t component(const Rule& rule, const neighbourhood& near,
                                                           view<Label> labels, view<const T> image,
                                                           std::int64_t block_slices) {
    return run_component(on_, images_, rule, near, labels, image, block_slices);
  }

  template <class Rule, label_number Label, class... In>
  host_rows<typename Rule::row> tally(const Rule& rule, std::uint64_t count, view<const Label> labels,
                                      view<const In>... in) {
    labels = images_.reading(labels);
    return run_tally(on_, rule, count, labels, images_.reading(in)...);
  }

  template <label_number Label>
  void recode(view<Label> labels, const std::vector<Label>& number) {
    const auto there = on_device(on_, std::span<const Label>(number));
    const auto before = images_.reading(view<const Label>(labels));
    run_map(on_, renamed<Label>{there.data()}, images_.writing(labels), before);
  }

  host_threads lend_threads(std::int64_t pixels) const {
    return cpu::lend_threads(pixels, on_.work.how.threads);
  }

  template <class T>
  T read(view<const T> image, site p) {
    return images_.is_on_host(host_pixels_of(image)) ? image[p] : fetch(on_, &images_.reading(image)[p]);
  }

  void finish() {
    images_.finish();
    finished_ = true;
  }

 private:
  template <class State, class StartRule, class... StartIn>
  void write_start(const view<State>& state, const mapped<StartRule, StartIn...>& start) {
    std::apply([&](const auto&... in) { map(start.rule, state, in...); }, start.in);
  }

  /// True if every start was seen to lie within its capacity; else it is not known.
  template <class Rule, class State, class Start, class... In>
  bool bottleneck_wave(const Rule& rule, const neighbourhood& near, const view<State>& state,
                       const Start& start, const view<const In>&... in) {
    if constexpr (capacity_is_input<Rule>) {
      return spread(rule, near, state, start, in...);
    } else {
      const device_image<State> capacity(on_, state.depth, state.height, state.width);
      run_map(on_, capacity_of<Rule>{rule}, capacity.pixels(), in...);
      return spread(rule, near, state, start, view<const State>(capacity.pixels()));
    }
  }

  template <class Rule, class State, class StartRule, class... StartIn>
  bool spread(const Rule&, const neighbourhood& near, const view<State>& state,
              const mapped<StartRule, StartIn...>& start, const view<const State>& capacity) {
    using key = key_of<State>;
    view<const State> first;
    if constexpr (start_is_input<StartRule>)
      first = images_.reading(std::get<0>(start.in));
    else
      write_start(state, start);
    const view<State> result = images_.writing(state);
    if constexpr (!start_is_input<StartRule>) first = result;
    return run_bottleneck<key>(on_,
                               {as_bits<key>(result), as_bits<const key>(first), as_bits<const key>(capacity),
                                key_map_of<Rule::algebra::toward, State>(), near});
  }

  current_device current_;
  gpu on_;
  residence images_;
  bool finished_ = false;
};

}  // namespace macareu::cuda
