// carry on the cpu: bundles.hpp finds the best places of a line. Rules that count steps need no values.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/ceil_div.hpp"
#include "engines/cpu/line/run_line.hpp"
#include "engines/cpu/tuning.hpp"

namespace macareu::cpu {

template <class Carried>
carried_pixels by_size(Carried nothing, const view<Carried>& out, const view<const Carried>& source) {
  using bits = key_of<Carried>;
  const auto as_bits = []<class To>(std::type_identity<To>, const auto& image) {
    return view<To>{reinterpret_cast<To*>(image.data),
                    image.depth,
                    image.height,
                    image.width,
                    image.step_z,
                    image.step_y,
                    image.step_x};
  };
  return pixels_to_carry<bits>{std::bit_cast<bits>(nothing), as_bits(std::type_identity<bits>{}, out),
                               as_bits(std::type_identity<const bits>{}, source)};
}

/// For rules that count steps, two scans over rows find the nearest site: the last site above each pixel,
/// then the first one below.
template <class Rule, class In>
class site_strips {
 public:
  site_strips(int threads, const Rule& rule, line_axis axis, const view<const In>& in,
              const carried_pixels& carried)
      : rule_(rule),
        planes_(axis, in),
        in_(in),
        carried_(carried),
        strip_(strip_for(threads)),
        strips_(ceil_div(planes_.width, strip_)) {}

  static bool suffice(const Rule& rule, line_axis axis, const view<const In>& in) {
    const auto size = length_along(axis, in);
    return axis != line_axis::x && size <= -none_above && std::cmp_less_equal(size, rule.limit());
  }

  std::int64_t units() const { return planes_.count * strips_; }

  /// `room`: thread-private scratch.
  void carry(std::int64_t unit, std::vector<std::int32_t>& room) const {
    const auto plane = unit / strips_, x = unit % strips_ * strip_,
               lines = std::min(strip_, planes_.width - x);
    room.assign(static_cast<std::size_t>((planes_.rows + 2) * lines), none_above);
    std::int32_t* const places = room.data() + lines;  // sentinel rows lie above and below
    std::fill_n(places + planes_.rows * lines, lines, none_below);
    for (std::int64_t row = 0; row < planes_.rows; ++row) {
      const auto down = [to = places + row * lines, above = places + (row - 1) * lines, rule = rule_,
                         here = static_cast<std::int32_t>(row)](std::int64_t i, const In& pixel) {
        const std::int32_t before = above[i];  // unconditional read: else the loop is not vectorised
        to[i] = rule.lift(pixel) == 0 ? here : before;
      };
      over_row(planes_.place(plane, row, x), lines, down, in_);
    }
    std::int32_t* const below = places + planes_.rows * lines;
    for (std::int64_t row = planes_.rows - 1; row >= 0; --row) {
      choose(places + row * lines, below, static_cast<std::int32_t>(row), lines);
      take(places + row * lines, plane, row, x, lines);
    }
  }

 private:
  static constexpr std::int32_t none_above = -(1 << 30),
                                none_below = std::numeric_limits<std::int32_t>::max();

  /// Strips are wide because each row lies on another page: narrow strips use little of each page.
  std::int64_t strip_for(int threads) const {
    const auto share = planes_.count >= threads ? planes_.width : ceil_div(planes_.width, threads);
    return std::min<std::int64_t>(tuning::carried_columns, ceil_div(share, 64) * 64);
  }

  /// On a tie the site above wins: it comes first.
  static void choose(std::int32_t* places, std::int32_t* below, std::int32_t here, std::int64_t lines) {
    for (std::int64_t i = 0; i < lines; ++i) {
      const std::int32_t above = places[i], after = below[i], next = above == here ? here : after;
      below[i] = next;
      places[i] = here - above <= next - here ? above : next;
    }
  }

  void take(const std::int32_t* places, std::int64_t plane, std::int64_t row, std::int64_t x,
            std::int64_t lines) const {
    const line_bundle bundle{planes_.axis, planes_.place(plane, 0, x), lines, planes_.rows};
    std::visit([&](const auto& pixels) { pixels.copy_row(bundle, row, places); }, carried_);
  }

  Rule rule_;
  line_planes planes_;
  view<const In> in_;
  carried_pixels carried_;
  std::int64_t strip_, strips_;
};

template <class Rule, class In>
void run_carry(const job& work, const Rule& rule, line_axis axis, const view<const In>& in,
               const carried_pixels& carried) {
  const int threads = threads_for(in.pixels(), work.how.threads);
  if constexpr (counts_steps<Rule>)
    if (site_strips<Rule, In>::suffice(rule, axis, in)) {
      const site_strips<Rule, In> strips(threads, rule, axis, in, carried);
      std::vector<std::vector<std::int32_t>> room(static_cast<std::size_t>(threads));
      return over_units(work, threads, strips.units(), 1, [&](int thread, std::int64_t unit) {
        strips.carry(unit, room[static_cast<std::size_t>(thread)]);
      });
    }
  with_problem(rule, in, [&](const auto& problem) {
    carry_lines(
        work, threads, {axis, in}, problem, [&](site p) { return place_on_line(rule, axis, in, p); },
        carried);
  });
}

}  // namespace macareu::cpu
