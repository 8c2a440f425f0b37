#include "sources.hpp"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <array>
#include <utility>
#include <vector>

#include <macareu/pieces.hpp>

#include "arrays.hpp"
#include "parts.hpp"

namespace macareu::python {
namespace {

/// The axes of an image among slices, rows and columns.
std::size_t first_axis(const extents& shape) { return shape.rank() == 3 ? 0 : 1; }

py::tuple axes_of(const std::array<std::int64_t, 3>& sizes, const extents& shape) {
  if (first_axis(shape) == 0) return py::make_tuple(sizes[0], sizes[1], sizes[2]);
  return py::make_tuple(sizes[1], sizes[2]);
}

py::tuple with_channels(const py::tuple& sizes, int channels) {
  return channels == 1 ? sizes : py::tuple(sizes + py::make_tuple(channels));
}

/// The index of a region. Channels are always taken together.
py::tuple slices_of(const image_region& region, const source_form& form) {
  py::list slices;
  for (auto axis = first_axis(form.shape); axis < 3; ++axis)
    slices.append(py::slice(region.first[axis], region.first[axis] + region.size[axis], 1));
  if (form.channels > 1) slices.append(py::slice(0, form.channels, 1));
  return py::tuple(slices);
}

/// An array on memory that the library lends for one read or write.
py::array lent(const image_region& region, const source_form& form, void* pixels) {
  const auto sizes = with_channels(axes_of(region.size, form.shape), form.channels);
  return {numpy_type(form.type), sizes.cast<std::vector<py::ssize_t>>(), pixels, py::none()};
}

std::string described(const py::dtype& type, const py::tuple& sizes) {
  return std::string(py::str(py::handle(sizes))) + " of " + std::string(py::str(py::handle(type)));
}

bool same_pixels(const py::dtype& left, const py::dtype& right) {
  return left.kind() == right.kind() && left.itemsize() == right.itemsize();
}

/// Cheapest boxes of arrays in chunks, of zarr and h5py.
std::array<std::int64_t, 3> chunk_of(const py::object& array, const extents& shape) {
  std::array<std::int64_t, 3> chunk{};
  const py::object sizes = py::getattr(array, "chunks", py::none());
  if (!py::isinstance<py::tuple>(sizes) || py::len(sizes) < static_cast<std::size_t>(shape.rank())) return {};
  for (auto axis = first_axis(shape); axis < 3; ++axis) {
    const py::object size = py::reinterpret_borrow<py::tuple>(sizes)[axis - first_axis(shape)];
    if (!py::isinstance<py::int_>(size)) return {};
    chunk[axis] = size.cast<std::int64_t>();
  }
  return chunk;
}

py::dtype type_of(const py::object& array) { return py::dtype::from_args(array.attr("dtype")); }

class sliced_source final : public image_source {
 public:
  sliced_source(py::object array, bool in_colour) : array_(std::move(array)) {
    const py::tuple sizes(array_.attr("shape"));
    const auto type = python::type_of(array_);
    const bool has_colours = in_colour && sizes.size() == 3;
    form_ = {type_from(type.kind(), type.itemsize(), type),
             shape_from(first_axes(sizes).data(), static_cast<py::ssize_t>(sizes.size()) - has_colours),
             has_colours ? sizes[2].cast<int>() : 1};
    chunk_ = chunk_of(array_, form_.shape);
  }

  const source_form& form() const override { return form_; }
  std::array<std::int64_t, 3> chunk() const override { return chunk_; }
  void read(const image_region& from, void* to) override {
    const py::gil_scoped_acquire gil;
    const py::object part = array_[slices_of(from, form_)];
    const py::array pixels(part);
    const auto room = lent(from, form_, to);
    if (!pixels.attr("shape").equal(room.attr("shape")) || !same_pixels(pixels.dtype(), room.dtype()))
      throw py::value_error(std::string(Py_TYPE(array_.ptr())->tp_name) + ": its slice is " +
                            described(pixels.dtype(), pixels.attr("shape")) + ", expected " +
                            described(room.dtype(), room.attr("shape")));
    py::module_::import("numpy").attr("copyto")(room, pixels);
  }

 private:
  py::object array_;
  source_form form_;
  std::array<std::int64_t, 3> chunk_{};
};

class sliced_sink final : public image_sink {
 public:
  sliced_sink(py::object array, const source_form& form) : array_(std::move(array)), form_(form) {
    const py::tuple sizes(array_.attr("shape"));
    const auto type = python::type_of(array_);
    const auto& expected = numpy_type(form.type);
    if (!sizes.equal(sizes_of(form)) || !same_pixels(type, expected))
      throw py::value_error("out: is " + described(type, sizes) + ", but the result is " +
                            described(expected, sizes_of(form)));
    chunk_ = chunk_of(array_, form.shape);
  }

  std::array<std::int64_t, 3> chunk() const override { return chunk_; }
  void write(const image_region& to, const void* from) override {
    const py::gil_scoped_acquire gil;
    const auto pixels = lent(to, form_, const_cast<void*>(from));
    pixels.attr("setflags")(py::arg("write") = false);
    array_[slices_of(to, form_)] = pixels;
  }
  void commit() override {}

 private:
  py::object array_;
  source_form form_;
  std::array<std::int64_t, 3> chunk_{};
};

/// A file that other threads may read at the same time.
class shared_source final : public image_source {
 public:
  shared_source(file_image& file, bool in_colour) : file_(file), form_(file.source().form()) {
    const auto sizes = form_.shape;
    last_axis_has_colours_ = in_colour && sizes.rank() == 3 && form_.channels == 1;
    if (last_axis_has_colours_)
      form_ = {form_.type, {sizes.depth(), sizes.height()}, static_cast<int>(sizes.width())};
  }
  const source_form& form() const override { return form_; }
  std::array<std::int64_t, 3> chunk() const override {
    const auto chunk = file_.source().chunk();
    return last_axis_has_colours_ ? std::array<std::int64_t, 3>{0, chunk[0], chunk[1]} : chunk;
  }
  std::string identity() const override { return file_.source().identity(); }
  void read(const image_region& from, void* to) override {
    if (last_axis_has_colours_)
      file_.read({{from.first[1], from.first[2], 0}, {from.size[1], from.size[2], form_.channels}}, to);
    else
      file_.read(from, to);
  }

 private:
  file_image& file_;
  source_form form_;
  bool last_axis_has_colours_;
};

py::array pixels_of(file_image& file, const std::array<std::int64_t, 3>& first,
                    const std::array<std::int64_t, 3>& size) {
  const auto& form = file.source().form();
  const auto sizes = with_channels(axes_of(size, form.shape), form.channels);
  py::array pixels(numpy_type(form.type), sizes.cast<std::vector<py::ssize_t>>());
  const image_region region{first, size};
  if (region.pixels() == 0) return pixels;
  void* const to = pixels.mutable_data();
  const py::gil_scoped_release no_gil;
  file.read(region, to);
  return pixels;
}

py::object spacing_of(const file_image& file) {
  const auto& form = file.source().form();
  if (!form.info.spacing) return py::none();
  const auto& [first, second, third] = *form.info.spacing;
  if (form.shape.rank() == 3) return py::make_tuple(first, second, third);
  return py::make_tuple(first, second);
}

py::object chunks_of(const file_image& file) {
  const auto& shape = file.source().form().shape;
  auto chunk = file.source().chunk();
  if (chunk == std::array<std::int64_t, 3>{}) return py::none();
  const auto whole = whole_of(shape).size;
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (chunk[axis] == 0) chunk[axis] = whole[axis];
  return axes_of(chunk, shape);
}

}  // namespace

file_image::file_image(const std::string& file, int level) {
  const py::gil_scoped_release no_gil;
  source_ = open_source(file, {.level = level});
}

py::tuple sizes_of(const source_form& form) {
  return with_channels(axes_of(whole_of(form.shape).size, form.shape), form.channels);
}

std::unique_ptr<image_source> source_from(py::handle image, bool in_colour) {
  if (py::isinstance<file_image>(image))
    return std::make_unique<shared_source>(image.cast<file_image&>(), in_colour);
  return std::make_unique<sliced_source>(py::reinterpret_borrow<py::object>(image), in_colour);
}

std::unique_ptr<image_sink> sink_from(py::handle place, const source_form& form,
                                      const std::filesystem::path& scratch) {
  if (py::isinstance<py::str>(place))
    return create_sink(place.cast<std::string>(), form, {.scratch = scratch});
  return std::make_unique<sliced_sink>(py::reinterpret_borrow<py::object>(place), form);
}

void add_sources(py::module_& module) {
  py::class_<file_image>(module, "file_image")
      .def(py::init<const std::string&, int>())
      .def_property_readonly("shape", [](const file_image& self) { return sizes_of(self.source().form()); })
      .def_property_readonly("dtype",
                             [](const file_image& self) { return numpy_type(self.source().form().type); })
      .def_property_readonly("channels", [](const file_image& self) { return self.source().form().channels; })
      .def_property_readonly("spacing", &spacing_of)
      .def_property_readonly("chunks", &chunks_of)
      .def("read", &pixels_of);
  module.def("default_memory", &default_memory);
}

}  // namespace macareu::python
