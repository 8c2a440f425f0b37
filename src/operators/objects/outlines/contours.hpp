#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string>

#include "core/call.hpp"
#include "core/shapes_call.hpp"
#include "operators/objects/labels/label_types.hpp"
#include "operators/objects/outlines/contour_bands.hpp"
#include "operators/objects/outlines/contour_sweep.hpp"
#include "patterns/host_rows.hpp"

namespace macareu::operators {

struct contours {
  static void check_sides(const call& call) {
    refuse_volumes(call);
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max() - 1;
    const auto& shape = call.inputs[0].shape();
    if (shape.height() > most || shape.width() > most)
      throw call_error({.kind = fault::shape,
                        .operation = "contours",
                        .parts = {input_named("labels"), " is " + to_string(shape) + ": sides have at most " +
                                                             std::to_string(most) + " pixels"},
                        .given = to_string(shape)});
  }

  static constexpr std::array inputs{
      input_description{"labels", "the number of every pixel's object: whole numbers"}};
  static constexpr std::array<output_description, 0> outputs{};
  static constexpr std::array<parameter_description, 0> parameters{};
  static constexpr operator_description about{
      .name = "contours",
      .verb = "contours",
      .group = "objects",
      .pattern = "rows",
      .brief = "Polygons of the objects of a label image, along the edges of pixels, with holes.",
      .notes =
          "Coordinates are x and y of corners: the pixel in row r and column c covers the square from (c, r) to "
          "(c + 1, r + 1). A polygon encloses exactly the pixels of one part of an object, connected along "
          "edges; an object of several parts, as those that touch at a corner alone, is a multipolygon. All "
          "are valid by the OGC's rules: rings may touch each other in single corners, and never themselves. "
          "Only corners where a ring turns are kept. In x and y exterior rings have a positive area and holes "
          "a negative one, as RFC 7946 wants it: with y downwards, exteriors are clockwise on the screen. "
          "Objects are given in the raster order of their last pixels, so that those which are complete leave "
          "the memory. Zero and negative labels are outside. Volumes are refused.",
      .inputs = inputs,
      .outputs = outputs,
      .parameters = parameters,
      .shapes = "one polygon or multipolygon an object, with its label",
      .takes_labels = true,
      .check = &check_sides,
      .types = label_types,
      .reads_in_pieces = {2},
      .formula = "the outline of {p : labels(p) = n}, with pixels as closed squares",
      .peers = {.skimage = "measure.find_contours",
                .matlab = "bwboundaries",
                .opencv = "findContours",
                .diplib = "GetImageChainCodes"}};

  /// Rows come with their type.
  template <class>
  using code_type = std::uint32_t;

  template <class T, class Engine>
  static void run(Engine& engine, const call& call) {
    const auto& image = call.inputs[0].shape();
    const host_threads threads = engine.lend_threads(image.pixels());
    label_extents labels;
    kept_runs runs(image.height(), spare_bytes_of(call));
    over_host_rows(engine, call, [&](const row_band& band) { add_extents(band, labels, runs, threads); });
    call.work.report.count = static_cast<std::int64_t>(labels.size());
    const auto take = [&](shape&& one) { give_shape(call, one); };
    if (runs.complete())
      return trace_bands(cut_into_bands(labels, static_cast<std::uint32_t>(image.height()), threads), runs,
                         threads, call.work, take);
    contour_sweep sweep(take);
    labels.for_each([&](label_pair label, const label_extent& rows) { sweep.trace(label.first, rows); });
    over_host_rows(engine, call, [&](const row_band& band) {
      over_rows_of_runs(band, threads, [&](const std::vector<row_run>& row) { sweep.add(row); });
    });
    sweep.finish();
  }
};

}  // namespace macareu::operators
