#include "engines/cpu/basins/basin_tile.hpp"

#include <algorithm>
#include <cstring>

#include "engines/cpu/runtime/simd.hpp"

namespace macareu::cpu {
namespace {

/// Loops that stop at the first hit are not vectorised: pixels are looked for in blocks.
constexpr std::int64_t block = 32;

/// Rows are read in whole vectors. What lies behind them belongs to the next row.
constexpr std::size_t slack = vector_bytes;
constexpr std::int64_t byte_lanes = vector_bytes;

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
  starts_.resize(width + slack);
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
    for (std::int64_t y = 0; y < place_.height; ++y) inside_.push_back(inside_of(seed_row(seeds, z, y)));
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

template <class Key>
void basin_tile<Key>::start_front(std::uint32_t row, span of) {
  const Key* const pass = &pass_[row];
  std::uint32_t* const steps = &steps_[row];
  std::uint32_t* const starts = starts_.data();
  std::fill(starts + of.begin, starts + of.end, 0u);
  for (int k = 0; k < order_.count; k += 2) {
    const auto one = offset_[static_cast<std::size_t>(k)], two = offset_[static_cast<std::size_t>(k) + 1];
#pragma GCC ivdep
    for (auto x = of.begin; x < of.end; ++x)
      starts[x] |= ((steps[x + one] == 0) & (pass[x + one] == pass[x])) |
                   ((steps[x + two] == 0) & (pass[x + two] == pass[x]));
  }
#pragma GCC ivdep
  for (auto x = of.begin; x < of.end; ++x) starts[x] &= steps[x] == basin::never;
  constexpr std::int64_t lanes = simd<std::uint32_t>::lanes;
  for (auto x = of.begin; x < of.end;) {
    const auto end = std::min(of.end, x + lanes);
    if (all_equal(starts + x, 0u)) x = end;
    for (; x < end; ++x) {
      if (starts[x] == 0) continue;
      steps[x] = 1;
      queue_[queued_++] = row + static_cast<std::uint32_t>(x);
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
      for (std::int64_t x = 0; x < place_.width; ++x)
        if (seed[x] == basin::outside) steps[x] = basin::never;
    }
}

template <class Key>
void basin_tile<Key>::find_least(std::uint32_t row, span of) {
  constexpr int lanes = simd<wide>::lanes;
  typedef Key keys __attribute__((vector_size(lanes * sizeof(Key))));
  typedef std::uint32_t counts __attribute__((vector_size(lanes * sizeof(std::uint32_t))));
  const auto wide_pass = [](const Key* from) __attribute__((always_inline)) {
    keys narrow;
    std::memcpy(&narrow, from, sizeof narrow);
    return __builtin_convertvector(narrow, vec<wide>);
  };
  const auto wide_steps = [](const std::uint32_t* from) __attribute__((always_inline)) {
    counts narrow;
    std::memcpy(&narrow, from, sizeof narrow);
    return __builtin_convertvector(narrow, vec<wide>);
  };
  for (auto x = of.begin; x < of.end; x += lanes) {
    const Key* const pass = &pass_[row] + x;
    const std::uint32_t* const steps = &steps_[row] + x;
    vec<wide> least = wide_pass(pass), since = wide_steps(steps), best = all_lanes(wide{is_end});
    for (int k = 0; k < order_.count; ++k) {
      const auto offset = offset_[static_cast<std::size_t>(k)];
      const vec<wide> other = wide_pass(pass + offset), after = wide_steps(steps + offset);
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
        const wide found = (seed[x] != 0) | (steps[x] == basin::never) ? wide{is_end} : best[x];
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

/// Labels of ends, 0 outside the mask, unresolved elsewhere.
template <class Key>
void basin_tile<Key>::label_ends(const std::uint32_t* seed, std::uint32_t row) {
  const std::uint8_t* const direction = &direction_[row];
  std::uint32_t* const value = &value_[row];
  const std::int64_t width = place_.width;
#pragma GCC ivdep
  for (std::int64_t x = 0; x < width; ++x) value[x] = direction[x] == is_none ? 0 : unresolved;
  for (std::int64_t x = 0; x < width;) {
    const auto end = std::min(width, x + byte_lanes);
    if (!any_equal(direction + x, is_end)) x = end;
    for (; x < end; ++x)
      if (direction[x] == is_end) value[x] = seed[x];
  }
}

/// Two sweeps that take the label of every pixel's parent resolve most, without branches. The rest are paths
/// that turn.
template <class Key>
void basin_tile<Key>::follow_parents(const view<const std::uint32_t>& seeds) {
  std::array<std::int32_t, 32> offset{};  // 0 where there is no parent
  std::copy_n(offset_.begin(), order_.count, offset.begin());
  std::vector<std::uint32_t> firsts;
  for (std::int64_t z = 0; z < place_.depth; ++z)
    for (std::int64_t y = 0; y < place_.height; ++y) {
      firsts.push_back(at(z, y, 0));
      label_ends(seed_row(seeds, z, y), firsts.back());
    }
  const std::uint8_t* const direction = direction_.data();
  std::uint32_t *const value = value_.data(), *const queue = queue_.data();
  const std::int64_t width = place_.width;
  const auto parent_of = [&](std::int64_t p) { return p + offset[direction[p]]; };
  for (const std::int64_t first : firsts)
    for (auto begin = first; begin < first + width; begin += byte_lanes) {
      if (all_equal(direction + begin, is_none)) continue;
      const auto end = std::min(begin + byte_lanes, first + width);
      for (auto p = begin; p < end; ++p) value[p] = value[parent_of(p)];
    }
  for (auto row = firsts.rbegin(); row != firsts.rend(); ++row)
    for (auto begin = *row + (width - 1) / byte_lanes * byte_lanes; begin >= *row; begin -= byte_lanes) {
      if (all_equal(direction + begin, is_none)) continue;
      for (auto p = std::min(begin + byte_lanes, *row + width); p-- > begin;) value[p] = value[parent_of(p)];
    }
  constexpr std::int64_t lanes = simd<std::uint32_t>::lanes;
  for (const std::int64_t first : firsts)
    for (auto begin = first; begin < first + width; begin += lanes) {
      if (!any_equal(value + begin, unresolved)) continue;
      const auto end = std::min(begin + lanes, first + width);
      for (auto at = begin; at < end; ++at) {
        std::int64_t length = 0, p = at;
        for (; value[p] == unresolved; p = parent_of(p)) queue[length++] = static_cast<std::uint32_t>(p);
        const auto label = value[p];
        for (std::int64_t k = 0; k < length; ++k) value[queue[k]] = label;
      }
    }
}

template class basin_tile<std::uint8_t>;
template class basin_tile<std::uint16_t>;
template class basin_tile<std::uint32_t>;
template class basin_tile<std::uint64_t>;

}  // namespace macareu::cpu
