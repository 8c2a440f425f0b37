#pragma once

#include <array>
#include <cmath>
#include <cstdint>

#include "core/call.hpp"
#include "operators/common/parameters.hpp"
#include "operators/common/spacing.hpp"
#include "patterns/images.hpp"
#include "patterns/map.hpp"

namespace macareu::operators {

constexpr output_description place_output(std::string_view axis, bool optional) {
  return {.name = axis,
          .type = output_description::type_rule::computed,
          .help = "where the site lies along the axis",
          .computed = [](const arguments&, dtype, const extents&) { return dtype::i32; },
          .computed_help = "i32",
          .optional = optional};
}

struct site_places {
  static dtype distance_type(const arguments&, dtype, const extents&) { return dtype::f64; }

  static constexpr std::array taken{dtype::i64};
  static constexpr std::array inputs{
      input_description{"sites", "indices of pixels, as nearest_site has them"}};
  static constexpr std::array outputs{place_output("x", false), place_output("y", true),
                                      place_output("z", true),
                                      output_description{.name = "distances",
                                                         .type = output_description::type_rule::computed,
                                                         .help = "how far the site is",
                                                         .computed = &distance_type,
                                                         .computed_help = "f64",
                                                         .optional = true}};
  static constexpr std::array parameters{spacing_parameter};
  static constexpr operator_description about{
      .name = "site_places",
      .verb = "site-places",
      .group = "distance",
      .pattern = "map",
      .brief = "Coordinates of the nearest sites, and their distances.",
      .notes =
          "Coordinates and distances in the arithmetic of SciPy's distance_transform_edt: differences times "
          "spacing, squared, added in the order of the axes. Distances cover x, and y and z if those are "
          "requested. Indices outside the image give -1.",
      .inputs = inputs,
      .outputs = outputs,
      .parameters = parameters,
      .check = &check_spacing,
      .types = taken,
      .hidden = true,
      .in_pieces = false};

  template <class T, class Engine>
  static void run(Engine& engine, const call& call) {
    const auto sites = input<T>(engine, call, 0);
    const auto& whole = sites.whole();
    const auto end = whole.pixels();
    const divisor width(whole.width), height(whole.height), slice(whole.height * whole.width);
    engine.map(last_place{end, width}, output<std::int32_t>(engine, call, x_output), sites);
    if (call.wants(y_output))
      engine.map(middle_place{end, width, height}, output<std::int32_t>(engine, call, y_output), sites);
    if (call.wants(z_output))
      engine.map(first_place{end, slice}, output<std::int32_t>(engine, call, z_output), sites);
    if (call.wants(distances)) measure(engine, call);
  }

  /// Division by multiplication with the inverse, for values that f64 holds exactly.
  struct divisor {
    std::int64_t by;
    double inverse;

    explicit divisor(std::int64_t number) : by(number), inverse(1 / static_cast<double>(number)) {}
    MACAREU_HD std::int64_t quotient(std::int64_t value) const {
      const auto near = static_cast<std::int64_t>(static_cast<double>(value) * inverse);
      const auto rest = value - near * by;
      return near + (rest >= by) - (rest < 0);
    }
    MACAREU_HD std::int64_t remainder(std::int64_t value) const { return value - quotient(value) * by; }
  };

  /// Coordinate of an index below `end`; -1 for others.
  struct last_place {
    std::int64_t end;
    divisor width;
    MACAREU_HD std::int32_t operator()(site, std::int64_t index) const {
      return index < 0 || index >= end ? -1 : static_cast<std::int32_t>(width.remainder(index));
    }
  };
  struct middle_place {
    std::int64_t end;
    divisor width, height;
    MACAREU_HD std::int32_t operator()(site, std::int64_t index) const {
      return index < 0 || index >= end ? -1
                                       : static_cast<std::int32_t>(height.remainder(width.quotient(index)));
    }
  };
  struct first_place {
    std::int64_t end;
    divisor slice;
    MACAREU_HD std::int32_t operator()(site, std::int64_t index) const {
      return index < 0 || index >= end ? -1 : static_cast<std::int32_t>(slice.quotient(index));
    }
  };

  /// By axes, the last first, like the outputs.
  struct distance_to {
    double step_x, step_y, step_z;

    MACAREU_HD double operator()(site p, std::int32_t x) const { return std::sqrt(square(x - p.x, step_x)); }
    MACAREU_HD double operator()(site p, std::int32_t x, std::int32_t y) const {
      return std::sqrt(square(y - p.y, step_y) + square(x - p.x, step_x));
    }
    MACAREU_HD double operator()(site p, std::int32_t x, std::int32_t y, std::int32_t z) const {
      return std::sqrt(square(z - p.z, step_z) + square(y - p.y, step_y) + square(x - p.x, step_x));
    }
    MACAREU_HD static double square(std::int64_t steps, double step) {
      const double apart = static_cast<double>(steps) * step;
      return apart * apart;
    }
  };

 private:
  static constexpr std::size_t x_output = 0, y_output = 1, z_output = 2, distances = 3;

  template <class Engine>
  static void measure(Engine& engine, const call& call) {
    const auto spacing = spacing_of(call);
    const auto last = static_cast<std::size_t>(call.rank()) - 1;
    const distance_to rule{spacing[last], spacing[last - 1], call.rank() == 3 ? spacing[0] : 0.0};
    const auto along = [&](std::size_t axis) { return output<std::int32_t>(engine, call, axis).reading(); };
    const auto out = output<double>(engine, call, distances);
    if (call.wants(y_output) && call.wants(z_output))
      engine.map(rule, out, along(x_output), along(y_output), along(z_output));
    else if (call.wants(y_output))
      engine.map(rule, out, along(x_output), along(y_output));
    else
      engine.map(rule, out, along(x_output));
  }
};

}  // namespace macareu::operators
