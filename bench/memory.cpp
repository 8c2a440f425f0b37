#include "memory.hpp"

#include <malloc.h>

#include <fstream>
#include <string>
#include <string_view>

namespace macareu::bench {
namespace {

/// A field of /proc/self/status, converted from kB to bytes.
std::optional<std::int64_t> status(std::string_view field) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(field)) return 1024 * std::stoll(line.substr(field.size() + 1));
  return std::nullopt;
}

bool reset_peak() {
  std::ofstream file("/proc/self/clear_refs");
  file << "5";
  return static_cast<bool>(file.flush());
}

}  // namespace

std::optional<std::int64_t> peak_rise(const std::function<void()>& run) {
  // Pages cached by the allocator would hide the memory that this call needs.
  malloc_trim(0);
  if (!reset_peak()) {
    run();
    return std::nullopt;
  }
  const auto before = status("VmRSS");
  run();
  const auto peak = status("VmHWM");
  if (!before || !peak) return std::nullopt;
  return *peak - *before;
}

}  // namespace macareu::bench
