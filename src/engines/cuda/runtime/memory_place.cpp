// Part of every build: a build without CUDA must not treat device memory as host memory.
#include <dlfcn.h>
#include <link.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "engines/cuda/runtime/presence.hpp"

namespace macareu::cuda {
namespace {

// Constants of the driver API: a build without CUDA has no headers for it.
enum class pointer_attribute : int { memory_type = 2, is_managed = 8, device_ordinal = 9 };
constexpr unsigned type_device = 2;
using ask_pointer = int (*)(unsigned count, pointer_attribute* which, void** answers,
                            unsigned long long data);

/// Grows whenever this process loads a library.
unsigned long long libraries_loaded() {
  unsigned long long count = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* first, std::size_t, void* to) {
        *static_cast<unsigned long long*>(to) = first->dlpi_adds;
        return 1;  // stop: all entries hold the same value
      },
      &count);
  return count;
}

/// Null if the process has not loaded the driver. The search takes tens of microseconds, so it repeats only
/// after another library was loaded. A loaded driver stays loaded, so its function is cached.
ask_pointer loaded_driver() {
  static std::atomic<ask_pointer> known{nullptr};
  static std::atomic<unsigned long long> looked_among{0};
  if (const auto ask = known.load(std::memory_order_relaxed)) return ask;
  const auto loaded = libraries_loaded();
  if (looked_among.load(std::memory_order_relaxed) == loaded) return nullptr;
  void* driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (!driver) {
    looked_among.store(loaded, std::memory_order_relaxed);
    return nullptr;
  }
  const auto ask = reinterpret_cast<ask_pointer>(dlsym(driver, "cuPointerGetAttributes"));
  known.store(ask, std::memory_order_relaxed);
  dlclose(driver);
  return ask;
}

}  // namespace

/// Queries the driver: the runtime would create a context on a GPU even for host memory.
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
