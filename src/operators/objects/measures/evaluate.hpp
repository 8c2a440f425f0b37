#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/call.hpp"
#include "operators/objects/labels/label_types.hpp"
#include "operators/objects/measures/overlaps.hpp"
#include "patterns/host_rows.hpp"

namespace macareu::operators {

struct evaluate {
  static void check_found(const call& call) { check_labels(call, 1); }

  static constexpr std::array inputs{
      input_description{.name = "truth", .help = "labels of the true objects: whole numbers"},
      input_description{.name = "found",
                        .help = "labels of the objects that were found: whole numbers of any type",
                        .own_type = true}};
  static constexpr std::array<output_description, 0> outputs{};
  static constexpr std::array parameters{
      parameter_description{.name = "thresholds",
                            .kind = parameter_kind::numbers,
                            .default_text = "0.5",
                            .help = "intersections over union that matching objects exceed",
                            .above = 0,
                            .or_equal = true,
                            .most = 1}};
  static constexpr operator_description about{
      .name = "evaluate",
      .verb = "evaluate",
      .group = "objects",
      .pattern = "rows",
      .brief = "Scores the objects of a label image against true ones: AJI, PQ, F1, Dice.",
      .notes =
          "Zero and negative labels are outside. Labels need not be consecutive, and pixels of one label are "
          "one object. AJI is that of Kumar et al. 2017: a found object may be taken more than once. aji_plus "
          "and matches are one to one, those of largest IoU first, of equal ones those of the smaller labels. "
          "A match has an IoU above the threshold. dq and f1 are the same number. Without true or without "
          "found objects all scores are 0.",
      .inputs = inputs,
      .outputs = outputs,
      .parameters = parameters,
      .table =
          "one row a threshold: threshold, aji, aji_plus, dice, pq, dq, sq, f1, precision, recall, "
          "true_objects, found_objects, true_positives, false_positives, misses",
      .takes_labels = true,
      .check = &check_found,
      .types = label_types,
      .formula =
          "IoU(A, B) = |A and B| / |A or B|; f1 = 2 TP / (true + found), sq = mean IoU of matches, pq = f1 sq; "
          "aji = sum of |A and B(A)| / (sum of |A or B(A)| + pixels of found objects never taken), B(A) of "
          "largest IoU; dice = 2 |T and F| / (|T| + |F|) of all labelled pixels",
      .peers = {.skimage = "metrics.adapted_rand_error, metrics.contingency_table",
                .itk = "LabelOverlapMeasuresImageFilter",
                .matlab = "evaluateInstanceSegmentation"}};

  /// Rows come with their type.
  template <class>
  using code_type = std::uint32_t;

  template <class T, class Engine>
  static void run(Engine& engine, const call& call) {
    overlap_counts counts(engine.lend_threads(call.inputs[0].shape().pixels()));
    over_host_rows(engine, call, [&](const row_band& band) { counts.add(band); });
    std::vector<double> thresholds;
    for (const auto& one : call.list<number>("thresholds")) thresholds.push_back(one.to_double());
    *call.result = scores_of(counts.pixels(), thresholds);
  }
};

}  // namespace macareu::operators
