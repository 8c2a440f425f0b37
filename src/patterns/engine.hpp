// The interface of an engine. Engines check it by static_assert(pattern_engine<engine>). Headers in this
// folder define the patterns and the laws of their rules. Operators use nothing else, but for optional
// abilities, which are concepts of their own there (summits.hpp, boxes.hpp).
//
// Operators get images from the engine and pass them back. Within a call an image is written in one form
// only: as a whole, or as crops that do not overlap. Operators access pixels in rows on the host alone
// (host_rows.hpp).
//
// Rules get sites of the whole image.
//
// Calls take effect in the order in which they are made. read(), reduce(), histogram(), component() and
// tally() return values to the host. Rows of tally() arrive when they are converted to a span, and do not
// outlive the engine. finish() returns when the results are in the caller's memory.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/call.hpp"
#include "core/host_threads.hpp"
#include "patterns/basins.hpp"
#include "patterns/component.hpp"
#include "patterns/edges.hpp"
#include "patterns/extremes.hpp"
#include "patterns/gather.hpp"
#include "patterns/histogram.hpp"
#include "patterns/host_rows.hpp"
#include "patterns/images.hpp"
#include "patterns/line.hpp"
#include "patterns/map.hpp"
#include "patterns/reduce.hpp"
#include "patterns/summary.hpp"
#include "patterns/tally.hpp"
#include "patterns/wave.hpp"
#include "patterns/weighted.hpp"
#include "patterns/window.hpp"

namespace macareu {

/// Representative rules, for checking the interface.
namespace probe {

using pixel = std::uint8_t;

struct pixel_rule {
  pixel operator()(site, pixel value) const { return value; }
};
struct window_rule {
  static constexpr window_radius radius() { return {0, 1, 1}; }
  template <class Near>
  pixel operator()(site, const Near& near) const {
    return near(0, 0, 0);
  }
};
struct gather_rule {
  site first(site p) const { return p; }
  site last(site p) const { return p; }
  template <class In>
  pixel operator()(site p, const In& in) const {
    return in(p);
  }
};
struct box_rule {
  using sum = std::uint32_t;
  static constexpr int terms = 1;
  sum lift(int, pixel p) const { return p; }
  template <class Sums>
  pixel operator()(site, pixel p, const Sums&) const {
    return p;
  }
};
struct channel_rule {
  pixel operator()(site, pixel p, pixel, pixel) const { return p; }
};
struct sum_rule {
  using value = std::uint64_t;
  value identity() const { return 0; }
  value lift(site, pixel p) const { return p; }
  value join(value a, value b) const { return a + b; }
};
struct flood_rule {
  using algebra = bottleneck<direction::up>;
  static constexpr bool capacity_is_input = true;
  pixel capacity(site, pixel mask) const { return mask; }
};
struct general_rule {
  static constexpr bool confluent = true;
  std::uint32_t offer(std::uint32_t state, site, site, pixel) const { return state; }
  bool better(std::uint32_t a, std::uint32_t b, site) const { return a > b; }
};
struct line_rule {
  using value = std::uint32_t;
  line_join join() const { return line_join::sum; }
  value lift(pixel p) const { return p; }
  value cost(std::int64_t steps) const { return static_cast<value>(steps); }
  value limit() const { return 1000; }
  value result(value v) const { return v; }
};
struct object_rule {
  static constexpr int classes = 1;
  bool inside(pixel p) const { return p != 0; }
  std::uint8_t class_of(pixel) const { return 0; }
};
struct row_rule {
  using row = tally_row<1, 0, 0>;
  template <class Label>
  void add(row& to, site, const labels_beside<Label>&) const {
    ++to.count[0];
  }
};
struct refusal {
  void operator()() const {}
};
struct edge_rule {
  using value = float;
  static constexpr int rank = 2;
  static constexpr bool inside_only = false, strength_is_derived = false, drafts = false;
  template <class Near>
  value derived(const Near& near) const {
    return near(0, 0, 0);
  }
  template <class Near>
  value strength(const Near& near, const Near&) const {
    return near(0, 0, 0);
  }
  value least() const { return 0; }
  bool weak() const { return true; }
  template <class Near, class Slopes>
  void slopes(const Near&, Slopes&) const {}
  template <class Slopes, class Near>
  value estimate(value, const Slopes&, const Near&, value) const {
    return not_sure;
  }
  template <class Near>
  std::uint8_t level(const Near&, const Near&) const {
    return 0;
  }
  template <class Near>
  value gradient(const Near& near) const {
    return near(0, 0, 0);
  }
  template <class Near>
  bool crossing(const Near&, const Near&) const {
    return false;
  }
};

}  // namespace probe

/// An image is memory, a part of it, or files. whole() is the frame: the shape of the whole image, even if an
/// engine holds only a part. slices() and without_side() crop and reshape, with a frame of their own. A
/// default-constructed image is none, and false. lend_threads(pixels) lends threads for host work that is the
/// same for all engines.
template <class E>
concept engine_images = gives_host_rows<E> && std::default_initializable<image_in<E, probe::pixel>> &&
    requires(E& e, const call& c, const image_in<E, const probe::pixel>& in) {
  { e.template input<probe::pixel>(c, 0) } -> std::same_as<image_in<E, const probe::pixel>>;
  { e.template output<probe::pixel>(c, 0) } -> std::same_as<image_in<E, probe::pixel>>;
  { e.template temporary<float>(in).image() } -> std::same_as<image_in<E, float>>;
  { e.template temporary<float>(in).reading() } -> std::same_as<image_in<E, const float>>;
  { e.template temporary<float>(frame{}).image() } -> std::same_as<image_in<E, float>>;
  { static_cast<bool>(in) } -> std::same_as<bool>;
  { in.whole() } -> std::convertible_to<frame>;
  { in.reading() } -> std::same_as<image_in<E, const probe::pixel>>;
  { in.template as<const std::int8_t>() } -> std::same_as<image_in<E, const std::int8_t>>;
  { in.slices(true, std::int64_t{0}, std::int64_t{1}) } -> std::same_as<image_in<E, const probe::pixel>>;
  { in.without_side(line_axis::z) } -> std::same_as<image_in<E, const probe::pixel>>;
  { e.read(in, site{}) } -> std::same_as<probe::pixel>;
  { e.lend_threads(std::int64_t{1}) } -> std::same_as<host_threads>;
  e.finish();
};

template <class E>
concept regular_patterns = requires(E& e, const image_in<E, probe::pixel>& out,
                                    const image_in<E, const probe::pixel>& in, const image_in<E, float>& sums,
                                    std::span<std::uint64_t> bins, std::span<const tap<float>> taps,
                                    const separable_weights<float>& weights,
                                    std::span<const chord> footprint) {
  e.map(probe::pixel_rule{}, out, in);
  e.window(probe::window_rule{}, border<probe::pixel>{}, out, in);
  e.gather(probe::gather_rule{}, out, in);
  e.weighted(taps, border<float>{}, sums, in);
  e.separable(weights, border<float>{}, sums, in);
  e.extremes(key_map<probe::pixel>{}, footprint, border<probe::pixel>{}, out, in);
  { e.reduce(probe::sum_rule{}, in) } -> std::same_as<std::uint64_t>;
  { e.reduce(summary_of<probe::pixel>{in.whole()}, in) } -> std::same_as<summary<probe::pixel>>;
  e.histogram(value_bins<probe::pixel>{0}, bins, in);
};

template <class E>
concept wave_pattern = requires(E& e, const neighbourhood& near, const image_in<E, probe::pixel>& state,
                                const image_in<E, std::uint32_t>& states,
                                const image_in<E, const probe::pixel>& in,
                                const image_in<E, const std::uint32_t>& start) {
  e.wave(probe::flood_rule{}, near, state, mapped(probe::pixel_rule{}, in), in);
  e.wave(probe::flood_rule{}, near, state, guarded{mapped(probe::pixel_rule{}, in), probe::refusal{}}, in);
  e.wave(probe::general_rule{}, near, states, mapped(as_type<std::uint32_t>{}, start), in);
  { E::strategies(std::string_view()) } -> std::same_as<std::vector<std::string_view>>;
};

template <class E>
concept line_patterns = requires(E& e, const image_in<E, std::uint32_t>& out,
                                 const image_in<E, const std::uint32_t>& carried,
                                 const image_in<E, const probe::pixel>& in) {
  e.line(probe::line_rule{}, line_axis::x, out, in);
  e.lines(out, in, along{line_axis::y, probe::line_rule{}});
  e.carry(probe::line_rule{}, line_axis::x, std::uint32_t{0}, out, in, carried);
};

template <class E>
concept object_patterns = requires(E& e, const neighbourhood& near, const image_in<E, std::uint32_t>& labels,
                                   const image_in<E, const probe::pixel>& in,
                                   const std::vector<std::uint32_t>& numbers) {
  { e.component(probe::object_rule{}, near, labels, in) } -> std::same_as<std::uint64_t>;
  {
    e.tally(probe::row_rule{}, std::uint64_t{1}, labels.reading())
    } -> std::convertible_to<std::span<const probe::row_rule::row>>;
  e.recode(labels, numbers);
};

template <class E>
concept edge_pattern = requires(E& e, const smoothing& how, const neighbourhood& near,
                                const image_in<E, std::uint8_t>& out,
                                const image_in<E, const probe::pixel>& in,
                                const kept_stages<image_in<E, float>, image_in<E, std::uint8_t>>& kept) {
  e.edges(probe::edge_rule{}, how, near, out, kept, mapped(as_type<float>{}, in));
};

template <class E>
concept pattern_engine = requires {
  { E::name } -> std::convertible_to<std::string_view>;
}
&&std::constructible_from<E, job&>&& engine_images<E>&& regular_patterns<E>&& wave_pattern<E>&&
    line_patterns<E>&& object_patterns<E>&& edge_pattern<E>&& finds_basins<E, probe::pixel>;

}  // namespace macareu
