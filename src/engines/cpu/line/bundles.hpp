// Lines in thread-private memory, several side by side, so that whole cache lines are used. This code is
// compiled once per value type. Code that depends on the pixel type or the rule is called once per bundle.
#pragma once

#include <cstdint>
#include <variant>

#include "core/call.hpp"
#include "core/function_ref.hpp"
#include "core/key.hpp"
#include "patterns/line.hpp"

namespace macareu::cpu {

/// Adjacent lines; the first begins at `first`. Along x a bundle is one line.
struct line_bundle {
  line_axis axis;
  site first;
  std::int64_t lines, size;

  /// Place i of the first line.
  site place(std::int64_t i) const { return moved_along(axis, first, i); }
};

/// All lines of an image along an axis.
struct line_grid {
  line_axis axis;
  std::int64_t depth, height, width;

  template <class T>
  line_grid(line_axis along, const view<T>& image)
      : axis(along), depth(image.depth), height(image.height), width(image.width) {}

  std::int64_t size() const { return axis == line_axis::z ? depth : axis == line_axis::y ? height : width; }
  std::int64_t bundles() const;
  line_bundle bundle(std::int64_t index) const;
  std::int64_t most_lines() const;
};

template <class Value>
struct line_problem {
  line_join join;
  Value limit;
  Value beyond;  // above the limit, and no more than a lifted value may be
  bool linear;   // two scans: min(own, neighbour + cost(1))
  function_ref<Value(std::int64_t)> cost;
  /// Value i of line l goes to [l * pitch + i].
  function_ref<void(const line_bundle&, Value*, std::int64_t pitch)> lift;
};

/// finish(bundle, best values, pitch) for all lines.
template <class Value>
void solve_lines(const job& work, int threads, const line_grid& grid, const line_problem<Value>& problem,
                 function_ref<void(const line_bundle&, const Value*, std::int64_t)> finish);

/// Carried pixels as bits: copies depend on their size only.
template <class Bits>
struct pixels_to_carry {
  Bits nothing;
  view<Bits> out;
  view<const Bits> source;

  /// Pixel i of line l is copied from place places[l * size + i] of the line.
  void copy_lines(const line_bundle& bundle, const std::int64_t* places) const {
    const auto step_out = step_along(bundle.axis, out), beside_out = out.step_x;
    const auto step_source = step_along(bundle.axis, source), beside_source = source.step_x;
    const auto size = bundle.size, lines = bundle.lines;
    const Bits none = nothing;
    const Bits* const from = &source[bundle.first];
    Bits* const to = &out[bundle.first];
    for (std::int64_t i = 0; i < size; ++i)
      for (std::int64_t l = 0; l < lines; ++l) {
        const auto place = places[l * size + i];
        to[i * step_out + l * beside_out] = place < 0 ? none : from[place * step_source + l * beside_source];
      }
  }

  /// Copies pixel `row` of every line.
  void copy_row(const line_bundle& bundle, std::int64_t row, const std::int32_t* places) const {
    const Bits* const from = &source[bundle.first];
    const auto step = step_along(bundle.axis, source), beside = source.step_x, size = bundle.size;
    const auto write = [=, none = nothing](std::int64_t l, Bits& to) {
      const std::int64_t place = places[l];
      to = place >= 0 && place < size ? from[place * step + l * beside] : none;
    };
    over_row(bundle.place(row), bundle.lines, write, out);
  }

  void copy_pixel(line_axis axis, site p, std::int64_t place) const {
    out[p] = place < 0 ? nothing : source[moved_along(axis, p, place)];
  }
};

using carried_pixels = std::variant<pixels_to_carry<std::uint8_t>, pixels_to_carry<std::uint16_t>,
                                    pixels_to_carry<std::uint32_t>, pixels_to_carry<std::uint64_t>>;

/// Copies to each pixel the value at its first best place. Where rounding breaks the order of places,
/// place_of(pixel) finds the place by definition; -1 if there is none.
template <class Value>
void carry_lines(const job& work, int threads, const line_grid& grid, const line_problem<Value>& problem,
                 function_ref<std::int64_t(site)> place_of, const carried_pixels& carried);

}  // namespace macareu::cpu
