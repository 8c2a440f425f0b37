// How a pair behaves under a wave engine that works tile by tile: the counts by which a generated pair is
// compared with a real one. A plain simulation of reconstruction by dilation, the same numbers on every
// machine and thread count.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

namespace macareu::test {

struct tile_rounds {
  std::int64_t tiles = 0;
  std::vector<std::int64_t> active;  ///< tiles visited in each synchronous round; the first visits all
  std::int64_t changed = 0;          ///< pixels whose final value is not that of the start
  std::vector<std::uint8_t> result;

  std::int64_t rounds() const { return static_cast<std::int64_t>(active.size()); }
  std::int64_t visits() const { return std::reduce(active.begin(), active.end()); }
  double visits_per_tile() const { return static_cast<double>(visits()) / static_cast<double>(tiles); }
  double changed_share() const { return static_cast<double>(changed) / static_cast<double>(result.size()); }
};

/// Jacobi between tiles: in a round every active tile goes to its own fixed point, its rim being what the
/// neighbours had before the round. A changed border pixel p then wakes the tile of a neighbour q for the
/// next round if p can raise q: J(q) < J(p) and J(q) < I(q), with J(q) from before the round, which is all
/// that p's tile knows.
class tile_simulation {
 public:
  using pixels = std::vector<std::uint8_t>;

  /// Starts from min(marker, mask). `neighbours` is 4 or 8.
  tile_simulation(std::span<const std::uint8_t> marker, std::span<const std::uint8_t> mask,
                  std::int64_t height, std::int64_t width, int neighbours, std::int64_t tile = 64)
      : mask_(mask), height_(height), width_(width), eight_(neighbours == 8), tile_(tile) {
    if (neighbours != 4 && neighbours != 8) throw std::invalid_argument("tile_simulation: 4 or 8 neighbours");
    if (marker.size() != mask.size() || static_cast<std::int64_t>(mask.size()) != height * width)
      throw std::invalid_argument("tile_simulation: marker, mask and shape do not agree");
    columns_ = (width + tile - 1) / tile;
    rows_ = (height + tile - 1) / tile;
    before_.resize(mask.size());
    std::ranges::transform(marker, mask, before_.begin(), [](auto j, auto i) { return std::min(j, i); });
    start_ = after_ = before_;
  }

  tile_rounds run() {
    tile_rounds seen;
    seen.tiles = rows_ * columns_;
    std::vector<std::uint8_t> awake(static_cast<std::size_t>(seen.tiles), 1);
    std::vector<std::int64_t> list(awake.size());
    std::iota(list.begin(), list.end(), std::int64_t{0});
    while (!list.empty()) {
      seen.active.push_back(static_cast<std::int64_t>(list.size()));
      list = round(list, awake);
    }
    for (std::size_t i = 0; i < start_.size(); ++i) seen.changed += start_[i] != before_[i];
    seen.result = std::move(before_);
    return seen;
  }

 private:
  struct box {
    std::int64_t y0, x0, y1, x1;
  };

  box box_of(std::int64_t t) const {
    const auto y = t / columns_ * tile_, x = t % columns_ * tile_;
    return {y, x, std::min(y + tile_, height_), std::min(x + tile_, width_)};
  }

  std::vector<std::int64_t> round(const std::vector<std::int64_t>& list, std::vector<std::uint8_t>& awake) {
    const auto count = static_cast<std::int64_t>(list.size());
    std::vector<std::uint8_t> rose(list.size());
    std::ranges::fill(awake, std::uint8_t{0});
#pragma omp parallel
    {
      pixels state, limit, line;
#pragma omp for schedule(dynamic, 8)
      for (std::int64_t k = 0; k < count; ++k) rose[k] = solve(box_of(list[k]), state, limit, line);
    }
    for (std::int64_t k = 0; k < count; ++k)
      if (rose[k]) wake(list[k], awake);
#pragma omp parallel for schedule(dynamic, 8)
    for (std::int64_t k = 0; k < count; ++k)
      if (rose[k]) publish(box_of(list[k]));
    std::vector<std::int64_t> next;
    for (std::size_t t = 0; t < awake.size(); ++t)
      if (awake[t]) next.push_back(static_cast<std::int64_t>(t));
    return next;
  }

  /// Takes one tile to its fixed point, in a copy with a rim of one pixel. A rim pixel's limit is 0 and its
  /// state is read only. True if the tile changed.
  bool solve(box b, pixels& state, pixels& limit, pixels& line) {
    const auto pitch = tile_ + 2, h = b.y1 - b.y0, w = b.x1 - b.x0;
    state.assign(pitch * pitch, 0);
    limit.assign(pitch * pitch, 0);
    line.resize(pitch);
    for (auto y = std::max<std::int64_t>(b.y0 - 1, 0); y < std::min(b.y1 + 1, height_); ++y)
      for (auto x = std::max<std::int64_t>(b.x0 - 1, 0); x < std::min(b.x1 + 1, width_); ++x)
        state[(y - b.y0 + 1) * pitch + x - b.x0 + 1] = before_[y * width_ + x];
    for (auto y = b.y0; y < b.y1; ++y)
      std::copy_n(&mask_[y * width_ + b.x0], w, &limit[(y - b.y0 + 1) * pitch + 1]);

    bool any = false;
    for (bool rose = true; rose; any |= rose) {
      rose = false;
      for (std::int64_t y = 1; y <= h; ++y)
        rose |= sweep<1>(&state[y * pitch], &state[(y - 1) * pitch], &limit[y * pitch], line.data(), w);
      for (std::int64_t y = h; y >= 1; --y)
        rose |= sweep<-1>(&state[y * pitch], &state[(y + 1) * pitch], &limit[y * pitch], line.data(), w);
    }
    if (any)
      for (auto y = b.y0; y < b.y1; ++y)
        std::copy_n(&state[(y - b.y0 + 1) * pitch + 1], w, &after_[y * width_ + b.x0]);
    return any;
  }

  /// One row of a raster (Step = 1) or anti-raster (-1) scan, after the row that comes before it in that
  /// order.
  template <int Step>
  bool sweep(std::uint8_t* row, const std::uint8_t* previous, const std::uint8_t* limit, std::uint8_t* line,
             std::int64_t w) const {
    for (std::int64_t x = 1; x <= w; ++x) {
      auto from = previous[x];
      if (eight_) from = std::max({from, previous[x - 1], previous[x + 1]});
      line[x] = std::max(row[x], from);
    }
    unsigned rose = 0;
    auto x = Step > 0 ? std::int64_t{1} : w;
    auto carry = row[x - Step];
    for (std::int64_t n = 0; n < w; ++n, x += Step) {
      carry = std::min(std::max(carry, line[x]), limit[x]);
      rose |= static_cast<unsigned>(carry ^ row[x]);
      row[x] = carry;
    }
    return rose != 0;
  }

  void wake(std::int64_t t, std::vector<std::uint8_t>& awake) const {
    const auto b = box_of(t);
    for (auto x = b.x0; x < b.x1; ++x) wake_from(t, b.y0, x, awake), wake_from(t, b.y1 - 1, x, awake);
    for (auto y = b.y0; y < b.y1; ++y) wake_from(t, y, b.x0, awake), wake_from(t, y, b.x1 - 1, awake);
  }

  void wake_from(std::int64_t t, std::int64_t y, std::int64_t x, std::vector<std::uint8_t>& awake) const {
    const auto p = y * width_ + x;
    if (after_[p] == before_[p]) return;
    for (std::int64_t dy = -1; dy <= 1; ++dy)
      for (std::int64_t dx = -1; dx <= 1; ++dx) {
        const auto qy = y + dy, qx = x + dx, q = qy * width_ + qx;
        if ((!eight_ && dy != 0 && dx != 0) || qy < 0 || qx < 0 || qy >= height_ || qx >= width_) continue;
        const auto of = qy / tile_ * columns_ + qx / tile_;
        if (of != t && before_[q] < after_[p] && before_[q] < mask_[q]) awake[of] = 1;
      }
  }

  void publish(box b) {
    for (auto y = b.y0; y < b.y1; ++y)
      std::copy_n(&after_[y * width_ + b.x0], b.x1 - b.x0, &before_[y * width_ + b.x0]);
  }

  std::span<const std::uint8_t> mask_;
  std::int64_t height_, width_;
  bool eight_;
  std::int64_t tile_, rows_ = 0, columns_ = 0;
  pixels start_, before_, after_;
};

inline tile_rounds count_tile_rounds(std::span<const std::uint8_t> marker, std::span<const std::uint8_t> mask,
                                     std::int64_t height, std::int64_t width, int neighbours) {
  return tile_simulation(marker, mask, height, width, neighbours).run();
}

}  // namespace macareu::test
