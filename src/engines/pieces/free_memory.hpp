#pragma once

#include <cstdint>
#include <string>

namespace macareu::pieces {

/// Bytes that the machine and the cgroup of this process leave free.
std::int64_t free_memory();

/// Bytes for people, rounded up.
std::string with_unit(std::int64_t bytes);

}  // namespace macareu::pieces
