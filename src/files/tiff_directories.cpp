// TIFF 6.0, section 2, and BigTIFF: a header points to the first directory, and each directory to the next.
#include <array>
#include <unordered_set>

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

}  // namespace

std::uint64_t count_tiff_directories(input& file) {
  const auto order = file.peek(2);
  if (order != "II" && order != "MM") return 0;
  tiff_reader reader{file, order == "MM"};
  file.seek(2);
  const auto version = reader.number(2);
  if (version != 42 && version != 43) return 0;
  const bool big_tiff = version == 43;
  if (big_tiff) file.seek(8);
  const std::size_t offset_size = big_tiff ? 8 : 4;
  const std::uint64_t entry_size = big_tiff ? 20 : 12;

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
    file.seek(file.offset() + entries * entry_size);
    offset = reader.number(offset_size);
  }
  return seen.size();
}

}  // namespace macareu::files
