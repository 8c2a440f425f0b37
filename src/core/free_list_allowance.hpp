// Memory for temporary images inside of a limit (core/host_memory.hpp).
#pragma once

#include <cstddef>

namespace macareu {

/// While one exists, the free list may hold so many bytes where no_free_list forbids it: a caller that leaves
/// room for them in its own limit saves page faults.
class free_list_allowance {
 public:
  explicit free_list_allowance(std::size_t bytes);
  free_list_allowance(const free_list_allowance&) = delete;
  free_list_allowance& operator=(const free_list_allowance&) = delete;
  ~free_list_allowance();

 private:
  std::size_t before_;
};

}  // namespace macareu
