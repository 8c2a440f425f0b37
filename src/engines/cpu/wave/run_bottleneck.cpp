#include <algorithm>
#include <mutex>

#include "engines/cpu/threads.hpp"
#include "engines/cpu/wave/bottleneck.hpp"
#include "engines/cpu/wave/tiles.hpp"

namespace macareu::cpu {
namespace {

/// Measured on two Neoverse-N1 cores, see docs/results.md: tiles of 16 KiB keep states and capacities in the
/// first-level cache.
template <class Key>
constexpr tile_size image_tile{128, static_cast<int>(128 / sizeof(Key)), 1};
template <class Key>
constexpr tile_size volume_tile{64, 16, static_cast<int>(16 / sizeof(Key))};

}  // namespace

template <class Key>
void run_bottleneck(job& work, const neighbourhood& near, const wave_image<Key>& image) {
  tile_wave<Key> wave(near, image, near.rank == 3 ? volume_tile<Key> : image_tile<Key>);
  const int threads = threads_for(image.depth * image.height * image.width, work.how.threads);
  std::mutex adding;
  auto& report = work.report;
  report.tiles = report.passes = 0;
  report.strategy = "tiles";
  parallel(threads, [&](int) {
    typename tile_wave<Key>::worker worker(wave);
    wave.waiting().work([&](std::int64_t tile) {
      if (work.how.stop.stop_requested()) return wave.waiting().stop();
      worker.visit(tile);
    });
    const std::lock_guard lock(adding);
    report.tiles += worker.visits;
    report.passes += worker.passes();
  });
  work.check_stop();
}

template void run_bottleneck(job&, const neighbourhood&, const wave_image<std::uint8_t>&);
template void run_bottleneck(job&, const neighbourhood&, const wave_image<std::uint16_t>&);
template void run_bottleneck(job&, const neighbourhood&, const wave_image<std::uint32_t>&);
template void run_bottleneck(job&, const neighbourhood&, const wave_image<std::uint64_t>&);

}  // namespace macareu::cpu
