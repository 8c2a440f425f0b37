// Part of every build: one without CUDA must not take a GPU's memory for the host's.
#include <dlfcn.h>

#include <array>
#include <atomic>
#include <cstdint>

#include "engines/cuda/presence.hpp"

namespace macareu::cuda {
namespace {

// Of the driver's interface, whose headers such a build has not.
enum class pointer_attribute : int { memory_type = 2, is_managed = 8, device_ordinal = 9 };
constexpr unsigned type_device = 2;
using ask_pointer = int (*)(unsigned count, pointer_attribute* which, void** answers,
                            unsigned long long data);

/// None where nobody in this process has loaded the driver.
ask_pointer loaded_driver() {
  static std::atomic<ask_pointer> known{nullptr};  // it stays loaded; looking for it takes microseconds
  if (const auto ask = known.load(std::memory_order_relaxed)) return ask;
  void* driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (!driver) return nullptr;
  const auto ask = reinterpret_cast<ask_pointer>(dlsym(driver, "cuPointerGetAttributes"));
  known.store(ask, std::memory_order_relaxed);
  dlclose(driver);
  return ask;
}

}  // namespace

/// The driver is asked, not the runtime, which would make a context on a GPU to answer for host memory.
memory_place place_of(const void* data) {
  const auto ask = loaded_driver();
  if (!ask) return {};
  unsigned type = 0, managed = 0;
  int gpu = 0;
  std::array attributes{pointer_attribute::memory_type, pointer_attribute::is_managed,
                        pointer_attribute::device_ordinal};
  std::array<void*, 3> answers{&type, &managed, &gpu};
  const auto failed = ask(static_cast<unsigned>(attributes.size()), attributes.data(), answers.data(),
                          reinterpret_cast<std::uintptr_t>(data));
  if (failed || type == 0) return {};
  if (managed) return {memory_kind::managed, gpu};
  return {type == type_device ? memory_kind::device : memory_kind::pinned, gpu};
}

}  // namespace macareu::cuda
