#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/call.hpp"
#include "core/ceil_div.hpp"
#include "core/key_map.hpp"
#include "operators/common/block_rules.hpp"
#include "operators/common/checks.hpp"
#include "operators/common/scaling.hpp"
#include "patterns/gather.hpp"
#include "patterns/images.hpp"

namespace macareu::operators {

struct reduce {
  static extents reduced_shape(const arguments& all, const extents& input) {
    auto sizes = factors(std::get<std::vector<number>>(all.at("factor")), input.rank());
    for (int axis = 0; axis < input.rank(); ++axis) {
      auto& size = sizes[static_cast<std::size_t>(axis)];
      size = ceil_div(input[axis], size);
    }
    return extents(std::span<const std::int64_t>(sizes).first(static_cast<std::size_t>(input.rank())));
  }
  static void check_factor(const call& call) { factors(call.list<number>("factor"), call.rank()); }

  static constexpr std::array inputs{input_description{"image", "grey or colour"}};
  static constexpr std::array outputs{output_description{.name = "reduced",
                                                         .type = output_description::type_rule::same_as_input,
                                                         .help = "the smaller image",
                                                         .shape = &reduced_shape}};
  static constexpr std::array parameters{
      parameter_description{
          .name = "factor",
          .kind = parameter_kind::numbers,
          .default_text = "2",
          .help = "size of a block: one whole number for each axis of the array, or one for all",
          .above = 1,
          .or_equal = true,
          .whole = true,
          .is_scale = true},
      parameter_description{
          "method", parameter_kind::choice, "mean",
          "what stands for a block: its mean, the pixel nearest to its middle, or its maximum",
          "mean|nearest|max"}};
  static constexpr operator_description about{
      .name = "reduce",
      .verb = "reduce",
      .group = "points",
      .pattern = "gather",
      .brief = "Makes an image smaller by a whole factor: one pixel for each block.",
      .notes =
          "The last block along an axis has the pixels that are left. Means of integers are exact and halves "
          "are rounded up; floats are added in f64, in raster order. Of a bool image the mean is true where "
          "at least half of the block is. The pixel nearest to the middle is the first of equals. The maximum "
          "refuses NaN. Factor 2 gives the levels of pyramids that the command line writes. scikit-image fills "
          "the last block with zeros instead.",
      .inputs = inputs,
      .outputs = outputs,
      .parameters = parameters,
      .each_channel = true,
      .check = &check_factor,
      .formula = "reduced(p) = mean, middle or max of f over block p",
      .peers = {.skimage = "transform.downscale_local_mean, measure.block_reduce",
                .itk = "BinShrinkImageFilter, ShrinkImageFilter",
                .opencv = "resize",
                .diplib = "Subsampling"}};

  template <class T, class Engine>
  static void check(Engine& engine, const call& call) {
    if (call.chosen("method", "max")) refuse_nan<T>(engine, call, 0);
  }

  template <class T, class Engine>
  static void run(Engine& engine, const call& call) {
    using Key = key_of<T>;
    const auto image = input<T>(engine, call, 0);
    const auto factor = factors(call.list<number>("factor"), call.rank());
    const pixel_blocks blocks{as_site(factor, call.rank()), size_of_whole(image.whole()),
                              call.chosen("method", "nearest")};
    if (call.chosen("method", "mean"))
      engine.gather(block_mean<T>{blocks}, output<T>(engine, call, 0), image);
    else
      engine.gather(block_maximum<Key>{blocks, rising_keys<T>()}, output<Key>(engine, call, 0),
                    image.template as<const Key>());
  }

 private:
  static std::array<std::int64_t, 3> factors(const std::vector<number>& given, int rank) {
    return axis_numbers("reduce", "factor", given, rank);
  }
};

}  // namespace macareu::operators
