// Host memory for results that are downloaded and read once. Up to a size it is pinned, so that the GPU
// writes it directly. Pinned blocks are kept for later calls, which saves page faults.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace macareu::cuda {

class pinned_buffer {
 public:
  explicit pinned_buffer(std::int64_t bytes);
  ~pinned_buffer();
  pinned_buffer(pinned_buffer&& other) noexcept;
  pinned_buffer& operator=(pinned_buffer&&) = delete;

  /// Can the GPU write it directly?
  bool is_pinned() const { return pinned_.data != nullptr; }
  /// Uninitialised memory.
  std::byte* data() const { return pinned_.data ? pinned_.data : pageable_.get(); }

  struct block {
    std::byte* data = nullptr;
    std::int64_t bytes = 0;
  };

 private:
  block pinned_;
  std::unique_ptr<std::byte[]> pageable_;
};

}  // namespace macareu::cuda
