#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace macareu::pieces {

/// Bytes that the machine and the cgroup of this process leave free. Pages of files that were read are free.
/// `root`: the directory with proc and sys.
std::int64_t free_memory(const std::filesystem::path& root = "/");

/// Bytes for people, rounded up.
std::string with_unit(std::int64_t bytes);

}  // namespace macareu::pieces
