// Images in pieces, on an engine that has them in memory: the contract of patterns/engine.hpp for images of
// any size. docs/explanation/pieces.md explains how each pattern is cut.
//
//   map, window, line     computed where they are read, so chains of them are one pass
//   reduce, histogram     one pass now
//   wave                  one pass now, which leaves the pieces' own results and a graph of their rims; the
//                         rest of a piece when it is read (wave/run_wave.hpp)
//   component             one pass now, which joins bands of whole rows; numbers when a band is read
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <macareu/error.hpp>

#include "core/call.hpp"
#include "engines/pieces/component/bands.hpp"
#include "engines/pieces/computed.hpp"
#include "engines/pieces/image.hpp"
#include "engines/pieces/outputs.hpp"
#include "engines/pieces/run.hpp"
#include "engines/pieces/store.hpp"
#include "engines/pieces/tuning.hpp"
#include "engines/pieces/wave/piece_waves.hpp"
#include "patterns/engine.hpp"

namespace macareu::pieces {

template <class... T>
struct pixel_types {};

template <class... T, std::size_t... I, class Visit>
void with_images(pixel_types<T...>, std::index_sequence<I...>, [[maybe_unused]] const frame& whole,
                 [[maybe_unused]] std::span<const block> from, const Visit& visit) {
  visit(from[I].template image<const T>(whole)...);
}
/// visit(images...) for blocks as images of these pixel types.
template <class... T, class Visit>
void with_images(pixel_types<T...> types, const frame& whole, std::span<const block> from,
                 const Visit& visit) {
  with_images(types, std::make_index_sequence<sizeof...(T)>{}, whole, from, visit);
}

inline whole_axes only(line_axis axis) {
  return {axis == line_axis::z, axis == line_axis::y, axis == line_axis::x};
}

template <class Inner>
class engine {
 public:
  static constexpr std::string_view name = Inner::name;
  static std::vector<std::string_view> strategies(std::string_view pattern) {
    return Inner::strategies(pattern);
  }
  template <class T>
  using image_of = image<T>;

  explicit engine(job& work) : work_(work), run_(*work.pieces), outputs_(run_) {}

  template <class T>
  image<const T> input(const call& call, std::size_t index) {
    auto& source = *static_cast<image_source*>(const_cast<void*>(call.inputs[index].data()));
    return image<const T>(inputs_.slot_of(run_, source, source.form().channels == 1 ? 0 : call.channel));
  }
  template <class T>
  image<T> output(const call& call, std::size_t index) {
    auto& sink = *static_cast<image_sink*>(call.outputs[index].data());
    return image<T>(outputs_.slot_of(sink, call.outputs[index], call.channel));
  }
  template <class T, class Like>
  temporary_image<T> temporary(const image<Like>& like) const {
    return temporary_image<T>(like.whole());
  }

  template <class Rule, class Out, class... In>
  requires map_rule<Rule, Out, In...>
  void map(const Rule& rule, const image<Out>& out, const image<const In>&... in) {
    compute(out, agreeing({in.result()...}), {0, 0, 0}, {}, false,
            [this, rule, whole = out.whole()](const block& to, std::span<const block> from) {
              on_inner([&](Inner& inner) {
                with_images(pixel_types<In...>{}, whole, from,
                            [&](const auto&... part) { inner.map(rule, to.image<Out>(whole), part...); });
              });
            });
  }

  template <class Rule, class Out, class In>
  requires window_rule<Rule, Out, In>
  void window(const Rule& rule, border<In> edge, const image<Out>& out, const image<const In>& in) {
    compute_near(out, rule.radius(), edge.mode, in,
                 [rule, edge](Inner& inner, const framed<Out>& to, const framed<const In>& from) {
                   inner.window(rule, edge, to, from);
                 });
  }
  template <class F, class In>
  void separable(const separable_weights<F>& weights, border<F> edge, const image<F>& out,
                 const image<const In>& in) {
    compute_near(out, radius_of(weights), edge.mode, in,
                 [weights, edge](Inner& inner, const framed<F>& to, const framed<const In>& from) {
                   inner.separable(weights, edge, to, from);
                 });
  }
  template <class F, class In>
  void weighted(std::span<const tap<F>> taps, border<F> edge, const image<F>& out,
                const image<const In>& in) {
    compute_near(out, radius_of(taps), edge.mode, in,
                 [kept = std::vector<tap<F>>(taps.begin(), taps.end()), edge](
                     Inner& inner, const framed<F>& to, const framed<const In>& from) {
                   inner.weighted(std::span<const tap<F>>(kept), edge, to, from);
                 });
  }

  template <class Rule, class First, class... In>
  requires reduce_rule<Rule, First, In...>
  typename Rule::value reduce(const Rule& rule, const image<const First>& first,
                              const image<const In>&... in) {
    auto total = rule.identity();
    over_parts<First, In...>({first.result(), in.result()...}, [&](Inner& inner, const auto&... part) {
      total = rule.join(total, inner.reduce(rule, part...));
    });
    return total;
  }
  template <class Rule, class First, class... In>
  requires histogram_rule<Rule, First, In...>
  void histogram(const Rule& rule, std::span<std::uint64_t> bins, const image<const First>& first,
                 const image<const In>&... in) {
    std::vector<std::uint64_t> own(bins.size());
    over_parts<First, In...>({first.result(), in.result()...}, [&](Inner& inner, const auto&... part) {
      std::ranges::fill(own, 0);
      inner.histogram(rule, own, part...);
      for (std::size_t i = 0; i < own.size(); ++i) bins[i] += own[i];
    });
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

  template <edge_rule Rule, class Kept, class Enter, class In>
  void edges(const Rule& rule, const smoothing& how, const neighbourhood& near,
             const image<std::uint8_t>& out, const Kept& kept, const mapped<Enter, In>& source) {
    using value = typename Rule::value;
    using pixel = pixel_of<In>;
    const auto from = std::get<0>(source.in);
    const auto enter = source.rule;
    auto reach = radius_of(how.weights);
    reach = {Rule::rank == 3 ? reach.z + 2 : 0, reach.y + 2, reach.x + 2};
    // Near a cut, pixels differ from those of the whole image, but none within the reach is used. A border
    // that wraps lies inside a box that reaches beyond it: such images are not cut.
    const whole_axes axes =
        how.edge.mode == border_mode::wrap ? whole_axes{Rule::rank == 3, true, true} : whole_axes{};
    const auto levels_of = [rule, how, enter, whole = out.whole()](
                               Inner& inner, const framed<std::uint8_t>& levels, const auto& stages,
                               const framed<const pixel>& in) {
      inner.edge_levels(rule, how, levels, stages, mapped(enter, in));
    };
    using stages = kept_stages<framed<value>, framed<std::uint8_t>>;
    const temporary_image<std::uint8_t> levels(out.whole());
    compute_near(
        levels.image(), reach, how.edge.mode, from,
        [levels_of](Inner& inner, const framed<std::uint8_t>& to, const framed<const pixel>& in) {
          levels_of(inner, to, stages{}, in);
        },
        axes);
    const auto beside = [this](const auto& like) {
      return block(*run_.memory,
                   {{0, 0, 0}, {like.pixels().depth, like.pixels().height, like.pixels().width}}, 1);
    };
    if (kept.gradient)
      compute_near(
          kept.gradient, reach, how.edge.mode, from,
          [levels_of, beside](Inner& inner, const framed<value>& to, const framed<const pixel>& in) {
            const auto unused = beside(to);
            levels_of(inner, unused.template image<std::uint8_t>(to.whole()),
                      stages{.gradient = to, .crossings = {}}, in);
          },
          axes);
    if (kept.crossings)
      compute_near(
          kept.crossings, reach, how.edge.mode, from,
          [levels_of, beside](Inner& inner, const framed<std::uint8_t>& to, const framed<const pixel>& in) {
            const auto unused = beside(to);
            levels_of(inner, unused.template image<std::uint8_t>(to.whole()),
                      stages{.gradient = {}, .crossings = to}, in);
          },
          axes);
    wave(flood_levels{}, near, out, mapped(highest_level{}, levels.reading()), levels.reading());
  }

  template <class Rule, class Out, class In>
  requires line_rule<Rule, Out, In>
  void line(const Rule& rule, line_axis axis, const image<Out>& out, const image<const In>& in) {
    compute(out, {with_lines(axis, in.result())}, {0, 0, 0}, only(axis), false,
            [this, rule, axis, whole = out.whole()](const block& to, std::span<const block> from) {
              on_inner([&](Inner& inner) {
                inner.line(rule, axis, to.image<Out>(whole), from[0].image<const In>(whole));
              });
            });
  }
  template <class Out, class In, class... Rules>
  void lines(const image<Out>& out, const image<const In>& in, const macareu::along<Rules>&... one_by_one) {
    one_line_after_another(*this, out, in, one_by_one...);
  }
  template <class Rule, class In, class Carried>
  void carry(const Rule& rule, line_axis axis, Carried nothing, const image<Carried>& out,
             const image<const In>& in, const image<const Carried>& carried) {
    compute(out, {with_lines(axis, in.result()), with_lines(axis, carried.result())}, {0, 0, 0}, only(axis),
            false,
            [this, rule, axis, nothing, whole = out.whole()](const block& to, std::span<const block> from) {
              on_inner([&](Inner& inner) {
                inner.carry(rule, axis, nothing, to.image<Carried>(whole), from[0].image<const In>(whole),
                            from[1].image<const Carried>(whole));
              });
            });
  }

  template <class T, component_rule<T> Rule, label_number Label>
  std::uint64_t component(const Rule& rule, const neighbourhood& near, const image<Label>& labels,
                          const image<const T>& in) {
    const auto whole = in.whole();
    component_bands bands(run_, near.rank == 3, in_bands(near.rank == 3, in.result()),
                          [this, rule, near, whole](const block& numbers, const block& from) {
                            std::uint64_t count = 0;
                            on_inner([&](Inner& inner) {
                              count = inner.component(rule, near, numbers.image<std::uint32_t>(whole),
                                                      from.image<const T>(whole));
                            });
                            return count;
                          });
    const auto [result, count] = bands.join(sizeof(Label), header_of(labels), threads());
    labels.set(result);
    return count;
  }
  /// Bands are blocks.
  template <class T, component_rule<T> Rule, label_number Label>
  std::uint64_t component_in_blocks(const Rule& rule, const neighbourhood& near, const image<Label>& labels,
                                    const image<const T>& in, std::int64_t) {
    return component(rule, near, labels, in);
  }

  template <class Rule, label_number Label, class... In>
  std::vector<typename Rule::row> tally(const Rule& rule, std::uint64_t count,
                                        const image<const Label>& labels, const image<const In>&... in) {
    const auto whole = labels.whole();
    const bool volume = whole.depth > 1;
    std::vector<typename Rule::row> rows(static_cast<std::size_t>(count) + 1);
    const std::vector<node_ptr> images{in_bands(volume, labels.result()), in_bands(volume, in.result())...};
    const auto bytes = room_of(images) + 8 + 2 * tuning::engine_bytes;
    const piece_grid grid(whole, run_.piece_size(whole, bytes, band_axes(volume)));
    over(grid, images, outline_reach(volume), [&](const box& own, std::span<const block> from) {
      const auto local = numbers_in_use(*run_.memory, from[0].template image<const Label>(whole));
      on_inner([&](Inner& inner) {
        with_images(pixel_types<In...>{}, whole, from.subspan(1), [&](const auto&... part) {
          const auto found =
              inner.tally_band(rule, local.labels.size() - 1, band_of(own, from[0].where, volume),
                               local.image(whole, from[0].where), part...);
          const std::span<const typename Rule::row> own_rows(found);
          for (std::size_t i = 1; i < own_rows.size(); ++i)
            rows[static_cast<std::size_t>(local.labels[i])].join(own_rows[i]);
        });
      });
    });
    return rows;
  }

  template <label_number Label>
  void recode(const image<Label>& labels, const std::vector<Label>& number) {
    compute(labels, {labels.result()}, {0, 0, 0}, {}, false,
            [this, numbers = std::make_shared<const std::vector<Label>>(number), whole = labels.whole()](
                const block& to, std::span<const block> from) {
              const auto out = to.image<Label>(whole).pixels();
              const auto in = from[0].template image<const Label>(whole).pixels();
              threads().for_each(static_cast<std::size_t>(out.depth * out.height), [&](std::size_t row) {
                const auto z = static_cast<std::int64_t>(row) / out.height,
                           y = static_cast<std::int64_t>(row) % out.height;
                for (std::int64_t x = 0; x < out.width; ++x)
                  out.at(z, y)[x] = (*numbers)[static_cast<std::size_t>(in.at(z, y)[x])];
              });
            });
  }

  host_threads lend_threads(std::int64_t pixels) {
    host_threads threads;
    on_inner([&](Inner& inner) { threads = inner.lend_threads(pixels); });
    return threads;
  }
  template <class T>
  T read(const image<const T>& from, site p) {
    return *reinterpret_cast<const T*>(from.result()->read({p, {1, 1, 1}}).first);
  }
  void finish() {
    outputs_.write();
    work_.report.strategy = run_.quiet.report.strategy;
    work_.report.threads = run_.quiet.report.threads;
  }

 private:
  template <class Visit>
  void on_inner(const Visit& visit) {
    Inner inner(run_.quiet);
    visit(inner);
    inner.finish();
  }
  host_threads threads() { return lend_threads(std::int64_t{1} << 24); }

  template <class Out>
  void compute(const image<Out>& out, std::vector<node_ptr> inputs, window_radius reach, whole_axes axes,
               bool wraps, computed::function how) {
    out.set(std::make_shared<computed>(run_, out.whole(), sizeof(Out), std::move(inputs), reach, axes, wraps,
                                       std::move(how)));
  }
  /// how(inner, to, from) on a box and its surroundings.
  template <class Out, class In, class How>
  void compute_near(const image<Out>& out, window_radius reach, border_mode mode, const image<const In>& in,
                    const How& how, whole_axes axes = {}) {
    if (axes.any()) reach = {0, 0, 0}, mode = border_mode::nearest;
    compute(out, {in_any_shape(in.result())}, reach, axes, mode == border_mode::wrap,
            [this, how, whole = out.whole()](const block& to, std::span<const block> parts) {
              on_inner([&](Inner& inner) {
                how(inner, to.image<Out>(whole), parts[0].template image<const In>(whole));
              });
            });
  }

  /// Writes a result to a file, so that it can be read in any form.
  node_ptr kept(const node_ptr& result) { return outputs_.filled(result, ""); }
  node_ptr in_any_shape(node_ptr result) { return result->axes().any() ? kept(result) : result; }
  node_ptr with_lines(line_axis axis, node_ptr result) {
    return result->axes() == only(axis) ? result : in_any_shape(result);
  }
  /// Inputs of one pass need whole lines along the same axes, or along none.
  std::vector<node_ptr> agreeing(std::vector<node_ptr> results) {
    whole_axes first;
    for (auto& result : results) {
      if (!first.any()) first = result->axes();
      if (!(result->axes() == first)) result = in_any_shape(result);
    }
    return results;
  }
  node_ptr in_bands(bool volume, node_ptr result) {
    const auto axes = result->axes();
    return (axes | band_axes(volume)) == band_axes(volume) ? result : kept(result);
  }

  /// visit(piece, blocks) for all pieces, with blocks that reach beyond them.
  template <class Visit>
  void over(const piece_grid& grid, const std::vector<node_ptr>& images, window_radius reach,
            const Visit& visit) {
    const auto& whole = images[0]->whole;
    run_.over_pieces(grid, [&](std::int64_t piece) {
      const auto from = read_all(images, grown(grid.piece(piece), reach, whole));
      if (piece + 1 < grid.count()) expect_all(images, grown(grid.piece(piece + 1), reach, whole));
      visit(grid.piece(piece), std::span<const block>(from));
    });
  }
  /// visit(inner, parts...) for all pieces of images.
  template <class... In, class Visit>
  void over_parts(std::vector<node_ptr> images, const Visit& visit) {
    images = agreeing(std::move(images));
    const auto& whole = images[0]->whole;
    const piece_grid grid(whole,
                          run_.piece_size(whole, room_of(images) + tuning::engine_bytes, axes_of(images)));
    over(grid, images, {0, 0, 0}, [&](const box&, std::span<const block> from) {
      on_inner([&](Inner& inner) {
        with_images(pixel_types<In...>{}, whole, from, [&](const auto&... part) { visit(inner, part...); });
      });
    });
  }

  template <class T>
  std::string header_of(const image<T>& out) const {
    return outputs_.header_of(out.place());
  }

  template <class Rule, class State, class StartRule, class... StartIn, class Refuse, class... In>
  void flood(const Rule& rule, const neighbourhood& near, const image<State>& state,
             const mapped<StartRule, StartIn...>& start, const Refuse& refuse, const image<const In>&... in) {
    if constexpr (bottleneck_rule<Rule, State, In...>) {
      std::vector<node_ptr> images{in_any_shape(in.result())...};
      std::apply([&](const auto&... from) { (images.push_back(in_any_shape(from.result())), ...); },
                 start.in);
      const auto whole = state.whole();
      using key = key_of<State>;
      constexpr auto toward = Rule::algebra::toward;
      constexpr std::size_t inputs = sizeof...(In);
      const auto waves = std::make_shared<piece_waves<key>>(run_, whole, near, images, sizeof(State));
      waves->rule_inputs = inputs;
      waves->capacity_row = [=](std::span<const block> from, site first, std::int64_t count, key* to) {
        with_images(pixel_types<In...>{}, whole, from, [&](const auto&... part) {
          const auto each = [&](std::int64_t i, const auto&... value) {
            to[i] = rising_key<toward>(rule.capacity(site{first.z, first.y, first.x + i}, value...));
          };
          over_row(first - from[0].where.first, count, each, part.pixels()...);
        });
      };
      waves->state_row = [](const block& from, site first, std::int64_t count, key* to) {
        const auto* const row =
            reinterpret_cast<const State*>(from.row(first.z, first.y)) + (first.x - from.where.first.x);
        for (std::int64_t i = 0; i < count; ++i) to[i] = rising_key<toward>(row[i]);
      };
      waves->raise = [](const block& to, site p, key value) {
        auto& state_at = reinterpret_cast<State*>(to.row(p.z, p.y))[p.x - to.where.first.x];
        if (rising_key<toward>(state_at) >= value) return false;
        state_at = from_rising_key<toward, State>(value);
        return true;
      };
      waves->solve = [=, this](const block& to, std::span<const block> from) {
        on_inner([&](Inner& inner) {
          with_images(pixel_types<In...>{}, whole, from, [&](const auto&... part) {
            with_images(
                pixel_types<pixel_of<StartIn>...>{}, whole, from.subspan(inputs), [&](const auto&... first) {
                  inner.wave(rule, near, to.image<State>(whole), mapped(start.rule, first...), part...);
                });
          });
        });
      };
      waves->solve_again = [=, this](const block& to, std::span<const block> from) {
        on_inner([&](Inner& inner) {
          const auto own = to.image<State>(whole);
          with_images(pixel_types<In...>{}, whole, from, [&](const auto&... part) {
            inner.wave(rule, near, own, mapped(as_given{}, own.reading()), part...);
          });
        });
      };
      if constexpr (!std::is_same_v<Refuse, std::nullptr_t>)
        waves->check = [=, this, &refuse](std::span<const block> from) {
          bool beyond = false;
          on_inner([&](Inner& inner) {
            with_images(pixel_types<In..., pixel_of<StartIn>...>{}, whole, from, [&](const auto&... part) {
              beyond = inner.reduce(start_is_beyond<Rule, StartRule, inputs>{rule, start.rule}, part...) != 0;
            });
          });
          if (beyond) refuse();
        };
      state.set(waves->first_pass(header_of(state), threads()));
    } else {
      throw usage_error(
          "pieces: distances by propagation depend on the order of visits, so they cannot be computed in "
          "pieces; use exact distances, or more memory");
    }
  }

  job& work_;
  run& run_;
  input_slots inputs_;
  output_slots outputs_;
};

}  // namespace macareu::pieces
