#include "engines/cuda/residence.cuh"

#include <algorithm>

#include "engines/cuda/presence.hpp"

namespace macareu::cuda {

std::byte* residence::place(const host_pixels& image, to_be use) {
  auto found = std::ranges::find(copies_, image, &copy::host);
  if (found == copies_.end()) {
    const auto kind = place_of(image.data).kind;
    if (kind == memory_kind::device || kind == memory_kind::managed) return nullptr;
    const auto bytes = image.depth * image.height * padded_width(image.width) * image.size;
    found = copies_.insert(copies_.end(), copy{image, device_array<std::byte>(on_, bytes)});
  }
  if (use == to_be::written) {
    found->written = true;
  } else if (!found->filled) {
    upload(on_.work, image, found->rows(), on_.stream);
  }
  found->filled = true;
  return found->memory.data();
}

void residence::finish() {
  on_.synchronize("cudaStreamSynchronize");
  for (const auto& each : copies_) {
    if (!each.written) continue;
    on_.work.results_touched = true;
    download(on_.work, each.rows(), each.host, on_.stream);
  }
}

}  // namespace macareu::cuda
