#include "operators/objects/outlines/label_extents.hpp"

#include <algorithm>
#include <mutex>

#include "core/ceil_div.hpp"
#include "operators/objects/labels/label_rows.hpp"

namespace macareu {
namespace {

/// Rows that a thread takes at once.
constexpr std::int64_t rows_a_unit = 32;

/// One of the band's rows as runs, without 0.
template <class Label>
class run_reader {
 public:
  void operator()(const row_band& band, std::int64_t row, std::vector<row_run>& to) {
    to.clear();
    over_runs(read_(band, 0, row), band.width, [&](std::int64_t first, std::int64_t end, Label label) {
      if (label != 0)
        to.push_back({static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(end), label});
    });
  }

 private:
  label_row_reader<Label> read_;
};

/// visit(unit, its first row, the row after its last) on all threads.
template <class Visit>
void over_units(std::int64_t first, std::int64_t end, const host_threads& threads, const Visit& visit) {
  threads.for_each(static_cast<std::size_t>(ceil_div(end - first, rows_a_unit)), [&](std::size_t unit) {
    const auto begin = first + static_cast<std::int64_t>(unit) * rows_a_unit;
    visit(begin, std::min(begin + rows_a_unit, end));
  });
}

/// Units have few labels, so that their maps stay in the cache.
template <class Label>
void add_extents_of(const row_band& band, label_extents& to, kept_runs& runs, const host_threads& threads) {
  std::mutex guard;
  over_units(0, band.rows(), threads, [&](std::int64_t begin, std::int64_t end) {
    run_reader<Label> read;
    label_extents own;
    std::vector<row_run> found;
    for (auto row = begin; row < end; ++row) {
      const auto y = static_cast<std::uint32_t>(band.first.y + row);
      read(band, row, found);
      for (const auto& each : found) own[{each.label, 0}].join({y, y});
      const auto bytes = static_cast<std::int64_t>(found.size() * sizeof(row_run));
      if (runs.complete() && runs.left.fetch_sub(bytes, std::memory_order_relaxed) >= bytes)
        runs.rows[y].assign(found.begin(), found.end());
    }
    const std::lock_guard lock(guard);
    own.for_each([&](label_pair label, const label_extent& found_rows) { to[label].join(found_rows); });
  });
  if (!runs.complete()) std::vector<std::vector<row_run>>().swap(runs.rows);
}

template <class Label>
void over_rows(const row_band& band, const host_threads& threads,
               function_ref<void(const std::vector<row_run>&)> visit) {
  const auto batch = rows_a_unit * threads.count;
  std::vector<std::vector<row_run>> rows(static_cast<std::size_t>(batch));
  for (std::int64_t first = 0; first < band.rows(); first += batch) {
    const auto last = std::min(first + batch, band.rows());
    over_units(first, last, threads, [&](std::int64_t begin, std::int64_t end) {
      run_reader<Label> read;
      for (auto row = begin; row < end; ++row) read(band, row, rows[static_cast<std::size_t>(row - first)]);
    });
    for (auto row = first; row < last; ++row) visit(rows[static_cast<std::size_t>(row - first)]);
  }
}

}  // namespace

void add_extents(const row_band& band, label_extents& to, kept_runs& runs, const host_threads& threads) {
  if (has_wide_labels(band.images[0].type))
    add_extents_of<std::uint64_t>(band, to, runs, threads);
  else
    add_extents_of<std::uint32_t>(band, to, runs, threads);
}

void over_rows_of_runs(const row_band& band, const host_threads& threads,
                       function_ref<void(const std::vector<row_run>&)> visit) {
  if (has_wide_labels(band.images[0].type))
    over_rows<std::uint64_t>(band, threads, visit);
  else
    over_rows<std::uint32_t>(band, threads, visit);
}

}  // namespace macareu
