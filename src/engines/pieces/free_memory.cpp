#include "engines/pieces/free_memory.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <string_view>

#include "core/ceil_div.hpp"

namespace macareu::pieces {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();

/// The number in a file of one number; none for "max", or if there is no such file.
std::optional<std::int64_t> number_in(const fs::path& file) {
  std::int64_t value = 0;
  std::ifstream stream(file);
  return stream >> value ? std::optional(value) : std::nullopt;
}

/// The number behind a name, in a file with one of them in each line.
std::optional<std::int64_t> number_of(std::string_view name, const fs::path& file) {
  std::ifstream stream(file);
  std::string word, rest;
  for (std::int64_t value = 0; stream >> word >> value; std::getline(stream, rest))
    if (word == name) return value;
  return std::nullopt;
}

/// What the two versions of control groups call their files.
struct cgroup_version {
  std::string_view folder, limit, used, prefix;
};
constexpr cgroup_version unified{"sys/fs/cgroup", "memory.max", "memory.current", ""};
constexpr cgroup_version with_controllers{"sys/fs/cgroup/memory", "memory.limit_in_bytes",
                                          "memory.usage_in_bytes", "total_"};

std::int64_t free_in(const fs::path& folder, const cgroup_version& version) {
  const auto limit = number_in(folder / version.limit), used = number_in(folder / version.used);
  if (!limit || !used) return unlimited;
  // Pages of files count as used, but the kernel takes them back as it needs them. Those that were read twice
  // are active. MemAvailable counts both kinds as free, too.
  std::int64_t files = 0;
  for (const auto* const kind : {"inactive_file", "active_file"})
    files += number_of(std::string(version.prefix) + kind, folder / "memory.stat").value_or(0);
  return std::max<std::int64_t>(0, *limit - std::max<std::int64_t>(0, *used - files));
}

/// Of a group and those around it. A container may see its own group as the root.
std::int64_t free_along(std::string path, const fs::path& root, const cgroup_version& version) {
  const auto groups = root / version.folder;
  auto least = free_in(groups, version);
  for (; path.size() > 1; path.resize(path.rfind('/')))
    least = std::min(least, free_in(groups / path.substr(1), version));
  return least;
}

}  // namespace

std::int64_t free_memory(const fs::path& root) {
  constexpr std::int64_t kibibyte = 1024;
  const auto available = number_of("MemAvailable:", root / "proc/meminfo");
  auto least = available ? *available * kibibyte : unlimited;
  // "4:memory:/path" or, of the unified hierarchy, "0::/path"
  std::ifstream groups(root / "proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const auto begin = line.find(':'), end = line.find(":/");
    if (end == std::string::npos) continue;
    const auto path = line.substr(end + 1);
    const auto controllers = begin < end ? "," + line.substr(begin + 1, end - begin - 1) + "," : "";
    if (line.starts_with("0::")) least = std::min(least, free_along(path, root, unified));
    if (controllers.find(",memory,") != std::string::npos)
      least = std::min(least, free_along(path, root, with_controllers));
  }
  return least;
}

std::string with_unit(std::int64_t bytes) {
  constexpr std::int64_t kibibyte = 1 << 10, mebibyte = 1 << 20;
  return bytes < 10 * mebibyte ? std::to_string(ceil_div(bytes, kibibyte)) + " KiB"
                               : std::to_string(ceil_div(bytes, mebibyte)) + " MiB";
}

}  // namespace macareu::pieces
