#include "engines/cuda/runtime/residence.cuh"

#include <algorithm>

#include "engines/cuda/runtime/presence.hpp"

namespace macareu::cuda {

void clear_padding(const gpu& on, std::byte* data, std::int64_t rows, std::int64_t width, std::int64_t size) {
  const auto pitch = padded_width(width) * size, used = width * size, all = rows * pitch;
  const auto zero = [&](std::int64_t begin, std::int64_t end) {
    if (begin < end)
      check(cudaMemsetAsync(data + begin, 0, static_cast<std::size_t>(end - begin), on.stream),
            "cudaMemsetAsync");
  };
  // A single row may exceed the largest pitch of cudaMemset2DAsync.
  if (rows > 1 && used < pitch)
    check(
        cudaMemset2DAsync(data + used, static_cast<std::size_t>(pitch), 0,
                          static_cast<std::size_t>(pitch - used), static_cast<std::size_t>(rows), on.stream),
        "cudaMemset2DAsync");
  else if (rows == 1)
    zero(used, pitch);
  zero(all, whole_vectors(all));
}

std::byte* residence::place(const host_pixels& image, to_be use) {
  if (on_.work.images_on_gpu) return nullptr;
  auto found = std::ranges::find(copies_, image, &copy::host);
  if (found == copies_.end()) {
    const auto kind = place_of(image.data).kind;
    if (kind == memory_kind::device || kind == memory_kind::managed) return nullptr;
    const auto bytes = image.depth * image.height * padded_width(image.width) * image.size;
    found = copies_.insert(copies_.end(), copy{image, device_array<std::byte>(on_, bytes)});
  }
  if (use == to_be::written) {
    if (!found->written)
      clear_padding(on_, found->memory.data(), image.depth * image.height, image.width, image.size);
    found->written = true;
  } else if (!found->filled) {
    upload(on_.work, image, found->rows(), on_.stream);
  }
  found->filled = true;
  return found->memory.data();
}

bool residence::is_on_host(const host_pixels& image) const {
  // Kernels in the stream may write pinned memory.
  if (on_.work.images_on_gpu || place_of(image.data).kind != memory_kind::host) return false;
  const auto found = std::ranges::find(copies_, image, &copy::host);
  return found == copies_.end() || !found->written;
}

void residence::finish() {
  if (on_.work.in_stream_order && !on_.reads_host) return;
  if (!on_.idle) on_.synchronize("cudaStreamSynchronize");  // skipped if idle: it takes microseconds
  for (const auto& each : copies_) {
    if (!each.written) continue;
    on_.work.results_touched = true;
    download(on_.work, each.rows(), each.host, on_.stream);
  }
}

}  // namespace macareu::cuda
