#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/call.hpp"
#include "operators/common/own_types.hpp"
#include "operators/common/parameters.hpp"
#include "operators/measures/bins.hpp"
#include "patterns/histogram.hpp"
#include "patterns/images.hpp"
#include "patterns/map.hpp"

namespace macareu::operators {

struct label_histograms {
  static constexpr std::array taken{dtype::u8, dtype::f32, dtype::f64};
  static constexpr double highest_label = 0x7fffffff;
  static constexpr std::array inputs{
      input_description{"image", "grey, of u8, f32 or f64"},
      input_description{.name = "labels", .help = "u32, or the image's type", .own_type = true}};
  static constexpr std::array<output_description, 0> outputs{};
  static constexpr std::array parameters{
      parameter_description{"chosen",
                            parameter_kind::numbers,
                            "",
                            "labels that are counted, up to 2147483647",
                            {},
                            0,
                            true,
                            highest_label,
                            true},
      parameter_description{
          "bins", parameter_kind::number, "256", "number of bins", {}, 1, true, 1 << 24, true},
      parameter_description{"low", parameter_kind::number, "0", "where the first bin begins", {}, any_number},
      parameter_description{
          "high", parameter_kind::number, "256", "where the last bin ends", {}, any_number}};

  static equal_bins bins_of(const call& call) {
    return {call.quantity("low").to_double(), call.quantity("high").to_double(),
            static_cast<std::int64_t>(call.quantity("bins").to_double())};
  }
  static void check(const call& call) {
    check_own_type(call, 1, dtype::u32);
    const auto bins = bins_of(call);
    if (!(bins.low + bins.width > bins.low && bins.high - bins.width < bins.high))
      throw call_error(
          {.kind = fault::conflict,
           .operation = "label_histograms",
           .parts = {parameter_named("low"), " and ", parameter_named("high"), ": bins have no width"}});
  }

  static constexpr operator_description about{
      .name = "label_histograms",
      .verb = "label-histograms",
      .group = "measures",
      .pattern = "histogram",
      .brief = "Histograms of the pixels of chosen labels, in the arithmetic of NumPy.",
      .notes = "Bins are those of histogram. A pixel outside of all bins still counts for its label.",
      .inputs = inputs,
      .outputs = outputs,
      .parameters = parameters,
      .table = "for each chosen label its number of pixels, then its bins: count",
      .check = &check,
      .types = taken,
      .hidden = true,
      .in_pieces = false};

  /// 1 + label; 0 for labels above the last one that is chosen.
  struct place_of_label {
    std::uint32_t last;
    template <class Label>
    MACAREU_HD std::uint32_t operator()(site, Label label) const {
      // What holds all labels: u8 and u32, or floats.
      using wide = std::conditional_t<std::is_floating_point_v<Label>, double, std::uint32_t>;
      const wide value = label;
      return value >= wide{0} && value <= static_cast<wide>(last) ? static_cast<std::uint32_t>(value) + 1 : 0;
    }
  };

  /// Row 0 is not counted. The others have a count of all pixels before their bins.
  struct bins_of_rows {
    equal_bins bins;

    template <class Sink>
    struct behind {
      const Sink& sink;
      std::int64_t first;
      MACAREU_HD void add(std::int64_t bin) const { sink.add(first + bin); }
    };
    template <class Sink, class T>
    MACAREU_HD void operator()(site p, const Sink& sink, std::uint32_t row, T value) const {
      if (row == 0) return;
      const std::int64_t first = (std::int64_t{row} - 1) * (bins.count + 1);
      sink.add(first);
      bins(p, behind<Sink>{sink, first + 1}, value);
    }
  };

  template <class T, class Engine>
  static void run(Engine& engine, const call& call) {
    std::vector<std::uint32_t> row_of{0};
    std::uint32_t rows = 0;
    for (const auto& each : call.list<number>("chosen")) {
      const auto place = static_cast<std::size_t>(each.to_double()) + 1;
      row_of.resize(std::max(row_of.size(), place + 1));
      row_of[place] = ++rows;
    }
    const auto image = input<T>(engine, call, 0);
    const auto row = temporary<std::uint32_t>(engine, image);
    const place_of_label place{static_cast<std::uint32_t>(row_of.size() - 2)};
    with_own_type<T, std::uint32_t>(engine, call, 1,
                                    [&](const auto& labels) { engine.map(place, row.image(), labels); });
    engine.recode(row.image(), row_of);
    const bins_of_rows rule{bins_of(call)};
    std::vector<std::uint64_t> counts(rows * static_cast<std::size_t>(rule.bins.count + 1));
    engine.histogram(rule, counts, row.reading(), image);
    call.result->columns = {{"count", std::move(counts)}};
  }
};

}  // namespace macareu::operators
