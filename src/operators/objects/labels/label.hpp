#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "core/call.hpp"
#include "core/pixel_types.hpp"
#include "operators/common/checks.hpp"
#include "operators/common/parameters.hpp"
#include "operators/common/wrong_value.hpp"
#include "operators/objects/labels/label_images.hpp"
#include "operators/objects/labels/label_plan.hpp"
#include "operators/objects/labels/object_rules.hpp"
#include "patterns/images.hpp"

namespace macareu::operators {

struct label {
  static void check_blocks(const call& call) {
    const double given = call.quantity("blocks").to_double();
    if (!std::isinf(given) && given != std::floor(given))
      throw wrong_value("label", "blocks", "a whole number of slices, or inf", to_string(number(given)));
  }

  static constexpr std::array inputs{input_description{"image", "binary: zero or not; or grey values"}};
  static constexpr std::array outputs{
      output_description{.name = "labels",
                         .type = output_description::type_rule::computed,
                         .help = "the number of every pixel's object, 0 outside of objects",
                         .computed = &label_type_for,
                         .computed_help = "u32, or u64 by type or where u32 could be too small"}};
  static constexpr std::array parameters{
      connectivity_parameter("full"),
      parameter_description{"values", parameter_kind::flag, "false",
                            "neighbours are joined where their values are equal"},
      parameter_description{"background", parameter_kind::number, "0",
                            "with values: pixels with this value belong to no object", "",
                            -std::numeric_limits<double>::infinity()},
      parameter_description{
          "intervals", parameter_kind::intervals, "none",
          "neighbours are joined where their values lie in the same interval, ends included"},
      parameter_description{"type", parameter_kind::choice, "u32", "type of the labels", "u32|u64"},
      parameter_description{
          .name = "blocks",
          .kind = parameter_kind::number,
          .default_text = "inf",
          .help =
              "slices (rows, in images) of a piece, or inf; pieces are labelled apart and merged, with the "
              "same result",
          .is_block = true}};
  static constexpr operator_description about{
      .name = "label",
      .verb = "label",
      .group = "objects",
      .pattern = "component",
      .brief = "Numbers the connected objects of an image.",
      .notes =
          "Objects are 1..n in the raster order of their first pixels, as in SciPy and scikit-image. Pixels "
          "that are not zero belong to objects, NaN too. With values or intervals, objects never cross from "
          "one value or interval to another. Labels are u64 where the image could have more objects than "
          "u32 counts.",
      .inputs = inputs,
      .outputs = outputs,
      .parameters = parameters,
      .gives_labels = true,
      .check = &check_blocks,
      .reads_in_pieces = {2},
      .most_gpu_words = most_gpu_words,
      .formula =
          "labels(p) = number of the class of p in the smallest equivalence that joins neighbours of "
          "one class; 0 outside",
      .peers = {.skimage = "measure.label",
                .scipy = "ndimage.label",
                .itk = "ConnectedComponentImageFilter",
                .matlab = "bwlabel, bwlabeln, bwconncomp",
                .opencv = "connectedComponents",
                .diplib = "Label"}};

  template <class T, class Engine>
  static void run(Engine& engine, const call& call) {
    const auto& intervals = call.list<interval>("intervals");
    if (!intervals.empty())
      return write(engine, call, same_interval_of<T>(intervals), input<T>(engine, call, 0));
    if (!call.flag("values"))
      return write(engine, call, set_pixels{}, input<without_sign<T>>(engine, call, 0));
    refuse_nan<T>(engine, call, 0);
    write(engine, call, equal_values_but<T>(call.quantity("background")), input<T>(engine, call, 0));
  }

 private:
  template <class Engine, class Rule, class Image>
  static void write(Engine& engine, const call& call, const Rule& rule, const Image& image) {
    const auto number = [&]<class Label>(std::type_identity<Label>) {
      return engine.component(rule, call.near(), output<Label>(engine, call, 0), image);
    };
    const bool wide = call.outputs[0].type() == dtype::u64;
    call.work.report.count = static_cast<std::int64_t>(wide ? number(std::type_identity<std::uint64_t>{})
                                                            : number(std::type_identity<std::uint32_t>{}));
  }
};

}  // namespace macareu::operators
