// Reads and writes at an offset that do all or throw.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>

namespace macareu::pieces {

/// Throws io_error, which names the file.
void write_all(int descriptor, const void* from, std::size_t bytes, std::int64_t offset,
               const std::filesystem::path& name);
void read_all(int descriptor, void* to, std::size_t bytes, std::int64_t offset,
              const std::filesystem::path& name);
/// A work file, mode 0600. A new one must not exist; a kept one is opened again.
int open_work_file(const std::filesystem::path& file, bool keep);

}  // namespace macareu::pieces
