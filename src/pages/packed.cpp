#include "packed.hpp"

#include <array>
#include <charconv>
#include <cmath>

#include <macareu/error.hpp>

#ifdef MACAREU_WITH_ZLIB
#include <zlib.h>
#endif

namespace macareu::pages {
namespace {

void append_big_endian(std::string& to, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) to += static_cast<char>(value >> shift);
}

constexpr auto crc_table = [] {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    auto c = i;
    for (int bit = 0; bit < 8; ++bit) c = c & 1 ? 0xedb88320u ^ (c >> 1) : c >> 1;
    table[i] = c;
  }
  return table;
}();

std::uint32_t crc(std::string_view bytes) {
  auto c = 0xffffffffu;
  for (const char byte : bytes) c = crc_table[(c ^ static_cast<unsigned char>(byte)) & 255] ^ (c >> 8);
  return ~c;
}

void append_chunk(std::string& to, std::string_view type, std::string_view data) {
  append_big_endian(to, static_cast<std::uint32_t>(data.size()));
  const auto first = to.size();
  to += type;
  to += data;
  append_big_endian(to, crc(std::string_view(to).substr(first)));
}

}  // namespace

#ifdef MACAREU_WITH_ZLIB

std::string deflated(std::string_view bytes, int level) {
  auto size = compressBound(bytes.size());
  std::string packed(size, '\0');
  if (compress2(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()),
                bytes.size(), level) != Z_OK)
    throw internal_error("zlib cannot compress " + std::to_string(bytes.size()) + " bytes");
  packed.resize(size);
  return packed;
}

#else

std::string deflated(std::string_view bytes, int) {
  std::string stored("\x78\x01", 2);
  std::uint32_t a = 1, b = 0;
  do {
    const auto part = bytes.substr(0, 65535);
    bytes.remove_prefix(part.size());
    const auto size = static_cast<std::uint32_t>(part.size());
    stored += bytes.empty() ? '\1' : '\0';
    for (const auto value : {size, ~size})
      for (const int shift : {0, 8}) stored += static_cast<char>(value >> shift);
    stored += part;
    for (const char byte : part) {
      a = (a + static_cast<unsigned char>(byte)) % 65521;
      b = (b + a) % 65521;
    }
  } while (!bytes.empty());
  append_big_endian(stored, b << 16 | a);
  return stored;
}

#endif

std::string base64(std::string_view bytes) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t three = 0;
    for (std::size_t k = 0; k < 3; ++k)
      three = three << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k)
      text += i + k <= bytes.size() ? digits[three >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

void append_varint(std::string& to, std::uint64_t value) {
  for (; value >= 128; value >>= 7) to += static_cast<char>(value | 128);
  to += static_cast<char>(value);
}

void append_signed(std::string& to, std::int64_t value) {
  append_varint(to, static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63));
}

std::string png(std::span<const std::uint8_t> pixels, int width, int height, int channels, int level) {
  const auto row = static_cast<std::size_t>(width) * static_cast<std::size_t>(channels);
  std::string rows;
  rows.reserve((row + 1) * static_cast<std::size_t>(height));
  for (std::size_t y = 0; y < static_cast<std::size_t>(height); ++y) {
    rows += '\0';  // no filter
    rows.append(reinterpret_cast<const char*>(pixels.data() + y * row), row);
  }
  std::string header;
  append_big_endian(header, static_cast<std::uint32_t>(width));
  append_big_endian(header, static_cast<std::uint32_t>(height));
  header += '\x8';
  header += channels == 3 ? '\x2' : '\0';
  header.append(3, '\0');
  std::string file("\x89PNG\r\n\x1a\n", 8);
  append_chunk(file, "IHDR", header);
  append_chunk(file, "IDAT", deflated(rows, level));
  append_chunk(file, "IEND", {});
  return file;
}

std::string json_string(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string result = "\"";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      (result += '\\') += c;
    else if (code < 32 || c == '<' || c == '>' || c == '&')  // no text ends a script element
      ((result += "\\u00") += digits[code >> 4]) += digits[code & 15];
    else
      result += c;
  }
  return result += '"';
}

std::string number_text(double value) {
  if (!std::isfinite(value)) return "null";
  std::array<char, 32> text{};
  return {text.data(), std::to_chars(text.begin(), text.end(), value).ptr};
}

}  // namespace macareu::pages
