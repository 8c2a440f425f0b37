// TIFF 6.0, section 2, and BigTIFF: a header points to the first directory, and each directory to the next.
#include <algorithm>
#include <array>
#include <string>
#include <unordered_set>
#include <vector>

#include "format.hpp"

namespace macareu::files {
namespace {

struct tiff_reader {
  input& file;
  bool big_endian = false;

  std::uint64_t number(std::size_t bytes) {
    std::array<std::uint8_t, 8> data{};
    file.read(data.data(), bytes);
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < bytes; ++i) value = value << 8 | data[big_endian ? i : bytes - 1 - i];
    return value;
  }
};

constexpr std::uint64_t tile_width_tag = 322, tile_length_tag = 323, sub_pages_tag = 330;
constexpr std::uint64_t short_type = 3;

/// Reads the tags of a directory, the file being at the first of them.
tiff_tiles read_tags(tiff_reader& reader, std::uint64_t entries, std::uint64_t entry_size) {
  tiff_tiles tiles;
  for (; entries > 0; --entries) {
    const auto next = reader.file.offset() + entry_size;
    const auto tag = reader.number(2);
    if (tag == tile_width_tag || tag == tile_length_tag) {
      const auto size = reader.number(2) == short_type ? 2u : 4u;
      reader.file.seek(reader.file.offset() + (entry_size - 4) / 2);
      (tag == tile_width_tag ? tiles.width : tiles.height) = static_cast<std::int64_t>(reader.number(size));
    }
    if (tag == sub_pages_tag) {
      reader.number(2);
      tiles.sub_pages = static_cast<int>(std::min<std::uint64_t>(reader.number((entry_size - 4) / 2), 100));
    }
    reader.file.seek(next);
  }
  return tiles;
}

}  // namespace

std::vector<tiff_tiles> read_tiff_directories(input& file) {
  const auto order = file.peek(2);
  if (order != "II" && order != "MM") return {};
  tiff_reader reader{file, order == "MM"};
  file.seek(2);
  const auto version = reader.number(2);
  if (version != 42 && version != 43) return {};
  const bool big_tiff = version == 43;
  if (big_tiff) file.seek(8);
  const std::size_t offset_size = big_tiff ? 8 : 4;
  const std::uint64_t entry_size = big_tiff ? 20 : 12;

  std::vector<tiff_tiles> pages;
  std::unordered_set<std::uint64_t> seen;
  for (auto offset = reader.number(offset_size); offset != 0;) {
    const auto at = file.offset() - offset_size;
    if (!seen.insert(offset).second) file.fail_at(at, "the directories of the pages form a loop");
    if (offset >= file.size())
      file.fail_at(at, "the directory of page " + std::to_string(seen.size()) + " should be at byte " +
                           std::to_string(offset) + ", but the file has " + std::to_string(file.size()) +
                           " bytes");
    file.seek(offset);
    const auto entries = reader.number(big_tiff ? 8 : 2);
    if (entries > file.remaining() / entry_size)
      file.fail("a directory of " + std::to_string(entries) + " entries does not fit the file");
    pages.push_back(read_tags(reader, entries, entry_size));
    offset = reader.number(offset_size);
  }
  return pages;
}

}  // namespace macareu::files
