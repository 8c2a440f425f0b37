// Boxes of pixels as few bytes, for work files. Masks and labels are coded in runs of equal pixels, pixels of
// 16 bits by their differences: smooth images and constant areas take little room.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace macareu {

/// Replaces `to` by the code of `count` pixels of 1, 2, 4 or 8 bytes in rows of `columns`.
void code_pixels(const std::byte* from, std::size_t pixel_bytes, std::int64_t count, std::int64_t columns,
                 std::vector<std::byte>& to);
/// The pixels of such a code, in rows that begin `pitch` pixels after each other.
void decode_pixels(const std::vector<std::byte>& from, std::size_t pixel_bytes, std::int64_t count,
                   std::int64_t columns, std::int64_t pitch, std::byte* to);

}  // namespace macareu
