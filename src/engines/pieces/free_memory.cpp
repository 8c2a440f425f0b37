#include "engines/pieces/free_memory.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

#include "core/ceil_div.hpp"

namespace macareu::pieces {
namespace {

constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();

/// The number in a file of one number; `unlimited` for "max", or if there is no such file.
std::int64_t number_in(const std::string& file) {
  std::int64_t value = 0;
  std::ifstream stream(file);
  return stream >> value ? value : unlimited;
}

std::int64_t available() {
  std::ifstream stream("/proc/meminfo");
  for (std::string name, unit; stream >> name;) {
    std::int64_t kibibytes = 0;
    stream >> kibibytes;
    std::getline(stream, unit);
    if (name == "MemAvailable:") return kibibytes * 1024;
  }
  return unlimited;
}

/// The cgroup's path in the unified hierarchy, "0::/path".
std::string cgroup() {
  std::ifstream stream("/proc/self/cgroup");
  for (std::string line; std::getline(stream, line);)
    if (line.starts_with("0::")) return line.substr(3);
  return {};
}

}  // namespace

std::int64_t free_memory() {
  auto least = available();
  for (auto path = cgroup(); !path.empty(); path = path.substr(0, path.rfind('/'))) {
    const auto folder = "/sys/fs/cgroup" + path;
    const auto limit = number_in(folder + "/memory.max"), used = number_in(folder + "/memory.current");
    if (limit != unlimited && used != unlimited)
      least = std::min(least, std::max<std::int64_t>(0, limit - used));
  }
  return least;
}

std::string with_unit(std::int64_t bytes) {
  constexpr std::int64_t kibibyte = 1 << 10, mebibyte = 1 << 20;
  return bytes < 10 * mebibyte ? std::to_string(ceil_div(bytes, kibibyte)) + " KiB"
                               : std::to_string(ceil_div(bytes, mebibyte)) + " MiB";
}

}  // namespace macareu::pieces
