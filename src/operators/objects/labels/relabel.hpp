#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <type_traits>
#include <utility>

#include "core/call.hpp"
#include "core/pixel_types.hpp"
#include "operators/common/parameters.hpp"
#include "operators/common/spacing.hpp"
#include "operators/common/tuning.hpp"
#include "operators/objects/labels/column_ranges.hpp"
#include "operators/objects/labels/label_images.hpp"
#include "operators/objects/labels/selection.hpp"
#include "operators/objects/labels/sparse_labels.hpp"
#include "operators/objects/measures/intensities.hpp"
#include "operators/objects/measures/object_sums.hpp"
#include "operators/objects/measures/object_table.hpp"
#include "patterns/images.hpp"
#include "patterns/map.hpp"
#include "patterns/object_numbers.hpp"

namespace macareu::operators {

struct relabel {
  static void check_parameters(const call& call) {
    check_selection(call);
    check_spacing(call);
    kept_ranges(call);
  }

  static dtype type(const arguments&, dtype labels, const extents&) {
    return labels == dtype::u64 ? dtype::u64 : dtype::u32;
  }

  static constexpr std::array inputs{
      input_description{.name = "labels", .help = "the number of every pixel's object"},
      input_description{.name = "intensity",
                        .help = "an image of any type whose values are measured in each object",
                        .own_type = true,
                        .optional = true,
                        .by_option = true}};
  static constexpr std::array outputs{output_description{.name = "result",
                                                         .type = output_description::type_rule::computed,
                                                         .help = "the new numbers, 0 outside of objects",
                                                         .computed = &type,
                                                         .computed_help = "u64 of labels of u64, else u32"}};
  static constexpr std::array parameters{
      min_size_parameter,
      max_size_parameter,
      largest_parameter,
      clear_border_parameter,
      parameter_description{
          "order", parameter_kind::choice, "first",
          "of the new numbers: by first pixels, by size with the largest first, or by the old "
          "numbers, which also decide between equal sizes",
          "first|size|label"},
      parameter_description{
          "keep", parameter_kind::text, "all",
          "objects in ranges of columns of measure: 'area 8:375, intensity_mean :90' includes both ends, and "
          "an end may be left out"},
      spacing_parameter};
  static constexpr operator_description about{
      .name = "relabel",
      .verb = "relabel",
      .group = "objects",
      .pattern = "tally",
      .brief = "Numbers the objects of a label image anew, and drops some.",
      .notes =
          "Pixels of one number are one object, whether or not they touch. Zero and negative numbers are "
          "outside. The new numbers are 1..n, by default in the raster order of first pixels.",
      .inputs = inputs,
      .outputs = outputs,
      .parameters = parameters,
      .takes_labels = true,
      .gives_labels = true,
      .check = &check_parameters,
      .reads_in_pieces = {3},
      .formula =
          "result(p) = rank of the object of p among the kept objects, in the given order; 0 where it is "
          "dropped",
      .peers = {.skimage = "segmentation.relabel_sequential",
                .itk = "RelabelComponentImageFilter",
                .diplib = "Relabel"}};

  static bool is_usual(const call& call) { return call.choice("keep") == "all"; }

  template <class T, class Engine>
  static void run_usual(Engine& engine, const call& call) {
    const object_selection wanted(call);
    const auto out = output<number<T>>(engine, call, 0);
    const auto greatest = copy_numbers<T>(engine, call, out);
    call.work.report.count = static_cast<std::int64_t>(select_objects(engine, call, wanted, greatest, out));
  }

  template <class T, class Engine>
  static void run(Engine& engine, const call& call) {
    const auto ranges = kept_ranges(call);
    if (ranges.empty()) return run_usual<T>(engine, call);
    const object_selection wanted(call);
    const bool weighed = std::ranges::any_of(ranges, &column_range::of_intensity);
    const auto scale = weighed ? scale_in_objects<T>(engine, call) : intensity_scale{};
    const auto out = output<number<T>>(engine, call, 0);
    const auto greatest = copy_numbers<T>(engine, call, out);
    auto same = object_numbers<number<T>>(engine, static_cast<std::size_t>(greatest) + 1);
    measure(engine, call, weighed, scale, greatest, out.reading(), [&](const table& objects) {
      over_labels_in_ranges(objects, ranges, [&](std::uint64_t label) {
        same[static_cast<std::size_t>(label)] = static_cast<number<T>>(label);
      });
    });
    engine.recode(out, std::move(same));
    call.work.report.count = static_cast<std::int64_t>(select_objects(engine, call, wanted, greatest, out));
  }

 private:
  template <class T>
  using number = std::conditional_t<std::is_same_v<T, std::uint64_t>, T, std::uint32_t>;

  /// The labels, or consecutive numbers where they are too large to be places in a list. Returns the
  /// greatest.
  template <class T, class Engine, class Image>
  static std::uint64_t copy_numbers(Engine& engine, const call& call, const Image& out) {
    const auto greatest = greatest_label<T>(engine, call);
    if (greatest < most_rows(out.whole().pixels()))
      engine.map(label_as<number<T>>{}, out, input<T>(engine, call, 0));
    else if constexpr (std::is_integral_v<T> && sizeof(T) >= 4)
      return number_sparse_labels<T, number<T>>(engine, call, greatest, out, input<T>(engine, call, 0));
    return greatest;
  }

  /// visit(intensities) as the widest type of their kind, so that sums are compiled for three types. They are
  /// those of the image: the same numbers, and the same bits of a table.
  template <class Engine, class Visit>
  static void with_intensities(Engine& engine, const call& call, const Visit& visit) {
    with_pixel_type(call.inputs[1].type(), [&]<class V>(std::type_identity<V>) {
      using wide = std::conditional_t<std::is_floating_point_v<V>, double,
                                      std::conditional_t<std::is_signed_v<V>, std::int64_t, std::uint64_t>>;
      const auto given = input<V>(engine, call, 1);
      const auto values = temporary<wide>(engine, given);
      engine.map(as_type<wide>{}, values.image(), given);
      visit(values.reading());
    });
  }
  /// Refuses what has no mean, before anything is written.
  template <class T, class Engine>
  static intensity_scale scale_in_objects(Engine& engine, const call& call) {
    const auto labels = input<T>(engine, call, 0);
    const auto inside = temporary<std::uint8_t>(engine, labels);
    engine.map(in_any_object<std::uint8_t>{}, inside.image(), labels);
    intensity_scale scale;
    with_intensities(engine, call,
                     [&](const auto& values) { scale = scale_of(engine, call, inside.reading(), values); });
    return scale;
  }

  /// take(part of the table of all objects)
  template <class Engine, class Image>
  static void measure(Engine& engine, const call& call, bool weighed, intensity_scale scale,
                      std::uint64_t greatest, const Image& labels,
                      const std::function<void(const table&)>& take) {
    if constexpr (std::is_same_v<pixel_of<Image>, std::uint32_t>) {
      const object_form form{.rank = call.rank(),
                             .intensity = weighed,
                             .spacing = spacing_of(call),
                             .per_value = scale.per_value,
                             .threads = engine.lend_threads(static_cast<std::int64_t>(greatest) *
                                                            tuning::pixels_worth_an_object)};
      if (!weighed) return describe<std::uint8_t>(engine, form, greatest, take, labels);
      with_intensities(engine, call, [&](const auto& values) {
        describe<pixel_of<std::remove_cvref_t<decltype(values)>>>(engine, form, greatest, take, labels,
                                                                  values);
      });
    } else {
      const auto numbers = temporary<std::uint32_t>(engine, labels);
      engine.map(as_type<std::uint32_t>{}, numbers.image(), labels);
      measure(engine, call, weighed, scale, greatest, numbers.reading(), take);
    }
  }
  /// V is the type of intensities.
  template <class V, class Engine, class Labels, class... Intensity>
  static void describe(Engine& engine, const object_form& form, std::uint64_t greatest,
                       const std::function<void(const table&)>& take, const Labels& labels,
                       const Intensity&... intensity) {
    const auto in = [&]<int Rank>(std::integral_constant<int, Rank>) {
      constexpr bool weighed = sizeof...(Intensity) > 0;
      const object_sums<Rank, weighed> rule{{form.per_value}};
      const auto rows = engine.tally(rule, greatest, labels, intensity...);
      describe_in_parts(objects_of<V, Rank, weighed>(rows), form, take, [&] { release_rows(rows); });
    };
    if (form.rank == 2)
      in(std::integral_constant<int, 2>{});
    else
      in(std::integral_constant<int, 3>{});
  }
};

}  // namespace macareu::operators
