#include "engines/cpu/basins/basin_tile.hpp"

#include <algorithm>
#include <cstring>

#include "core/ceil_div.hpp"
#include "engines/cpu/runtime/simd.hpp"
#include "engines/cpu/tuning.hpp"

namespace macareu::cpu {
namespace {

/// Loops that stop at the first hit are not vectorised: pixels are looked for in blocks.
constexpr std::int64_t block = tuning::basin_pixels_tested;

/// Rows are read in whole vectors. What lies behind them belongs to the next row.
constexpr std::size_t slack = vector_bytes;

/// Whether any of these pixels is inside the mask.
bool any_inside(const std::uint32_t* seed, std::int64_t count) {
  std::uint32_t all = basin::outside;
  for (std::int64_t i = 0; i < count; ++i) all &= seed[i];
  return all != basin::outside;
}
/// Whether any or all of a vector's pixels equal a value.
template <class T>
bool any_equal(const T* pixels, T value) {
  return any<T>(reinterpret_cast<vec<T>>(load(pixels) == all_lanes(value)));
}
template <class T>
bool all_equal(const T* pixels, T value) {
  return !any<T>(load(pixels) ^ all_lanes(value));
}

/// As many pixels as a vector of the wider type holds.
template <class Wide, class T>
[[gnu::always_inline]] inline vec<Wide> widened(const T* from) {
  typedef T narrow_lanes __attribute__((vector_size(simd<Wide>::lanes * sizeof(T))));
  narrow_lanes narrow;
  std::memcpy(&narrow, from, sizeof narrow);
  return __builtin_convertvector(narrow, vec<Wide>);
}

}  // namespace

template <class Key>
void basin_tile<Key>::move_to(const tile_place& place, site views) {
  place_ = place;
  pitch_ = place.width + 2;
  rows_ = place.height + 2;
  const std::int64_t slices = place.depth + 2 * volume_;
  const auto size = static_cast<std::size_t>(pitch_ * rows_ * slices);
  if (pass_.size() < size + slack) {
    pass_.resize(size + slack);
    steps_.resize(size + slack);
    value_.resize(size + slack);
    queue_.resize(size);
    direction_.resize(size + slack);
  }
  const auto width = static_cast<std::size_t>(place.width);
  lowest_.resize(width + 2);
  best_.resize(width + slack);
  for (int k = 0; k < order_.count; ++k) {
    const auto& step = order_.steps[static_cast<std::size_t>(k)];
    offset_[static_cast<std::size_t>(k)] =
        static_cast<std::int32_t>((step.dz * rows_ + step.dy) * pitch_ + step.dx);
  }
  const auto& first = place.first;
  low_ = {-(volume_ && first.z > 0), -(first.y > 0), -(first.x > 0)};
  high_ = {place.depth + (volume_ && first.z + place.depth < views.z),
           place.height + (first.y + place.height < views.y),
           place.width + (first.x + place.width < views.x)};
  offers_.clear();
  inside_.clear();
}

template <class Key>
template <class T>
void basin_tile<Key>::copy_from(const view<const T>& image, T beyond, std::vector<T>& to) const {
  const auto& first = place_.first;
  for (std::int64_t z = -std::int64_t{volume_}; z < place_.depth + volume_; ++z)
    for (std::int64_t y = -1; y <= place_.height; ++y) {
      T* const row = &to[at(z, y, -1)];
      if (z < low_.z || z >= high_.z || y < low_.y || y >= high_.y) {
        std::fill_n(row, pitch_, beyond);
        continue;
      }
      row[0] = row[pitch_ - 1] = beyond;
      const T* const from = image.at(first.z + z, first.y + y) + first.x;
      if (y + tuning::tile_rows_prefetched < high_.y)
        fetch_row(image.at(first.z + z, first.y + y + tuning::tile_rows_prefetched) + first.x, place_.width);
      std::copy(from + low_.x, from + high_.x, row + 1 + low_.x);
    }
}

template <class Key>
void basin_tile<Key>::load_passes(const view<const Key>& passes) {
  copy_from(passes, top, pass_);
}
template <class Key>
void basin_tile<Key>::load_steps(const view<const std::uint32_t>& steps) {
  copy_from(steps, basin::never, steps_);
}

template <class Key>
auto basin_tile<Key>::inside_of(const std::uint32_t* seed) const -> span {
  span inside{0, place_.width};
  while (inside.end - inside.begin >= block && !any_inside(seed + inside.begin, block)) inside.begin += block;
  while (inside.end - inside.begin >= block && !any_inside(seed + inside.end - block, block))
    inside.end -= block;
  while (inside.begin < inside.end && seed[inside.begin] == basin::outside) ++inside.begin;
  while (inside.begin < inside.end && seed[inside.end - 1] == basin::outside) --inside.end;
  return inside;
}

template <class Key>
void basin_tile<Key>::find_inside(const view<const std::uint32_t>& seeds) {
  inside_.clear();
  for (std::int64_t z = 0; z < place_.depth; ++z)
    for (std::int64_t y = 0; y < place_.height; ++y) {
      if (y + tuning::tile_rows_prefetched < place_.height)
        fetch_row(seed_row(seeds, z, y + tuning::tile_rows_prefetched), place_.width);
      inside_.push_back(inside_of(seed_row(seeds, z, y)));
    }
}

template <class Key>
bool basin_tile<Key>::is_outside(const view<const std::uint32_t>& seeds) const {
  for (std::int64_t z = 0; z < place_.depth; ++z)
    for (std::int64_t y = 0; y < place_.height; ++y)
      if (any_inside(seed_row(seeds, z, y), place_.width)) return false;
  return true;
}

template <class Key>
void basin_tile<Key>::find_lowest(std::uint32_t row, span of) {
  const Key* const own = &pass_[row];
  Key* const lowest = &lowest_[1];
  const auto lower = [&](const Key* other, std::int64_t begin, std::int64_t end) {
    for (auto x = begin; x < end; ++x) lowest[x] = std::min(lowest[x], other[x]);
  };
  if (!full_) {
    std::copy(own + of.begin, own + of.end, lowest + of.begin);
    for (int k = 0; k < order_.count; ++k)
      lower(own + offset_[static_cast<std::size_t>(k)], of.begin, of.end);
    return;
  }
  // Along y and z first, for one more pixel at both ends, then along x.
  std::copy(own + of.begin - 1, own + of.end + 1, lowest + of.begin - 1);
  for (std::int64_t dz = -std::int64_t{volume_}; dz <= volume_; ++dz)
    for (std::int64_t dy = -1; dy <= 1; ++dy)
      if (dz != 0 || dy != 0) lower(own + (dz * rows_ + dy) * pitch_, of.begin - 1, of.end + 1);
  for (auto x = of.begin - 1; x < of.end; ++x) lowest[x] = std::min(lowest[x], lowest[x + 1]);
  for (auto x = of.end - 1; x >= of.begin; --x) lowest[x] = std::min(lowest[x], lowest[x - 1]);
}

/// d is 0 at entries, never elsewhere, and 1 where no front may go: beside the tile and outside the mask. It
/// cannot be improved there, and is that of no entry.
template <class Key>
void basin_tile<Key>::find_entries(const view<const std::uint32_t>& seeds) {
  std::fill_n(steps_.begin(), slots(), 1u);
  find_inside(seeds);
  auto row = inside_.begin();
  for (std::int64_t z = 0; z < place_.depth; ++z)
    for (std::int64_t y = 0; y < place_.height; ++y) {
      const std::uint32_t* const seed = seed_row(seeds, z, y);
      const auto [begin, end] = *row++;
      if (begin == end) continue;
      find_lowest(at(z, y, 0), {begin, end});
      const Key* const own = &pass_[at(z, y, 0)];
      const Key* const lowest = &lowest_[1];
      std::uint32_t* const steps = &steps_[at(z, y, 0)];
      for (auto x = begin; x < end; ++x)
        steps[x] = seed[x] == basin::outside ? 1u : lowest[x] < own[x] || seed[x] != 0 ? 0u : basin::never;
    }
}

/// The first front: pixels one step from an entry.
template <class Key>
void basin_tile<Key>::start_front() {
  queued_ = 0;
  auto row = inside_.begin();
  for (std::int64_t z = 0; z < place_.depth; ++z)
    for (std::int64_t y = 0; y < place_.height; ++y, ++row)
      if (row->begin < row->end) start_front(at(z, y, 0), *row);
}

/// Most vectors have entries alone, and pixels outside the mask: they are passed over.
template <class Key>
void basin_tile<Key>::start_front(std::uint32_t row, span of) {
  constexpr std::int64_t lanes = simd<wide>::lanes;
  for (auto x = of.begin; x < of.end; x += lanes) {
    const Key* const pass = &pass_[row] + x;
    std::uint32_t* const steps = &steps_[row] + x;
    const vec<wide> before = widened<wide>(steps), own = widened<wide>(pass);
    const auto open = before == all_lanes(wide{basin::never});
    if (!any<wide>(reinterpret_cast<vec<wide>>(open))) continue;
    auto starts = open ^ open;
    for (int k = 0; k < order_.count; ++k) {
      const auto offset = offset_[static_cast<std::size_t>(k)];
      starts |= (widened<wide>(steps + offset) == all_lanes(wide{0})) & (widened<wide>(pass + offset) == own);
    }
    starts &= open;
    if (!any<wide>(reinterpret_cast<vec<wide>>(starts))) continue;
    for (std::int64_t lane = 0; lane < std::min(lanes, of.end - x); ++lane) {
      if (starts[lane] == 0) continue;
      steps[lane] = 1;
      queue_[queued_++] = row + static_cast<std::uint32_t>(x + lane);
    }
  }
}

template <class Key>
void basin_tile<Key>::relax(std::uint32_t p) {
  const std::uint32_t next = steps_[p] + 1;
  const Key own = pass_[p];
  for (int k = 0; k < order_.count; ++k) {
    const auto q = p + static_cast<std::uint32_t>(offset_[static_cast<std::size_t>(k)]);
    if (steps_[q] <= next || pass_[q] != own) continue;
    steps_[q] = next;
    queue_[queued_++] = q;
  }
}

template <class Key>
void basin_tile<Key>::solve(const view<const std::uint32_t>& seeds) {
  find_entries(seeds);
  start_front();
  std::sort(offers_.begin(), offers_.end());
  // In ascending order of d, so no pixel enters the queue twice.
  auto next = offers_.begin();
  for (std::size_t head = 0; head < queued_ || next != offers_.end();) {
    if (next != offers_.end() && (head == queued_ || next->steps <= steps_[queue_[head]])) {
      if (steps_[next->at] > next->steps) {
        steps_[next->at] = next->steps;
        relax(next->at);
      }
      ++next;
    } else {
      relax(queue_[head++]);
    }
  }
  offers_.clear();
  for (std::int64_t z = -std::int64_t{volume_}; z < place_.depth + volume_; ++z)
    for (std::int64_t y = -1; y <= place_.height; ++y) {
      std::uint32_t* const steps = &steps_[at(z, y, 0)];
      if (z < 0 || z >= place_.depth || y < 0 || y >= place_.height) {
        std::fill_n(steps - 1, pitch_, basin::never);
        continue;
      }
      steps[-1] = steps[place_.width] = basin::never;
      const std::uint32_t* const seed = seed_row(seeds, z, y);
      const std::int64_t width = place_.width;
#pragma GCC ivdep
      for (std::int64_t x = 0; x < width; ++x) steps[x] = seed[x] == basin::outside ? basin::never : steps[x];
    }
}

template <class Key>
void basin_tile<Key>::find_least(std::uint32_t row, span of) {
  constexpr int lanes = simd<wide>::lanes;
  for (auto x = of.begin; x < of.end; x += lanes) {
    const Key* const pass = &pass_[row] + x;
    const std::uint32_t* const steps = &steps_[row] + x;
    vec<wide> least = widened<wide>(pass), since = widened<wide>(steps), best = all_lanes(wide{is_end});
    if (!any<wide>(since ^ all_lanes(wide{basin::never}))) continue;  // not reached, or outside the mask
    for (int k = 0; k < order_.count; ++k) {
      const auto offset = offset_[static_cast<std::size_t>(k)];
      const vec<wide> other = widened<wide>(pass + offset), after = widened<wide>(steps + offset);
      const auto earlier = (other < least) | ((other == least) & (after < since));
      least = earlier ? other : least;
      since = earlier ? after : since;
      best = earlier ? all_lanes(static_cast<wide>(k)) : best;
    }
    store(&best_[static_cast<std::size_t>(x)], best);
  }
}

template <class Key>
void basin_tile<Key>::find_parents(const view<const std::uint32_t>& seeds) {
  std::fill_n(direction_.begin(), slots(), is_end);
  if (inside_.empty()) find_inside(seeds);
  auto row = inside_.begin();
  for (std::int64_t z = 0; z < place_.depth; ++z)
    for (std::int64_t y = 0; y < place_.height; ++y) {
      const std::uint32_t* const seed = seed_row(seeds, z, y);
      const auto first = at(z, y, 0);
      const auto of = *row++;
      find_least(first, of);
      const std::uint32_t* const steps = &steps_[first];
      const wide* const best = best_.data();
      std::uint8_t* const direction = &direction_[first];
      std::fill(direction, direction + of.begin, is_none);
      std::fill(direction + of.end, direction + place_.width, is_none);
#pragma GCC ivdep
      for (auto x = of.begin; x < of.end; ++x) {
        const wide found = ((seed[x] != 0) | (steps[x] == basin::never)) ? wide{is_end} : best[x];
        direction[x] = static_cast<std::uint8_t>(seed[x] == basin::outside ? wide{is_none} : found);
      }
    }
}

template <class Key>
std::uint32_t basin_tile<Key>::end_of(std::uint32_t at) {
  std::size_t length = 0;
  auto p = at;
  for (; direction_[p] < is_end; p += static_cast<std::uint32_t>(offset_[direction_[p]]))
    queue_[length++] = p;
  const auto end = direction_[p] == is_known ? value_[p] : p;
  for (std::size_t i = 0; i < length; ++i) {
    value_[queue_[i]] = end;
    direction_[queue_[i]] = is_known;
  }
  return end;
}

/// Labels of ends, 0 outside the mask, unresolved elsewhere. Bits of `open` are the pixels that have a
/// parent.
template <class Key>
void basin_tile<Key>::label_ends(const std::uint32_t* seed, std::uint32_t row, bit_word* open) {
  const std::uint8_t* const direction = &direction_[row];
  std::uint32_t* const value = &value_[row];
  const std::int64_t width = place_.width;
#pragma GCC ivdep
  for (std::int64_t x = 0; x < width; ++x) value[x] = direction[x] == is_none ? 0 : unresolved;
  pack_row(width, open, [=](std::int64_t x) { return direction[x] == is_end; });
  for_each_bit(open, ceil_div(width, word_bits), [&](std::int64_t x) { value[x] = seed[x]; });
  pack_row(width, open, [=](std::int64_t x) { return direction[x] < is_end; });
}

/// Sweeps down and up, twice, take the label of every pixel's parent. They resolve most without a branch for
/// each pixel. The rest are paths that turn often.
template <class Key>
void basin_tile<Key>::follow_parents(const view<const std::uint32_t>& seeds) {
  const auto words = ceil_div(std::int64_t{place_.width}, word_bits);
  const auto rows = std::int64_t{place_.depth} * place_.height;
  open_.resize(static_cast<std::size_t>(rows * words));
  std::vector<std::uint32_t> firsts;
  for (std::int64_t z = 0; z < place_.depth; ++z)
    for (std::int64_t y = 0; y < place_.height; ++y) {
      bit_word* const open = &open_[firsts.size() * static_cast<std::size_t>(words)];
      firsts.push_back(at(z, y, 0));
      label_ends(seed_row(seeds, z, y), firsts.back(), open);
    }
  const std::uint8_t* const direction = direction_.data();
  std::uint32_t *const value = value_.data(), *const queue = queue_.data();
  const auto offset = offset_;
  const auto parent_of = [&](std::int64_t p) { return p + offset[direction[p]]; };
  /// Takes the label of the parent; the bit of the pixel if it is not resolved.
  const auto take = [&](std::int64_t begin, int bit) -> bit_word {
    const auto p = begin + bit;
    return bit_word{(value[p] = value[parent_of(p)]) == unresolved} << bit;
  };
  for (int round = 0; round < 2; ++round) {
    for (std::int64_t row = 0; row < rows; ++row)
      for (std::int64_t word = 0; word < words; ++word) {
        const auto begin = firsts[static_cast<std::size_t>(row)] + word * word_bits;
        bit_word left = 0;
        for (auto bits = open_[static_cast<std::size_t>(row * words + word)]; bits != 0; bits &= bits - 1)
          left |= take(begin, std::countr_zero(bits));
        open_[static_cast<std::size_t>(row * words + word)] = left;
      }
    for (auto row = rows; row-- > 0;)
      for (auto word = words; word-- > 0;) {
        const auto begin = firsts[static_cast<std::size_t>(row)] + word * word_bits;
        bit_word left = 0;
        for (auto bits = open_[static_cast<std::size_t>(row * words + word)]; bits != 0;) {
          const int bit = 63 - std::countl_zero(bits);
          bits ^= bit_word{1} << bit;
          left |= take(begin, bit);
        }
        open_[static_cast<std::size_t>(row * words + word)] = left;
      }
  }
  for (std::int64_t row = 0; row < rows; ++row)
    for_each_bit(&open_[static_cast<std::size_t>(row * words)], words, [&](std::int64_t x) {
      std::int64_t length = 0, p = firsts[static_cast<std::size_t>(row)] + x;
      for (; value[p] == unresolved; p = parent_of(p)) queue[length++] = static_cast<std::uint32_t>(p);
      const auto label = value[p];
      for (std::int64_t k = 0; k < length; ++k) value[queue[k]] = label;
    });
}

template class basin_tile<std::uint8_t>;
template class basin_tile<std::uint16_t>;
template class basin_tile<std::uint32_t>;
template class basin_tile<std::uint64_t>;

}  // namespace macareu::cpu
