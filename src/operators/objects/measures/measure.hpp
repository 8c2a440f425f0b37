#pragma once

#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/call.hpp"
#include "core/pixel_types.hpp"
#include "operators/common/parameters.hpp"
#include "operators/common/spacing.hpp"
#include "operators/common/tuning.hpp"
#include "operators/objects/labels/label_images.hpp"
#include "operators/objects/measures/intensities.hpp"
#include "operators/objects/measures/object_table.hpp"
#include "patterns/images.hpp"
#include "patterns/object_numbers.hpp"
#include "patterns/tally_share.hpp"

namespace macareu::operators {

struct measure {
  static void check_columns(const call& call) {
    check_spacing(call);
    if (call.inputs.size() == 1 && call.chosen("columns", "intensity"))
      throw call_error({.kind = fault::missing,
                        .operation = "measure",
                        .parts = {parameter_named("columns"), " intensity: expected the image ",
                                  input_named("intensity"), ", got none"},
                        .given = "none",
                        .allowed = "an image"});
  }

  static constexpr std::array inputs{
      input_description{.name = "labels", .help = "the number of every pixel's object"},
      input_description{.name = "intensity",
                        .help = "an image of any type whose values are measured in each object",
                        .own_type = true,
                        .optional = true,
                        .by_option = true}};
  static constexpr std::array parameters{
      spacing_parameter,
      parameter_description{"columns", parameter_kind::choice, "all",
                            "all columns, or those of intensities or sizes alone, which is faster",
                            "all|intensity|size"}};
  static constexpr operator_description about{
      .name = "measure",
      .verb = "measure",
      .group = "objects",
      .pattern = "tally",
      .brief = "Describes the objects of a label image: size, place, shape, intensity.",
      .notes =
          "The table has one row for each number above 0. Columns have the names and meaning of "
          "scikit-image's regionprops_table where it has them; area is the volume in volumes. Sums are "
          "integers, so every device gives the same bits. Intensities of integers of up to 32 bits are "
          "exact; others are rounded to 2^-43 of the largest among the objects. The reference page \"object "
          "tables\" describes all columns.",
      .inputs = inputs,
      .outputs = {},
      .parameters = parameters,
      .table = "one row an object",
      .takes_labels = true,
      .check = &check_columns,
      .reads_in_pieces = {2},
      .formula = "moments of an object: m_{ijk} = sum over its pixels of z^i y^j x^k",
      .peers = {.skimage = "measure.regionprops_table",
                .scipy = "ndimage.sum_labels, ndimage.center_of_mass",
                .itk = "LabelImageToShapeLabelMapFilter, LabelImageToStatisticsLabelMapFilter",
                .matlab = "regionprops, regionprops3",
                .opencv = "connectedComponentsWithStats",
                .diplib = "MeasurementTool"}};

  /// Shapes in images, or intensities of u16.
  static bool is_usual(const call& call) {
    if (call.chosen("columns", "size")) return false;
    return call.inputs.size() == 1
               ? call.rank() == 2
               : call.chosen("columns", "intensity") && call.inputs[1].type() == dtype::u16;
  }

  template <class T, class Engine>
  static void run_usual(Engine& engine, const call& call) {
    const auto greatest = greatest_row<T>(engine, call);
    const auto labels = input<T>(engine, call, 0);
    auto form = form_of(engine, call, greatest);
    if (call.inputs.size() == 1) return tell<std::uint8_t, 2>(engine, call, form, greatest, labels);
    form.intensity = true;
    tell_intensities<std::uint16_t>(engine, call, form, greatest, labels,
                                    input<std::uint16_t>(engine, call, 1));
  }

  template <class T, class Engine>
  static void run(Engine& engine, const call& call) {
    const auto greatest = greatest_row<T>(engine, call);
    const auto given = input<T>(engine, call, 0);
    if constexpr (std::is_same_v<T, std::uint32_t>) {
      measure_labels(engine, call, greatest, given);
    } else if constexpr (!std::is_floating_point_v<T>) {
      const auto labels = temporary<std::uint32_t>(engine, given);
      engine.map(label_as<std::uint32_t>{}, labels.image(), given);
      measure_labels(engine, call, greatest, labels.reading());
    }
  }

 private:
  template <class T, class Engine>
  static std::uint64_t greatest_row(Engine& engine, const call& call) {
    const auto greatest = greatest_label<T>(engine, call);
    if (greatest >= most_rows(call.inputs[0].shape().pixels()))
      throw too_large(call, greatest, "; number its objects 1..n with relabel first");
    return greatest;
  }

  template <class Engine>
  static object_form form_of(Engine& engine, const call& call, std::uint64_t greatest) {
    return {
        .rank = call.rank(),
        .shape = call.chosen("columns", "all"),
        .spacing = spacing_of(call),
        .threads = engine.lend_threads(static_cast<std::int64_t>(greatest) * tuning::pixels_worth_an_object)};
  }

  template <class Engine>
  static void measure_labels(Engine& engine, const call& call, std::uint64_t greatest,
                             const image_in<Engine, const std::uint32_t>& labels) {
    auto form = form_of(engine, call, greatest);
    if (call.chosen("columns", "size")) {
      const auto sums = tally_to_describe(engine, object_size{}, greatest, labels);
      return tell(call, form, sums.rows, sized_objects_of(sums.rows, sums.before),
                  room_for_objects(sums.count, form));
    }
    if (call.inputs.size() == 1) {
      if (form.rank == 2)
        tell<std::uint8_t, 2>(engine, call, form, greatest, labels);
      else
        tell<std::uint8_t, 3>(engine, call, form, greatest, labels);
      return;
    }
    with_pixel_type(call.inputs[1].type(), [&]<class V>(std::type_identity<V>) {
      const auto intensity = input<V>(engine, call, 1);
      form.intensity = true;
      form.per_value = scale_of(engine, call, labels, intensity).per_value;
      if (!form.shape)
        tell_intensities<V>(engine, call, form, greatest, labels, intensity);
      else if (form.rank == 2)
        tell<V, 2>(engine, call, form, greatest, labels, intensity);
      else
        tell<V, 3>(engine, call, form, greatest, labels, intensity);
    });
  }

  template <class V, int Rank, class Engine, class... Intensity>
  static void tell(Engine& engine, const call& call, const object_form& form, std::uint64_t greatest,
                   const image_in<Engine, const std::uint32_t>& labels, const Intensity&... intensity) {
    constexpr bool weighed = sizeof...(Intensity) > 0;
    const object_sums<Rank, weighed> rule{{form.per_value}};
    const auto sums = tally_to_describe(engine, rule, greatest, labels, intensity...);
    auto room = room_for_objects(sums.count, form);  // overlaps with an engine that still computes the rows
    tell(call, form, sums.rows, objects_of<V, Rank, weighed>(sums.rows, sums.before), std::move(room));
  }
  template <class V, class Engine>
  static void tell_intensities(Engine& engine, const call& call, const object_form& form,
                               std::uint64_t greatest, const image_in<Engine, const std::uint32_t>& labels,
                               const image_in<Engine, const V>& intensity) {
    const auto sums =
        tally_to_describe(engine, object_intensities{{form.per_value}}, greatest, labels, intensity);
    auto room = room_for_objects(sums.count, form);
    tell(call, form, sums.rows, weighed_objects_of<V>(sums.rows, sums.before), std::move(room));
  }
  template <class Rows>
  static void tell(const call& call, const object_form& form, const Rows& rows, const summed_objects& objects,
                   table room) {
    if (call.work.take_rows) {
      call.work.report.count =
          describe_in_parts(objects, form, *call.work.take_rows, [&rows] { release_rows(rows); });
      return;
    }
    *call.result = describe_objects(objects, form, std::move(room));
    call.work.report.count = static_cast<std::int64_t>(call.result->rows());
  }
};

}  // namespace macareu::operators
