// Peak memory of a call.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

namespace macareu::bench {

/// The peak rise of the resident memory during `run`, in bytes. Empty if the system does not report it.
std::optional<std::int64_t> peak_rise(const std::function<void()>& run);

}  // namespace macareu::bench
