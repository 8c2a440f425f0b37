#include <algorithm>
#include <atomic>
#include <limits>
#include <mutex>

#include "engines/cpu/threads.hpp"
#include "engines/cpu/wave/bottleneck.hpp"
#include "engines/cpu/wave/contraction.hpp"
#include "engines/cpu/wave/tiles.hpp"

namespace macareu::cpu {
namespace {

/// States and capacities of a tile fit the second-level cache, a row is at most 64 vectors, and the columns
/// kept beside the image take 4 / width keys per pixel. On two Neoverse-N1 cores, tissue 4096^2, u8, one
/// thread: 64 x 64 123 ms, 128 x 128 88, 256 x 128 71, 256 x 256 68, 512 x 64 80.
template <class Key>
constexpr tile_size image_tile{std::min(256, 512 / static_cast<int>(sizeof(Key))), 128, 1};
/// 256^3 noise, u8, 26 neighbours: 64 x 16 x 16 169 ms, 128 x 32 x 16 133, 128 x 32 x 32 122.
template <class Key>
constexpr tile_size volume_tile{std::min(128, 512 / static_cast<int>(sizeof(Key))), 32, 16};

/// How often the tiles' rows are swept on average before contraction takes over. It pays late: 75 ns a pixel
/// and core in images, 400 in volumes with 26 neighbours, where all tile visits of a tissue image take 4.
constexpr std::int64_t image_patience = 32, volume_patience = 256;

/// What `auto` may take beyond half a byte a pixel for contraction: the rest of 64 MiB is left to the
/// threads.
constexpr std::int64_t graph_allowance = 48 << 20;

/// No larger than the image needs: small images should not pay for clearing large tiles.
template <class Key>
tile_size fitting_tile(const neighbourhood& near, const wave_image<Key>& image) {
  constexpr std::int64_t vector = widest_vector / sizeof(Key);
  const tile_size most = near.rank == 3 ? volume_tile<Key> : image_tile<Key>;
  const auto at_most = [](int size, std::int64_t limit) {
    return static_cast<int>(std::min<std::int64_t>(size, limit));
  };
  return {at_most(most.width, (image.width + vector - 1) / vector * vector),
          at_most(most.height, image.height), at_most(most.depth, image.depth)};
}

template <class Key>
class tile_run {
 public:
  tile_run(job& work, const neighbourhood& near, const wave_image<Key>& image)
      : work_(work),
        wave_(near, image, fitting_tile(near, image)),
        rows_(image.depth * image.height * wave_.grid().count().x),
        pass_(work, wave_.grid().tiles()) {}

  /// True when the wave has settled, false when it was given up after `limit` sweeps of all rows.
  bool settle(int threads, std::int64_t limit) {
    auto& waiting = wave_.waiting();
    std::atomic<std::int64_t> swept{0};
    std::mutex adding;
    parallel(threads, [&](int thread) {
      typename tile_wave<Key>::worker worker(wave_);
      waiting.work([&](std::int64_t tile) {
        if (work_.how.stop.stop_requested()) return waiting.stop();
        const auto before = worker.rows_of_work();
        worker.visit(tile);
        const auto done = worker.rows_of_work() - before;
        // Not before every tile has published its states: contraction goes on from them.
        const auto total = swept.fetch_add(done, std::memory_order_relaxed);
        if (total / limit > rows_ && wave_.all_visited()) waiting.stop();
        if (thread == 0) report_progress(waiting);
      });
      const std::lock_guard lock(adding);
      work_.report.tiles += worker.visits;
      work_.report.passes += worker.passes();
    });
    work_.check_stop();
    return !waiting.stopped();
  }

 private:
  /// The tiles that are quiet. They may wake again, of which nobody is told.
  void report_progress(const worklist& waiting) { pass_.tell(wave_.grid().tiles() - waiting.open()); }

  job& work_;
  tile_wave<Key> wave_;
  std::int64_t rows_;
  pass_over_units pass_;
};

}  // namespace

template <class Key>
void run_bottleneck(job& work, const neighbourhood& near, const wave_image<Key>& image) {
  const int threads = threads_for(image.depth * image.height * image.width, work.how.threads);
  const auto& strategy = work.how.strategy;
  const bool contractible = can_contract(near, image);
  work.report.threads = threads;
  if (strategy == "contraction") {
    if (!contractible) throw usage_error("strategy contraction: the image is too large for it; use tiles");
    work.report.strategy = "contraction";
    return contract(work, near, image, contract_from::start, threads);
  }
  work.report.strategy = "tiles";
  work.report.tiles = work.report.passes = 0;
  const bool bounded =
      strategy == "auto" && contractible &&
      contraction_memory(near, image) <= image.depth * image.height * image.width / 2 + graph_allowance;
  const auto patience = near.rank == 3 ? volume_patience : image_patience;
  if (tile_run<Key>(work, near, image)
          .settle(threads, bounded ? patience : std::numeric_limits<std::int64_t>::max()))
    return;
  work.report.strategy = "tiles, then contraction";
  contract(work, near, image, contract_from::states, threads);
}

template void run_bottleneck(job&, const neighbourhood&, const wave_image<std::uint8_t>&);
template void run_bottleneck(job&, const neighbourhood&, const wave_image<std::uint16_t>&);
template void run_bottleneck(job&, const neighbourhood&, const wave_image<std::uint32_t>&);
template void run_bottleneck(job&, const neighbourhood&, const wave_image<std::uint64_t>&);

}  // namespace macareu::cpu
