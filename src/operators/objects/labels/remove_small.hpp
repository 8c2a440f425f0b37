#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "core/call.hpp"
#include "core/pixel_types.hpp"
#include "operators/common/masks.hpp"
#include "operators/common/parameters.hpp"
#include "operators/objects/labels/label_plan.hpp"
#include "operators/objects/labels/object_rules.hpp"
#include "operators/objects/labels/selection.hpp"
#include "operators/objects/measures/object_extent.hpp"
#include "patterns/images.hpp"
#include "patterns/object_numbers.hpp"

namespace macareu::operators {

struct remove_small {
  static constexpr std::array inputs{input_description{"image", "zero outside of objects"}};
  static constexpr std::array outputs{output_description{"result",
                                                         output_description::type_rule::same_as_input,
                                                         "the image, and 0 where an object was dropped"}};
  static constexpr std::array parameters{
      connectivity_parameter("full"),
      parameter_description{"min_size", parameter_kind::number, "64", "objects with fewer pixels are dropped",
                            "", 0, true}};
  static constexpr operator_description about{
      .name = "remove_small",
      .verb = "remove-small",
      .group = "objects",
      .pattern = "component",
      .brief = "Drops the small objects of an image.",
      .notes =
          "Objects are neighbours that are not zero, NaN too, whatever their values. It is scikit-image's "
          "remove_small_objects of a binary image, whose neighbours are those of faces by default. For "
          "objects that have labels already, use relabel.",
      .inputs = inputs,
      .outputs = outputs,
      .parameters = parameters,
      .reads_in_pieces = {3},
      .most_gpu_words = most_gpu_words,
      .formula = "result(p) = f(p) where |object of p| >= min_size, else 0",
      .peers = {.skimage = "morphology.remove_small_objects",
                .itk = "BinaryShapeOpeningImageFilter",
                .matlab = "bwareaopen",
                .diplib = "SmallObjectsRemove"}};

  /// Signs do not matter here: pixels are copied and compared with zero.
  template <class T>
  using code_type = without_sign<T>;

  template <class T, class Engine>
  static void run(Engine& engine, const call& call) {
    const auto image = input<T>(engine, call, 0);
    const auto most = most_objects(call.inputs[0].shape(), false,
                                   std::get<connectivity>(call.values.find("connectivity")->second));
    with_bytes(engine, image, [&](const auto& bytes) {
      const auto keep = [&]<class Label>(std::type_identity<Label>) {
        const auto kept = temporary<Label>(engine, image);
        mark_large<Label>(engine, call, kept.image(), bytes);
        engine.map(where_kept{}, output<T>(engine, call, 0), image, kept.reading());
      };
      if (most > std::int64_t{std::numeric_limits<std::uint32_t>::max()})
        keep(std::type_identity<std::uint64_t>{});
      else
        keep(std::type_identity<std::uint32_t>{});
    });
  }

 private:
  /// 1 in objects that are kept, 0 elsewhere.
  template <class Label, class Engine>
  static void mark_large(Engine& engine, const call& call, image_in<Engine, Label> kept,
                         const image_in<Engine, const std::uint8_t>& image) {
    const double least = call.quantity("min_size").to_double();
    const auto count = engine.component(set_pixels{}, call.near(), kept, image);
    auto number = object_numbers<Label>(engine, static_cast<std::size_t>(count) + 1);
    call.work.report.count = 0;
    over_objects<object_size::row>(engine.tally(object_size{}, count, kept.reading()),
                                   [&](std::size_t object, const object_size::row& found) {
                                     const auto size = static_cast<double>(found.count[object_size::pixels]);
                                     const bool is_large = size >= least;
                                     number[object] = is_large;
                                     call.work.report.count += is_large;
                                   });
    engine.recode(kept, std::move(number));
  }
};

}  // namespace macareu::operators
