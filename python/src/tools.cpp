#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <macareu/catalogue.hpp>
#include <macareu/compare.hpp>
#include <macareu/generate.hpp>
#include <macareu/machine.hpp>
#include <macareu/version.hpp>

#include "arrays.hpp"
#include "parts.hpp"
#include "runs.hpp"

namespace macareu::python {
namespace {

py::tuple generated(const std::string& name, const std::vector<std::int64_t>& shape, std::uint64_t seed,
                    int coverage) {
  const extents size(shape);
  std::optional<instance> made;
  run_until_interrupted(size.pixels(), [&](std::stop_token stop) {
    made = generate(name, size, {.seed = seed, .coverage = coverage, .stop = std::move(stop)});
  });
  py::object beside = py::none();
  if (made->marker) beside = array_of(std::move(*made->marker));
  if (made->truth) beside = array_of(std::move(*made->truth));
  return py::make_tuple(array_of(std::move(made->mask)), beside);
}

py::tuple compared(const py::object& left, const py::object& right) {
  const auto a = readable(left), b = readable(right);
  const const_image_view of_a = view_of(a, const_cast<void*>(a.data())),
                         of_b = view_of(b, const_cast<void*>(b.data()));
  comparison found;
  run_until_interrupted(of_a.shape().pixels(),
                        [&](std::stop_token stop) { found = compare(of_a, of_b, std::move(stop)); });
  py::object first = py::none();
  if (found.different > 0 && a.ndim() == 3)
    first = py::make_tuple(found.first[0], found.first[1], found.first[2]);
  else if (found.different > 0)
    first = py::make_tuple(found.first[1], found.first[2]);
  return py::make_tuple(found.pixels, found.different, found.largest, first, found.left, found.right);
}

py::dict machine() {
  const auto here = this_machine();
  py::list gpus;
  for (const auto& gpu : here.gpus)
    gpus.append(py::dict(py::arg("name") = gpu.name,
                         py::arg("capability") = py::make_tuple(gpu.major, gpu.minor),
                         py::arg("memory") = gpu.memory, py::arg("usable") = gpu.usable));
  return py::dict(py::arg("version") = version, py::arg("devices") = devices(),
                  py::arg("built_devices") = built_devices(), py::arg("threads") = here.threads,
                  py::arg("instruction_set") = here.instruction_set, py::arg("gpus") = gpus,
                  py::arg("no_gpu") = here.no_gpu);
}

/// The operator that an unknown name most likely means, or None.
std::optional<std::string_view> nearest_name(const std::string& unknown) {
  const auto* about = nearest_operator(unknown);
  return about ? std::optional(about->name) : std::nullopt;
}

std::string suggestion(const std::string& unknown, const std::vector<std::string>& names) {
  return did_you_mean(unknown, std::vector<std::string_view>(names.begin(), names.end()));
}

}  // namespace

void add_tools(py::module_& module) {
  py::list families;
  for (const auto& about : instances())
    families.append(py::make_tuple(about.name, about.brief, about.marker));
  module.attr("instances") = families;
  module.def("generate", &generated);
  module.def("compare", &compared);
  module.def("machine", &machine);
  module.def("nearest_operator", &nearest_name);
  module.def("did_you_mean", &suggestion);
}

}  // namespace macareu::python
