#pragma once

#include <filesystem>
#include <system_error>

namespace macareu {

/// Removes a folder with all it holds, also while others remove or end files of theirs in it. Returns whether
/// it is gone: NFS keeps files that are open.
inline bool remove_folder(const std::filesystem::path& folder) {
  constexpr int most_tries = 1000;
  std::error_code error;
  for (int tries = 0; tries < most_tries; ++tries) {
    // It stops at a file that is gone before its turn.
    std::filesystem::remove_all(folder, error);
    if (error != std::errc::no_such_file_or_directory && error != std::errc::directory_not_empty) break;
  }
  return !error;
}

}  // namespace macareu
