#include "engines/cuda/runtime/transfer.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <optional>

#include "core/ceil_div.hpp"
#include "core/key.hpp"
#include "engines/cpu/runtime/threads.hpp"
#include "engines/cuda/runtime/check.hpp"
#include "engines/cuda/runtime/current_device.hpp"
#include "engines/cuda/runtime/pinned_ring.hpp"
#include "engines/cuda/runtime/presence.hpp"

namespace macareu::cuda {
namespace {

enum class heading { to_device, to_host };

/// Adds its lifetime to the report.
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

/// Copies pixels [begin, end) of the device's rows, padding included, between the host's image and a chunk
/// that begins at `begin`.
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

/// Can the GPU copy the rows directly? They must be pinned, dense within a row, and in ascending order.
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

/// The device's rows, split into chunks that threads draw one after another. A thread owns slots of the ring,
/// so it waits only for the GPU.
class chunks {
 public:
  chunks(const host_pixels& host, std::int64_t pitch)
      : pixels_(host.depth * host.height * pitch), chunk_(chunk_bytes / host.size) {}

  /// visit(first slot, slots) on every thread.
  template <class Visit>
  void on_threads(const job& work, const Visit& visit) {
    const auto most = std::min<std::int64_t>(count(), chunk_count / least_slots);
    const auto threads = std::min<std::int64_t>(cpu::threads_for(pixels_, work.how.threads), most);
    if (threads == 0) return;
    const auto slots = static_cast<std::int64_t>(chunk_count) / threads;
    const int gpu = current_gpu();
    cpu::parallel(static_cast<int>(threads), [&](int thread) {
      const current_device here(gpu);
      visit(thread * slots, slots);
    });
  }
  std::optional<std::int64_t> draw(const job& work) {
    work.check_stop();
    const auto chunk = next_.fetch_add(1, std::memory_order_relaxed);
    return chunk < count() ? std::optional(chunk) : std::nullopt;
  }

  std::int64_t begin(std::int64_t i) const { return i * chunk_; }
  std::int64_t end(std::int64_t i) const { return std::min(pixels_, (i + 1) * chunk_); }

 private:
  static constexpr std::int64_t least_slots = 2;  // one for the thread and one for the GPU

  std::int64_t count() const { return ceil_div(pixels_, chunk_); }

  std::int64_t pixels_, chunk_;
  std::atomic<std::int64_t> next_{0};
};

}  // namespace

void upload(job& work, const host_pixels& from, const device_rows& to, cudaStream_t stream) {
  const timed_transfer timed(work);
  if (goes_directly(from)) return copy_directly(from, to, heading::to_device, stream);
  chunks pieces(from, to.pitch);
  ring_lease ring(ring_use::upload, stream);
  pieces.on_threads(work, [&](std::int64_t first_slot, std::int64_t slots) {
    for (std::int64_t turn = 0;; ++turn) {
      const auto i = pieces.draw(work);
      if (!i) return;
      const auto begin = pieces.begin(*i), end = pieces.end(*i);
      const auto slot = first_slot + turn % slots;
      std::byte* const chunk = ring.chunk(slot);
      copy_piece<heading::to_device>(from, to.pitch, chunk, begin, end);
      check(cudaMemcpyAsync(to.data + begin * from.size, chunk,
                            static_cast<std::size_t>((end - begin) * from.size), cudaMemcpyHostToDevice,
                            stream),
            "cudaMemcpyAsync");
      ring.in_use(slot);
    }
  });
  check(cudaStreamSynchronize(stream), "upload");
}

void download(job& work, const device_rows& from, const host_pixels& to, cudaStream_t stream) {
  const timed_transfer timed(work);
  if (goes_directly(to)) return copy_directly(to, from, heading::to_host, stream);
  chunks pieces(to, from.pitch);
  ring_lease ring(ring_use::download, stream);
  pieces.on_threads(work, [&](std::int64_t first_slot, std::int64_t slots) {
    std::array<std::int64_t, chunk_count> piece_of;  // by turn
    std::int64_t begun = 0;
    const auto begin_next = [&] {
      const auto i = pieces.draw(work);
      if (!i) return false;
      const auto begin = pieces.begin(*i), slot = first_slot + begun % slots;
      check(cudaMemcpyAsync(ring.chunk(slot), from.data + begin * to.size,
                            static_cast<std::size_t>((pieces.end(*i) - begin) * to.size),
                            cudaMemcpyDeviceToHost, stream),
            "cudaMemcpyAsync");
      ring.in_use(slot);
      piece_of[static_cast<std::size_t>(begun++ % slots)] = *i;
      return true;
    };
    while (begun < slots && begin_next()) {
    }
    for (std::int64_t done = 0; done < begun; ++done) {
      const auto i = piece_of[static_cast<std::size_t>(done % slots)];
      copy_piece<heading::to_host>(to, from.pitch, ring.chunk(first_slot + done % slots), pieces.begin(i),
                                   pieces.end(i));
      begin_next();
    }
  });
}

}  // namespace macareu::cuda
