// Memory for rows that vectors go through.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace macareu::cpu {

/// Begins with a line of the cache, so that a vector of a row that begins there does not lie on two lines.
template <class T>
class aligned_memory {
 public:
  explicit aligned_memory(std::int64_t count)
      : memory_(static_cast<std::size_t>(count + line)),
        first_(memory_.data() +
               (line_bytes - reinterpret_cast<std::uintptr_t>(memory_.data()) % line_bytes) / sizeof(T)) {}
  aligned_memory(const aligned_memory&) = delete;
  aligned_memory& operator=(const aligned_memory&) = delete;

  T* data() const { return first_; }

  /// The least pitch of rows of so many values, all of which begin with a line.
  static constexpr std::int64_t pitch_of(std::int64_t count) { return (count + line - 1) / line * line; }

 private:
  static constexpr std::size_t line_bytes = 64;
  static constexpr std::int64_t line = line_bytes / sizeof(T);

  std::vector<T> memory_;
  T* first_;
};

}  // namespace macareu::cpu
