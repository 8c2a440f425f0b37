#include "engines/pieces/basins/piece_basins.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "engines/cpu/basins/basin_tile.hpp"
#include "engines/pieces/computed.hpp"
#include "engines/pieces/store.hpp"
#include "engines/pieces/tuning.hpp"
#include "engines/pieces/wave/rim_flood.hpp"

namespace macareu::pieces {
namespace {

template <class Key>
class piece_basins {
 public:
  piece_basins(run& of, const neighbourhood& near, node_ptr passes, node_ptr seeds)
      : run_(of),
        whole_(passes->whole),
        near_(near),
        volume_(near.rank == 3),
        order_(near),
        images_{std::move(passes), std::move(seeds)},
        grid_(whole_, with_short_numbers(of.piece_size(whole_, bytes_per_pixel(), {}, beside()))),
        rims_(static_cast<std::size_t>(grid_.count())),
        tile_(near) {
    std::uint64_t count = 0;
    for (std::int64_t i = 0; i < grid_.count(); ++i) {
      rims_[static_cast<std::size_t>(i)].first = count;
      count += static_cast<std::uint64_t>(rim_of(grid_.piece(i), volume_).count());
    }
    ends_.resize(count);
  }

  const piece_grid& grid() const { return grid_; }

  void exchange_steps() {
    run_.over_pieces(grid_, [&](std::int64_t piece) { visit(piece, true); });
    std::deque<std::int64_t> due;
    std::vector<bool> waits(static_cast<std::size_t>(grid_.count()));
    const auto wake = [&](std::int64_t piece) {
      if (waits[static_cast<std::size_t>(piece)] || !can_improve(piece)) return;
      waits[static_cast<std::size_t>(piece)] = true;
      due.push_back(piece);
    };
    for (std::int64_t i = 0; i < grid_.count(); ++i) wake(i);
    while (!due.empty()) {
      run_.work.check_stop();
      const auto piece = due.front();
      due.pop_front();
      waits[static_cast<std::size_t>(piece)] = false;
      visit(piece, false);
      ++run_.report.solved_again;
      grid_.for_each_in(grown(grid_.piece(piece), one(), whole_), wake);
    }
  }

  void join_paths() {
    run_.over_pieces(grid_, [&](std::int64_t piece) {
      const auto around = read(piece, true);
      find_parents(piece, around);
      const auto own = grid_.piece(piece);
      const auto seeds = around[1].template image<const std::uint32_t>(whole_).pixels();
      auto number = rims_[static_cast<std::size_t>(piece)].first;
      for_each_on_rim(own, volume_, [&](std::int64_t z, std::int64_t y, std::int64_t x) {
        const site end = tile_.site_of(tile_.end_of(tile_.at(z, y, x)));
        auto& to = ends_[number++];
        if (!tile_.contains(end)) {
          to = number_of(own.first + end) | goes_on;
          return;
        }
        const auto seed = seeds[end + own.first - around[1].where.first];
        to = seed == basin::outside ? 0 : seed;
      });
    });
    std::vector<std::uint64_t> path;
    for (std::uint64_t i = 0; i < ends_.size(); ++i) {
      auto p = i;
      for (path.clear(); ends_[p] & goes_on; p = ends_[p] & ~goes_on) path.push_back(p);
      for (const auto q : path) ends_[q] = ends_[p];
    }
  }

  block labels(std::int64_t piece) {
    const auto around = read(piece, true);
    find_parents(piece, around);
    const auto own = grid_.piece(piece);
    tile_.for_each_around([&](std::int64_t z, std::int64_t y, std::int64_t x) {
      tile_.label(tile_.at(z, y, x)) =
          static_cast<std::uint32_t>(ends_[number_of(own.first + site{z, y, x})]);
    });
    tile_.follow_parents(around[1].template image<const std::uint32_t>(whole_).pixels());
    block result(*run_.memory, own, sizeof(std::uint32_t));
    for (std::int64_t z = 0; z < own.size.z; ++z)
      for (std::int64_t y = 0; y < own.size.y; ++y)
        std::copy_n(&tile_.label(tile_.at(z, y, 0)), own.size.x,
                    reinterpret_cast<std::uint32_t*>(result.row(own.first.z + z, own.first.y + y)));
    return result;
  }

 private:
  static constexpr std::uint64_t goes_on = std::uint64_t{1} << 63;  // of ends_: the number of the next one

  struct rim_pixel {
    Key pass;
    std::uint32_t steps;
    bool inside;
  };
  struct rim_state {
    std::uint64_t first = 0;  // the number of its first pixel
    std::vector<rim_pixel> pixels;
  };

  window_radius one() const { return {volume_, 1, 1}; }

  /// The images twice, because the next piece is read ahead, the tile, and the labels with their copies.
  std::int64_t bytes_per_pixel() const {
    constexpr std::int64_t tile = sizeof(Key) + 3 * sizeof(std::uint32_t) + 1,
                           labels = 3 * sizeof(std::uint32_t);
    return room_of(images_) + tile + labels + tuning::engine_bytes;
  }

  surroundings beside() const {
    auto found = around(images_);
    found.halo = {found.halo.z + volume_, found.halo.y + 1, found.halo.x + 1};
    found.rim_bytes = sizeof(rim_pixel) + sizeof(std::uint64_t);
    return found;
  }

  std::uint64_t index_in_piece(const box& piece, site p) const {
    const site q = p - piece.first;
    return static_cast<std::uint64_t>(
        rim_of(piece, volume_).index(static_cast<int>(q.z), static_cast<int>(q.y), static_cast<int>(q.x)));
  }
  std::uint64_t number_of(site p) const {
    const auto piece = grid_.piece_at(p);
    return rims_[static_cast<std::size_t>(piece)].first + index_in_piece(grid_.piece(piece), p);
  }
  /// Null where the piece was not visited yet.
  const rim_pixel* on_rim(site p) const {
    const auto piece = grid_.piece_at(p);
    const auto& rim = rims_[static_cast<std::size_t>(piece)].pixels;
    return rim.empty() ? nullptr : &rim[index_in_piece(grid_.piece(piece), p)];
  }

  /// visit(pixel of another piece) for the neighbours of a pixel.
  template <class Visit>
  void for_each_across(const box& own, site p, const Visit& visit) const {
    for (const auto& step : order_) {
      const site q{p.z + step.dz, p.y + step.dy, p.x + step.dx};
      if (!own.contains(q) && grid_.whole().contains(q))
        if (const auto* other = on_rim(q)) visit(*other);
    }
  }

  std::vector<block> read(std::int64_t piece, bool in_order) {
    auto around = read_all(images_, grown(grid_.piece(piece), one(), whole_));
    if (in_order && piece + 1 < grid_.count())
      expect_all(images_, grown(grid_.piece(piece + 1), one(), whole_));
    return around;
  }

  /// d of a piece, with what its neighbours offer.
  void solve(std::int64_t piece, const std::vector<block>& around) {
    const auto own = grid_.piece(piece);
    const auto passes = around[0].template image<const Key>(whole_).pixels();
    tile_.move_to({own.first - around[0].where.first, static_cast<int>(own.size.x),
                   static_cast<int>(own.size.y), static_cast<int>(own.size.z)},
                  {passes.depth, passes.height, passes.width});
    tile_.load_passes(passes);
    for_each_on_rim(own, volume_, [&](std::int64_t z, std::int64_t y, std::int64_t x) {
      const auto at = tile_.at(z, y, x);
      for_each_across(own, own.first + site{z, y, x}, [&](const rim_pixel& other) {
        if (other.steps != basin::never && other.pass == tile_.pass(at)) tile_.offer(at, other.steps + 1);
      });
    });
    tile_.solve(around[1].template image<const std::uint32_t>(whole_).pixels());
  }

  void visit(std::int64_t piece, bool in_order) {
    const auto around = read(piece, in_order);
    solve(piece, around);
    const auto own = grid_.piece(piece);
    const auto seeds = around[1].template image<const std::uint32_t>(whole_).pixels();
    auto& rim = rims_[static_cast<std::size_t>(piece)].pixels;
    rim.clear();
    for_each_on_rim(own, volume_, [&](std::int64_t z, std::int64_t y, std::int64_t x) {
      const auto at = tile_.at(z, y, x);
      const auto seed = seeds[site{z, y, x} + own.first - around[1].where.first];
      rim.push_back({tile_.pass(at), tile_.steps(at), seed != basin::outside});
    });
  }

  bool can_improve(std::int64_t piece) const {
    const auto own = grid_.piece(piece);
    const auto& rim = rims_[static_cast<std::size_t>(piece)].pixels;
    bool can = false;
    std::size_t number = 0;
    for_each_on_rim(own, volume_, [&](std::int64_t z, std::int64_t y, std::int64_t x) {
      const auto& mine = rim[number++];
      if (can || !mine.inside || mine.steps == 0) return;
      for_each_across(own, own.first + site{z, y, x}, [&](const rim_pixel& other) {
        can = can || (other.steps != basin::never && other.pass == mine.pass && other.steps + 1 < mine.steps);
      });
    });
    return can;
  }

  void find_parents(std::int64_t piece, const std::vector<block>& around) {
    solve(piece, around);
    const auto own = grid_.piece(piece);
    tile_.for_each_around([&](std::int64_t z, std::int64_t y, std::int64_t x) {
      tile_.steps(tile_.at(z, y, x)) = on_rim(own.first + site{z, y, x})->steps;
    });
    tile_.find_parents(around[1].template image<const std::uint32_t>(whole_).pixels());
  }

  run& run_;
  frame whole_;
  neighbourhood near_;
  bool volume_;
  tie_order order_;
  std::vector<node_ptr> images_;
  piece_grid grid_;
  std::vector<rim_state> rims_;
  std::vector<std::uint64_t> ends_;
  cpu::basin_tile<Key> tile_;
};

}  // namespace

template <class Key>
node_ptr basins_in_pieces(run& of, const neighbourhood& near, node_ptr passes, node_ptr seeds,
                          const std::string& header) {
  const auto basins = std::make_shared<piece_basins<Key>>(of, near, passes, seeds);
  if (of.plans) return std::make_shared<planned>(of, passes->whole, sizeof(std::uint32_t));
  const auto result =
      std::make_shared<stored>(of, passes->whole, sizeof(std::uint32_t), basins->grid().size(), header);
  basins->exchange_steps();
  basins->join_paths();
  result->finish_later(
      [basins](std::int64_t piece) -> std::optional<block> { return basins->labels(piece); });
  return result;
}

template node_ptr basins_in_pieces<std::uint8_t>(run&, const neighbourhood&, node_ptr, node_ptr,
                                                 const std::string&);
template node_ptr basins_in_pieces<std::uint16_t>(run&, const neighbourhood&, node_ptr, node_ptr,
                                                  const std::string&);
template node_ptr basins_in_pieces<std::uint32_t>(run&, const neighbourhood&, node_ptr, node_ptr,
                                                  const std::string&);
template node_ptr basins_in_pieces<std::uint64_t>(run&, const neighbourhood&, node_ptr, node_ptr,
                                                  const std::string&);

}  // namespace macareu::pieces
