#include "operators/objects/outlines/contour_bands.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

#include "core/ceil_div.hpp"
#include "operators/common/tuning.hpp"
#include "operators/objects/outlines/contour_sweep.hpp"

namespace macareu {
namespace {

std::uint32_t repeated_rows(const contour_band& band) { return band.first - band.top; }

void join(contour_band& to, contour_band&& below) {
  to.end = below.end;
  to.top = std::min(to.top, below.top);
  to.labels.insert(to.labels.end(), below.labels.begin(), below.labels.end());
}

void sweep(const contour_band& band, const kept_runs& runs, const job& work,
           function_ref<void(shape&&)> take) {
  contour_sweep one(take);
  for (const auto& [number, rows] : band.labels) one.trace(number, rows);
  one.skip_to(band.top);
  for (auto y = band.top; y < band.end; ++y) {
    if (y % 256 == 0) work.check_stop();
    one.add(runs.rows[y]);
  }
  one.finish();
}

/// Threads sweep bands from the first to the last. The calling thread gives shapes in the order of bands, and
/// sweeps while none is ready.
class band_line {
 public:
  band_line(const std::vector<contour_band>& bands, const kept_runs& runs, int threads, const job& work,
            function_ref<void(shape&&)> take)
      : bands_(bands),
        runs_(runs),
        work_(work),
        take_(take),
        ahead_(2 * static_cast<std::size_t>(threads)),
        found_(bands.size()),
        ready_(bands.size()) {}

  void operator()(int thread) {
    try {
      if (thread == 0)
        give_all();
      else
        while (const auto band = next_band(true)) sweep_band(*band);
    } catch (...) {
      const std::lock_guard lock(guard_);
      ended_ = true;
      changed_.notify_all();
      throw;
    }
  }

 private:
  /// A band that no thread has taken. Waits, if asked to, while as many as may be ahead are not given.
  std::optional<std::size_t> next_band(bool waits) {
    std::unique_lock lock(guard_);
    const auto may_take = [&] { return ended_ || taken_ == bands_.size() || taken_ < given_ + ahead_; };
    if (waits) changed_.wait(lock, may_take);
    if (ended_ || taken_ == bands_.size() || !may_take()) return std::nullopt;
    return taken_++;
  }

  void sweep_band(std::size_t band) {
    auto& found = found_[band];
    sweep(bands_[band], runs_, work_, [&](shape&& one) { found.push_back(std::move(one)); });
    const std::lock_guard lock(guard_);
    ready_[band] = true;
    changed_.notify_all();
  }

  void give_all() {
    while (given_ < bands_.size()) {
      if (std::unique_lock lock(guard_); !ready_[given_]) {
        if (ended_) return;
        lock.unlock();
        if (const auto band = next_band(false)) {
          sweep_band(*band);
        } else {
          lock.lock();
          changed_.wait(lock, [&] { return ended_ || ready_[given_]; });
        }
        continue;
      }
      for (auto& one : std::exchange(found_[given_], {})) take_(std::move(one));
      const std::lock_guard lock(guard_);
      ++given_;
      changed_.notify_all();
    }
  }

  const std::vector<contour_band>& bands_;
  const kept_runs& runs_;
  const job& work_;
  function_ref<void(shape&&)> take_;
  std::size_t ahead_;  // of bands that are given
  std::vector<std::vector<shape>> found_;
  std::mutex guard_;
  std::condition_variable changed_;
  std::vector<bool> ready_;
  std::size_t taken_ = 0, given_ = 0;
  bool ended_ = false;  // by an exception
};

}  // namespace

std::vector<contour_band> cut_into_bands(const label_extents& labels, std::uint32_t height,
                                         const host_threads& threads) {
  const auto most =
      threads.count == 1 ? 1 : tuning::contour_bands_a_thread * static_cast<std::uint32_t>(threads.count);
  const auto rows = std::max(tuning::least_contour_rows, ceil_div(height, most));
  std::vector<contour_band> cut(ceil_div(height, rows));
  for (std::uint32_t i = 0; i < cut.size(); ++i) {
    cut[i].first = cut[i].top = i * rows;
    cut[i].end = std::min(height, (i + 1) * rows);
  }
  labels.for_each([&](label_pair label, const label_extent& of) {
    auto& band = cut[of.last_row / rows];
    band.top = std::min(band.top, of.first_row);
    band.labels.push_back({label.first, of});
  });
  std::vector<contour_band> bands;
  std::uint32_t repeated = 0;
  for (auto& band : cut) {
    bands.push_back(std::move(band));
    repeated += repeated_rows(bands.back());
    while (repeated > height) {
      auto last = std::move(bands.back());
      bands.pop_back();
      repeated -= repeated_rows(last) + repeated_rows(bands.back());
      join(bands.back(), std::move(last));
      repeated += repeated_rows(bands.back());
    }
  }
  return bands;
}

void trace_bands(const std::vector<contour_band>& bands, const kept_runs& runs, const host_threads& threads,
                 const job& work, function_ref<void(shape&&)> take) {
  if (bands.size() == 1) return sweep(bands[0], runs, work, take);
  band_line line(bands, runs, threads.count, work, take);
  threads.run(threads.count, line);
}

}  // namespace macareu
