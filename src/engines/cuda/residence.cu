#include "engines/cuda/residence.cuh"

#include <algorithm>

#include "engines/cuda/presence.hpp"

namespace macareu::cuda {
namespace {

/// What lies between the rows travels with them: never memory that nobody wrote.
void clear_padding(const gpu& on, const host_pixels& image, std::byte* data) {
  const auto pitch = padded_width(image.width);
  if (pitch == image.width) return;
  const auto bytes = [&](std::int64_t pixels) { return static_cast<std::size_t>(pixels * image.size); };
  const auto rows = static_cast<std::size_t>(image.depth * image.height);
  // One row may be longer than the pitch of two dimensions can be.
  check(rows == 1 ? cudaMemsetAsync(data + bytes(image.width), 0, bytes(pitch - image.width), on.stream)
                  : cudaMemset2DAsync(data + bytes(image.width), bytes(pitch), 0, bytes(pitch - image.width),
                                      rows, on.stream),
        "cudaMemset2DAsync");
}

}  // namespace

std::byte* residence::place(const host_pixels& image, to_be use) {
  auto found = std::ranges::find(copies_, image, &copy::host);
  if (found == copies_.end()) {
    const auto kind = place_of(image.data).kind;
    if (kind == memory_kind::device || kind == memory_kind::managed) return nullptr;
    const auto bytes = image.depth * image.height * padded_width(image.width) * image.size;
    found = copies_.insert(copies_.end(), copy{image, device_array<std::byte>(on_, bytes)});
  }
  if (use == to_be::written) {
    if (!found->filled) clear_padding(on_, image, found->memory.data());
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
