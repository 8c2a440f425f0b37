// The GPUs of this machine; none in a build without CUDA.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <macareu/machine.hpp>

namespace macareu::cuda {

struct gpu_list {
  std::vector<gpu_description> gpus;  // by number
  std::string problem;                // why there is none
};

/// Whether there is a cuda engine; does not load it.
bool is_built();

/// Queries the driver once.
const gpu_list& gpus_here();

/// The GPU that CUDA would use in this thread.
int current_gpu();

/// N of "cuda:N".
inline std::optional<int> gpu_named(std::string_view device) {
  constexpr std::string_view prefix = "cuda:";
  if (!device.starts_with(prefix)) return std::nullopt;
  device.remove_prefix(prefix.size());
  int number = 0;
  const auto* const end = device.data() + device.size();
  const auto [stop, code] = std::from_chars(device.data(), end, number);
  if (code != std::errc() || stop != end || number < 0) return std::nullopt;
  return number;
}

/// The numbers of "cuda:N,cuda:M,...", which may repeat; empty for any other text.
inline std::vector<int> gpus_named(std::string_view devices) {
  std::vector<int> numbers;
  while (true) {
    const auto comma = devices.find(',');
    const auto number = gpu_named(devices.substr(0, comma));
    if (!number) return {};
    numbers.push_back(*number);
    if (comma == std::string_view::npos) return numbers;
    devices.remove_prefix(comma + 1);
  }
}

/// Bytes that this library can allocate: free memory and idle memory of the pool.
std::int64_t free_memory(int gpu);

enum class memory_kind { host, pinned, device, managed };

struct memory_place {
  memory_kind kind = memory_kind::host;
  int gpu = 0;  // of device memory
};

/// Does not initialise CUDA: a process that has not used it has no device memory.
memory_place place_of(const void* data);

}  // namespace macareu::cuda
