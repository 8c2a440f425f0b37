// Memory for images between steps: buffers are used again, because page faults of fresh ones cost as much as
// a step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <vector>

namespace macareu::slides {

class buffers : public std::enable_shared_from_this<buffers> {
 public:
  std::shared_ptr<std::byte> take(std::int64_t bytes);
  /// Bytes that wait to be used again.
  void keep_at_most(std::int64_t bytes) { most_ = bytes; }

 private:
  struct release {
    void operator()(std::byte* memory) const;
  };
  struct spare {
    std::unique_ptr<std::byte[], release> memory;
    std::int64_t size;
  };
  static std::unique_ptr<std::byte[], release> fresh(std::int64_t bytes);

  std::mutex guard_;
  std::vector<spare> spares_;
  std::int64_t total_ = 0, most_ = std::numeric_limits<std::int64_t>::max();  // of the spares
};

}  // namespace macareu::slides
