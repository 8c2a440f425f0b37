#include "engines/cpu/wave/tiles.hpp"

#include <algorithm>
#include <cstring>

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

/// Elements before and after a row: room for the rim's pixel, and rows stay aligned to 16 bytes.
template <class Key>
constexpr int margin = 16 / sizeof(Key);

/// Own rows that touch the neighbouring tiles in direction d along an axis of n rows.
struct span {
  int begin, end;
};
span facing(int d, int n) { return d < 0 ? span{0, 1} : d > 0 ? span{n - 1, n} : span{0, n}; }

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
tile_wave<Key>::worker::worker(tile_wave& wave) : wave_(wave), kernels_(best_sweep_kernels()) {
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
  const auto visited = word.load(std::memory_order_relaxed) & wake::visited;  // only its visitor changes it
  const auto wakes = word.exchange(visited | wake::busy, std::memory_order_acq_rel);
  ++visits;
  prepare(tile, wakes);
  sweep(kernels_, tile_);
  publish(tile, starting_);
  if (word.fetch_and(~wake::busy, std::memory_order_acq_rel) & wake::any_side) wave_.waiting_.push(tile);
}

template <class Key>
void tile_wave<Key>::worker::prepare(std::int64_t tile, std::uint32_t wakes) {
  current_ = tile;
  starting_ = (wakes & wake::first) != 0;
  position_ = wave_.grid_.position(tile);
  place_ = wave_.grid_.place(tile);
  constexpr int multiple = widest_vector / static_cast<int>(sizeof(Key));
  tile_.width = std::min((place_.width + multiple - 1) / multiple * multiple, wave_.grid_.size().width);
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

  for (int dz = tile_.volume ? -1 : 0; dz <= (tile_.volume ? 1 : 0); ++dz)
    for (int dy = -1; dy <= 1; ++dy)
      if (dz != 0 || dy != 0) read_rim_rows(dz, dy, wakes);
  read_rim_columns(wakes);
  if (starting_) {
    mark_region(0, 0, tile_.due_forward);
    mark_region(0, 0, tile_.due_backward);
  }
}

/// Rim rows lie in tiles above or below (or in other slices): shared rows of the image. Only what a wake-up
/// speaks of is read: the rest cannot raise this tile, and stays at the lowest key.
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
      if (read[0]) wave_.image_.read_shared({at.z, at.y, at.x - 1}, 1, keys - 1);
      if (read[1]) wave_.image_.read_shared(at, place_.width, keys);
      if (read[2]) wave_.image_.read_shared({at.z, at.y, at.x + place_.width}, 1, keys + place_.width);
    }
  if (read[0] || read[1] || read[2]) {
    // A row beside the tile is above some of its rows and below others, seen across slices.
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

/// Of the rows at this side, only those have to be swept whose edge pixel the rim can raise.
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
void tile_wave<Key>::worker::load_row(void* self, int row) {
  auto& me = *static_cast<worker*>(self);
  const int slice = me.place_.height + 2;
  const int z = row / slice - 1, y = row % slice - 1, width = me.place_.width;
  const site at{me.place_.first.z + z, me.place_.first.y + y, me.place_.first.x};
  const auto& image = me.wave_.image_;
  const auto i = static_cast<std::size_t>(row);
  Key* state = me.state_row(row);
  Key* capacity = me.tile_.capacity + row * me.tile_.pitch;
  image.read_capacity(at, width, capacity);
  if (me.starting_) {
    image.read_start(at, width, state);
    for (int x = 0; x < width; ++x) state[x] = std::min(state[x], capacity[x]);
  } else {
    image.read_own(at, width, state);
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

template <class Key>
void tile_wave<Key>::worker::publish(std::int64_t tile, bool first) {
  Key* left = wave_.column(wave_.left_, tile);
  Key* right = wave_.column(wave_.right_, tile);
  const int last = place_.width - 1;
  std::uint32_t changes[3][3] = {};  // by direction; bits: 1 left pixel, 2 any, 4 right pixel
  for (int z = 0; z < place_.depth; ++z)
    for (int y = 0; y < place_.height; ++y) {
      const int row = row_of(z, y);
      if (!first && !tile_.changed[row]) continue;
      const auto i = static_cast<std::size_t>(row);
      const int place = z * place_.height + y;
      const Key* state = state_row(row);
      const bool edge_y = y == 0 || y == place_.height - 1;
      const bool edge_z = tile_.volume && (z == 0 || z == place_.depth - 1);
      const site at{place_.first.z + z, place_.first.y + y, place_.first.x};
      if (edge_y || edge_z)
        wave_.image_.write_shared(at, place_.width, state);
      else
        wave_.image_.write_own(at, place_.width, state);
      std::uint32_t bits = 2;
      if (first || state[0] != first_before_[i]) {
        relaxed_store(left[place], state[0]);
        bits |= 1;
      }
      if (first || state[last] != last_before_[i]) {
        relaxed_store(right[place], state[last]);
        bits |= 4;
      }
      if (first) {
        const Key* capacity = tile_.capacity + row * tile_.pitch;
        wave_.column_capacity(wave_.left_, tile)[place] = capacity[0];
        wave_.column_capacity(wave_.right_, tile)[place] = capacity[last];
      }
      for (int dz = -(z == 0); dz <= (z == place_.depth - 1); ++dz)
        for (int dy = -(y == 0); dy <= (y == place_.height - 1); ++dy) changes[dz + 1][dy + 1] |= bits;
    }
  if (first) {
    wave_.wakes_[tile].fetch_or(wake::visited, std::memory_order_release);
    wave_.visited_.fetch_add(1, std::memory_order_relaxed);
  }
  wake_neighbours(changes);
}

template <class Key>
void tile_wave<Key>::worker::wake_neighbours(const std::uint32_t (&changes)[3][3]) {
  for (int dz = -1; dz <= 1; ++dz)
    for (int dy = -1; dy <= 1; ++dy)
      for (int dx = -1; dx <= 1; ++dx) {
        if (!wave_.near_.contains(dz, dy, dx) || !(changes[dz + 1][dy + 1] & (1u << (dx + 1)))) continue;
        const auto neighbour = wave_.grid_.neighbour(position_, dz, dy, dx);
        if (neighbour < 0) continue;
        const auto bit = wake::from(-dz, -dy, -dx);
        const auto before = wave_.wakes_[neighbour].fetch_or(bit, std::memory_order_acq_rel);
        if ((before & ~wake::visited) == 0) wave_.waiting_.push(neighbour);
      }
}

template class tile_wave<std::uint8_t>;
template class tile_wave<std::uint16_t>;
template class tile_wave<std::uint32_t>;
template class tile_wave<std::uint64_t>;

}  // namespace macareu::cpu
