#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <type_traits>

#include "core/call.hpp"
#include "core/key.hpp"
#include "core/plain_pixels.hpp"
#include "operators/common/parameters.hpp"
#include "operators/common/pixel_bits.hpp"
#include "patterns/images.hpp"
#include "patterns/map.hpp"

namespace macareu::operators {

struct binary_threshold {
  static constexpr std::array inputs{input_description{"image", "grey or colour"}};
  static constexpr std::array outputs{output_description{.name = "binary",
                                                         .type = output_description::type_rule::computed,
                                                         .help = "two values",
                                                         .computed = &chosen_type,
                                                         .computed_help = "the type that is asked for"}};
  static constexpr std::array parameters{
      parameter_description{
          "low", parameter_kind::number, "auto", "least value inside; auto: no bound", {}, any_number},
      parameter_description{
          "high", parameter_kind::number, "auto", "greatest value inside; auto: no bound", {}, any_number},
      parameter_description{
          "inside", parameter_kind::number, "1", "the result from low to high", {}, any_number},
      parameter_description{"outside", parameter_kind::number, "0", "the result elsewhere", {}, any_number},
      type_parameter("bool")};
  static constexpr operator_description about{
      .name = "binary_threshold",
      .verb = "binary-threshold",
      .group = "points",
      .pattern = "map",
      .brief = "One value from low to high, another elsewhere.",
      .notes = "It is ITK's BinaryThresholdImageFilter. NaN is outside of every interval.",
      .inputs = inputs,
      .outputs = outputs,
      .parameters = parameters,
      .each_channel = true,
      .hidden = true,
      .in_pieces = false,
      .formula = "binary(p) = inside if low <= f(p) <= high, else outside"};

  /// Integers of one size share their code. Where the output is wider than a byte, a mask comes first: fewer
  /// pairs of types.
  template <class T, class Engine>
  static void run(Engine& engine, const call& call) {
    using pixel = typename plain_pixel<T>::type;
    if constexpr (!std::is_same_v<T, pixel>) {
      run<pixel>(engine, call);
    } else {
      const auto given = settings_of(call);
      const auto image = input<T>(engine, call, 0);
      const closed_interval<T> inside(given.low, given.high);
      if (given.bytes == 1) {
        mark(engine, output<std::uint8_t>(engine, call, 0), inside, given, image);
      } else if constexpr (sizeof(T) == 1) {
        spread(engine, call, inside, given, image);
      } else {
        const auto mask = temporary<std::uint8_t>(engine, image);
        mark(engine, mask.image(), inside, {.inside = 1, .outside = 0}, image);
        spread(engine, call, {1, 1}, given, mask.reading());
      }
    }
  }

  /// Integers of both signs wrap around in the same way.
  template <class T>
  struct closed_interval {
    T low, extent;
    closed_interval(std::uint64_t first, std::uint64_t last)
        : low(static_cast<T>(first)), extent(static_cast<T>(last - first)) {}
    MACAREU_HD bool contains(T value) const { return static_cast<T>(value - low) <= extent; }
  };
  template <class T>
  requires std::is_floating_point_v<T>
  struct closed_interval<T> {
    T low, high;
    closed_interval(std::uint64_t first, std::uint64_t last)
        : low(std::bit_cast<T>(static_cast<key_of<T>>(first))),
          high(std::bit_cast<T>(static_cast<key_of<T>>(last))) {}
    MACAREU_HD bool contains(T value) const { return low <= value && value <= high; }
  };

  template <class T, class Out>
  struct either {
    closed_interval<T> interval;
    Out inside, outside;
    MACAREU_HD Out operator()(site, T value) const { return interval.contains(value) ? inside : outside; }
  };

 private:
  /// As bits.
  struct settings {
    std::uint64_t low = 0, high = 0, inside, outside;
    std::size_t bytes = 1;
  };
  static settings settings_of(const call& call) {
    const auto type = call.outputs[0].type();
    const auto found = interval_bits(call.quantity("low"), call.quantity("high"), call.inputs[0].type());
    const auto outside = pixel_bits(call.quantity("outside"), type);
    if (!found) return {.inside = outside, .outside = outside, .bytes = size_of(type)};
    return {found->low, found->high, pixel_bits(call.quantity("inside"), type), outside, size_of(type)};
  }

  template <class T, class Engine>
  static void mark(Engine& engine, const image_in<Engine, std::uint8_t>& out,
                   const closed_interval<T>& interval, const settings& given,
                   const image_in<Engine, const T>& image) {
    engine.map(either<T, std::uint8_t>{interval, static_cast<std::uint8_t>(given.inside),
                                       static_cast<std::uint8_t>(given.outside)},
               out, image);
  }

  template <class Engine>
  static void spread(Engine& engine, const call& call, const closed_interval<std::uint8_t>& interval,
                     const settings& given, const image_in<Engine, const std::uint8_t>& mask) {
    const auto to = [&]<class Bits>(std::type_identity<Bits>) {
      engine.map(either<std::uint8_t, Bits>{interval, static_cast<Bits>(given.inside),
                                            static_cast<Bits>(given.outside)},
                 output<Bits>(engine, call, 0), mask);
    };
    if (given.bytes == 2)
      to(std::type_identity<std::uint16_t>{});
    else if (given.bytes == 4)
      to(std::type_identity<std::uint32_t>{});
    else
      to(std::type_identity<std::uint64_t>{});
  }
};

}  // namespace macareu::operators
