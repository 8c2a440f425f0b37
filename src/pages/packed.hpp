// Bytes as text of a page: compressed by zlib's format, in base64.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace macareu::pages {

/// zlib's format. Builds without zlib store the bytes as they are.
std::string deflated(std::string_view bytes, int level = 6);
std::string base64(std::string_view bytes);

void append_varint(std::string& to, std::uint64_t value);
/// Small numbers of either sign become short.
void append_signed(std::string& to, std::int64_t value);

/// A PNG file of 8-bit pixels in C order, grey (1 channel) or RGB (3).
std::string png(std::span<const std::uint8_t> pixels, int width, int height, int channels, int level);

/// The text in quotes, as JSON and JavaScript want it; also safe inside HTML.
std::string json_string(std::string_view text);
/// The shortest text; null for NaN and infinity.
std::string number_text(double value);

}  // namespace macareu::pages
