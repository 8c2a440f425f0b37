#include "engines/cuda/runtime/shared_arrays.hpp"

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <string>
#include <vector>

#include "arrays.hpp"
#include "dlpack.hpp"
#include "parts.hpp"

namespace macareu::python {
namespace {

void* pointer_to(std::uintptr_t address) { return reinterpret_cast<void*>(address); }
std::uintptr_t address_of(const void* data) { return reinterpret_cast<std::uintptr_t>(data); }

/// A tensor of another package, released on destruction.
class taken_tensor {
 public:
  explicit taken_tensor(const py::object& capsule) {
    if (const auto* const plain = take<dlpack::managed>(capsule)) {
      tensor_ = &plain->tensor;
      return;
    }
    const auto* const versioned = take<dlpack::managed_versioned>(capsule);
    if (!versioned)
      throw py::type_error("__dlpack__ returned no capsule, or one whose tensor is already consumed");
    if (versioned->version != dlpack::managed_versioned::known_version)
      throw py::buffer_error("version " + std::to_string(versioned->version) + " of DLPack is not supported");
    tensor_ = &versioned->tensor;
    constexpr auto not_for_results =
        dlpack::managed_versioned::read_only | dlpack::managed_versioned::is_copy;
    writable_ = (versioned->flags & not_for_results) == 0;
  }

  /// Whether writes are allowed and reach the other package's array.
  bool writable() const { return writable_; }

  /// Described as for view_of().
  py::tuple described() const {
    const auto type = numpy_type();
    const auto axes = static_cast<std::size_t>(tensor_->axes);
    py::tuple shape(axes), strides(axes);
    std::int64_t step = 1;
    for (auto axis = axes; axis-- > 0;) {
      const auto size = tensor_->shape[axis];
      shape[axis] = size;
      strides[axis] = (tensor_->strides ? tensor_->strides[axis] : step) * type.itemsize();
      step *= size;
    }
    return py::make_tuple(address_of(tensor_->data) + tensor_->byte_offset, type, shape, strides);
  }

 private:
  template <class Managed>
  const Managed* take(const py::object& capsule) {
    if (!PyCapsule_IsValid(capsule.ptr(), Managed::name)) return nullptr;
    auto* const taken = static_cast<Managed*>(PyCapsule_GetPointer(capsule.ptr(), Managed::name));
    if (PyCapsule_SetName(capsule.ptr(), Managed::name_when_used) != 0) throw py::error_already_set();
    owner_ = {taken, [](void* kept) {
                auto* const back = static_cast<Managed*>(kept);
                if (back->give_back) back->give_back(back);
              }};
    return taken;
  }

  py::dtype numpy_type() const {
    const auto [code, bits, lanes] = tensor_->type;
    const char kind = code == dlpack::integer   ? 'i'
                      : code == dlpack::whole   ? 'u'
                      : code == dlpack::real    ? 'f'
                      : code == dlpack::complex ? 'c'
                      : code == dlpack::boolean ? 'b'
                                                : 0;
    if (kind == 0 || bits % 8 != 0 || lanes != 1)
      throw py::type_error("pixels of DLPack's type " + std::to_string(code) + " with " +
                           std::to_string(bits) + " bits and " + std::to_string(lanes) +
                           " lanes are not supported");
    return py::dtype(kind + std::to_string(bits / 8));
  }

  std::shared_ptr<void> owner_;
  const dlpack::tensor* tensor_ = nullptr;
  bool writable_ = true;
};

/// Waiting for a GPU with the GIL could deadlock, if its work waits for Python. Other packages may release
/// memory from threads without the GIL.
void give_back(cuda::shared_memory* memory) {
  if (!Py_IsInitialized() || !PyGILState_Check()) return delete memory;
  const py::gil_scoped_release no_gil;
  delete memory;
}

/// Memory of results, shared by all its users.
class kept_memory {
 public:
  kept_memory(int gpu, std::uintptr_t stream, std::size_t bytes)
      : memory_(new cuda::shared_memory(gpu, pointer_to(stream), bytes), &give_back) {}

  std::uintptr_t address() const { return address_of(memory_->data()); }
  dlpack::device device() const {
    return memory_->gpu() < 0 ? dlpack::device{dlpack::on_host, 0}
                              : dlpack::device{dlpack::on_gpu, memory_->gpu()};
  }

  /// A capsule for one consumer, as a contiguous image.
  py::object capsule(const py::dtype& type, const std::vector<std::int64_t>& shape, bool versioned) const {
    return versioned ? capsule_of<dlpack::managed_versioned>(type, shape)
                     : capsule_of<dlpack::managed>(type, shape);
  }

 private:
  template <class Managed>
  struct exported {
    Managed managed{};
    std::shared_ptr<cuda::shared_memory> memory;
    std::vector<std::int64_t> shape, strides;
  };

  template <class Managed>
  py::object capsule_of(const py::dtype& type, const std::vector<std::int64_t>& shape) const {
    auto all = std::make_unique<exported<Managed>>();
    all->memory = memory_;
    all->shape = shape;
    all->strides.resize(shape.size());
    std::int64_t step = 1;
    for (auto axis = shape.size(); axis-- > 0; step *= shape[axis]) all->strides[axis] = step;
    const auto code = type.kind() == 'b'   ? dlpack::boolean
                      : type.kind() == 'i' ? dlpack::integer
                      : type.kind() == 'u' ? dlpack::whole
                                           : dlpack::real;
    auto& managed = all->managed;
    managed.tensor = {memory_->data(),
                      device(),
                      static_cast<std::int32_t>(shape.size()),
                      {code, static_cast<std::uint8_t>(8 * type.itemsize()), 1},
                      all->shape.data(),
                      all->strides.data(),
                      0};
    managed.owner = all.get();
    managed.give_back = [](Managed* self) { delete static_cast<exported<Managed>*>(self->owner); };
    if constexpr (requires { managed.version; }) managed.version = Managed::known_version;
    auto capsule =
        py::reinterpret_steal<py::object>(PyCapsule_New(&managed, Managed::name, [](PyObject* self) {
          if (!PyCapsule_IsValid(self, Managed::name)) return;  // consumed
          auto* const left = static_cast<Managed*>(PyCapsule_GetPointer(self, Managed::name));
          left->give_back(left);
        }));
    if (!capsule) throw py::error_already_set();
    all.release();
    return capsule;
  }

  std::shared_ptr<cuda::shared_memory> memory_;
};

}  // namespace

void add_shared_arrays(py::module_& module) {
  py::class_<taken_tensor>(module, "taken_tensor")
      .def(py::init<py::object>())
      .def_property_readonly("described", &taken_tensor::described)
      .def_property_readonly("writable", &taken_tensor::writable);
  py::class_<kept_memory>(module, "kept_memory")
      .def(py::init<int, std::uintptr_t, std::size_t>())
      .def_property_readonly("address", &kept_memory::address)
      .def_property_readonly("device",
                             [](const kept_memory& self) {
                               const auto [type, number] = self.device();
                               return py::make_tuple(static_cast<int>(type), number);
                             })
      .def("capsule", &kept_memory::capsule);
  module.def("new_array", [](const py::dtype& type, const std::vector<py::ssize_t>& shape) {
    return new_array(type_from(type.kind(), type.itemsize(), type), shape);
  });
  module.def("gpu_beside", [](std::uintptr_t data) { return cuda::gpu_beside(pointer_to(data)); });
  module.def("own_stream", [](int gpu) { return address_of(cuda::own_stream(gpu)); });
  module.def("follow", [](int gpu, std::uintptr_t stream, std::uintptr_t other) {
    cuda::follow(gpu, pointer_to(stream), pointer_to(other));
  });
  module.def("finish", [](int gpu, std::uintptr_t stream) {
    const py::gil_scoped_release no_gil;
    cuda::finish(gpu, pointer_to(stream));
  });
}

}  // namespace macareu::python
