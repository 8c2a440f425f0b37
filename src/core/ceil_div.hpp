#pragma once

#include <cstdint>

namespace macareu {

/// a / b, rounded up.
constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

}  // namespace macareu
