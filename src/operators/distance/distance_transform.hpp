#pragma once

#include <array>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include <macareu/error.hpp>

#include "core/call.hpp"
#include "core/pixel_types.hpp"
#include "operators/common/masks.hpp"
#include "operators/common/parameters.hpp"
#include "operators/distance/nearest.hpp"
#include "operators/distance/transforms.hpp"
#include "patterns/images.hpp"

namespace macareu::operators {

struct distance_transform {
  static constexpr std::size_t indices = 1, labels = 2;

  static void check(const call& call) {
    const auto refuse = [](std::vector<error_part> what) {
      throw call_error(
          {.kind = fault::conflict, .operation = "distance_transform", .parts = std::move(what)});
    };
    const bool places = call.wants(indices) || call.wants(labels);
    if (places && call.flag("signed")) refuse({"signed distances have no indices or labels"});
    if (call.wants(labels) && !call.flag("invert"))
      refuse({"labels need ", parameter_named("invert"), ": they are values of pixels that are not zero"});
    if (call.wants(labels) && propagates(call.values)) refuse({"labels need method exact"});
    if (!propagates(call.values) && call.work.how.strategy != "auto")
      refuse({"a strategy needs method propagation"});
  }

  static constexpr std::array inputs{input_description{"image", "binary: zero or not"}};
  static constexpr std::array outputs{
      output_description{
          .name = "distance",
          .type = output_description::type_rule::computed,
          .help = "distance to the nearest zero pixel",
          .computed = &distance_type,
          .computed_help =
              "f32 or f64; squared: u32, or u64 where that is too small, i64 where signed, or f64 "
              "where spacing is fractional"},
      output_description{.name = "indices",
                         .type = output_description::type_rule::computed,
                         .help = "index of the nearest zero pixel, as of nearest_site",
                         .computed = &site_index_type,
                         .computed_help = "i64",
                         .optional = true},
      output_description{
          .name = "labels",
          .type = output_description::type_rule::same_as_input,
          .help = "with invert: value of the nearest pixel that is not zero, as of nearest_label",
          .optional = true}};
  static constexpr std::array parameters{
      metric_parameter,
      spacing_parameter,
      parameter_description{"squared", parameter_kind::flag, "false",
                            "squares of euclidean distances, without rounding"},
      parameter_description{"signed", parameter_kind::flag, "false",
                            "zero pixels get minus the distance to the nearest pixel that is not zero"},
      parameter_description{"type", parameter_kind::choice, "standard",
                            "pixel type where not squared; standard is f32", "standard|f32|f64"},
      invert_parameter,
      max_distance_parameter,
      parameter_description{"method", parameter_kind::choice, "exact",
                            "exact, or approximate from neighbour to neighbour, which on cuda has the "
                            "strategies megapixel (auto), queue, sweep and diagonal",
                            "exact|propagation"},
      connectivity_parameter("full",
                             "neighbours of method propagation: 4, 8 (images), 6, 18, 26 (volumes), face, "
                             "edge or full")};
  static constexpr operator_description about{
      .name = "distance_transform",
      .verb = "distance",
      .group = "distance",
      .pattern = "general_wave",
      .brief = "Distance of every pixel to the nearest zero pixel, exactly.",
      .notes =
          "Zero pixels get 0. The euclidean transform is exact: SciPy's distance_transform_edt, whose "
          "sampling is spacing here. Whole spacing is computed in integers, fractional spacing in f64. "
          "City-block and chessboard distances count decimal steps (0.7), and any step that all axes share "
          "(1/3), in integers; they are rounded once. Other city-block steps are slow where zero pixels are "
          "few. Without a zero pixel the distance is infinity, or the type's maximum for integers, and the "
          "index is -1; the same holds beyond max_distance. Signed is distance_transform(f) - "
          "distance_transform(not f). Method propagation hands sites from neighbour to neighbour "
          "(Danielsson). Some of its distances are too long, none too short. They may differ between "
          "devices and strategies; serial and cpu agree. It has no labels.",
      .inputs = inputs,
      .outputs = outputs,
      .parameters = parameters,
      .check = &check,
      .formula =
          "D(p) = min over q with f(q) = 0 of |p - q|; euclidean: |d| = sqrt(sum of (spacing_i d_i)^2), "
          "city_block: sum of spacing_i |d_i|, chessboard: max of spacing_i |d_i|",
      .peers = {.scipy = "ndimage.distance_transform_edt, ndimage.distance_transform_cdt",
                .itk = "SignedMaurerDistanceMapImageFilter",
                .matlab = "bwdist",
                .opencv = "distanceTransform",
                .diplib = "EuclideanDistanceTransform"}};

  /// Signs do not matter here: pixels are copied and compared with zero.
  template <class T>
  using code_type = without_sign<T>;

  /// Of images in memory: distances in f32 between square pixels, or such of near objects with their labels.
  static bool is_usual(const call& call) {
    if (call.rank() != 2 || propagates(call.values) || call.flag("signed") || call.wants(indices) ||
        call.outputs[0].type() != dtype::f32)
      return false;
    const auto plan = distance_axes(call).plan();
    const bool bytes = is_byte(call.inputs[0].type());
    if (!call.wants(labels)) return bytes && is_planar(plan) && has_short_columns(call.inputs[0].shape());
    return !bytes && finds_near(plan) && has_dense_rows(call.inputs[0]) && has_dense_rows(call.outputs[0]) &&
           has_dense_rows(call.outputs[labels]);
  }

  template <class T, class Engine>
  static void run_usual(Engine& engine, const call& call) {
    const distance_axes axes(call);
    const auto image = axes.of(plain(input<T>(engine, call, 0)));
    if constexpr (!std::is_same_v<T, std::uint32_t>)
      planar_distances(engine, axes.plan(), !call.flag("invert"), image,
                       axes.of(output<float>(engine, call, 0)));
    else if constexpr (searches_near<Engine>)
      finds_near_objects(engine, call, axes, image);  // is_usual has checked what it depends on
    else
      run<T>(engine, call);
  }

  template <class T, class Engine>
  static void run(Engine& engine, const call& call) {
    const distance_axes axes(call, propagates(call.values));
    const auto image = axes.of(plain(input<T>(engine, call, 0)));
    if constexpr (std::is_same_v<T, std::uint32_t>)
      if (finds_near_objects(engine, call, axes, image)) return;
    with_bytes(engine, image, [&](const auto& sites) {
      measure(engine, call, axes, sites);
      if (call.wants(labels))
        carry_nearest(engine, axes.plan(), false, sites,
                      carried_images{axes.of(as_bits(output<T>(engine, call, labels))), as_bits(image)});
    });
  }

 private:
  /// Distances and labels within a few pixels, where the engine has a search for them.
  template <class Engine, class Image>
  static bool finds_near_objects(Engine& engine, const call& call, const distance_axes& axes,
                                 const Image& image) {
    if constexpr (searches_near<Engine>)
      if (call.wants(labels) && !call.wants(indices) && call.outputs[0].type() == dtype::f32 &&
          finds_near(axes.plan()))
        return engine.near_objects(range_of<std::uint32_t>(axes.plan()).limit,
                                   axes.of(output<float>(engine, call, 0)),
                                   axes.of(output<std::uint32_t>(engine, call, labels)), image);
    return false;
  }

  static bool finds_near(const distance_plan& plan) {
    return is_planar(plan) && range_of<std::uint32_t>(plan).limit <= largest_near_square;
  }
  static bool is_byte(dtype type) { return type == dtype::boolean || type == dtype::u8 || type == dtype::i8; }
  static bool has_dense_rows(const auto& image) { return image.steps()[1] == 1; }

  template <class Visit>
  static void with_type_of_distances(dtype type, Visit&& visit) {
    if (type == dtype::f32) return visit(std::type_identity<float>{});
    if (type == dtype::f64) return visit(std::type_identity<double>{});
    if (type == dtype::u32) return visit(std::type_identity<std::uint32_t>{});
    if (type == dtype::u64) return visit(std::type_identity<std::uint64_t>{});
    visit(std::type_identity<std::int64_t>{});
  }

  template <class Engine>
  static void measure(Engine& engine, const call& call, const distance_axes& axes,
                      const image_in<Engine, const std::uint8_t>& image) {
    with_type_of_distances(call.outputs[0].type(), [&]<class Out>(std::type_identity<Out>) {
      const auto out = axes.of(output<Out>(engine, call, 0));
      const bool zeros = !call.flag("invert");
      transform<Out>(engine, call, axes, zeros, image, out, call.wants(indices));
      if constexpr (std::is_signed_v<Out>) {
        if (!call.flag("signed")) return;
        const auto inside = temporary<Out>(engine, out);
        transform<Out>(engine, call, axes, !zeros, image, inside.image(), false);
        engine.map(outside_minus_inside{}, out, out.reading(), inside.reading());
      }
    });
  }

  template <class Out, class Engine>
  static void transform(Engine& engine, const call& call, const distance_axes& axes, bool zeros,
                        const image_in<Engine, const std::uint8_t>& image, const image_in<Engine, Out>& out,
                        bool with_indices) {
    if (!propagates(call.values)) {
      exact_distances(engine, axes.plan(), zeros, image, out);
      if (with_indices)
        nearest_indices(engine, axes.plan(), zeros, image,
                        axes.of(output<std::int64_t>(engine, call, indices)));
      return;
    }
    const auto sites = temporary<packed_site>(engine, image);
    propagated_distances(engine, axes.plan(), call.near(), zeros, image, sites.image(), out);
    if (with_indices)
      engine.map(index_of_site{image.whole()}, output<std::int64_t>(engine, call, indices), sites.reading());
  }
};

}  // namespace macareu::operators
