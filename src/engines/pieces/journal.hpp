// What a run in pieces has finished, in a file, so that a run that was killed can continue.
//
// A record is a number of the pass or file, a piece, and bytes that only its writer understands. It is
// appended when the pixels it speaks of are written. The file is not trusted: a record that is cut off or
// damaged, and all behind it, did not happen.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
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

  void record(std::int64_t of, std::int64_t piece, std::span<const std::byte> bytes = {});
  bool has(std::int64_t of, std::int64_t piece) const;
  std::optional<std::string> recall(std::int64_t of, std::int64_t piece) const;

 private:
  struct place {
    int descriptor;
    std::int64_t offset;
    std::uint32_t size;
  };
  /// Returns the end of the last record that is complete.
  std::int64_t load(int descriptor, const std::filesystem::path& file, const std::string& description);

  mutable std::mutex guard_;
  int descriptor_ = -1;
  std::vector<int> others_;
  std::int64_t end_ = 0;
  std::map<std::pair<std::int64_t, std::int64_t>, place> records_;
};

}  // namespace macareu::pieces
