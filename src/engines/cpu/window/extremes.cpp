// A chord is the minimum of two runs of 2^k pixels that overlap: min(T_k[first], T_k[last + 1 - 2^k]), where
// T_{k+1}[i] = min(T_k[i], T_k[i + 2^k]). A thread takes a band of rows in a strip of columns and keeps the
// tables of the rows around it in a ring. Boxes are separable: chords along x, then runs of rows, then of
// slices.
#include "engines/cpu/window/extremes.hpp"

#include <algorithm>
#include <bit>
#include <vector>

#include "core/ceil_div.hpp"
#include "engines/cpu/runtime/aligned_memory.hpp"
#include "engines/cpu/runtime/units.hpp"
#include "engines/cpu/tuning.hpp"
#include "patterns/separated_box.hpp"

namespace macareu::cpu {
namespace {

template <class Key>
const extreme_kernels<Key>& best_kernels() {
  const auto& all = best_extreme_kernels();
  if constexpr (sizeof(Key) == 1)
    return all.u8;
  else if constexpr (sizeof(Key) == 2)
    return all.u16;
  else if constexpr (sizeof(Key) == 4)
    return all.u32;
  else
    return all.u64;
}

/// The level whose runs of 2^level pixels cover so many.
int level_of(int length) { return std::bit_width(static_cast<unsigned>(length)) - 1; }
int length_of(const chord& of) { return of.last - of.first + 1; }

/// The chords of one slice. Offsets along x are from `left`, those along y from `top`.
struct slice_plan {
  explicit slice_plan(std::span<const chord> all)
      : dz(all[0].dz), top(all.front().dy), lines(all.back().dy - top + 1), chords(all) {
    left = all[0].first;
    int right = all[0].last;
    for (const auto& each : all) {
      left = std::min(left, each.first);
      right = std::max(right, each.last);
      const int level = level_of(length_of(each));
      if (std::ranges::find(levels, level) == levels.end()) levels.push_back(level);
    }
    std::ranges::sort(levels);
    beside = right - left;
    const auto like_first = [&](const chord& c) { return c.first == left && c.last == right; };
    is_box = static_cast<int>(all.size()) == lines && lines > 1 && std::ranges::all_of(all, like_first);
  }
  int place_of(int level) const {
    return static_cast<int>(std::ranges::find(levels, level) - levels.begin());
  }

  int dz, top, lines, left = 0, beside = 0;
  std::span<const chord> chords;
  std::vector<int> levels;  // of tables that chords read
  bool is_box = false;
};

std::vector<slice_plan> slices_of(std::span<const chord> footprint) {
  std::vector<slice_plan> all;
  for (std::size_t i = 0; i < footprint.size();) {
    auto end = i;
    while (end < footprint.size() && footprint[end].dz == footprint[i].dz) ++end;
    all.emplace_back(footprint.subspan(i, end - i));
    i = end;
  }
  return all;
}

/// A band of rows in a strip of columns.
struct unit {
  std::int64_t z, top, bottom, first, count;
};

template <class Key>
class worker {
 public:
  worker(const key_map<Key>& order, const border<Key>& edge, const view<const Key>& in, const unit& of)
      : kernels_(best_kernels<Key>()), order_(order), edge_(edge), in_(in), unit_(of) {}

  /// give(y, the least keys of its row), for all rows of the unit. `before`: rows that also count, or null.
  template <class Before, class Give>
  void run(const slice_plan& plan, const Before& before, const Give& give) {
    const auto width = unit_.count + plan.beside;
    pitch_ = aligned_memory<Key>::pitch_of(width + extreme_slack);
    if (plan.is_box)
      by_box(plan, before, give);
    else
      by_chords(plan, before, give);
  }

 private:
  /// The keys of `width` pixels from column x on.
  void read(std::int64_t z, std::int64_t y, std::int64_t x, std::int64_t width, Key* to) const {
    const bool constant = edge_.mode == border_mode::constant;
    if (constant && (z < 0 || z >= in_.depth || y < 0 || y >= in_.height)) {
      std::fill_n(to, width, order_.key(edge_.outside));
      return;
    }
    const Key* const row = in_.at(edge_.fold(z, in_.depth), edge_.fold(y, in_.height));
    const auto begin = std::clamp<std::int64_t>(-x, 0, width);
    const auto end = std::clamp<std::int64_t>(in_.width - x, begin, width);
    const auto beyond = [&](std::int64_t i) {
      to[i] = constant ? edge_.outside : row[edge_.fold(x + i, in_.width) * in_.step_x];
    };
    for (std::int64_t i = 0; i < begin; ++i) beyond(i);
    if (in_.step_x == 1)
      std::copy_n(row + x + begin, end - begin, to + begin);
    else
      for (auto i = begin; i < end; ++i) to[i] = row[(x + i) * in_.step_x];
    for (auto i = end; i < width; ++i) beyond(i);
    if (!order_.is_identity()) kernels_.keys(order_, to, width, to);
  }

  template <class Before, class Give>
  void by_chords(const slice_plan& plan, const Before& before, const Give& give) {
    const auto width = unit_.count + plan.beside;
    const auto tables = std::ssize(plan.levels);
    const aligned_memory<Key> ring(plan.lines * tables * pitch_), spare(pitch_);
    // The tables of the row that is `dy` from the first that the unit reads.
    const auto slot = [&](std::int64_t dy, std::int64_t place) {
      return ring.data() + (dy % plan.lines * tables + place) * pitch_;
    };
    const auto fill = [&](std::int64_t dy) {
      std::int64_t place = 0;
      const auto target = [&](int level) {
        const bool is_read = plan.levels[static_cast<std::size_t>(place)] == level;
        return is_read ? slot(dy, place++) : spare.data();
      };
      Key* table = target(0);
      read(unit_.z + plan.dz, unit_.top + plan.top + dy, unit_.first + plan.left, width, table);
      for (int level = 1; level <= plan.levels.back(); ++level) {
        const std::int64_t step = std::int64_t{1} << (level - 1);
        Key* const raised = target(level);
        kernels_.lesser(table, table + step, width - 2 * step + 1, raised);
        table = raised;
      }
    };
    std::vector<const Key*> rows;
    for (std::int64_t dy = 0; dy + 1 < plan.lines; ++dy) fill(dy);
    for (auto y = unit_.top; y < unit_.bottom; ++y) {
      fill(y - unit_.top + plan.lines - 1);
      rows.clear();
      for (const auto& each : plan.chords) {
        const int level = level_of(length_of(each));
        const Key* const table = slot(y - unit_.top + each.dy - plan.top, plan.place_of(level)) - plan.left;
        rows.push_back(table + each.first);
        if (length_of(each) != 1 << level) rows.push_back(table + each.last + 1 - (1 << level));
      }
      if (const Key* const more = before(y)) rows.push_back(more);
      give(y, rows);
    }
  }

  template <class Before, class Give>
  void by_box(const slice_plan& plan, const Before& before, const Give& give) {
    const auto width = unit_.count + plan.beside;
    const auto height = unit_.bottom - unit_.top + plan.lines - 1;
    const aligned_memory<Key> memory(height * pitch_), spare(pitch_);
    const auto row = [&](std::int64_t dy) { return memory.data() + dy * pitch_; };
    const int across = plan.levels[0], down = level_of(plan.lines);
    for (std::int64_t dy = 0; dy < height; ++dy) {
      Key* const table = plan.beside == 0 ? row(dy) : spare.data();
      read(unit_.z + plan.dz, unit_.top + plan.top + dy, unit_.first + plan.left, width, table);
      if (plan.beside == 0) continue;
      for (int level = 1; level <= across; ++level) {
        const std::int64_t step = std::int64_t{1} << (level - 1);
        kernels_.lesser(table, table + step, width - 2 * step + 1, table);
      }
      kernels_.lesser(table, table + plan.beside + 1 - (1 << across), unit_.count, row(dy));
    }
    for (int level = 1; level <= down; ++level) {
      const std::int64_t step = std::int64_t{1} << (level - 1);
      for (std::int64_t dy = 0; dy + 2 * step <= height; ++dy)
        kernels_.lesser(row(dy), row(dy + step), unit_.count, row(dy));
    }
    std::vector<const Key*> rows;
    for (auto y = unit_.top; y < unit_.bottom; ++y) {
      rows = {row(y - unit_.top), row(y - unit_.top + plan.lines - (1 << down))};
      if (const Key* const more = before(y)) rows.push_back(more);
      give(y, rows);
    }
  }

  const extreme_kernels<Key>& kernels_;
  key_map<Key> order_;
  border<Key> edge_;
  view<const Key> in_;
  unit unit_;
  std::int64_t pitch_ = 0;
};

/// All slices of the footprint for one unit of the output.
template <class Key>
void run_unit(const key_map<Key>& order, std::span<const slice_plan> plans, const border<Key>& edge,
              const view<Key>& out, const view<const Key>& in, const unit& of) {
  const auto& kernels = best_kernels<Key>();
  const auto pitch = aligned_memory<Key>::pitch_of(of.count);
  const bool in_place = order.is_identity() && out.step_x == 1;
  const bool several = plans.size() > 1;
  const aligned_memory<Key> kept(several ? (of.bottom - of.top) * pitch : pitch);
  const auto place = [&](std::int64_t y) { return kept.data() + (several ? (y - of.top) * pitch : 0); };
  worker<Key> work(order, edge, in, of);
  for (const auto& plan : plans) {
    const bool first = &plan == &plans.front(), last = &plan == &plans.back();
    const auto before = [&](std::int64_t y) -> const Key* { return first ? nullptr : place(y); };
    work.run(plan, before, [&](std::int64_t y, const std::vector<const Key*>& rows) {
      Key* const to = &out[{of.z, y, of.first}];
      Key* const least = last && in_place ? to : place(y);
      kernels.least(rows.data(), static_cast<int>(rows.size()), of.count, least);
      if (!last || in_place) return;
      kernels.bits(order, least, of.count, out.step_x == 1 ? to : least);
      if (out.step_x != 1)
        for (std::int64_t i = 0; i < of.count; ++i) to[i * out.step_x] = least[i];
    });
  }
}

template <class Key>
void run_slices(const job& work, const key_map<Key>& order, std::span<const chord> footprint,
                const border<Key>& edge, const view<Key>& out, const view<const Key>& in) {
  const auto plans = slices_of(footprint);
  std::int64_t rows_held = 1, lines = 1;
  for (const auto& plan : plans) {
    rows_held = std::max<std::int64_t>(rows_held, plan.lines * std::ssize(plan.levels));
    lines = std::max<std::int64_t>(lines, plan.lines);
  }
  const auto row_bytes = std::clamp<std::int64_t>(tuning::extreme_ring_bytes / rows_held,
                                                  tuning::least_extreme_bytes, tuning::most_extreme_bytes);
  const auto columns = row_bytes / 256 * 256 / static_cast<std::int64_t>(sizeof(Key));
  const auto rows = std::max(tuning::band_rows, 4 * lines);
  const auto strips = ceil_div(out.width, columns), bands = ceil_div(out.height, rows);
  over_units(work, threads_for(out.pixels(), work.how.threads), out.depth * bands * strips, 1,
             [&](int, std::int64_t number) {
               const auto first = number % strips * columns;
               const auto y = number / strips % bands * rows;
               run_unit<Key>(order, plans, edge, out, in,
                             {number / strips / bands, y, std::min(y + rows, out.height), first,
                              std::min(columns, out.width - first)});
             });
}

}  // namespace

template <class Key>
void run_extremes(const job& work, const key_map<Key>& order, std::span<const chord> footprint,
                  const border<Key>& edge, const view<Key>& out, const view<const Key>& in) {
  const auto box = separated(footprint);
  if (!box) return run_slices(work, order, footprint, edge, out, in);
  const buffer<Key> between(out.depth, out.height, out.width);
  run_slices<Key>(work, order, box->within_slices, edge, between.pixels(), in);
  run_slices<Key>(work, order, box->across_slices, edge, out, between.pixels());
}

template void run_extremes(const job&, const key_map<std::uint8_t>&, std::span<const chord>,
                           const border<std::uint8_t>&, const view<std::uint8_t>&,
                           const view<const std::uint8_t>&);
template void run_extremes(const job&, const key_map<std::uint16_t>&, std::span<const chord>,
                           const border<std::uint16_t>&, const view<std::uint16_t>&,
                           const view<const std::uint16_t>&);
template void run_extremes(const job&, const key_map<std::uint32_t>&, std::span<const chord>,
                           const border<std::uint32_t>&, const view<std::uint32_t>&,
                           const view<const std::uint32_t>&);
template void run_extremes(const job&, const key_map<std::uint64_t>&, std::span<const chord>,
                           const border<std::uint64_t>&, const view<std::uint64_t>&,
                           const view<const std::uint64_t>&);

}  // namespace macareu::cpu
