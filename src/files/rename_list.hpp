// Finished files and directories of a folder get their names together.
#pragma once

#include <filesystem>
#include <vector>

namespace macareu::files {

/// What this machine has written to the file system of a directory is on the disk then.
void sync_file_system(const std::filesystem::path& directory);

struct finished_file {
  std::filesystem::path file, target;
};

/// Writes a list of all renames to the folder, with the inode of every file, before the first one. Files for
/// another file system are copied beside their target before that. Symbolic links to targets are followed.
/// durable: their file systems are written to the disk before that.
void rename_all(const std::filesystem::path& folder, const std::vector<finished_file>& files, bool durable);

/// Does the rest of a list that a killed process left. False if there is none.
bool finish_renames(const std::filesystem::path& folder);

}  // namespace macareu::files
