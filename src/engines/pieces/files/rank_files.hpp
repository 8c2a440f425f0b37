// Bytes that ranks leave for each other in files, one of each rank: messages tell only where they lie.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "core/function_ref.hpp"
#include "engines/pieces/run.hpp"

namespace macareu::pieces {

class rank_files {
 public:
  /// All ranks make one of the same name, which name_of_pass() gave them.
  rank_files(run& of, std::filesystem::path name) : run_(of), name_(std::move(name)) {}

  /// Appends to the file of this rank. Returns where the bytes begin.
  std::int64_t add(const void* from, std::size_t bytes);
  /// What a rank added, after a message that told of it. Throws io_error if it is not there.
  void read(int writer, std::int64_t offset, void* to, std::size_t bytes) const;
  /// Removes the file of this rank when all have read what they need. After an error it stays until the run
  /// ends, because others may still read it.
  void remove() const;

  std::filesystem::path path_of(int writer) const;

 private:
  run& run_;
  std::filesystem::path name_;
  std::int64_t end_ = 0;
};

/// take(bytes) on every rank, for what each of them has, in their order.
void gather_in_files(run& of, std::string_view own, function_ref<void(std::string_view)> take);

}  // namespace macareu::pieces
