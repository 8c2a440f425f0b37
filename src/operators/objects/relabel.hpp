#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "core/call.hpp"
#include "operators/common/parameters.hpp"
#include "operators/objects/label_images.hpp"
#include "operators/objects/selection.hpp"
#include "operators/objects/sparse_labels.hpp"
#include "patterns/images.hpp"

namespace macareu::operators {

struct relabel {
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
      min_size_parameter, max_size_parameter, largest_parameter, clear_border_parameter,
      parameter_description{
          "order", parameter_kind::choice, "first",
          "of the new numbers: by first pixels, by size with the largest first, or by the old "
          "numbers, which also decide between equal sizes",
          "first|size|label"}};
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
      .check = &check_selection,
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
    call.work.report.count = static_cast<std::int64_t>(select_objects(engine, call, wanted, greatest, out));
  }
};

}  // namespace macareu::operators
