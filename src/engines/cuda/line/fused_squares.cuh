// Runs all lines of a distance transform with unit spacing together (squares.cuh), if their rules describe
// one.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <tuple>
#include <type_traits>

#include "engines/cuda/line/squares.cuh"
#include "engines/cuda/map/map.cuh"
#include "engines/cuda/runtime/residence.cuh"

namespace macareu::cuda {

template <class Rule>
concept may_be_squares = std::same_as<typename Rule::value, std::uint32_t> && requires(const Rule rule) {
  { rule.unit_squares() } -> std::same_as<bool>;
};

template <class Rule>
inline constexpr bool counts_short_steps =
    counts_steps<Rule>&& std::same_as<typename Rule::value, std::uint16_t>;

/// result() of every value, as a map.
template <class Rule>
struct results_of {
  Rule rule;
  MACAREU_HD auto operator()(site, std::uint32_t value) const { return rule.result(value); }
};

/// Steps beside a word that stand for no site: their square is at least `none`.
inline std::uint32_t steps_beyond(std::uint32_t none) {
  return static_cast<std::uint32_t>(std::sqrt(static_cast<double>(none))) + 1;
}

/// Whether the squares of this image can be computed in shared memory and 32 bits.
template <class T>
bool squares_suffice(const gpu& on, line_axis first, const view<T>& image, std::uint32_t none) {
  const bool volume = first == line_axis::z && image.height > 1;
  const auto columns = volume ? image.height : 1, longest = std::max(columns, image.width) + 64;
  const std::uint64_t beyond = steps_beyond(none) + 31ull,
                      cost = static_cast<std::uint64_t>(longest * longest);
  return length_along(first, image) <= longest_word_line && beyond <= most_beyond + 31 &&
         squares_fit(on, columns, image.width) &&
         beyond * beyond + cost <= std::numeric_limits<std::uint32_t>::max();
}

/// Rows, then columns in volumes, with `finish` applied last. `values` holds the result between them.
template <class Finish>
void run_square_axes(const gpu& on, const site_memory& sites, std::uint32_t none, line_axis first,
                     const view<std::uint32_t>& values, const view<typename Finish::result>& out,
                     const Finish& finish) {
  if (first != line_axis::z || out.height == 1) return run_square_rows(on, sites, none, first, out, finish);
  run_square_rows(on, sites, none, first, values, keep_square{none, none});
  run_square_columns(on, none, view<const std::uint32_t>(values), out, finish);
}

/// Does nothing and returns false for other lines.
template <class Out, class In, class Count, class... Rules>
bool run_fused_squares(const gpu& on, residence& images, view<Out> out, view<const In> in,
                       const along<Count>& count, const along<Rules>&... more) {
  using last_rule = std::tuple_element_t<sizeof...(Rules) - 1, std::tuple<Rules...>>;
  if constexpr (counts_short_steps<Count> && (may_be_squares<Rules> && ...)) {
    const bool axes_in_order = [&] {
      const line_axis all[]{count.axis, more.axis...};
      return sizeof...(Rules) == 2
                 ? all[0] == line_axis::z && all[1] == line_axis::y && all[2] == line_axis::x
                 : all[0] == line_axis::y && all[1] == line_axis::x && out.depth == 1;
    }();
    const last_rule last = std::get<sizeof...(Rules) - 1>(std::tie(more...)).rule;
    const auto next = std::get<0>(std::tie(more...)).rule;
    const std::uint32_t none = next.lift(count.rule.result(count.rule.limit() + 1));
    if (!axes_in_order || !(more.rule.unit_squares() && ...) || out.pixels() == 0 ||
        !squares_suffice(on, count.axis, in, none))
      return false;
    in = images.reading(in);
    out = images.writing(out);
    const site_memory sites(on, count.axis, in);
    run_pack(on, count.rule, count.axis, in, sites.words());
    run_carries(on, sites.words(), steps_beyond(none), sites.flags(), sites.flag_count());
    const auto limit = last.limit();
    const view<std::uint32_t> own{reinterpret_cast<std::uint32_t*>(out.data),
                                  out.depth,
                                  out.height,
                                  out.width,
                                  out.step_z,
                                  out.step_y,
                                  out.step_x};
    if constexpr (line_ending<last_rule> == line_result::root && std::is_same_v<Out, float>) {
      run_square_axes(on, sites, none, count.axis, own, out, square_root{limit, last.result(limit + 1)});
    } else if constexpr (line_ending<last_rule> == line_result::same && std::is_same_v<Out, std::uint32_t>) {
      run_square_axes(on, sites, none, count.axis, own, out, keep_square{limit, last.result(limit + 1)});
    } else {
      const device_image<std::uint32_t> values(on, out.depth, out.height, out.width);
      run_square_axes(on, sites, none, count.axis, values.pixels(), values.pixels(), keep_square{none, none});
      run_map(on, results_of<last_rule>{last}, out, view<const std::uint32_t>(values.pixels()));
    }
    return true;
  }
  return false;
}

}  // namespace macareu::cuda
