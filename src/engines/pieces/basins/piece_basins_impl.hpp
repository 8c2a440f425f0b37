// Basins in pieces, of any key; narrow_keys.cpp and wide_keys.cpp compile them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <macareu/error.hpp>
#include <macareu/ranks.hpp>

#include "core/host_threads.hpp"
#include "engines/cpu/basins/basin_tile.hpp"
#include "engines/cpu/runtime/threads.hpp"
#include "engines/pieces/basins/piece_basins.hpp"
#include "engines/pieces/computed.hpp"
#include "engines/pieces/files/store.hpp"
#include "engines/pieces/tallied_rows.hpp"
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
        threads_(cpu::lend_threads(whole_.pixels(), of.work.how.threads)),
        grid_(whole_, with_short_numbers(size_of_pieces())),
        computed_(static_cast<std::size_t>(run_.plans ? 0 : grid_.count())),
        is_visited_(computed_.size()) {
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < computed_.size(); ++i) {
      first_.push_back(count);
      count += rim_pixels(static_cast<std::int64_t>(i));
    }
    if (run_.plans) return;
    const auto place = run_.spills_rims(whole_, grid_.size(), beside()) ? rows_in::file : rows_in::memory;
    rims_.emplace(run_, count, place);
    ends_.emplace(run_, count, place);
  }

  const piece_grid& grid() const { return grid_; }

  void exchange_steps() {
    over_all([&](const pieces_at_once& some) { visit(some); });
    const auto own = run_.own_pieces(grid_);
    std::vector<bool> waits(static_cast<std::size_t>(grid_.count())), changed(waits.size(), true);
    // Ranks solve their own pieces until these agree, then tell each other of their rims.
    exchange_rims(own, changed);
    do {
      std::deque<std::int64_t> due;
      const auto wake = [&](std::int64_t piece) {
        if (!own.contains(grid_.place(piece)) || waits[static_cast<std::size_t>(piece)] ||
            !can_improve(piece))
          return;
        waits[static_cast<std::size_t>(piece)] = true;
        due.push_back(piece);
      };
      for (std::int64_t i = 0; i < grid_.count(); ++i) wake(i);
      pieces_at_once some;
      while (!due.empty()) {
        run_.work.check_stop();
        some.clear();
        while (!due.empty() && some.size() < at_once()) {
          const auto piece = due.front();
          due.pop_front();
          waits[static_cast<std::size_t>(piece)] = false;
          some.push_back({piece, read(piece, false)});
        }
        visit(some);
        run_.report.solved_again += static_cast<std::int64_t>(some.size());
        for (const auto& each : some) {
          changed[static_cast<std::size_t>(each.piece)] = true;
          grid_.for_each_in(grown(grid_.piece(each.piece), one(), whole_), wake);
        }
      }
    } while (exchange_rims(own, changed));
  }

  void join_paths() {
    over_all([&](const pieces_at_once& some) {
      in_parallel(some, [&](const piece_around& of, cpu::basin_tile<Key>& tile) { find_ends(of, tile); });
      release();
    });
    gather_ends();
    std::vector<std::uint64_t> path;
    auto& ends = *ends_;
    for (std::uint64_t i = 0; i < ends.size(); ++i) {
      auto p = i;
      for (path.clear(); ends[p] & goes_on; p = ends[p] & ~goes_on) path.push_back(p);
      const auto end = ends[p];
      for (const auto q : path) ends[q] = end;
    }
    ends.release();
  }

  /// Labels of a piece, which is asked for once. Those of the next ones are computed with it, and kept until
  /// they are asked for.
  block labels(std::int64_t piece) {
    if (!computed_[static_cast<std::size_t>(piece)]) compute_labels(piece);
    return std::move(ready_.extract(piece).mapped());
  }

 private:
  void compute_labels(std::int64_t piece) {
    // Those that a resumed run has in its files are never asked for.
    if (run_.resumes() && ready_.size() + 1 >= at_once()) {
      for (const auto& [other, pixels] : ready_) computed_[static_cast<std::size_t>(other)] = false;
      ready_.clear();
    }
    pieces_at_once some;
    for (std::optional next = piece; next && (some.empty() || some.size() + ready_.size() < at_once());
         next = run_.next_piece(grid_, *next)) {
      if (computed_[static_cast<std::size_t>(*next)]) continue;
      computed_[static_cast<std::size_t>(*next)] = true;
      some.push_back({*next, read(*next, true)});
    }
    std::vector<block> results;
    for (const auto& each : some)
      results.emplace_back(*run_.memory, grid_.piece(each.piece), sizeof(std::uint32_t));
    in_parallel(some, [&](const piece_around& of, cpu::basin_tile<Key>& tile) {
      label(of, tile, results[static_cast<std::size_t>(&of - some.data())]);
    });
    release();
    for (std::size_t i = 0; i < some.size(); ++i) ready_.emplace(some[i].piece, std::move(results[i]));
  }

  /// Tells other ranks of changed rims beside their pieces. Whether a rank changed one.
  bool exchange_rims(const box& own, std::vector<bool>& changed) {
    if (!run_.is_shared()) return false;
    const char any = std::ranges::find(changed, true) != changed.end();
    const auto inside = grid_.pixels_of(own);
    std::string told(1, any);
    const auto add = [&](const auto* from, std::size_t count) {
      told.append(reinterpret_cast<const char*>(from), count * sizeof *from);
    };
    for (std::int64_t piece = 0; piece < grid_.count(); ++piece) {
      const auto beside = grown(grid_.piece(piece), one(), whole_);
      if (!changed[static_cast<std::size_t>(piece)] || !own.contains(grid_.place(piece)) ||
          common(beside, inside) == beside)
        continue;
      add(&piece, 1);
      add(rim_of_piece(piece), rim_pixels(piece));
    }
    changed.assign(changed.size(), false);
    bool any_changed = false;
    for (const auto& one_rank : run_.all_ranks().gather(told)) {
      any_changed |= one_rank[0] != 0;
      for (std::size_t at = 1; at < one_rank.size();) {
        std::int64_t piece = 0;
        one_rank.copy(reinterpret_cast<char*>(&piece), sizeof piece, at);
        at += sizeof piece;
        const auto bytes = rim_pixels(piece) * sizeof(rim_pixel);
        std::memcpy(rim_of_piece(piece), one_rank.data() + at, bytes);
        is_visited_[static_cast<std::size_t>(piece)] = true;
        at += bytes;
      }
    }
    return any_changed;
  }

  /// What join_paths() found for the pieces of all ranks.
  void gather_ends() {
    if (!run_.is_shared()) return;
    std::string told;
    const auto over_ends = [&](const box& pieces, const auto& visit) {
      for (std::int64_t piece = 0; piece < grid_.count(); ++piece)
        if (pieces.contains(grid_.place(piece)))
          visit(ends_->all() + first_[static_cast<std::size_t>(piece)],
                rim_pixels(piece) * sizeof(std::uint64_t));
    };
    over_ends(run_.own_pieces(grid_), [&](const std::uint64_t* from, std::size_t bytes) {
      told.append(reinterpret_cast<const char*>(from), bytes);
    });
    const auto all = run_.all_ranks().gather(told);
    for (int rank = 0; rank < run_.all_ranks().size(); ++rank) {
      const char* from = all[static_cast<std::size_t>(rank)].data();
      over_ends(run_.pieces_of(grid_, rank, rank + 1), [&](std::uint64_t* to, std::size_t bytes) {
        std::memcpy(to, from, bytes);
        from += bytes;
      });
    }
  }

  static constexpr std::uint64_t goes_on = std::uint64_t{1} << 63;  // of ends_: the number of the next one

  struct rim_pixel {
    Key pass;
    std::uint32_t steps;
    bool inside;
  };

  /// A piece and its images, with one pixel around it.
  struct piece_around {
    std::int64_t piece;
    std::vector<block> images;
  };
  using pieces_at_once = std::vector<piece_around>;

  window_radius one() const { return {volume_, 1, 1}; }

  /// Those of the run that is continued, which may have had other threads or ranks: its journal has numbers
  /// of its pieces. Every rank keeps them, so that none of their journals speaks of other pieces.
  site size_of_pieces() {
    // All ranks cut the image alike.
    if (run_.is_shared()) threads_.count = static_cast<int>(run_.all_ranks().least(threads_.count));
    struct terms {
      site size;
      std::int64_t threads;
    };
    const auto record = run_.next_record();
    terms agreed{};
    if (const auto known = run_.done.recall(record, 0)) {
      std::memcpy(&agreed, known->data(), std::min(known->size(), sizeof agreed));
      if (std::min({agreed.size.z, agreed.size.y, agreed.size.x, agreed.threads}) < 1)
        throw io_error("journal of pieces: a size of pieces is damaged");
      threads_.count = static_cast<int>(std::min<std::int64_t>(threads_.count, agreed.threads));
    } else {
      const auto size = new_size_of_pieces();
      agreed = {size, threads_.count};
    }
    run_.done.record(record, 0, std::as_bytes(std::span(&agreed, 1)));
    return agreed.size;
  }

  /// Several pieces are solved at one time, unless that would make them small.
  site new_size_of_pieces() {
    const auto alone = run_.piece_size(whole_, bytes_per_pixel(), {}, beside());
    if (!run_.is_limited() || threads_.count == 1) return alone;
    if (whole_box(whole_).size == alone) return alone;
    if (alone.z * alone.y * alone.x < threads_.count * tuning::least_basin_piece) {
      threads_.count = 1;
      return alone;
    }
    return run_.piece_size(whole_, bytes_per_pixel() * threads_.count, {}, beside());
  }
  std::size_t at_once() const { return static_cast<std::size_t>(threads_.count); }

  /// visit(pieces) for all pieces in their order, several at a time.
  template <class Visit>
  void over_all(const Visit& visit) {
    pieces_at_once some;
    run_.over_pieces(grid_, [&](std::int64_t piece) {
      some.push_back({piece, read(piece, true)});
      if (some.size() < at_once() && run_.next_piece(grid_, piece)) return;
      visit(some);
      some.clear();
    });
  }

  /// compute(piece, tile) for each, on a thread with a tile of its own.
  template <class Compute>
  void in_parallel(const pieces_at_once& some, const Compute& compute) {
    while (tiles_.size() < some.size()) tiles_.push_back(std::make_unique<cpu::basin_tile<Key>>(near_));
    threads_.for_each(some.size(), [&](std::size_t i) { compute(some[i], *tiles_[i]); });
  }

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
    return first_[static_cast<std::size_t>(piece)] + index_in_piece(grid_.piece(piece), p);
  }
  std::size_t rim_pixels(std::int64_t piece) const {
    return static_cast<std::size_t>(rim_of(grid_.piece(piece), volume_).count());
  }
  rim_pixel* rim_of_piece(std::int64_t piece) {
    return rims_->all() + first_[static_cast<std::size_t>(piece)];
  }
  /// Null where the piece was not visited yet.
  const rim_pixel* on_rim(site p) const {
    const auto piece = grid_.piece_at(p);
    return is_visited_[static_cast<std::size_t>(piece)] ? rims_->begin() + number_of(p) : nullptr;
  }
  /// After pieces were visited: rims of others need not be in memory with theirs.
  void release() const {
    rims_->release();
    ends_->release();
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
    if (const auto next = in_order ? run_.next_piece(grid_, piece) : std::nullopt)
      expect_all(images_, grown(grid_.piece(*next), one(), whole_));
    return around;
  }

  /// d of a piece, with what its neighbours offer.
  void solve(const piece_around& of, cpu::basin_tile<Key>& tile) const {
    const auto own = grid_.piece(of.piece);
    const auto passes = of.images[0].template image<const Key>(whole_).pixels();
    tile.move_to({own.first - of.images[0].where.first, static_cast<int>(own.size.x),
                  static_cast<int>(own.size.y), static_cast<int>(own.size.z)},
                 {passes.depth, passes.height, passes.width});
    tile.load_passes(passes);
    for_each_on_rim(own, volume_, [&](std::int64_t z, std::int64_t y, std::int64_t x) {
      const auto at = tile.at(z, y, x);
      for_each_across(own, own.first + site{z, y, x}, [&](const rim_pixel& other) {
        if (other.steps != basin::never && other.pass == tile.pass(at)) tile.offer(at, other.steps + 1);
      });
    });
    tile.solve(seeds_of(of));
  }

  view<const std::uint32_t> seeds_of(const piece_around& of) const {
    return of.images[1].template image<const std::uint32_t>(whole_).pixels();
  }

  /// Pieces that are solved at one time see each other's rims as they were before.
  void visit(const pieces_at_once& some) {
    std::vector<std::vector<rim_pixel>> rims(some.size());
    in_parallel(some, [&](const piece_around& of, cpu::basin_tile<Key>& tile) {
      solve(of, tile);
      const auto own = grid_.piece(of.piece);
      const auto seeds = seeds_of(of);
      auto& rim = rims[static_cast<std::size_t>(&of - some.data())];
      rim.reserve(static_cast<std::size_t>(rim_of(own, volume_).count()));
      for_each_on_rim(own, volume_, [&](std::int64_t z, std::int64_t y, std::int64_t x) {
        const auto at = tile.at(z, y, x);
        const auto seed = seeds[site{z, y, x} + own.first - of.images[1].where.first];
        rim.push_back({tile.pass(at), tile.steps(at), seed != basin::outside});
      });
    });
    for (std::size_t i = 0; i < some.size(); ++i) {
      std::ranges::copy(rims[i], rim_of_piece(some[i].piece));
      is_visited_[static_cast<std::size_t>(some[i].piece)] = true;
    }
    release();
  }

  bool can_improve(std::int64_t piece) const {
    const auto own = grid_.piece(piece);
    const auto* const rim = rims_->begin() + first_[static_cast<std::size_t>(piece)];
    bool can = false;
    std::size_t number = 0;
    for_each_on_rim(own, volume_, [&](std::int64_t z, std::int64_t y, std::int64_t x) {
      const auto& mine = rim[number++];
      if (can || !mine.inside || mine.steps == 0) return;
      for_each_across(own, own.first + site{z, y, x}, [&](const rim_pixel& other) {
        can = can || (other.steps != basin::never && other.pass == mine.pass && other.steps + 1 < mine.steps);
      });
    });
    release();
    return can;
  }

  void find_parents(const piece_around& of, cpu::basin_tile<Key>& tile) const {
    solve(of, tile);
    const auto own = grid_.piece(of.piece);
    tile.for_each_around([&](std::int64_t z, std::int64_t y, std::int64_t x) {
      tile.steps(tile.at(z, y, x)) = on_rim(own.first + site{z, y, x})->steps;
    });
    tile.find_parents(seeds_of(of));
  }

  /// Where the paths of the pixels on a piece's rim leave it, or end in it.
  void find_ends(const piece_around& of, cpu::basin_tile<Key>& tile) {
    find_parents(of, tile);
    const auto own = grid_.piece(of.piece);
    const auto seeds = seeds_of(of);
    auto number = first_[static_cast<std::size_t>(of.piece)];
    for_each_on_rim(own, volume_, [&](std::int64_t z, std::int64_t y, std::int64_t x) {
      const site end = tile.site_of(tile.end_of(tile.at(z, y, x)));
      auto& to = ends_->all()[number++];
      if (!tile.contains(end)) {
        to = number_of(own.first + end) | goes_on;
        return;
      }
      const auto seed = seeds[end + own.first - of.images[1].where.first];
      to = seed == basin::outside ? 0 : seed;
    });
  }

  void label(const piece_around& of, cpu::basin_tile<Key>& tile, const block& result) const {
    find_parents(of, tile);
    const auto own = grid_.piece(of.piece);
    tile.for_each_around([&](std::int64_t z, std::int64_t y, std::int64_t x) {
      tile.label(tile.at(z, y, x)) =
          static_cast<std::uint32_t>(ends_->begin()[number_of(own.first + site{z, y, x})]);
    });
    tile.follow_parents(seeds_of(of));
    for (std::int64_t z = 0; z < own.size.z; ++z)
      for (std::int64_t y = 0; y < own.size.y; ++y)
        std::copy_n(&tile.label(tile.at(z, y, 0)), own.size.x,
                    reinterpret_cast<std::uint32_t*>(result.row(own.first.z + z, own.first.y + y)));
  }

  run& run_;
  frame whole_;
  neighbourhood near_;
  bool volume_;
  tie_order order_;
  std::vector<node_ptr> images_;
  host_threads threads_;
  piece_grid grid_;
  std::vector<bool> computed_;        // labels of a piece, which are ready or were given
  std::vector<bool> is_visited_;      // whether the rim of a piece is known
  std::vector<std::uint64_t> first_;  // number of the first pixel on a piece's rim
  std::optional<tallied_rows<rim_pixel>> rims_;
  std::optional<tallied_rows<std::uint64_t>> ends_;
  std::vector<std::unique_ptr<cpu::basin_tile<Key>>> tiles_;  // of pieces that are solved at one time
  std::map<std::int64_t, block> ready_;                       // labels of pieces
};

}  // namespace

template <class Key>
node_ptr basins_in_pieces(run& of, const neighbourhood& near, node_ptr passes, node_ptr seeds,
                          const file_form& form) {
  const auto basins = std::make_shared<piece_basins<Key>>(of, near, passes, seeds);
  if (of.plans) return std::make_shared<planned>(of, passes->whole, sizeof(std::uint32_t));
  const auto result =
      std::make_shared<stored>(of, passes->whole, sizeof(std::uint32_t), basins->grid().size(), form);
  basins->exchange_steps();
  basins->join_paths();
  result->finish_later(
      [basins](std::int64_t piece) -> std::optional<block> { return basins->labels(piece); });
  return result;
}

}  // namespace macareu::pieces
