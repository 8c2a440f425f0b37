// Tiles of any key; narrow_keys.cpp and wide_keys.cpp compile them.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>

#include "core/ceil_div.hpp"
#include "engines/cpu/tuning.hpp"
#include "engines/cpu/wave/flood.hpp"
#include "engines/cpu/wave/tiles.hpp"
#include "engines/cpu/wave/wave_kernels.hpp"

namespace macareu::cpu {
namespace {

template <class Key>
Key relaxed_load(Key& place) {
  return std::atomic_ref<Key>(place).load(std::memory_order_relaxed);
}
template <class Key>
void relaxed_store(Key& place, Key value) {
  std::atomic_ref<Key>(place).store(value, std::memory_order_relaxed);
}

/// Elements before and after a row: room for the rim, while rows stay aligned to 16 bytes.
template <class Key>
constexpr int margin = 16 / sizeof(Key);

using tuning::later_rows, tuning::first_sweeps, tuning::most_seeds, tuning::most_steps;

/// The own rows that touch the neighbour in direction d, along an axis of n rows.
struct span {
  int begin, end;
};
span facing(int d, int n) { return d < 0 ? span{0, 1} : d > 0 ? span{n - 1, n} : span{0, n}; }

tile_pixel to_pixel(int z, int y, int x) {
  return {static_cast<std::int16_t>(z), static_cast<std::int16_t>(y), static_cast<std::int16_t>(x)};
}

/// The tile that contains place i along an axis of n places: -1 or 1 for a neighbour, 0 for the tile itself.
int side(int i, int n) { return i < 0 ? -1 : i >= n ? 1 : 0; }

/// Whether any pixel of a row is above a pixel that it touches in the other row.
template <class Key>
bool any_above(const Key* row, const Key* other, int count, int reach) {
  bool above = false;
  for (int i = 0; i < count; ++i) above |= row[i] > other[i];
  if (reach == 1 || above) return above;
  for (int i = 1; i < count; ++i) above |= (row[i] > other[i - 1]) | (row[i - 1] > other[i]);
  return above;
}

}  // namespace

template <class Key>
tile_wave<Key>::tile_wave(const neighbourhood& near, const wave_image<Key>& image, tile_size size)
    : near_(near),
      image_(image),
      grid_(image.depth, image.height, image.width, size),
      column_length_(static_cast<std::int64_t>(size.height) * size.depth),
      wakes_(std::make_unique<std::atomic<std::uint32_t>[]>(grid_.tiles())),
      waiting_(grid_.tiles()) {
  const auto keys = static_cast<std::size_t>(grid_.tiles() * column_length_);
  for (columns* side : {&left_, &right_}) {
    side->state = std::make_unique_for_overwrite<Key[]>(keys);
    side->capacity = std::make_unique_for_overwrite<Key[]>(keys);
  }
  for (std::int64_t tile = 0; tile < grid_.tiles(); ++tile)
    wakes_[tile].store(wake::first, std::memory_order_relaxed);
}

template <class Key>
tile_wave<Key>::worker::worker(tile_wave& wave) : wave_(wave), kernel_(best_wave_kernels<Key>().sweep) {
  const auto& size = wave.grid_.size();
  const int rows = (size.height + 2) * (size.depth + 2);
  tile_.pitch = size.width + 2 * margin<Key>;
  states_.resize(static_cast<std::size_t>(rows * tile_.pitch));
  capacities_.resize(states_.size());
  row_flags_.resize(4 * static_cast<std::size_t>(rows));
  for (auto* keys : {&left_halo_, &right_halo_, &first_before_, &last_before_})
    keys->resize(static_cast<std::size_t>(rows));
  tile_.state = states_.data() + margin<Key>;
  tile_.capacity = capacities_.data() + margin<Key>;
  tile_.reach = wave.near_.reach;
  tile_.volume = wave.near_.rank == 3;
  tile_.load = &worker::load_row;
  tile_.owner = this;
}

template <class Key>
void tile_wave<Key>::worker::visit(std::int64_t tile) {
  auto& word = wave_.wakes_[tile];
  const auto visited = word.load(std::memory_order_relaxed) & wake::visited;  // only the visitor sets it
  const auto wakes = word.exchange(visited | wake::busy, std::memory_order_acq_rel);
  ++visits;
  prepare(tile, wakes);
  settle(wakes);
  wake_neighbours();
  if (word.fetch_and(~wake::busy, std::memory_order_acq_rel) & wake::any_side) wave_.waiting_.push(tile);
}

template <class Key>
void tile_wave<Key>::worker::prepare(std::int64_t tile, std::uint32_t wakes) {
  current_ = tile;
  starting_ = (wakes & wake::first) != 0;
  position_ = wave_.grid_.position(tile);
  place_ = wave_.grid_.place(tile);
  constexpr int multiple = widest_vector / static_cast<int>(sizeof(Key));
  tile_.width = std::min(ceil_div(place_.width, multiple) * multiple, wave_.grid_.size().width);
  tile_.height = place_.height;
  tile_.depth = place_.depth;
  rows_ = (place_.height + 2) * (place_.depth + 2);

  std::memset(row_flags_.data(), 0, row_flags_.size());
  std::uint8_t* flags = row_flags_.data();
  for (auto** of : {&tile_.due_forward, &tile_.due_backward, &tile_.changed, &tile_.loaded}) {
    *of = flags;
    flags += rows_;
  }
  for (auto* halo : {&left_halo_, &right_halo_}) std::fill_n(halo->begin(), rows_, Key{0});
  std::memset(raisable_, 0, sizeof raisable_);

  for (int dz = tile_.volume ? -1 : 0; dz <= (tile_.volume ? 1 : 0); ++dz)
    for (int dy = -1; dy <= 1; ++dy)
      if (dz != 0 || dy != 0) read_rim_rows(dz, dy, wakes);
  read_rim_columns(wakes);
  if (starting_) {
    mark_region(0, 0, tile_.due_forward);
    mark_region(0, 0, tile_.due_backward);
  }
}

/// Rim rows lie in tiles above or below (or in other slices): shared rows of the image. Only rims named by a
/// wake-up are read. The others cannot raise this tile and stay at the lowest key.
template <class Key>
void tile_wave<Key>::worker::read_rim_rows(int dz, int dy, std::uint32_t wakes) {
  const auto neighbour = [&](int dx) { return wave_.grid_.neighbour(position_, dz, dy, dx); };
  bool read[3];
  for (int dx = -1; dx <= 1; ++dx)
    read[dx + 1] = wave_.near_.contains(dz, dy, dx) && (starting_ || (wakes & wake::from(dz, dy, dx))) &&
                   wave_.is_visited(neighbour(dx));
  const int z_begin = dz < 0 ? -1 : dz > 0 ? place_.depth : 0, z_end = dz == 0 ? place_.depth : z_begin + 1;
  const int y_begin = dy < 0 ? -1 : dy > 0 ? place_.height : 0, y_end = dy == 0 ? place_.height : y_begin + 1;
  for (int z = z_begin; z < z_end; ++z)
    for (int y = y_begin; y < y_end; ++y) {
      const int row = row_of(z, y);
      Key* keys = state_row(row);
      std::memset(keys - 1, 0, static_cast<std::size_t>(tile_.width + 2) * sizeof(Key));
      tile_.loaded[row] = 1;
      const site at{place_.first.z + z, place_.first.y + y, place_.first.x};
      if (read[0]) wave_.image_.states.read_shared({at.z, at.y, at.x - 1}, 1, keys - 1);
      if (read[1]) wave_.image_.states.read_shared(at, place_.width, keys);
      if (read[2]) wave_.image_.states.read_shared({at.z, at.y, at.x + place_.width}, 1, keys + place_.width);
    }
  if (read[0] || read[1] || read[2]) {
    // In volumes a row beside the tile is above some of its rows and below others, across slices.
    const bool both = tile_.volume && dz == 0 && tile_.reach > 1;
    const bool before = dz < 0 || (dz == 0 && dy < 0);
    if (before || both) mark_region(dz, dy, tile_.due_forward);
    if (!before || both) mark_region(dz, dy, tile_.due_backward);
  }
}

template <class Key>
void tile_wave<Key>::worker::mark_region(int dz, int dy, std::uint8_t* due) {
  const span slices = facing(dz, place_.depth), rows = facing(dy, place_.height);
  for (int z = slices.begin; z < slices.end; ++z)
    std::memset(due + row_of(z, rows.begin), 1, static_cast<std::size_t>(rows.end - rows.begin));
}

template <class Key>
void tile_wave<Key>::worker::read_rim_columns(std::uint32_t wakes) {
  for (const int dx : {-1, 1}) {
    if (!starting_ && !(wakes & wake::from(0, 0, dx))) continue;
    if (!wave_.is_visited(wave_.grid_.neighbour(position_, 0, 0, dx))) continue;
    auto& halo = dx < 0 ? left_halo_ : right_halo_;
    read_column(halo, dx);
    if (!starting_) mark_raisable(halo, dx);
  }
}

template <class Key>
void tile_wave<Key>::worker::read_column(std::vector<Key>& halo, int dx) {
  const auto neighbour = wave_.grid_.neighbour(position_, 0, 0, dx);
  Key* published = wave_.column(dx < 0 ? wave_.right_ : wave_.left_, neighbour);
  for (int z = 0; z < place_.depth; ++z)
    for (int y = 0; y < place_.height; ++y)
      halo[static_cast<std::size_t>(row_of(z, y))] = relaxed_load(published[z * place_.height + y]);
}

/// Marks the rows whose edge pixel the rim on this side can raise. Only these need a sweep.
template <class Key>
void tile_wave<Key>::worker::mark_raisable(const std::vector<Key>& halo, int dx) {
  const auto& side = dx < 0 ? wave_.left_ : wave_.right_;
  Key* own = wave_.column(side, current_);
  const Key* limit = wave_.column_capacity(side, current_);
  const int wide = tile_.reach > 1 ? 1 : 0, deep = tile_.volume ? wide : 0;
  for (int z = 0; z < place_.depth; ++z)
    for (int y = 0; y < place_.height; ++y) {
      const int i = z * place_.height + y;
      const Key state = relaxed_load(own[i]);
      if (state == limit[i]) continue;
      Key offer = 0;
      for (int a = -deep; a <= deep; ++a)
        for (int b = -wide; b <= wide; ++b)
          offer = std::max(offer, halo[static_cast<std::size_t>(row_of(z + a, y + b))]);
      if (offer <= state) continue;
      tile_.due_forward[row_of(z, y)] = 1;
      tile_.due_backward[row_of(z, y)] = 1;
    }
}

template <class Key>
static void fetch_row(const wave_image<Key>& image, site first, std::int64_t count) {
  constexpr std::int64_t line = 64 / sizeof(Key);
  for (const auto end = first.x + count; first.x < end; first.x += line) {
    if (image.capacities) image.capacities->fetch(first);
    image.states.fetch_to_write(first);
  }
}

template <class Key>
void tile_wave<Key>::worker::load_row(void* self, int row) {
  auto& me = *static_cast<worker*>(self);
  const int slice = me.place_.height + 2;
  const int z = row / slice - 1, y = row % slice - 1, width = me.place_.width;
  const site at{me.place_.first.z + z, me.place_.first.y + y, me.place_.first.x};
  const auto& image = me.wave_.image_;
  const auto i = static_cast<std::size_t>(row);
  Key* state = me.state_row(row);
  Key* capacity = me.tile_.capacity + row * me.tile_.pitch;
  if (y + tuning::tile_rows_prefetched < me.place_.height)
    fetch_row(image, {at.z, at.y + tuning::tile_rows_prefetched, at.x}, width);
  image.read_capacity(at, width, capacity);
  if (me.starting_) {
    image.read_start(at, width, state);
    for (int x = 0; x < width; ++x) state[x] = std::min(state[x], capacity[x]);
  } else {
    image.states.read(at, width, state);
  }
  const auto beyond = static_cast<std::size_t>(me.tile_.width - width) * sizeof(Key);
  std::memset(state + width, 0, beyond);
  std::memset(capacity + width, 0, beyond);
  state[-1] = me.left_halo_[i];
  state[me.tile_.width] = me.right_halo_[i];
  me.first_before_[i] = state[0];
  me.last_before_[i] = state[width - 1];
  me.tile_.loaded[row] = 1;
}

/// Most waves are wide, so rows are swept many pixels at a time. A narrow front that crosses rows would cost
/// one row sweep per step, so it is flooded pixel by pixel.
template <class Key>
void tile_wave<Key>::worker::settle(std::uint32_t wakes) {
  constexpr auto sides = wake::from(0, 0, -1) | wake::from(0, 0, 1);
  if (!starting_ && !(wakes & sides) && flood()) return;
  const std::int64_t all_rows = static_cast<std::int64_t>(place_.height) * place_.depth;
  tile_.rows_limit = tile_.rows_swept + (starting_ ? first_sweeps * all_rows : later_rows);
  while (!kernel_.sweep(tile_)) {
    if (flood()) return;
    tile_.rows_limit = tile_.rows_swept + first_sweeps * all_rows;
  }
  publish_rows();
}

/// Continues pixel by pixel, in the image. Returns false when sweeps must continue: too many seeds or too
/// many steps.
template <class Key>
bool tile_wave<Key>::worker::flood() {
  std::array<raised_pixel<Key>, most_seeds> seeds;
  const int count = kernel_.find_raisable(tile_, seeds.data(), most_seeds);
  if (count < 0) return false;
  publish_rows();
  queue_.clear();
  for (int i = 0; i < count; ++i) {
    const auto& seed = seeds[static_cast<std::size_t>(i)];
    const auto& at = seed.at;
    wave_.image_.states.write_shared({place_.first.z + at.z, place_.first.y + at.y, place_.first.x + at.x}, 1,
                                     &seed.state);
    queue_.push(at);
    queue_.on_rim.push_back(seed);
  }
  tile_flood<Key> front(wave_.image_, wave_.near_, place_, queue_);
  const bool done = front.run(most_steps);
  steps_ += front.steps();
  for (const auto& raised : queue_.on_rim) publish_pixel(raised);
  if (!done) sweep_from_queue();
  return done;
}

/// Hands the pixels left in the queue to sweeps, which reload the image as the flood has left it.
template <class Key>
void tile_wave<Key>::worker::sweep_from_queue() {
  for (auto* flags : {tile_.due_forward, tile_.due_backward})
    std::memset(flags, 0, static_cast<std::size_t>(rows_));
  for (int z = 0; z < place_.depth; ++z)
    std::memset(tile_.loaded + row_of(z, 0), 0, static_cast<std::size_t>(place_.height));
  const int deep = tile_.volume ? 1 : 0;
  while (queue_.size() > 0) {
    const auto p = queue_.pop();
    for (int z = p.z - deep; z <= p.z + deep; ++z)
      for (int y = p.y - 1; y <= p.y + 1; ++y)
        tile_.due_forward[row_of(z, y)] = tile_.due_backward[row_of(z, y)] = 1;
  }
}

template <class Key>
void tile_wave<Key>::worker::publish_rows() {
  for (int z = 0; z < place_.depth; ++z)
    for (int y = 0; y < place_.height; ++y)
      if (starting_ || tile_.changed[row_of(z, y)]) publish_row(z, y);
  std::memset(tile_.changed, 0, static_cast<std::size_t>(rows_));
  if (!starting_) return;
  starting_ = false;
  wave_.wakes_[current_].fetch_or(wake::visited, std::memory_order_release);
  wave_.visited_.fetch_add(1, std::memory_order_relaxed);
}

template <class Key>
void tile_wave<Key>::worker::publish_row(int z, int y) {
  const int row = row_of(z, y), last = place_.width - 1;
  const auto i = static_cast<std::size_t>(row);
  const auto place = z * place_.height + y;
  const Key* state = state_row(row);
  const bool edge_y = y == 0 || y == place_.height - 1;
  const bool edge_z = tile_.volume && (z == 0 || z == place_.depth - 1);
  const site at{place_.first.z + z, place_.first.y + y, place_.first.x};
  if (edge_y || edge_z)
    wave_.image_.states.write_shared(at, place_.width, state);
  else
    wave_.image_.states.write(at, place_.width, state);
  const bool first = starting_ || state[0] != first_before_[i];
  const bool end = starting_ || state[last] != last_before_[i];
  if (first) relaxed_store(wave_.column(wave_.left_, current_)[place], state[0]);
  if (end) relaxed_store(wave_.column(wave_.right_, current_)[place], state[last]);
  if (starting_) {
    const Key* capacity = tile_.capacity + row * tile_.pitch;
    wave_.column_capacity(wave_.left_, current_)[place] = capacity[0];
    wave_.column_capacity(wave_.right_, current_)[place] = capacity[last];
  }
  if (edge_y || edge_z || first || end) note_row(z, y, (first ? 1u : 0u) | (end ? 4u : 0u));
}

template <class Key>
void tile_wave<Key>::worker::publish_pixel(const raised_pixel<Key>& raised) {
  const auto& at = raised.at;
  const auto place = at.z * place_.height + at.y;
  if (at.x == 0) relaxed_store(wave_.column(wave_.left_, current_)[place], raised.state);
  if (at.x == place_.width - 1) relaxed_store(wave_.column(wave_.right_, current_)[place], raised.state);
  note_pixel(raised);
}

/// Notes the neighbours that a changed row may raise. Later visits in images compare with the rim, so that a
/// tile does not wake the one that has just raised it. Elsewhere the comparison costs more than it saves.
template <class Key>
void tile_wave<Key>::worker::note_row(int z, int y, std::uint32_t ends) {
  const bool compare = !starting_ && !tile_.volume;
  const Key* state = state_row(row_of(z, y));
  for (int dz = -(tile_.volume && z == 0); dz <= (tile_.volume && z == place_.depth - 1); ++dz)
    for (int dy = -(y == 0); dy <= (y == place_.height - 1); ++dy) {
      const Key* rim = state_row(row_of(z + dz, y + dy));
      auto& bits = raisable_[dz + 1][dy + 1];
      const bool outside = dz != 0 || dy != 0;
      if (!compare || (outside && any_above(state, rim, place_.width, wave_.near_.reach))) bits |= 2;
      if (!compare) bits |= ends;
    }
  if (!compare) return;
  if (ends & 1) note_pixel({to_pixel(0, y, 0), state[0]});
  if (ends & 4) note_pixel({to_pixel(0, y, place_.width - 1), state[place_.width - 1]});
}

/// Notes the neighbours that a pixel on the rim can raise. Rims that were not read are at the lowest key. A
/// rim that has risen since the read can only be raised less, so no wake-up is missed.
template <class Key>
void tile_wave<Key>::worker::note_pixel(const raised_pixel<Key>& raised) {
  const auto& at = raised.at;
  wave_.near_.for_each({at.z, at.y, at.x}, [&](site q) {
    const int z = static_cast<int>(q.z), y = static_cast<int>(q.y), x = static_cast<int>(q.x);
    const int to_z = side(z, place_.depth), to_y = side(y, place_.height), to_x = side(x, place_.width);
    if (to_z == 0 && to_y == 0 && to_x == 0) return;
    const int row = row_of(z, y);
    const auto i = static_cast<std::size_t>(row);
    const Key rim = to_z != 0 || to_y != 0 ? state_row(row)[x] : to_x < 0 ? left_halo_[i] : right_halo_[i];
    const auto neighbour = wave_.grid_.neighbour(position_, to_z, to_y, to_x);
    auto& bits = raisable_[to_z + 1][to_y + 1];
    const auto bit = 1u << (to_x + 1);
    if (raised.state <= rim || (bits & bit) != 0 || neighbour < 0) return;
    Key capacity;
    wave_.image_.read_capacity({place_.first.z + z, place_.first.y + y, place_.first.x + x}, 1, &capacity);
    if (rim < capacity) bits |= bit;
  });
}

template <class Key>
void tile_wave<Key>::worker::wake_neighbours() {
  for (int dz = -1; dz <= 1; ++dz)
    for (int dy = -1; dy <= 1; ++dy)
      for (int dx = -1; dx <= 1; ++dx) {
        if (!wave_.near_.contains(dz, dy, dx) || !(raisable_[dz + 1][dy + 1] & (1u << (dx + 1)))) continue;
        const auto neighbour = wave_.grid_.neighbour(position_, dz, dy, dx);
        if (neighbour < 0) continue;
        const auto bit = wake::from(-dz, -dy, -dx);
        const auto before = wave_.wakes_[neighbour].fetch_or(bit, std::memory_order_acq_rel);
        if ((before & ~wake::visited) == 0) wave_.waiting_.push(neighbour);
      }
}

}  // namespace macareu::cpu
