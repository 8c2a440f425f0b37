// Host memory for results that come from a GPU and are read once. Up to a size it is pinned, so that the GPU
// writes it without a detour, and kept for later calls, so that its pages are there already.
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

  /// Does the GPU write it by itself?
  bool is_pinned() const { return pinned_.data != nullptr; }
  /// Nobody has cleared it.
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
