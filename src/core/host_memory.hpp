// Memory for pixels on the host. Page faults take longer than many operators, so large memory has huge pages
// and that of temporary images is reused.
#pragma once

#include <cstddef>
#include <memory>

namespace macareu {

struct free_memory {
  void operator()(void* memory) const;
};
using host_memory = std::unique_ptr<std::byte[], free_memory>;

/// Not initialised. Begins with a line of the cache, or with a huge page from 4 MiB on.
host_memory new_memory(std::size_t bytes);

/// The same for temporary images. Large memory comes from a free list of the process.
host_memory take_memory(std::size_t bytes);
/// Returns memory to the free list. Null is ignored.
void give_back(host_memory memory, std::size_t bytes);
/// What the free list holds, at most 256 MiB.
std::size_t free_list_bytes();

/// While one exists, the free list is empty: for calls that have to stay within a limit of memory.
class no_free_list {
 public:
  no_free_list();
  no_free_list(const no_free_list&) = delete;
  no_free_list& operator=(const no_free_list&) = delete;
  ~no_free_list();
};

}  // namespace macareu
