// Memory for images between steps: buffers are used again, because page faults of fresh ones cost as much as
// a step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace macareu::slides {

class buffers : public std::enable_shared_from_this<buffers> {
 public:
  std::shared_ptr<std::byte> take(std::int64_t bytes);

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
};

}  // namespace macareu::slides
