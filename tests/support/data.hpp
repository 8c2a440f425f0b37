// Images that do not come with the project: in the folder MACAREU_DATA, else in ../shared/data.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>

#include <macareu/files.hpp>

namespace macareu::test {

inline std::filesystem::path data_folder() {
  if (const char* named = std::getenv("MACAREU_DATA")) return named;
  return std::filesystem::path(MACAREU_SOURCE_DIR) / "../shared/data";
}

/// As .npy or .jpg, whichever is there and this build reads (what it writes, it reads); empty where neither
/// is.
inline std::filesystem::path data_file(const std::string& name) {
  const auto formats = writable_extensions();
  for (const std::string extension : {".npy", ".jpg"}) {
    const auto file = data_folder() / (name + extension);
    if (std::ranges::find(formats, extension) != formats.end() && std::filesystem::exists(file)) return file;
  }
  return {};
}

}  // namespace macareu::test
