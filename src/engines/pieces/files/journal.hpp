// What a run in pieces has finished, in a file, so that a run that was killed can continue.
//
// A record is a number of the pass or file, a piece, and bytes that only its writer understands. It is
// appended when the pixels it speaks of are written. The file is not trusted: a record that is cut off or
// damaged, and all behind it, did not happen.
//
// Pixels that are written may still be in the memory of the machine. They reach the disk every few seconds,
// and the journal notes which records are durable. Where the machine was started anew, or is another one,
// only those count.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace macareu::pieces {

class journal {
 public:
  journal() = default;  // remembers nothing
  ~journal();
  journal(const journal&) = delete;
  journal& operator=(const journal&) = delete;

  /// Begins a new file, or continues the one of a run with the same description. Throws usage_error if the
  /// descriptions differ.
  /// Records in files of `others`, the other ranks of the run that is continued, count too.
  void open(const std::filesystem::path& file, const std::string& description, bool resume,
            const std::vector<std::filesystem::path>& others = {});
  bool is_open() const { return descriptor_ >= 0; }
  /// Where the run ends early, but not by a kill: all of it is durable then. On a full disk nothing is noted,
  /// and the run can be resumed as after a kill.
  void stop();
  /// Whether files that no record speaks of are those that the unfinished run wrote: false where a machine
  /// may have lost some.
  bool trusts_files() const { return trusts_files_; }

  void record(std::int64_t of, std::int64_t piece, std::span<const std::byte> bytes = {});
  bool has(std::int64_t of, std::int64_t piece) const;
  std::optional<std::string> recall(std::int64_t of, std::int64_t piece) const;

 private:
  /// Numbers of the journal's own records: the machine that writes from here on, the end of those that are
  /// durable, stop(), and that files without records may be lost. The last one holds for all later runs: they
  /// do not know which of the files were written again.
  static constexpr std::int64_t began = -2, durable = -3, stopped = -4, lost_files = -5;

  struct place {
    int descriptor;
    std::int64_t offset;
    std::uint32_t size;
  };
  void sync_now_and_then(std::stop_token stop);
  /// Brings all files of the file system to the disk, and notes that the records so far are durable.
  bool sync();
  /// Adds a record of the journal's own. False if it cannot be written.
  bool note(std::int64_t of, std::span<const std::byte> bytes = {});
  struct loaded {
    std::int64_t end;   // of the last record that counts
    bool is_elsewhere;  // it was written before the machine started, or on another one
  };
  loaded load(int descriptor, const std::filesystem::path& file, const std::string& description);

  mutable std::mutex guard_;
  int descriptor_ = -1;
  std::vector<int> others_;
  std::int64_t end_ = 0;
  std::int64_t not_durable_ = 0;  // records
  bool trusts_files_ = true;
  std::map<std::pair<std::int64_t, std::int64_t>, place> records_;
  std::condition_variable_any ends_;
  std::jthread syncing_;
};

}  // namespace macareu::pieces
