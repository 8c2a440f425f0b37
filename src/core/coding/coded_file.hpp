// Boxes of pixels in a work file without a name, coded (core/coding/pixel_code.hpp).
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <macareu/sources.hpp>

#include "core/host_threads.hpp"

namespace macareu {

/// One past the last place of a region along an axis.
inline std::int64_t end_of(const image_region& of, std::size_t axis) {
  return of.first[axis] + of.size[axis];
}

class ranks;

class coded_file {
 public:
  /// Bytes on disk of all of them.
  struct use {
    std::atomic<std::int64_t> now = 0, peak = 0;
    void add(std::int64_t bytes);
  };
  static use& all();

  /// An empty folder is that of temporary files. Ranks that share it write boxes of their own, each to a file
  /// of its own in a folder that all see.
  coded_file(const std::filesystem::path& folder, std::size_t pixel_bytes, ranks* shared_by = nullptr);
  ~coded_file();
  coded_file(const coded_file&) = delete;
  coded_file& operator=(const coded_file&) = delete;

  /// Packed pixels. A box is written as a whole again, or does not overlap others. By several callers,
  /// if their boxes do not overlap.
  void write(const image_region& where, const void* from, const host_threads& threads = {});
  /// Of boxes that were written; by several callers, if they like.
  void read(const image_region& where, void* to, const host_threads& threads = {}) const;
  std::int64_t bytes() const { return size_; }

  bool is_shared() const { return shared_by_ != nullptr; }
  /// Lets all ranks read what each has written. All of them call it, once; no-op without ranks.
  void share();

 private:
  struct part {
    image_region where;
    std::int64_t offset = 0, bytes = 0;
    int file = -1;
  };

  void put(part one, const std::vector<std::byte>& coded);
  void add_unused(std::int64_t offset, std::int64_t bytes);
  /// The smallest place that has room, or one at the end of the file.
  std::int64_t take_unused(std::int64_t bytes);
  void remove_unused(std::map<std::int64_t, std::int64_t>::iterator place);
  void remove_name();

  std::size_t pixel_bytes_;
  ranks* shared_by_;
  std::string folder_;
  std::string name_;  // of the file, until other ranks have opened it
  int file_ = -1;
  std::vector<int> others_;  // files of other ranks
  std::int64_t size_ = 0;
  mutable std::mutex guard_;
  std::map<std::array<std::int64_t, 3>, part> parts_;  // by their first pixels
  // Places of parts that were written again; those side by side are one.
  std::map<std::int64_t, std::int64_t> unused_;                           // bytes by offsets
  std::set<std::pair<std::int64_t, std::int64_t>> unused_by_bytes_ = {};  // the same: bytes, offset
};

}  // namespace macareu
