#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/call.hpp"
#include "operators/common/parameters.hpp"
#include "patterns/images.hpp"
#include "patterns/map.hpp"

namespace macareu::operators {

struct signed_distance {
  static constexpr std::array taken{dtype::u32, dtype::u64, dtype::f32, dtype::f64};
  static dtype result_type(const arguments&, dtype input, const extents&) {
    return input == dtype::f32 ? dtype::f32 : dtype::f64;
  }

  static constexpr std::array inputs{
      input_description{"distances", "of distance_transform, whose greatest value says that there is none"},
      input_description{.name = "objects", .help = "where the sign changes", .mask = true}};
  static constexpr std::array outputs{output_description{.name = "result",
                                                         .type = output_description::type_rule::computed,
                                                         .help = "the distances with a sign",
                                                         .computed = &result_type,
                                                         .computed_help = "f32 of f32, else f64"}};
  static constexpr std::array parameters{
      parameter_description{
          "nowhere", parameter_kind::number, "", "the result where there is no distance", {}, any_number},
      parameter_description{"negative", parameter_kind::choice, "inside",
                            "where distances are negative: inside of objects, outside of them, or nowhere",
                            "inside|outside|none"},
      parameter_description{"sign_nowhere", parameter_kind::flag, "true",
                            "whether `nowhere` gets a sign too"}};
  static constexpr operator_description about{
      .name = "signed_distance",
      .verb = "signed-distance",
      .group = "distance",
      .pattern = "map",
      .brief = "Distances with the sign and the greatest value of ITK's SignedMaurerDistanceMapImageFilter.",
      .notes = "A distance of 0 has a sign too: -0.",
      .inputs = inputs,
      .outputs = outputs,
      .parameters = parameters,
      .types = taken,
      .hidden = true,
      .in_pieces = false};

  template <class T, class Engine>
  static void run(Engine& engine, const call& call) {
    using real = std::conditional_t<std::is_same_v<T, float>, float, double>;
    const with_sign<real> rule{static_cast<real>(call.quantity("nowhere").to_double()),
                               !call.chosen("negative", "none"), call.chosen("negative", "inside"),
                               call.flag("sign_nowhere")};
    engine.map(rule, output<real>(engine, call, 0), input<T>(engine, call, 0),
               input<std::uint8_t>(engine, call, 1));
  }

  template <class Real>
  struct with_sign {
    Real nowhere;
    bool has_sign, inside_is_negative, sign_nowhere;

    template <class T>
    MACAREU_HD Real operator()(site, T distance, std::uint8_t object) const {
      const bool none = distance >= std::numeric_limits<T>::max();
      const Real size = none ? nowhere : static_cast<Real>(distance);
      const bool negative = has_sign && (object != 0) == inside_is_negative && (sign_nowhere || !none);
      return negative ? -size : size;
    }
  };
};

}  // namespace macareu::operators
