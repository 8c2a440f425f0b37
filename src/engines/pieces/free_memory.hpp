#pragma once

#include <cstdint>

namespace macareu::pieces {

/// Bytes that the machine and the cgroup of this process leave free.
std::int64_t free_memory();

}  // namespace macareu::pieces
