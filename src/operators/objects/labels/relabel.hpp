#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <type_traits>
#include <utility>

#include "core/call.hpp"
#include "operators/common/parameters.hpp"
#include "operators/common/tuning.hpp"
#include "operators/objects/labels/column_ranges.hpp"
#include "operators/objects/labels/label_images.hpp"
#include "operators/objects/labels/selection.hpp"
#include "operators/objects/labels/sparse_labels.hpp"
#include "operators/objects/measures/object_sums.hpp"
#include "operators/objects/measures/object_table.hpp"
#include "patterns/images.hpp"
#include "patterns/map.hpp"
#include "patterns/object_numbers.hpp"

namespace macareu::operators {

struct relabel {
  static void check_parameters(const call& call) {
    check_selection(call);
    kept_ranges(call);
  }

  static dtype type(const arguments&, dtype labels, const extents&) {
    return labels == dtype::u64 ? dtype::u64 : dtype::u32;
  }

  static constexpr std::array inputs{input_description{"labels", "the number of every pixel's object"}};
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
          "objects in ranges of columns of measure, without intensities and in pixels: "
          "'area 8:375, eccentricity :0.9' includes both ends, and an end may be left out"}};
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
      .formula =
          "result(p) = rank of the object of p among the kept objects, in the given order; 0 where it is "
          "dropped",
      .peers = {.skimage = "segmentation.relabel_sequential",
                .itk = "RelabelComponentImageFilter",
                .diplib = "Relabel"}};

  template <class T, class Engine>
  static void run(Engine& engine, const call& call) {
    using number = std::conditional_t<std::is_same_v<T, std::uint64_t>, T, std::uint32_t>;
    const object_selection wanted(call);
    const auto out = output<number>(engine, call, 0);
    auto greatest = greatest_label<T>(engine, call);
    const bool sparse = greatest >= most_rows(out.whole().pixels());
    if (!sparse)
      engine.map(label_as<number>{}, out, input<T>(engine, call, 0));
    else if constexpr (std::is_integral_v<T> && sizeof(T) >= 4)
      greatest = number_sparse_labels<T, number>(engine, call, greatest, out, input<T>(engine, call, 0));
    if (const auto ranges = kept_ranges(call); !ranges.empty()) {
      auto same = object_numbers<number>(engine, static_cast<std::size_t>(greatest) + 1);
      measure(engine, call, greatest, out.reading(), [&](const table& objects) {
        over_labels_in_ranges(objects, ranges, [&](std::uint64_t label) {
          same[static_cast<std::size_t>(label)] = static_cast<number>(label);
        });
      });
      engine.recode(out, std::move(same));
    }
    call.work.report.count = static_cast<std::int64_t>(select_objects(engine, call, wanted, greatest, out));
  }

 private:
  /// take(part of the table of all objects)
  template <class Engine, class Image>
  static void measure(Engine& engine, const call& call, std::uint64_t greatest, const Image& labels,
                      const std::function<void(const table&)>& take) {
    if constexpr (std::is_same_v<pixel_of<Image>, std::uint32_t>) {
      if (call.rank() == 2)
        measure<2>(engine, greatest, labels, take);
      else
        measure<3>(engine, greatest, labels, take);
    } else {
      const auto numbers = temporary<std::uint32_t>(engine, labels);
      engine.map(as_type<std::uint32_t>{}, numbers.image(), labels);
      measure(engine, call, greatest, numbers.reading(), take);
    }
  }
  template <int Rank, class Engine, class Image>
  static void measure(Engine& engine, std::uint64_t greatest, const Image& labels,
                      const std::function<void(const table&)>& take) {
    const object_form form{
        .rank = Rank,
        .threads = engine.lend_threads(static_cast<std::int64_t>(greatest) * tuning::pixels_worth_an_object)};
    const auto rows = engine.tally(object_sums<Rank, false>{}, greatest, labels);
    describe_in_parts(objects_of<std::uint8_t, Rank, false>(rows), form, take, [&] { release_rows(rows); });
  }
};

}  // namespace macareu::operators
