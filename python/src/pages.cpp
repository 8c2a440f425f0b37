#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <macareu/page.hpp>

#include "arrays.hpp"
#include "parts.hpp"

namespace macareu::python {
namespace {

/// Pixels in C order; the last axis of a colour image holds its channels.
const_image_view packed_view(const py::array& pixels, bool colour) {
  const auto type = type_from(pixels.dtype().kind(), item_size(pixels), pixels.dtype());
  const int channels = colour ? static_cast<int>(pixels.shape(pixels.ndim() - 1)) : 1;
  const auto shape = shape_from(pixels.shape(), pixels.ndim() - (colour ? 1 : 0));
  return {pixels.data(), type, shape, contiguous_strides(shape, channels), channels};
}

table table_from(const py::dict& columns) {
  table made;
  for (const auto& [name, values] : columns) {
    table_column column{name.cast<std::string>(), {}};
    const auto array = py::reinterpret_borrow<py::array>(values);
    if (array.dtype().kind() == 'f')
      column.values = array.cast<std::vector<double>>();
    else
      column.values = array.cast<std::vector<std::int64_t>>();
    made.columns.push_back(std::move(column));
  }
  return made;
}

/// images: names, arrays in C order, and whether they have colours.
std::string text_of_page(const std::string& title,
                         const std::vector<std::tuple<std::string, py::array, bool>>& images,
                         const std::optional<py::array>& labels, const std::optional<py::dict>& columns,
                         const std::optional<std::array<double, 2>>& pixel_size) {
  std::vector<std::unique_ptr<image_source>> sources;
  page_content content{.title = title, .images = {}, .pixel_size = pixel_size};
  for (const auto& [name, pixels, colour] : images) {
    sources.push_back(source_of(packed_view(pixels, colour)));
    content.images.push_back({name, {sources.back().get()}});
  }
  if (labels) {
    sources.push_back(source_of(packed_view(*labels, false)));
    content.labels = {"labels", {sources.back().get()}};
  }
  table objects;
  if (columns) {
    objects = table_from(*columns);
    content.objects = &objects;
  }
  const py::gil_scoped_release release;
  return page_text(content);
}

}  // namespace

void add_pages(py::module_& module) { module.def("page_text", &text_of_page); }

}  // namespace macareu::python
