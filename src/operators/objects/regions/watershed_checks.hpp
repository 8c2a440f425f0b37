// The errors of a watershed's markers. Not templates: texts would be compiled for every type and engine.
#pragma once

#include <cstdint>
#include <string>

#include "core/call.hpp"

namespace macareu {

/// A value that is no label, or a marker outside the mask.
[[noreturn]] void refuse_marker(const call& call, const std::string& value, site p, bool inside);
[[noreturn]] void refuse_no_markers(const call& call);

/// The pixel of a signed or unsigned type of so many bytes.
std::string marker_text(std::uint64_t bits, int bytes, bool is_signed);

}  // namespace macareu
