// The serial engine: plain loops. It defines every pattern, and is the reference for all other engines.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <span>
#include <string_view>
#include <vector>

#include "core/call.hpp"
#include "core/host_threads.hpp"
#include "core/neighbourhood.hpp"
#include "patterns/basins.hpp"
#include "patterns/engine.hpp"
#include "patterns/located.hpp"

namespace macareu::serial {

template <class Visit>
void for_each_site(std::int64_t depth, std::int64_t height, std::int64_t width, Visit&& visit) {
  for (std::int64_t z = 0; z < depth; ++z)
    for (std::int64_t y = 0; y < height; ++y)
      for (std::int64_t x = 0; x < width; ++x) visit(site{z, y, x});
}

class engine : public images_in_memory {
 public:
  static constexpr std::string_view name = "serial";
  static std::vector<std::string_view> strategies(std::string_view) { return {}; }

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
    for_each_site(out.pixels(), [&](site p) { out.pixels()[p] = rule(p + out.origin(), in.pixels()[p]...); });
  }

  template <class Rule, class Out, class In>
  requires window_rule<Rule, Out, In>
  void window(const Rule& rule, border<In> edge, const framed<Out>& out, const framed<const In>& in) const {
    for_each_site(out.pixels(), [&](site p) {
      out.pixels()[p] = rule(p + out.origin(), near_pixels<In>{in.pixels(), edge, p});
    });
  }

  template <class Rule, class Out, class In>
  requires gather_rule<Rule, Out, In>
  void gather(const Rule& rule, const framed<Out>& out, const framed<const In>& in) const {
    const pixels_at<In> from{in.pixels(), in.origin()};
    for_each_site(out.pixels(), [&](site p) { out.pixels()[p] = rule(p + out.origin(), from); });
  }

  template <class F, class In>
  void separable(const separable_weights<F>& weights, border<F> edge, const framed<F>& out,
                 const framed<const In>& in) const {
    separable_by_windows(*this, weights, edge, out, in);
  }

  template <class F, class In>
  void weighted(std::span<const tap<F>> taps, border<F> edge, const framed<F>& out,
                const framed<const In>& in) const {
    weighted_by_window(*this, taps, edge, out, in);
  }

  template <class Key>
  void extremes(const key_map<Key>& order, std::span<const chord> footprint, border<Key> edge,
                const framed<Key>& out, const framed<const Key>& in) const {
    for_each_site(out.pixels(), [&](site p) {
      out.pixels()[p] = extreme_at(order, footprint, near_pixels<Key>{in.pixels(), edge, p});
    });
  }

  template <class Rule, class First, class... In>
  requires reduce_rule<Rule, First, In...>
  typename Rule::value reduce(const Rule& rule, const framed<const First>& first,
                              const framed<const In>&... in) const {
    auto total = rule.identity();
    for_each_site(first.pixels(), [&](site p) {
      total = rule.join(total, rule.lift(p + first.origin(), first.pixels()[p], in.pixels()[p]...));
    });
    return total;
  }

  template <class Rule, class First, class... In>
  requires histogram_rule<Rule, First, In...>
  void histogram(const Rule& rule, std::span<std::uint64_t> bins, const framed<const First>& first,
                 const framed<const In>&... in) const {
    for_each_site(first.pixels(), [&](site p) {
      rule(p + first.origin(), bin_sink{bins}, first.pixels()[p], in.pixels()[p]...);
    });
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
  void wave(const Rule& rule, const neighbourhood& near, const framed<State>& image, const Start& start,
            const framed<const In>&... in) const {
    const auto& state = image.pixels();
    const auto here = located_in(image.whole(), rule);
    if constexpr (bottleneck_rule<Rule, State, In...>) {
      const as_general<located<Rule>> general{here};
      for_each_site(state, [&](site p) { state[p] = general.offer(start[p], p, p, in.pixels()[p]...); });
      propagate(general, near, state, in.pixels()...);
    } else {
      for_each_site(state, [&](site p) { state[p] = start[p]; });
      propagate(here, near, state, in.pixels()...);
    }
  }

  template <class Key>
  void basins(const neighbourhood& near, const framed<std::uint32_t>& labels, const framed<const Key>& passes,
              const framed<const std::uint32_t>& seeds) const {
    const auto& pass = passes.pixels();
    const auto& seed = seeds.pixels();
    const auto& label = labels.pixels();
    const auto inside = [&](site p) { return pass.contains(p) && seed[p] != basin::outside; };
    const tie_order order(near);
    const auto for_each_near = [&](site p, auto&& visit) {
      for (const auto& step : order) {
        const site q{p.z + step.dz, p.y + step.dy, p.x + step.dx};
        if (inside(q)) visit(q);
      }
    };
    const auto steps_image = temporary<std::uint32_t>(passes), known_image = temporary<std::uint32_t>(passes);
    const auto steps = steps_image.image().pixels(), known = known_image.image().pixels();
    std::deque<site> front;
    for_each_site(pass, [&](site p) {
      steps[p] = basin::never;
      bool entry = seed[p] != 0;
      for_each_near(p, [&](site q) { entry = entry || pass[q] < pass[p]; });
      if (!entry || !inside(p)) return;
      steps[p] = 0;
      front.push_back(p);
    });
    for (; !front.empty(); front.pop_front()) {
      const site p = front.front();
      for_each_near(p, [&](site q) {
        if (pass[q] != pass[p] || steps[q] != basin::never) return;
        steps[q] = steps[p] + 1;
        front.push_back(q);
      });
    }
    work_.check_stop();
    const auto earlier = [&](site p, site q) {
      return pass[p] != pass[q] ? pass[p] < pass[q] : steps[p] < steps[q];
    };
    const auto parent = [&](site p) {
      site least = p;
      for_each_near(p, [&](site q) { least = earlier(q, least) ? q : least; });
      return least;
    };
    const auto is_end = [&](site p) { return seed[p] != 0 || steps[p] == basin::never; };
    for_each_site(pass, [&](site p) {
      label[p] = inside(p) ? seed[p] : 0;
      known[p] = is_end(p);
    });
    std::vector<site> path;
    for_each_site(pass, [&](site first) {
      site p = first;
      for (path.clear(); !known[p]; p = parent(p)) path.push_back(p);
      for (const site q : path) {
        label[q] = label[p];
        known[q] = 1;
      }
    });
  }

  template <edge_rule Rule, class Kept, class Source>
  void edges(const Rule& rule, const smoothing& how, const neighbourhood& near,
             const framed<std::uint8_t>& out, const Kept& kept, const Source& image) const {
    const auto levels = temporary<std::uint8_t>(out);
    edge_levels(rule, how, levels.image(), kept, image);
    wave(flood_levels{}, near, out, mapped(highest_level{}, levels.reading()), levels.reading());
  }

  /// All stages of `edges` but the last.
  template <edge_rule Rule, class Kept, class Source>
  void edge_levels(const Rule& rule, const smoothing& how, const framed<std::uint8_t>& levels,
                   const Kept& kept, const Source& image) const {
    using value = typename Rule::value;
    const auto smooth = temporary<value>(levels), derived = temporary<value>(levels);
    smooth_for_edges(how, smooth.image(), image);
    window(derived_window<Rule>{rule}, nearest_inside<value>, derived.image(), smooth.reading());
    const auto s = smooth.reading().pixels(), d = derived.reading().pixels();
    const auto& marked = levels.pixels();
    for_each_site(marked, [&](site p) {
      const near_pixels<value> near_s{s, nearest_inside<value>, p}, near_d{d, nearest_inside<value>, p};
      const bool marks = marks_at<Rule>(p, marked.height, marked.width);
      marked[p] = marks ? rule.level(near_s, near_d) : std::uint8_t{0};
      if (kept.gradient) kept.gradient.pixels()[p] = rule.gradient(near_s);
      if (kept.crossings) kept.crossings.pixels()[p] = marks && rule.crossing(near_s, near_d);
    });
  }

  template <class Rule, class Out, class In>
  requires line_rule<Rule, Out, In>
  void line(const Rule& rule, line_axis axis, const framed<Out>& out, const framed<const In>& in) const {
    for_each_site(out.pixels(),
                  [&](site p) { out.pixels()[p] = rule.result(best_on_line(rule, axis, in.pixels(), p)); });
  }

  template <class Out, class In, class... Rules>
  void lines(const framed<Out>& out, const framed<const In>& in, const along<Rules>&... one_by_one) const {
    one_line_after_another(*this, out, in, one_by_one...);
  }

  template <class Rule, class In, class Carried>
  void carry(const Rule& rule, line_axis axis, Carried nothing, const framed<Carried>& out,
             const framed<const In>& in, const framed<const Carried>& carried) const {
    for_each_site(out.pixels(), [&](site p) {
      out.pixels()[p] = carried_on_line(rule, axis, nothing, in.pixels(), carried.pixels(), p);
    });
  }

  /// labels[p]: the number of p's object, 1..n in the raster order of first pixels, or 0. Returns n.
  template <class T, component_rule<T> Rule, label_number Label>
  std::uint64_t component(const Rule& rule, const neighbourhood& near, const framed<Label>& numbers,
                          const framed<const T>& given) const {
    const auto& labels = numbers.pixels();
    const auto& image = given.pixels();
    std::uint64_t count = 0;
    std::vector<site> front;
    for_each_site(labels, [&](site p) { labels[p] = 0; });
    for_each_site(labels, [&](site first) {
      if (labels[first] != 0 || !rule.inside(image[first])) return;
      labels[first] = static_cast<Label>(++count);
      front.push_back(first);
      while (!front.empty()) {
        const site p = front.back();
        front.pop_back();
        near.for_each(p, [&](site q) {
          if (!labels.contains(q) || labels[q] != 0 || !joined(rule, image[p], image[q])) return;
          labels[q] = labels[p];
          front.push_back(q);
        });
      }
    });
    return count;
  }

  /// Rows of the objects 1..count, after an empty row 0. No label exceeds `count`.
  template <class Rule, label_number Label, class... In>
  std::vector<typename Rule::row> tally(const Rule& rule, std::uint64_t count,
                                        const framed<const Label>& image,
                                        const framed<const In>&... in) const {
    const auto& labels = image.pixels();
    return tally_band(rule, count, {0, labels.depth > 1 ? labels.depth : labels.height}, image, in...);
  }

  template <class Rule, label_number Label, class... In>
  std::vector<typename Rule::row> tally_band(const Rule& rule, std::uint64_t count, macareu::tally_band band,
                                             const framed<const Label>& image,
                                             const framed<const In>&... in) const {
    static_assert(tally_rule<Rule, Label, In...>);
    const auto& labels = image.pixels();
    std::vector<typename Rule::row> rows(static_cast<std::size_t>(count) + 1);
    for_each_site(labels, [&](site p) {
      const Label label = labels[p];
      const auto place = labels.depth > 1 ? p.z : p.y;
      if (place < band.first || place >= band.first + band.count) return;
      if (label != 0)
        rule.add(rows[static_cast<std::size_t>(label)], image.origin() + p, labels_beside<Label>{labels, p},
                 in.pixels()[p]...);
    });
    return rows;
  }

  /// labels[p] = number[labels[p]]
  template <label_number Label>
  void recode(const framed<Label>& image, const std::vector<Label>& number) const {
    const auto& labels = image.pixels();
    for_each_site(labels, [&](site p) { labels[p] = number[static_cast<std::size_t>(labels[p])]; });
  }

  /// Lends host threads for work that takes as long as so many pixels.
  host_threads lend_threads(std::int64_t) const { return {}; }

  /// Copies one pixel to the host; other engines may hold it in device memory.
  template <class T>
  T read(const framed<const T>& image, site p) const {
    return image.pixels()[p - image.origin()];
  }
  /// Returns when the results are in the caller's memory.
  void finish() const {}

 private:
  /// visit(p) in raster order. Checks for a stop and reports progress between rows.
  template <class T, class Visit>
  void for_each_site(const view<T>& image, Visit&& visit) const {
    pass_over_units pass(work_, image.depth * image.height);
    serial::for_each_site(image.depth, image.height, image.width, [&](site p) {
      if (p.x == 0) {
        work_.check_stop();
        pass.tell(p.z * image.height + p.y);
      }
      visit(p);
    });
  }

  template <class Value, class Source>
  void smooth_for_edges(const smoothing& how, const framed<Value>& smooth, const Source& image) const {
    const auto& out = smooth.pixels();
    const auto over = [&](auto&& visit) { for_each_site(out, visit); };
    const auto sums = temporary<double>(smooth), next = temporary<double>(smooth);
    const auto from = sums.image().pixels(), to = next.image().pixels();
    over([&](site p) { from[p] = static_cast<double>(image[p]); });
    for (int axis = 0; axis < 3; ++axis) {
      const auto& half = how.weights[static_cast<std::size_t>(axis)];
      if (half.empty()) continue;
      const axis_sum<double> sum{half.data(), static_cast<int>(half.size()) - 1, axis};
      window(sum, how.edge, next.image(), sums.reading());
      over([&](site p) { from[p] = static_cast<double>(static_cast<Value>(to[p])); });
    }
    over([&](site p) {
      const double share = how.share(p, out.height, out.width);
      out[p] = static_cast<Value>(from[p] / share);
    });
  }

  /// One scan of the image, then a queue. For a rule that is not confluent, the scan only collects pixels
  /// that improve a neighbour, as in paper 1. Propagating during the scan would move states far in scan
  /// order, and give a different result.
  template <class Rule, class State, class... In>
  void propagate(const Rule& rule, const neighbourhood& near, const view<State>& state,
                 const view<const In>&... in) const {
    std::deque<site> front;
    const auto for_each_offer = [&](site p, auto&& take) {
      near.for_each(p, [&](site q) {
        if (!state.contains(q)) return;
        const State offer = rule.offer(state[p], p, q, in[q]...);
        if (rule.better(offer, state[q], q)) take(q, offer);
      });
    };
    const auto spread_from = [&](site p) {
      for_each_offer(p, [&](site q, State offer) {
        state[q] = offer;
        front.push_back(q);
      });
    };
    for_each_site(state, [&](site p) {
      if constexpr (Rule::confluent) return spread_from(p);
      bool gives = false;
      for_each_offer(p, [&](site, State) { gives = true; });
      if (gives) front.push_back(p);
    });
    for (std::uint64_t popped = 1; !front.empty(); ++popped) {
      if (popped % 4096 == 0) work_.check_stop();
      const site p = front.front();
      front.pop_front();
      spread_from(p);
    }
  }

  job& work_;
};

static_assert(pattern_engine<engine>);

}  // namespace macareu::serial
