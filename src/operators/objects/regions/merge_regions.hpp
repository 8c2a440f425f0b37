#pragma once

#include <array>
#include <cstdint>
#include <numeric>
#include <vector>

#include "core/call.hpp"
#include "operators/objects/labels/label_images.hpp"
#include "operators/objects/labels/label_types.hpp"
#include "operators/objects/regions/region_merging.hpp"
#include "patterns/host_rows.hpp"
#include "patterns/images.hpp"

namespace macareu::operators {

struct merge_regions {
  static dtype type(const arguments&, dtype, const extents&) { return dtype::u32; }

  static constexpr std::array inputs{
      input_description{"labels", "the number of every pixel's region: whole numbers"},
      input_description{
          .name = "density", .help = "grey image of any type, high inside of objects", .own_type = true}};
  static constexpr std::array outputs{output_description{.name = "result",
                                                         .type = output_description::type_rule::computed,
                                                         .help = "every union has the smallest of its labels",
                                                         .computed = &type,
                                                         .computed_help = "u32"}};
  static constexpr std::array parameters{
      parameter_description{"max_area", parameter_kind::number, "2496",
                            "a union has at most so many pixels; the default is 156 um^2 of 0.25 um pixels"},
      parameter_description{"small_area", parameter_kind::number, "200",
                            "a region with fewer pixels gains by joining another"},
      parameter_description{.name = "small_weight",
                            .kind = parameter_kind::number,
                            .default_text = "0.2",
                            .help = "of the smaller region's lack of pixels",
                            .or_equal = true},
      parameter_description{.name = "border_weight",
                            .kind = parameter_kind::number,
                            .default_text = "0.3",
                            .help = "of the density on the border against the mean densities",
                            .or_equal = true}};
  static constexpr operator_description about{
      .name = "merge_regions",
      .verb = "merge-regions",
      .group = "objects",
      .pattern = "rows",
      .brief = "Joins touching regions where the union is more elliptical, best first.",
      .notes =
          "It undoes what a watershed cuts too often. Regions touch along edges of pixels, or faces of voxels. The pair of largest "
          "gain is joined, gains of its neighbours are computed anew, and so on while a gain is above 0; of "
          "equal gains that of the smaller labels is first. Positions are summed exactly, densities in f64 in "
          "raster order, so every device gives the same bits. Labels without a union keep their number: "
          "relabel closes gaps. Zero and negative labels are outside.",
      .inputs = inputs,
      .outputs = outputs,
      .parameters = parameters,
      .takes_labels = true,
      .gives_labels = true,
      .types = label_types,
      .reads_in_pieces = {3},
      .formula =
          "ell(A) = min(1, |A| / (4 pi sqrt(det cov(A)))), in volumes with 20 sqrt(5) pi / 3 for 4 pi; gain(A, B) = ell(A and B) - (|A| ell(A) + |B| "
          "ell(B)) / (|A| + |B|) + border_weight (b / min(mean(A), mean(B)) - 1) + small_weight max(0, 1 - "
          "min(|A|, |B|) / small_area); b = mean over the border's edges of the lower density beside each",
      .peers = {.skimage = "graph.merge_hierarchical", .diplib = "RegionAdjacencyGraph"}};

  template <class T, class Engine>
  static void run(Engine& engine, const call& call) {
    const auto greatest = greatest_label<T>(engine, call);
    if (greatest >= most_rows(call.inputs[0].shape().pixels()))
      throw too_large(call, greatest, "; number its objects 1..n with relabel first");
    region_gathering gathered(call, engine.lend_threads(call.inputs[0].shape().pixels()));
    over_host_rows(engine, call, [&](const row_band& band) { gathered.add(band); });
    const auto limit = [&](const char* name) { return call.quantity(name).to_double(); };
    const auto regions = gathered.regions();
    const auto merged = merged_labels(
        regions, gathered.borders(),
        {limit("max_area"), limit("small_area"), limit("small_weight"), limit("border_weight")}, call.rank());
    const auto out = output<std::uint32_t>(engine, call, 0);
    engine.map(label_as<std::uint32_t>{}, out, input<T>(engine, call, 0));
    call.work.report.count = static_cast<std::int64_t>(regions.size() - merged.size());
    if (merged.empty()) return;
    std::vector<std::uint32_t> numbers(static_cast<std::size_t>(greatest) + 1);
    std::iota(numbers.begin(), numbers.end(), 0);
    for (const auto& each : merged)
      numbers[static_cast<std::size_t>(each.label)] = static_cast<std::uint32_t>(each.becomes);
    engine.recode(out, numbers);
  }
};

}  // namespace macareu::operators
