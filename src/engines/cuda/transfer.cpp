#include "engines/cuda/transfer.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>

#include "core/key.hpp"
#include "engines/cpu/threads.hpp"
#include "engines/cuda/check.hpp"
#include "engines/cuda/pinned_ring.hpp"
#include "engines/cuda/presence.hpp"

namespace macareu::cuda {
namespace {

/// What one thread packs at a time.
constexpr std::int64_t piece_bytes = 128 << 10;

enum class heading { to_device, to_host };

/// Adds the time of its life to the report.
class timed_transfer {
 public:
  explicit timed_transfer(job& work) : work_(work) {}
  ~timed_transfer() {
    work_.report.transfer_seconds += std::chrono::duration<double>(clock::now() - begin_).count();
  }

 private:
  using clock = std::chrono::steady_clock;
  job& work_;
  clock::time_point begin_ = clock::now();
};

template <heading To, class Pixel>
void copy_pixels(Pixel* packed, Pixel* strided, std::int64_t step, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    if constexpr (To == heading::to_device)
      packed[i] = strided[i * step];
    else
      strided[i * step] = packed[i];
  }
}

template <heading To>
void copy_run(std::byte* packed, std::byte* strided, std::int64_t step, std::int64_t count,
              std::int64_t size) {
  const auto as = [&]<class Pixel>(Pixel) {
    copy_pixels<To>(reinterpret_cast<Pixel*>(packed), reinterpret_cast<Pixel*>(strided), step, count);
  };
  if (step == 1)
    std::memcpy(To == heading::to_device ? packed : strided, To == heading::to_device ? strided : packed,
                static_cast<std::size_t>(count * size));
  else if (size == 1)
    as(std::uint8_t{});
  else if (size == 2)
    as(std::uint16_t{});
  else if (size == 4)
    as(std::uint32_t{});
  else
    as(std::uint64_t{});
}

/// Pixels [begin, end) of the device's rows, counted with their padding, between a chunk that begins at
/// `begin` and the host's image.
template <heading To>
void copy_piece(const host_pixels& host, std::int64_t pitch, std::byte* chunk, std::int64_t begin,
                std::int64_t end) {
  for (auto at = begin; at < end;) {
    const auto row = at / pitch, x = at % pitch;
    const auto next = std::min(end, (row + 1) * pitch);
    const auto inside = std::min(next - at, host.width - x);
    const auto offset = row / host.height * host.step_z + row % host.height * host.step_y + x * host.step_x;
    if (inside > 0)
      copy_run<To>(chunk + (at - begin) * host.size, host.data + offset * host.size, host.step_x, inside,
                   host.size);
    at = next;
  }
}

/// A chunk's pieces on all threads.
template <heading To>
void copy_chunk(const job& work, const host_pixels& host, std::int64_t pitch, std::byte* chunk,
                std::int64_t begin, std::int64_t end) {
  const auto piece = piece_bytes / host.size;
  std::atomic<std::int64_t> next{begin};
  cpu::parallel(cpu::threads_for(end - begin, work.how.threads), [&](int) {
    for (auto at = next.fetch_add(piece); at < end; at = next.fetch_add(piece))
      copy_piece<To>(host, pitch, chunk + (at - begin) * host.size, at, std::min(end, at + piece));
  });
}

/// Rows that the GPU can copy itself: pinned, without gaps between pixels, and not turned upside down.
bool goes_directly(const host_pixels& host) {
  return host.step_x == 1 && host.step_y >= host.width && place_of(host.data).kind == memory_kind::pinned;
}

void copy_directly(const host_pixels& host, const device_rows& device, heading to, cudaStream_t stream) {
  const bool even = host.depth == 1 || host.step_z == host.height * host.step_y;
  const auto slices = even ? 1 : host.depth;
  const auto rows = static_cast<std::size_t>(even ? host.depth * host.height : host.height);
  const auto bytes = [&](std::int64_t pixels) { return static_cast<std::size_t>(pixels * host.size); };
  for (std::int64_t z = 0; z < slices; ++z) {
    std::byte* const there = device.data + z * host.height * device.pitch * host.size;
    std::byte* const here = host.data + z * host.step_z * host.size;
    check(to == heading::to_device
              ? cudaMemcpy2DAsync(there, bytes(device.pitch), here, bytes(host.step_y), bytes(host.width),
                                  rows, cudaMemcpyHostToDevice, stream)
              : cudaMemcpy2DAsync(here, bytes(host.step_y), there, bytes(device.pitch), bytes(host.width),
                                  rows, cudaMemcpyDeviceToHost, stream),
          "cudaMemcpy2DAsync");
  }
  check(cudaStreamSynchronize(stream), "cudaMemcpy2DAsync");
}

/// The device's rows in pieces of a chunk.
struct chunks {
  std::int64_t pixels, chunk;
  chunks(const host_pixels& host, std::int64_t pitch)
      : pixels(host.depth * host.height * pitch), chunk(chunk_bytes / host.size) {}
  std::int64_t count() const { return (pixels + chunk - 1) / chunk; }
  std::int64_t begin(std::int64_t i) const { return i * chunk; }
  std::int64_t end(std::int64_t i) const { return std::min(pixels, (i + 1) * chunk); }
};

}  // namespace

void upload(job& work, const host_pixels& from, const device_rows& to, cudaStream_t stream) {
  const timed_transfer timed(work);
  if (goes_directly(from)) return copy_directly(from, to, heading::to_device, stream);
  const chunks pieces(from, to.pitch);
  ring_lease ring(ring_use::upload, stream);
  for (std::int64_t i = 0; i < pieces.count(); ++i) {
    work.check_stop();
    const auto begin = pieces.begin(i), end = pieces.end(i);
    std::byte* const chunk = ring.chunk(i);
    copy_chunk<heading::to_device>(work, from, to.pitch, chunk, begin, end);
    check(
        cudaMemcpyAsync(to.data + begin * from.size, chunk,
                        static_cast<std::size_t>((end - begin) * from.size), cudaMemcpyHostToDevice, stream),
        "cudaMemcpyAsync");
    ring.in_use(i);
  }
  check(cudaStreamSynchronize(stream), "upload");
}

void download(job& work, const device_rows& from, const host_pixels& to, cudaStream_t stream) {
  const timed_transfer timed(work);
  if (goes_directly(to)) return copy_directly(to, from, heading::to_host, stream);
  const chunks pieces(to, from.pitch);
  constexpr auto ahead = static_cast<std::int64_t>(chunk_count);
  ring_lease ring(ring_use::download, stream);
  const auto start = [&](std::int64_t i) {
    const auto begin = pieces.begin(i);
    check(cudaMemcpyAsync(ring.chunk(i), from.data + begin * to.size,
                          static_cast<std::size_t>((pieces.end(i) - begin) * to.size), cudaMemcpyDeviceToHost,
                          stream),
          "cudaMemcpyAsync");
    ring.in_use(i);
  };
  for (std::int64_t i = 0; i < std::min(ahead, pieces.count()); ++i) start(i);
  for (std::int64_t i = 0; i < pieces.count(); ++i) {
    copy_chunk<heading::to_host>(work, to, from.pitch, ring.chunk(i), pieces.begin(i), pieces.end(i));
    if (i + ahead < pieces.count()) start(i + ahead);
  }
}

}  // namespace macareu::cuda
