// Memory that a call takes.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

namespace macareu::bench {

/// By how many bytes the resident memory of the process rises, at the worst moment, while `run` runs; none
/// where the system does not tell.
std::optional<std::int64_t> peak_rise(const std::function<void()>& run);

}  // namespace macareu::bench
