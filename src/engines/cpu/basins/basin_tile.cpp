#include "engines/cpu/basins/basin_tile.hpp"

#include <algorithm>

namespace macareu::cpu {

template <class Key>
void basin_tile<Key>::move_to(const tile_place& place, site views) {
  place_ = place;
  pitch_ = place.width + 2;
  rows_ = place.height + 2;
  const std::int64_t slices = place.depth + 2 * volume_;
  const auto size = static_cast<std::size_t>(pitch_ * rows_ * slices);
  if (pass_.size() < size) {
    pass_.resize(size);
    steps_.resize(size);
    value_.resize(size);
    queue_.resize(size);
    direction_.resize(size);
  }
  lowest_.resize(static_cast<std::size_t>(place.width) + 2);
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
  while (inside.begin < inside.end && seed[inside.begin] == basin::outside) ++inside.begin;
  while (inside.begin < inside.end && seed[inside.end - 1] == basin::outside) --inside.end;
  return inside;
}

template <class Key>
bool basin_tile<Key>::is_outside(const view<const std::uint32_t>& seeds) const {
  for (std::int64_t z = 0; z < place_.depth; ++z)
    for (std::int64_t y = 0; y < place_.height; ++y) {
      const std::uint32_t* const seed = seed_row(seeds, z, y);
      if (std::any_of(seed, seed + place_.width, [](auto one) { return one != basin::outside; }))
        return false;
    }
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
  Key before = lowest[of.begin - 1], here = lowest[of.begin];
  for (auto x = of.begin; x < of.end; ++x) {
    const Key after = lowest[x + 1];
    lowest[x] = std::min(std::min(before, here), after);
    before = here;
    here = after;
  }
}

/// d is 0 at entries, never elsewhere, and 1 where no front may go: beside the tile and outside the mask. It
/// cannot be improved there, and is that of no entry.
template <class Key>
void basin_tile<Key>::find_entries(const view<const std::uint32_t>& seeds) {
  std::fill_n(steps_.begin(), pitch_ * rows_ * (place_.depth + 2 * volume_), 1u);
  inside_.clear();
  for (std::int64_t z = 0; z < place_.depth; ++z)
    for (std::int64_t y = 0; y < place_.height; ++y) {
      const std::uint32_t* const seed = seed_row(seeds, z, y);
      const auto [begin, end] = inside_.emplace_back(inside_of(seed));
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
      for (auto p = at(z, y, row->begin); p < at(z, y, row->end); ++p) {
        if (steps_[p] != basin::never) continue;
        for (int k = 0; k < order_.count; ++k) {
          const auto q = p + static_cast<std::uint32_t>(offset_[static_cast<std::size_t>(k)]);
          if (steps_[q] != 0 || pass_[q] != pass_[p]) continue;
          steps_[p] = 1;
          queue_[queued_++] = p;
          break;
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
void basin_tile<Key>::find_parents(const view<const std::uint32_t>& seeds) {
  const auto size = static_cast<std::size_t>(pitch_ * rows_ * (place_.depth + 2 * volume_));
  if (times_.size() < size) times_.resize(size);
  time* const times = times_.data();
  for (std::size_t p = 0; p < size; ++p) times[p] = time{pass_[p]} << 32 | steps_[p];
  std::fill_n(direction_.begin(), pitch_ * rows_ * (place_.depth + 2 * volume_), is_end);
  for (std::int64_t z = 0; z < place_.depth; ++z)
    for (std::int64_t y = 0; y < place_.height; ++y) {
      const std::uint32_t* const seed = seed_row(seeds, z, y);
      const auto first = at(z, y, 0);
      const auto [begin, end] = inside_of(seed);
      for (auto x = begin; x < end; ++x) {
        const auto p = first + static_cast<std::uint32_t>(x);
        if (steps_[p] == basin::never || seed[x] != 0) continue;
        time least = times[p];
        int best = is_end;
        for (int k = 0; k < order_.count; ++k) {
          const time other = times[p + static_cast<std::uint32_t>(offset_[static_cast<std::size_t>(k)])];
          best = other < least ? k : best;
          least = other < least ? other : least;
        }
        direction_[p] = static_cast<std::uint8_t>(best);
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

template <class Key>
void basin_tile<Key>::follow_parents(const view<const std::uint32_t>& seeds) {
  const auto for_each_row = [&](auto&& visit) {
    for (std::int64_t z = 0; z < place_.depth; ++z)
      for (std::int64_t y = 0; y < place_.height; ++y) visit(z, y, at(z, y, 0));
  };
  inside_.clear();
  for_each_row([&](std::int64_t z, std::int64_t y, std::uint32_t first) {
    const std::uint32_t* const seed = seed_row(seeds, z, y);
    const auto [begin, end] = inside_.emplace_back(inside_of(seed));
    std::uint32_t* const value = &value_[first];
    std::fill(value, value + begin, 0u);
    std::fill(value + end, value + place_.width, 0u);
    for (auto x = begin; x < end; ++x) value[x] = seed[x] == basin::outside ? 0 : seed[x];
  });
  auto row = inside_.begin();
  for_each_row([&](std::int64_t, std::int64_t, std::uint32_t first) {
    const auto [begin, end] = *row++;
    for (auto x = begin; x < end; ++x) {
      const auto i = first + static_cast<std::uint32_t>(x);
      if (direction_[i] == is_end) continue;
      std::size_t length = 0;
      auto p = i;
      for (; direction_[p] != is_end; p += static_cast<std::uint32_t>(offset_[direction_[p]]))
        queue_[length++] = p;
      for (std::size_t k = 0; k < length; ++k) {
        value_[queue_[k]] = value_[p];
        direction_[queue_[k]] = is_end;
      }
    }
  });
}

template class basin_tile<std::uint8_t>;
template class basin_tile<std::uint16_t>;
template class basin_tile<std::uint32_t>;
template class basin_tile<std::uint64_t>;

}  // namespace macareu::cpu
