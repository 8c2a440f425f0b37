// Python arrays as views, without a copy: NumPy's, and memory described by macareu/_arrays.py.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#ifdef __linux__
#include <sys/mman.h>
#endif

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include <macareu/image.hpp>

namespace macareu::python {

namespace py = pybind11;

inline dtype type_from(char kind, py::ssize_t bytes, const py::handle& shown) {
  const auto name = kind == 'b' ? "bool" : kind + std::to_string(8 * bytes);
  if (const auto type = dtype_named(name)) return *type;
  throw py::type_error("pixels of type " + std::string(py::str(shown)) +
                       " are not supported: use bool, int8 to int64, uint8 to uint64, float32 or float64");
}

inline const py::dtype& numpy_type(dtype type) {
  static const auto* const all = [] {
    auto* types = new std::array<py::dtype, 11>;  // never destroyed: it may outlive Python
    for (std::size_t i = 0; i < types->size(); ++i) {
      const auto each = static_cast<dtype>(i);
      const auto kind = name_of(each)[0];
      (*types)[i] = py::dtype(kind + std::to_string(size_of(each)));
    }
    return types;
  }();
  return (*all)[static_cast<std::size_t>(type)];
}

inline extents shape_from(const py::ssize_t* sizes, py::ssize_t rank) {
  if (rank != 2 && rank != 3)
    throw py::value_error("expected an image (2 axes) or a volume (3 axes), got an array of " +
                          std::to_string(rank) + (rank == 1 ? " axis" : " axes"));
  return extents(std::span<const std::int64_t>(sizes, static_cast<std::size_t>(rank)));
}

/// Converts strides from bytes to elements; empty if they are not multiples.
inline std::optional<strides> steps_from(const py::ssize_t* bytes, const extents& shape, py::ssize_t size) {
  strides steps{};
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (shape[axis] > 1 && bytes[axis] % size != 0) return std::nullopt;
    steps[static_cast<std::size_t>(axis)] = bytes[axis] / size;
  }
  return steps;
}

inline py::ssize_t item_size(const py::array& array) { return array.dtype().itemsize(); }

inline image_view view_of(const py::array& array, void* data) {
  const auto type = type_from(array.dtype().kind(), item_size(array), array.dtype());
  const auto shape = shape_from(array.shape(), array.ndim());
  const auto steps = steps_from(array.strides(), shape, item_size(array));
  if (!steps) throw py::value_error("the array's strides are not multiples of its item size; copy it first");
  return {data, type, shape, *steps};
}

/// The array itself, or a copy if it is byte-swapped or misaligned.
inline py::array readable(py::handle object) {
  const auto array = py::array(py::reinterpret_borrow<py::object>(object));  // throws NumPy's error
  bool straight = array.dtype().byteorder() != '>';
  const auto size = item_size(array);
  straight = straight && size > 0 && reinterpret_cast<std::uintptr_t>(array.data()) % size == 0;
  for (py::ssize_t axis = 0; axis < array.ndim(); ++axis)
    straight = straight && (array.shape(axis) <= 1 || array.strides(axis) % size == 0);
  if (straight) return array;
  return py::module_::import("numpy").attr("array")(array, array.dtype().attr("newbyteorder")("="));
}

/// The first three sizes or strides of a tuple. Faster than pybind11's conversion to a vector.
inline std::array<py::ssize_t, 3> first_axes(const py::tuple& values) {
  std::array<py::ssize_t, 3> first{};
  for (std::size_t axis = 0; axis < std::min(values.size(), first.size()); ++axis) {
    first[axis] = PyLong_AsSsize_t(PyTuple_GET_ITEM(values.ptr(), static_cast<py::ssize_t>(axis)));
    if (first[axis] == -1 && PyErr_Occurred()) throw py::error_already_set();
  }
  return first;
}

/// For memory of any device; strides in bytes.
inline image_view view_of(py::handle address, const py::dtype& type, const py::tuple& sizes,
                          const py::tuple& strides) {
  const auto of_pixels = type_from(type.kind(), type.itemsize(), type);
  const auto shape = shape_from(first_axes(sizes).data(), static_cast<py::ssize_t>(sizes.size()));
  const auto steps = steps_from(first_axes(strides).data(), shape, type.itemsize());
  if (!steps) throw py::value_error("the array's strides are not multiples of its item size; copy it first");
  return {reinterpret_cast<void*>(address.cast<std::uintptr_t>()), of_pixels, shape, *steps};
}

/// From (address, type, shape, strides), or from a CuPy array.
inline image_view view_of(py::handle described) {
  if (py::isinstance<py::tuple>(described)) {
    const auto parts = py::reinterpret_borrow<py::tuple>(described);
    return view_of(parts[0], parts[1].cast<py::dtype>(), parts[2].cast<py::tuple>(),
                   parts[3].cast<py::tuple>());
  }
  return view_of(described.attr("data").attr("ptr"), described.attr("dtype").cast<py::dtype>(),
                 described.attr("shape").cast<py::tuple>(), described.attr("strides").cast<py::tuple>());
}

/// The last axis as channels.
template <class Pointer>
detail::basic_image_view<Pointer> as_colour(const detail::basic_image_view<Pointer>& of) {
  if (of.shape().rank() != 3) return of;  // grey: refused by what takes colour
  const auto& steps = of.steps();
  return {of.data(),
          of.type(),
          extents{of.shape()[0], of.shape()[1]},
          {steps[0], steps[1], 0},
          static_cast<int>(of.shape()[2]),
          steps[2]};
}

/// A capsule that keeps memory alive as long as an array uses it.
template <class Memory>
py::capsule owner_of(Memory&& memory) {
  return {new Memory(std::move(memory)), [](void* kept) { delete static_cast<Memory*>(kept); }};
}

/// An array that owns the image's memory, with channels as its last axis.
inline py::array array_of(image&& pixels) {
  std::vector<py::ssize_t> shape;
  for (int axis = 0; axis < pixels.shape().rank(); ++axis) shape.push_back(pixels.shape()[axis]);
  if (pixels.channels() > 1) shape.push_back(pixels.channels());
  const auto type = pixels.type();
  void* const data = pixels.data();  // unchanged by the move
  return {numpy_type(type), shape, data, owner_of(std::move(pixels))};
}

/// A one-dimensional array, in the owner's memory or new. pybind11 would build lists of sizes and strides
/// first.
inline py::array new_row(dtype type, std::size_t size, void* data = nullptr, py::object owner = {}) {
  const auto& numpy = py::detail::npy_api::get();
  const auto length = static_cast<py::ssize_t>(size);
  auto array = py::reinterpret_steal<py::array>(
      numpy.PyArray_NewFromDescr_(numpy.PyArray_Type_, numpy_type(type).inc_ref().ptr(), 1, &length, nullptr,
                                  data, data ? py::detail::npy_api::NPY_ARRAY_WRITEABLE_ : 0, nullptr));
  if (!array) throw py::error_already_set();
  if (owner && numpy.PyArray_SetBaseObject_(array.ptr(), owner.release().ptr()) != 0)
    throw py::error_already_set();
  return array;
}

/// Free list for memory of large arrays, because page faults of new memory dominate most operators. Protected
/// by the GIL.
class spare_memory {
 public:
  /// Never destroyed: arrays may outlive it.
  static spare_memory& here() {
    static auto* const all = new spare_memory;
    return *all;
  }

  /// Allocating and freeing large blocks raises malloc's thresholds. Otherwise it returns smaller blocks to
  /// the system, and operators incur page faults on every call. The second block comes from its heap, so
  /// temporary memory of operators gets large pages too. The blocks are never touched.
  spare_memory() {
    for (const int megabytes : {28, 24}) const image untouched(dtype::u8, {1, megabytes << 20});
  }

  image take(std::size_t bytes) {
    const auto found = std::ranges::find(pieces_, bytes, &image::bytes);
    if (found == pieces_.end()) return {dtype::u8, {1, static_cast<std::int64_t>(bytes)}};
    auto piece = std::move(*found);
    pieces_.erase(found);
    kept_ -= bytes;
    return piece;
  }

  void keep(image&& piece) {
    if (piece.bytes() > most) return;
    if (!pieces_.empty()) offer(pieces_.back());
    kept_ += piece.bytes();
    pieces_.push_back(std::move(piece));
    for (; kept_ > most; pieces_.erase(pieces_.begin())) kept_ -= pieces_.front().bytes();
  }

 private:
  static constexpr std::size_t most = std::size_t{256} << 20;

  /// Lets the system reclaim the pages if memory is short. Not applied to the newest piece, which is likely
  /// to be reused soon, since such pages are slower to write. Images of this size do not share pages.
  static void offer([[maybe_unused]] image& piece) {
#ifdef MADV_FREE
    madvise(piece.data(), piece.bytes(), MADV_FREE);
#endif
  }

  std::vector<image> pieces_;  // the oldest first
  std::size_t kept_ = 0;
};

/// Large arrays use memory of an image, which is aligned to large pages, so page faults are cheaper than with
/// NumPy's.
inline py::array new_array(dtype type, const std::vector<py::ssize_t>& shape) {
  constexpr std::size_t large = std::size_t{4} << 20;
  const extents sizes = shape_from(shape.data(), static_cast<py::ssize_t>(shape.size()));
  const auto bytes = static_cast<std::size_t>(sizes.pixels()) * size_of(type);
  if (bytes < large) return {numpy_type(type), shape};
  auto* const kept = new image(spare_memory::here().take(bytes));
  const py::capsule owner(kept, [](void* memory) {
    const std::unique_ptr<image> piece(static_cast<image*>(memory));
    spare_memory::here().keep(std::move(*piece));
  });
  return {numpy_type(type), shape, kept->data(), owner};
}

}  // namespace macareu::python
