// Names of slides and nuclei that do not change from run to run.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace macareu::slides {

/// SHA-1 (RFC 3174): UUIDs of version 5 are made of it.
class sha1 {
 public:
  using digest = std::array<std::uint8_t, 20>;

  void add(std::string_view bytes);
  digest end();

 private:
  void take_block(const std::uint8_t* block);

  std::array<std::uint32_t, 5> state_{0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0};
  std::array<std::uint8_t, 64> block_{};
  std::uint64_t size_ = 0;
};

using uuid = std::array<std::uint8_t, 16>;

/// The UUID of version 5 (RFC 4122) of a name in a namespace.
uuid uuid5(const uuid& space, std::string_view name);
/// Appends 36 characters.
void append(std::string& to, const uuid& of);

/// Hexadecimal SHA-1 of names, sizes and contents of a file, or of all files of a directory. Of large ones it
/// takes blocks all over them. The name of the file itself and its times do not matter.
std::string checksum_of(const std::filesystem::path& file);

}  // namespace macareu::slides
