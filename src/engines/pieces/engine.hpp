// Images in pieces, on an engine that has them in memory: the contract of patterns/engine.hpp for images of
// any size. docs/explanation/pieces.md explains how each pattern is cut.
//
//   map, window, gather, line
//                         computed where they are read, so chains of them are one pass
//   reduce, histogram     one pass now
//   wave                  one pass now, which leaves the pieces' own results and a graph of their rims; the
//                         rest of a piece when it is read (wave/piece_waves.hpp)
//   basins                passes now until rims agree; labels of a piece when it is read
//   component             one pass now, which joins bands of whole rows; numbers when a band is read
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <macareu/error.hpp>

#include "core/call.hpp"
#include "engines/cpu/wave/keyed_rows.hpp"
#include "engines/pieces/basins/piece_basins.hpp"
#include "engines/pieces/component/band_rows.hpp"
#include "engines/pieces/image.hpp"
#include "engines/pieces/plan.hpp"
#include "engines/pieces/tallied_rows.hpp"
#include "engines/pieces/tuning.hpp"
#include "engines/pieces/typed_blocks.hpp"
#include "patterns/boxes.hpp"
#include "patterns/deferred_checks.hpp"
#include "patterns/engine.hpp"
#include "patterns/host_rows.hpp"
#include "patterns/inner_engine.hpp"
#include "patterns/known_labels.hpp"
#include "patterns/object_numbers.hpp"
#include "patterns/tally_share.hpp"

namespace macareu::pieces {

/// The rule of waves in pieces, whose capacity is an image.
template <direction Toward, bool Binary>
struct given_capacity {
  using algebra = bottleneck<Toward>;
  static constexpr bool capacity_is_input = true, binary = Binary;
  template <class T>
  MACAREU_HD T capacity(site, T given) const {
    return given;
  }
};

template <class Inner>
class engine : public plan {
 public:
  static constexpr std::string_view name = Inner::name;
  static std::vector<std::string_view> strategies(std::string_view pattern) {
    return Inner::strategies(pattern);
  }
  template <class T>
  using image_of = image<T>;

  explicit engine(job& work) : plan(work) {
    static_assert(inner_engine<Inner>);
    static_assert(pattern_engine<engine>);
    static_assert(visits_bands<engine>);
    static_assert(sums_boxes<engine, probe::box_rule, probe::pixel, probe::pixel>);
    static_assert(checks_while_reading<engine>);
    static_assert(shares_tally<engine, probe::row_rule, image<const std::uint32_t>>);
    static_assert(places_object_numbers<engine, std::uint32_t>);
    static_assert(releases_memory<tallied_rows<std::uint32_t>>);
    static_assert(knows_labels<engine, std::uint32_t>);
  }

  template <class T>
  image<const T> input(const call& call, std::size_t index) {
    return image<const T>(plan::input(call, index));
  }
  template <class T>
  image<T> output(const call& call, std::size_t index) {
    return image<T>(plan::output(call, index));
  }
  template <class T, class Like>
  temporary_image<T> temporary(const image<Like>& like) const {
    return temporary_image<T>(like.whole());
  }
  template <class T>
  temporary_image<T> temporary(const frame& shape) const {
    return temporary_image<T>(shape);
  }

  template <class Label>
  std::optional<std::uint64_t> known_labels(const image<const Label>& labels) const {
    return labels.result()->labels();
  }

  template <class Rule, class Out, class... In>
  requires map_rule<Rule, Out, In...>
  void map(const Rule& rule, const image<Out>& out, const image<const In>&... in) {
    set_map(out, sizeof(Out), {&in...},
            [this, rule, whole = out.whole()](const block& to, std::span<const block> from) {
              Inner inner(run_.quiet);
              with_images(pixel_types<In...>{}, whole, from,
                          [&](const auto&... part) { inner.map(rule, to.image<Out>(whole), part...); });
              inner.finish();
            });
  }

  template <class Rule, class Out, class In>
  requires window_rule<Rule, Out, In>
  void window(const Rule& rule, border<In> edge, const image<Out>& out, const image<const In>& in) {
    set_near(out, in, rule.radius(), edge.mode,
             [rule, edge](Inner& inner, const framed<Out>& to, const framed<const In>& from) {
               inner.window(rule, edge, to, from);
             });
  }
  template <class Rule, class Out, class In>
  requires gather_rule<Rule, Out, In>
  void gather(const Rule& rule, const image<Out>& out, const image<const In>& in) {
    set_gathered(
        out, sizeof(Out), in,
        [rule](const box& where) {
          const site one{1, 1, 1};
          return between(rule.first(where.first), rule.last(where.end() - one) + one);
        },
        [this, rule, to_whole = out.whole(), from_whole = in.whole()](const block& to,
                                                                      std::span<const block> from) {
          Inner inner(run_.quiet);
          inner.gather(rule, to.image<Out>(to_whole), from[0].image<const In>(from_whole));
          inner.finish();
        });
  }
  template <class Rule, class Out, class In>
  void boxes(const Rule& rule, window_radius radius, const border<In>& edge, const image<Out>& out,
             const image<const In>& in) {
    set_near(out, in, radius, edge.mode,
             [rule, radius, edge](Inner& inner, const framed<Out>& to, const framed<const In>& from) {
               sum_boxes<Inner, Rule, In, Out>(inner, rule, radius, edge, to, from);
             });
  }
  template <class F, class In>
  void separable(const separable_weights<F>& weights, border<F> edge, const image<F>& out,
                 const image<const In>& in) {
    set_near(out, in, radius_of(weights), edge.mode,
             [weights, edge](Inner& inner, const framed<F>& to, const framed<const In>& from) {
               inner.separable(weights, edge, to, from);
             });
  }
  template <class F, class In>
  void weighted(std::span<const tap<F>> taps, border<F> edge, const image<F>& out,
                const image<const In>& in) {
    set_near(out, in, radius_of(taps), edge.mode,
             [kept = std::vector<tap<F>>(taps.begin(), taps.end()), edge](Inner& inner, const framed<F>& to,
                                                                          const framed<const In>& from) {
               inner.weighted(std::span<const tap<F>>(kept), edge, to, from);
             });
  }

  template <class Key>
  void extremes(const key_map<Key>& order, std::span<const chord> footprint, border<Key> edge,
                const image<Key>& out, const image<const Key>& in) {
    set_near(out, in, radius_of(footprint), edge.mode,
             [order, kept = std::vector<chord>(footprint.begin(), footprint.end()), edge](
                 Inner& inner, const framed<Key>& to, const framed<const Key>& from) {
               inner.extremes(order, std::span<const chord>(kept), edge, to, from);
             });
  }

  template <class Rule, class First, class... In>
  requires reduce_rule<Rule, First, In...>
  typename Rule::value reduce(const Rule& rule, const image<const First>& first,
                              const image<const In>&... in) {
    auto total = rule.identity();
    const auto& whole = first.whole();
    over_parts({&first, &in...}, [&](std::span<const block> from) {
      Inner inner(run_.quiet);
      const auto add = [&] {
        with_images(pixel_types<First, In...>{}, whole, from,
                    [&](const auto&... part) { total = rule.join(total, inner.reduce(rule, part...)); });
      };
      add();
      if (run_.plans && run_.planned_answer) {
        set_ones(pixel_types<First, In...>{}, from);
        add();
      }
      inner.finish();
    });
    using value = typename Rule::value;
    static_assert(std::is_trivially_copyable_v<value>);
    if constexpr (requires { requires Rule::is_question; })
      if (run_.plans) return value{run_.planned_answer};
    join_ranks(&total, 1, sizeof total, [&](void* own, const void* other) {
      auto& joined = *static_cast<value*>(own);
      joined = rule.join(joined, *static_cast<const value*>(other));
    });
    return total;
  }
  template <class Rule, class First, class... In>
  requires histogram_rule<Rule, First, In...>
  void histogram(const Rule& rule, std::span<std::uint64_t> bins, const image<const First>& first,
                 const image<const In>&... in) {
    std::vector<std::uint64_t> own(bins.size()), found(bins.size());
    const auto& whole = first.whole();
    // The one pixel of a plan stands for all: a percentile needs as many as it counts.
    const auto pixels = run_.plans ? static_cast<std::uint64_t>(whole.pixels()) : 1;
    over_parts({&first, &in...}, [&](std::span<const block> from) {
      std::ranges::fill(own, 0);
      Inner inner(run_.quiet);
      with_images(pixel_types<First, In...>{}, whole, from,
                  [&](const auto&... part) { inner.histogram(rule, own, part...); });
      inner.finish();
      for (std::size_t i = 0; i < own.size(); ++i) found[i] += own[i] * pixels;
    });
    join_ranks(found.data(), found.size(), sizeof(std::uint64_t), [](void* sum, const void* other) {
      *static_cast<std::uint64_t*>(sum) += *static_cast<const std::uint64_t*>(other);
    });
    for (std::size_t i = 0; i < found.size(); ++i) bins[i] += found[i];
  }

  template <class Rule, class State, class Start, class Refuse, class... In>
  requires wave_rule<Rule, State, In...>
  void wave(const Rule& rule, const neighbourhood& near, const image<State>& state,
            const guarded<Start, Refuse>& start, const image<const In>&... in) {
    flood(rule, near, state, start.start, start.refuse, in...);
  }
  template <class Rule, class State, class Start, class... In>
  requires wave_rule<Rule, State, In...>
  void wave(const Rule& rule, const neighbourhood& near, const image<State>& state, const Start& start,
            const image<const In>&... in) {
    flood(rule, near, state, start, nullptr, in...);
  }

  template <class Key>
  void basins(const neighbourhood& near, const image<std::uint32_t>& labels, const image<const Key>& passes,
              const image<const std::uint32_t>& seeds) {
    const auto in = in_any_shape({&passes, &seeds});
    labels.set(basins_in_pieces<Key>(run_, near, in[0], in[1], form_of(labels)));
  }

  template <edge_rule Rule, class Kept, class Enter, class In>
  void edges(const Rule& rule, const smoothing& how, const neighbourhood& near,
             const image<std::uint8_t>& out, const Kept& kept, const mapped<Enter, In>& source) {
    using value = typename Rule::value;
    using pixel = pixel_of<In>;
    using stages = kept_stages<framed<value>, framed<std::uint8_t>>;
    auto reach = radius_of(how.weights);
    reach = {Rule::rank == 3 ? reach.z + 2 : 0, reach.y + 2, reach.x + 2};
    // Near a cut, pixels differ from those of the whole image, but none within the reach is used. A border
    // that wraps lies inside a box that reaches beyond it: such images are not cut.
    const whole_axes axes =
        how.edge.mode == border_mode::wrap ? whole_axes{Rule::rank == 3, true, true} : whole_axes{};
    enum class stage { levels, gradient, crossings };
    const auto set_stage = [&](const auto& to_image, stage wanted) {
      using Out = pixel_of<std::remove_cvref_t<decltype(to_image)>>;
      set_window(to_image, sizeof(Out), std::get<0>(source.in), reach, how.edge.mode, axes,
                 [this, rule, how, enter = source.rule, wanted, whole = out.whole()](
                     const block& to, std::span<const block> from) {
                   const bool marks = wanted == stage::levels;
                   const block levels = marks ? to : block(*run_.memory, to.where, 1);
                   stages asked;
                   if constexpr (std::is_same_v<Out, value>)
                     if (wanted == stage::gradient) asked.gradient = to.image<value>(whole);
                   if constexpr (std::is_same_v<Out, std::uint8_t>)
                     if (wanted == stage::crossings) asked.crossings = to.image<std::uint8_t>(whole);
                   Inner inner(run_.quiet);
                   inner.edge_levels(rule, how, levels.template image<std::uint8_t>(whole), asked,
                                     mapped(enter, from[0].template image<const pixel>(whole)));
                   inner.finish();
                 });
    };
    const temporary_image<std::uint8_t> levels(out.whole());
    set_stage(levels.image(), stage::levels);
    if (kept.gradient) set_stage(kept.gradient, stage::gradient);
    if (kept.crossings) set_stage(kept.crossings, stage::crossings);
    wave(flood_levels{}, near, out, mapped(highest_level{}, levels.reading()), levels.reading());
  }

  template <class Rule, class Out, class In>
  requires line_rule<Rule, Out, In>
  void line(const Rule& rule, line_axis axis, const image<Out>& out, const image<const In>& in) {
    set_lines(out, sizeof(Out), {&in}, axis,
              [this, rule, axis, whole = out.whole()](const block& to, std::span<const block> from) {
                Inner inner(run_.quiet);
                inner.line(rule, axis, to.image<Out>(whole), from[0].image<const In>(whole));
                inner.finish();
              });
  }
  template <class Out, class In, class... Rules>
  void lines(const image<Out>& out, const image<const In>& in, const macareu::along<Rules>&... one_by_one) {
    one_line_after_another(*this, out, in, one_by_one...);
  }
  template <class Rule, class In, class Carried>
  void carry(const Rule& rule, line_axis axis, Carried nothing, const image<Carried>& out,
             const image<const In>& in, const image<const Carried>& carried) {
    set_lines(out, sizeof(Carried), {&in, &carried}, axis,
              [this, rule, axis, nothing, whole = out.whole()](const block& to, std::span<const block> from) {
                Inner inner(run_.quiet);
                inner.carry(rule, axis, nothing, to.image<Carried>(whole), from[0].image<const In>(whole),
                            from[1].image<const Carried>(whole));
                inner.finish();
              });
  }

  template <class T, component_rule<T> Rule, label_number Label>
  std::uint64_t component(const Rule& rule, const neighbourhood& near, const image<Label>& labels,
                          const image<const T>& in) {
    return set_components(
        labels, sizeof(Label), near.rank == 3, in,
        [this, rule, near, whole = in.whole()](const block& numbers, const block& from) {
          Inner inner(run_.quiet);
          const auto count =
              inner.component(rule, near, numbers.image<std::uint32_t>(whole), from.image<const T>(whole));
          inner.finish();
          return count;
        },
        threads());
  }

  template <class Rule, label_number Label, class... In>
  tallied_rows<typename Rule::row> tally(const Rule& rule, std::uint64_t count,
                                         const image<const Label>& labels, const image<const In>&... in) {
    using rows = tallied_rows<typename Rule::row>;
    if (run_.is_shared()) {
      rows all(run_, static_cast<std::size_t>(count) + 1);
      const auto own = rows_of_rank<Inner>(*this, run_, rule, count, labels, in...);
      gather_rows(std::as_bytes(std::span(own.rows.begin() + 1, own.rows.end())),
                  reinterpret_cast<std::byte*>(all.all() + 1));
      return all;
    }
    std::optional<rows> own;
    if (run_.plans_for_ranks) own.emplace(run_, 1);
    return rows_of_all<Inner>(*this, run_, rule, count, labels, in...);
  }
  /// The rows of this rank's share of the objects.
  template <class Rule, label_number Label, class... In>
  tallied<tallied_rows<typename Rule::row>> tally_share(const Rule& rule, std::uint64_t count,
                                                        const image<const Label>& labels,
                                                        const image<const In>&... in) {
    if (!run_.is_shared()) return {rows_of_all<Inner>(*this, run_, rule, count, labels, in...), 0, count};
    run_.shares_rows = true;
    return rows_of_rank<Inner>(*this, run_, rule, count, labels, in...);
  }

  template <label_number Label>
  tallied_rows<Label> object_numbers(std::size_t count) {
    return {run_, count};
  }
  template <label_number Label>
  void recode(const image<Label>& labels, tallied_rows<Label> number) {
    set_recoded(labels, std::move(number), threads());
  }
  template <label_number Label>
  void recode(const image<Label>& labels, const std::vector<Label>& number) {
    auto copy = object_numbers<Label>(number.size());
    for (std::size_t i = 0; i < number.size(); ++i) copy[i] = number[i];
    recode(labels, std::move(copy));
  }

  host_threads lend_threads(std::int64_t pixels) {
    Inner inner(run_.quiet);
    const auto threads = inner.lend_threads(pixels);
    inner.finish();
    return threads;
  }
  template <class T>
  T read(const image<const T>& from, site p) {
    T pixel;
    read_pixel(from, p, &pixel);
    return pixel;
  }

 private:
  host_threads threads() { return lend_threads(tuning::pixels_of_host_work); }

  /// how(inner, to, from) on a box and its surroundings.
  template <class Out, class In, class How>
  void set_near(const image<Out>& out, const image<const In>& in, window_radius reach, border_mode mode,
                How how) {
    set_window(
        out, sizeof(Out), in, reach, mode, {},
        [this, how = std::move(how), whole = out.whole()](const block& to, std::span<const block> from) {
          Inner inner(run_.quiet);
          how(inner, to.image<Out>(whole), from[0].template image<const In>(whole));
          inner.finish();
        });
  }

  /// An image that is computed where it is read.
  template <class Out, class Rule, class... In>
  any_image computed_image(const Rule& rule, const image<const In>&... in) {
    const image<Out> made(new_image(std::get<0>(std::tie(in...)).whole(), sizeof(Out)));
    map(rule, made, in...);
    return made;
  }

  template <class Rule, class State>
  wave_solver solver_of(const neighbourhood& near, const frame& whole) {
    return [this, near, whole](const block& to, const block& start, const block& capacity) {
      Inner inner(run_.quiet);
      inner.wave(Rule{}, near, to.image<State>(whole), mapped(as_given{}, start.image<const State>(whole)),
                 capacity.image<const State>(whole));
      inner.finish();
    };
  }

  template <class Rule, class State, class StartRule, class... StartIn, class... In>
  void flood(const Rule& rule, const neighbourhood& near, const image<State>& state,
             const mapped<StartRule, StartIn...>& start, std::function<void()> refuse,
             const image<const In>&... in) {
    if constexpr (bottleneck_rule<Rule, State, In...>) {
      constexpr auto toward = Rule::algebra::toward;
      any_image capacity, first = std::get<0>(start.in);
      if constexpr (capacity_is_input<Rule>)
        capacity = std::get<0>(std::tie(in...));
      else
        capacity = computed_image<State>(capacity_of<Rule>{rule}, in...);
      if constexpr (!start_is_input<StartRule>)
        first = std::apply([&](const auto&... from) { return computed_image<State>(start.rule, from...); },
                           start.in);
      constexpr auto code = cpu::key_code_of<toward, State>();
      set_wave<key_of<State>>(
          state,
          {near, capacity, first, code.flip, code.negative,
           solver_of<given_capacity<toward, is_binary<Rule>>, State>(near, state.whole()), std::move(refuse)},
          threads());
    } else {
      throw usage_error(
          "pieces: distances by propagation depend on the order of visits, so they cannot be computed in "
          "pieces; use exact distances, or more memory");
    }
  }
};

}  // namespace macareu::pieces
