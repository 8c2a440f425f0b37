// The strategies of bottleneck waves; narrow_keys.cpp and wide_keys.cpp compile them.
#pragma once

#include <algorithm>
#include <atomic>
#include <limits>
#include <mutex>

#include "core/ceil_div.hpp"
#include "engines/cpu/runtime/threads.hpp"
#include "engines/cpu/tuning.hpp"
#include "engines/cpu/wave/contraction.hpp"
#include "engines/cpu/wave/tiles.hpp"

namespace macareu::cpu {
namespace {

/// No larger than the image needs: small images should not pay for clearing large tiles.
template <class Key>
tile_size fitting_tile(const neighbourhood& near, const wave_image<Key>& image) {
  constexpr std::int64_t vector = widest_vector / sizeof(Key);
  const auto most = near.rank == 3 ? tuning::volume_tile<Key> : tuning::image_tile<Key>;
  const auto at_most = [](int size, std::int64_t limit) {
    return static_cast<int>(std::min<std::int64_t>(size, limit));
  };
  return {at_most(most.width, ceil_div(image.width, vector) * vector), at_most(most.height, image.height),
          at_most(most.depth, image.depth)};
}

template <class Key>
class tile_run {
 public:
  tile_run(job& work, const neighbourhood& near, const wave_image<Key>& image)
      : work_(work),
        wave_(near, image, fitting_tile(near, image)),
        rows_(image.depth * image.height * wave_.grid().count().x),
        pass_(work, wave_.grid().tiles()) {}

  /// Returns true when the wave has settled, false when it was stopped after `limit` sweeps of all rows.
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
        // Only after every tile has published its states: contraction starts from them.
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
  /// Reports the number of quiet tiles. Tiles that wake again do not lower it.
  void report_progress(const worklist& waiting) { pass_.tell(wave_.grid().tiles() - waiting.open()); }

  job& work_;
  tile_wave<Key> wave_;
  std::int64_t rows_;
  pass_over_units pass_;
};

template <class Key>
void run_bottleneck(job& work, const neighbourhood& near, const wave_image<Key>& image) {
  const int threads = threads_for(image.depth * image.height * image.width, work.how.threads);
  const auto& strategy = work.how.strategy;
  const bool contractible = can_contract(near, image);
  work.report.threads = threads;
  if (strategy == "contraction") {
    if (!contractible)
      throw call_error({.kind = fault::conflict,
                        .parts = {"strategy contraction: the image is too large for it; use tiles"},
                        .given = strategy});
    work.report.strategy = "contraction";
    return contract(work, near, image, contract_from::start, threads);
  }
  work.report.strategy = "tiles";
  work.report.tiles = work.report.passes = 0;
  const bool bounded = strategy == "auto" && contractible &&
                       contraction_memory(near, image) <=
                           image.depth * image.height * image.width / 2 + tuning::graph_allowance;
  const auto patience = near.rank == 3 ? tuning::volume_patience : tuning::image_patience;
  if (tile_run<Key>(work, near, image)
          .settle(threads, bounded ? patience : std::numeric_limits<std::int64_t>::max()))
    return;
  work.report.strategy = "tiles, then contraction";
  contract(work, near, image, contract_from::states, threads);
}

}  // namespace

}  // namespace macareu::cpu
