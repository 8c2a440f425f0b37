#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <string>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "correlate.hpp"
#include "group_counts.hpp"
#include "operators/filters/linear_filter.hpp"
#include "parts.hpp"
#include "runs.hpp"

namespace macareu::python {
namespace {

/// For NumPy arrays; `out` must differ from the input. Weights and axis as for correlate().
void correlated(const py::array& image, py::array out, int axis, const std::vector<double>& half, bool odd,
                const std::string& mode, double outside) {
  const auto in = readable(image);
  const const_image_view from = view_of(in, const_cast<void*>(in.data()));
  const image_view to = view_of(out, out.mutable_data());
  run_until_interrupted(from.shape().pixels(), [&](std::stop_token stop) {
    correlate(from, to, axis, {half, odd}, {border_named(mode), outside}, std::move(stop));
  });
}

/// (pixels of every row, their histograms), as from count_groups().
py::tuple counted(const py::array& image, const py::array& labels,
                  const py::array_t<std::int32_t, py::array::c_style>& row_of_label, std::int64_t rows,
                  const std::vector<double>& edges) {
  const auto values = readable(image), numbers = readable(labels);
  const const_image_view of = view_of(values, const_cast<void*>(values.data())),
                         by = view_of(numbers, const_cast<void*>(numbers.data()));
  const label_rows known{{row_of_label.data(), static_cast<std::size_t>(row_of_label.size())}, rows};
  group_counts found;
  run_until_interrupted(of.shape().pixels(), [&](std::stop_token stop) {
    found = count_groups(of, by, known, edges, std::move(stop));
  });
  const auto column = [](std::vector<std::int64_t>&& counts) {
    void* const first = counts.data();
    const auto size = counts.size();
    return new_row(dtype::i64, size, first, owner_of(std::move(counts)));
  };
  return py::make_tuple(column(std::move(found.pixels)), column(std::move(found.bins)));
}

}  // namespace

void add_peers_arithmetic(py::module_& module) {
  module.def("new_array", [](const py::dtype& type, const std::vector<py::ssize_t>& shape) {
    return new_array(type_from(type.kind(), type.itemsize(), type), shape);
  });
  module.def("correlate", &correlated);
  module.def("count_groups", &counted);
}

}  // namespace macareu::python
