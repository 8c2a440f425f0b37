// Threads of this machine for work that no engine lends them for: slides and pages, which read and write
// files.
#pragma once

#include <cstdint>

#include "core/host_threads.hpp"

namespace macareu {

/// For work that takes as long as so many pixels: `asked` of them if positive.
host_threads lend_threads(std::int64_t pixels, int asked);

}  // namespace macareu
