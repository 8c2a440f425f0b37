#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <macareu/nuclei.hpp>

#include "arrays.hpp"
#include "parts.hpp"
#include "runs.hpp"
#include "slides/tissue/overview.hpp"
#include "slides/tissue/slide_part.hpp"
#include "slides/tissue/tissue.hpp"
#include "sources.hpp"

namespace macareu::python {
namespace {

/// visit(name, member) for every parameter.
template <class Options, class Visit>
void for_each_option(Options& options, const Visit& visit) {
  visit("smooth", options.smooth);
  visit("hole", options.hole);
  visit("local", options.local);
  visit("local_weight", options.local_weight);
  visit("local_share", options.local_share);
  visit("valley", options.valley);
  visit("valley_scale", options.valley_scale);
  visit("opening", options.opening);
  visit("min_blob", options.min_blob);
  visit("distance_cap", options.distance_cap);
  visit("distance_smooth", options.distance_smooth);
  visit("density_weight", options.density_weight);
  visit("density_smooth", options.density_smooth);
  visit("blob_weight", options.blob_weight);
  visit("blob_scale", options.blob_scale);
  visit("seed_height", options.seed_height);
  visit("merge_max", options.merge_max);
  visit("merge_small", options.merge_small);
  visit("merge_small_weight", options.merge_small_weight);
  visit("merge_dip_weight", options.merge_dip_weight);
  visit("refine", options.refine);
  visit("ring", options.ring);
  visit("ring_gap", options.ring_gap);
  visit("grow", options.grow);
  visit("refine_opening", options.refine_opening);
  visit("min_area", options.min_area);
  visit("max_area", options.max_area);
  visit("stain_set", options.stain_set);
  visit("stains", options.stains);
  visit("white", options.white);
}

py::dict defaults() {
  py::dict all;
  nuclei_options options;
  for_each_option(options, [&](const char* name, const auto& value) { all[name] = value; });
  return all;
}

/// Red, green and blue of an image that is read in pieces.
std::unique_ptr<image_source> colours_of(const py::object& image) {
  auto from = source_from(image, true);
  if (from->form().channels != 4) return from;
  const auto whole = whole_of(from->form().shape);
  return std::make_unique<slides::slide_part>(std::move(from), whole);
}

/// Of an image that is read in pieces, to a file or to slices. tissue: only on the tissue, which is found in
/// a smaller level of `file`, where it has one.
std::uint64_t found(const py::object& image, const std::string& file, bool tissue, double mpp,
                    const py::dict& parameters, const py::object& place, py::handle device,
                    py::handle threads, const py::object& progress, std::int64_t memory,
                    const std::array<std::int64_t, 3>& size, const std::string& scratch) {
  nuclei_options options;
  for_each_option(options, [&](const char* name, auto& value) {
    value = parameters[name].cast<std::remove_reference_t<decltype(value)>>();
  });
  const run_options run(device, py::str("auto"), threads, progress);
  const auto from = colours_of(image);
  const auto to = sink_from(place, {dtype::u32, from->form().shape}, scratch);
  std::uint64_t count = 0;
  run_without_gil(run, true, [&](const context& how) {
    std::optional<tissue_mask> mask;
    if (tissue) {
      const auto& form = from->form();
      const slides::view_limits limits{memory, scratch, how.stop, how.threads};
      mask = slides::find_tissue(
          slides::views_of(file, form, *from, whole_of(form.shape), mpp, limits).coarse, mpp);
    }
    count = find_nuclei(*from, mask ? &*mask : nullptr, mpp, *to, options, how,
                        {.memory = memory, .size = size, .scratch = scratch});
  });
  return count;
}

}  // namespace

void add_nuclei(py::module_& module) {
  module.attr("nuclei_parameters") = defaults();
  module.def("find_nuclei", &found);
}

}  // namespace macareu::python
