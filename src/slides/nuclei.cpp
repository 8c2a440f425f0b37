#include <macareu/nuclei.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include <macareu/error.hpp>

#include "operators/nuclei/fixed_point.hpp"
#include "slides/nuclei_recipe.hpp"
#include "slides/steps.hpp"
#include "slides/tissue_source.hpp"
#include "slides/value_counts.hpp"

namespace macareu {
namespace {

using slides::picture, slides::steps, slides::value_counts;

void check(const source_form& rgb, double mpp, const nuclei_options& options) {
  if (rgb.type != dtype::u8 || rgb.channels != 3 || rgb.shape.rank() != 2)
    throw usage_error("nuclei: expected an image of u8 with three channels, got " +
                      std::to_string(rgb.channels) + " of " + std::string(name_of(rgb.type)));
  if (!(mpp > 0) || !std::isfinite(mpp))
    throw usage_error("nuclei: the size of a pixel must be above 0 micrometres, got " +
                      to_string(number(mpp)));
  if (options.stain_set != "h-e" && options.stain_set != "h-dab")
    throw usage_error("nuclei: stain_set must be h-e or h-dab, got " + options.stain_set);
  if (!options.white.empty() && options.white.size() != 3)
    throw usage_error("nuclei: white must be 3 numbers, got " + std::to_string(options.white.size()));
}

/// How many pixels have each value, by channels. Without `outside` pixels of the value `painted`: as many as
/// there are, because a smoothed image has other values beside the tissue.
std::vector<value_counts> counts_of(steps& on, const picture& of, std::size_t values, std::uint64_t outside,
                                    std::size_t painted) {
  const auto bins = static_cast<std::int64_t>(values);
  const auto found =
      on.measured("histogram", {{"bins", number(bins)}, {"low", number(0)}, {"high", number(bins)}}, {of});
  const auto& column = found["count"];
  std::vector<value_counts> counts(static_cast<std::size_t>(of.form().channels), value_counts(values));
  for (std::size_t row = 0; row < found.rows(); ++row)
    counts[row / values][row % values] = static_cast<std::uint64_t>(column[row].to_double());
  for (auto& each : counts) each[painted] -= std::min(each[painted], outside);
  return counts;
}

std::array<double, 3> white_of(steps& on, const picture& rgb, const nuclei_options& options,
                               std::uint64_t outside) {
  if (!options.white.empty()) return {options.white[0], options.white[1], options.white[2]};
  constexpr double least = 220;
  std::array<double, 3> white{};
  const auto counts = counts_of(on, rgb, 256, outside, 255);
  for (std::size_t channel = 0; channel < 3; ++channel)
    white[channel] = std::max(slides::percentile(counts[channel], 99), least);
  return white;
}

class stage_clock {
 public:
  explicit stage_clock(nuclei_report* report) : report_(report) {}
  void tell(std::string stage) {
    const auto now = std::chrono::steady_clock::now();
    if (report_)
      report_->seconds.emplace_back(std::move(stage), std::chrono::duration<double>(now - last_).count());
    last_ = now;
  }

 private:
  nuclei_report* report_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

picture labels_of(steps& on, const picture& rgb, std::uint64_t outside, double mpp,
                  const nuclei_options& options, nuclei_report& report) {
  stage_clock clock(&report);
  slides::nuclei_recipe recipe(on, options, mpp);
  report.white = white_of(on, rgb, options, outside);
  clock.tell("white");
  const auto density = on.reuse(recipe.density(rgb, report.white));
  const auto filled = recipe.filled_density(density);
  const auto slide = slides::numbers_of(counts_of(on, filled, 65536, outside, 0)[0]);
  report.threshold = slide.threshold / steps_per_density;
  clock.tell("density");
  const auto labels = recipe.labels(density, filled, slide);
  report.count = on.count();
  clock.tell("nuclei");
  return labels;
}

}  // namespace

image find_nuclei(const const_image_view& rgb, double mpp, const nuclei_options& options, const context& how,
                  nuclei_report* report) {
  check({rgb.type(), rgb.shape(), rgb.channels()}, mpp, options);
  image result(dtype::u32, rgb.shape());
  nuclei_report own;
  if (rgb.shape().pixels() > 0) {
    steps on(how);
    const auto to = sink_to(result);
    on.write(labels_of(on, on.view_of(rgb), 0, mpp, options, own), *to);
  }
  if (report) *report = own;
  return result;
}

std::uint64_t find_nuclei(image_source& rgb, const tissue_mask* tissue, double mpp, image_sink& labels,
                          const nuclei_options& options, const context& how, const piece_options& pieces,
                          nuclei_report* report) {
  check(rgb.form(), mpp, options);
  nuclei_report own;
  const auto source = std::make_shared<slides::tissue_source>(rgb, tissue);
  steps on(how, pieces);
  on.write(labels_of(on, on.source_of(source), source->outside(), mpp, options, own), labels);
  labels.commit();
  own.scratch_bytes = on.scratch_peak();
  if (report) *report = own;
  return own.count;
}

}  // namespace macareu
