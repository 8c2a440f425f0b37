// Waves in pieces, of any key; narrow_keys.cpp and wide_keys.cpp compile them.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <limits>
#include <numeric>

#include <macareu/error.hpp>
#include <macareu/ranks.hpp>

#include "core/ceil_div.hpp"
#include "engines/cpu/wave/wave_kernels.hpp"
#include "engines/pieces/files/file_access.hpp"
#include "engines/pieces/plan.hpp"
#include "engines/pieces/shared_pass.hpp"
#include "engines/pieces/tuning.hpp"
#include "engines/pieces/wave/piece_waves.hpp"
#include "engines/pieces/wave/rank_rims.hpp"

namespace macareu::pieces {

namespace {

/// The keys of a piece as an image that the cpu engine contracts.
template <class Key>
class keyed_piece final : public cpu::wave_image<Key> {
 public:
  explicit keyed_piece(const piece_keys<Key>& keys) : cpu::wave_image<Key>(inside(keys, keys.value), {0, 0}) {
    this->capacities.emplace(inside(keys, keys.capacity), cpu::key_code<Key>{0, 0});
  }
  void read_start(site, std::int64_t, Key*) const override {}

 private:
  static view<const Key> inside(const piece_keys<Key>& keys, const std::vector<Key>& of) {
    const auto& size = keys.piece.size;
    return {of.data() + keys.at(0, 0, 0), size.z, size.y, size.x, keys.slice, keys.pitch, 1};
  }
  void compute_capacity(site, std::int64_t, Key*) const override {}
};

/// Raises the open pixels of a piece. They lie near its rim, so only parts of it that have some are read, and
/// only those that change are written. The last one is returned: its record says that all are done.
template <class Key, class Raise>
std::optional<block> patched(stored& result, const box& own, const std::vector<open_pixel<Key>>& open,
                             const Raise& raise) {
  const piece_grid parts({own.size.z, own.size.y, own.size.x, {0, 0, 0}},
                         {1, tuning::patched_rows, tuning::patched_columns});
  const auto width = static_cast<std::uint32_t>(own.size.x), height = static_cast<std::uint32_t>(own.size.y);
  const auto place = [&](const open_pixel<Key>& pixel) {
    const auto row = pixel.at / width, slice = own.size.z > 1 ? row / height : 0;
    return site{slice, row - slice * height, pixel.at - row * width};
  };
  const auto counts = parts.counts();
  const auto part_of = [&](site p) {
    return static_cast<std::uint32_t>((p.z * counts.y + p.y / tuning::patched_rows) * counts.x +
                                      p.x / tuning::patched_columns);
  };
  std::vector<std::uint32_t> part, order(open.size());
  std::vector<std::size_t> begin(static_cast<std::size_t>(parts.count()) + 1);
  part.reserve(open.size());
  for (const auto& pixel : open) {
    part.push_back(part_of(place(pixel)));
    ++begin[part.back() + 1];
  }
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  auto next = begin;
  for (std::uint32_t i = 0; i < open.size(); ++i) order[next[part[i]]++] = i;
  const auto next_part = [&](std::size_t k) {
    while (k + 1 < begin.size() && begin[k] == begin[k + 1]) ++k;
    return k;
  };
  const auto place_of_part = [&](std::size_t k) {
    const auto where = parts.piece(static_cast<std::int64_t>(k));
    return box{own.first + where.first, where.size};
  };
  std::optional<block> last;
  for (std::size_t k = next_part(0), following = 0; k + 1 < begin.size(); k = following) {
    following = next_part(k + 1);
    auto state = result.read_as_it_is(place_of_part(k));
    if (following + 1 < begin.size()) result.expect_as_it_is(place_of_part(following));
    bool changed = false;
    for (auto i = begin[k]; i < begin[k + 1]; ++i)
      changed |= raise(state, own.first + place(open[order[i]]), open[order[i]]);
    if (!changed) continue;
    if (last) result.write(std::move(*last));
    last = std::move(state);
  }
  return last;
}

/// Images, the state and its copies to be written, keys, the flood, and its lists of open pixels.
template <class Key>
std::int64_t bytes_per_pixel(const std::vector<node_ptr>& images) {
  constexpr std::size_t states = 3 * sizeof(Key), flood = 3 * sizeof(Key) + sizeof(std::uint32_t);
  constexpr auto lists = ceil_div(
      static_cast<std::int64_t>(2 * sizeof(std::uint32_t) + sizeof(open_pixel<Key>)), tuning::open_share);
  return room_of(images) + static_cast<std::int64_t>(states + flood) + lists + tuning::engine_bytes;
}

/// The piece before, whose rim is summarised while a GPU solves the next one.
template <class Key>
std::int64_t bytes_beside_gpu(const std::vector<node_ptr>& images) {
  return room_of(images) + static_cast<std::int64_t>(sizeof(Key));
}

/// The order of pixels as numbers: -0 and +0 are equal, and NaN lies outside.
template <class Key>
struct number_order {
  explicit number_order(const cpu::key_code<Key>& code) {
    if (code.negative == 0) return;  // integers
    constexpr Key sign = cpu::key_code<Key>::sign;
    constexpr Key infinity = sizeof(Key) == 8 ? static_cast<Key>(0x7ff0000000000000) : Key(0x7f800000);
    minus_zero = code.key(sign);
    zero = code.key(Key{0});
    const Key one = code.key(infinity), other = code.key(static_cast<Key>(infinity | sign));
    least = std::min(one, other);
    most = std::max(one, other);
  }
  bool is_beyond(Key start, Key capacity) const {
    const auto plain = [&](Key key) { return key == minus_zero ? zero : key; };
    return (start < least) | (capacity > most) | (plain(start) > plain(capacity));
  }

  Key least = 0, most = std::numeric_limits<Key>::max(), minus_zero = 0, zero = 0;
};

template <class Key>
surroundings surroundings_of_wave(const frame& whole, const std::vector<node_ptr>& images) {
  constexpr std::int64_t key = sizeof(Key), number = sizeof(std::uint32_t), edge = sizeof(rim_edge<Key>);
  const auto edges = static_cast<std::int64_t>(rim_graph<Key>::edges_of_a_pixel(whole.depth > 1)) * edge;
  auto beside = around(images);
  beside.halo = {beside.halo.z + (whole.depth > 1), beside.halo.y + 1, beside.halo.x + 1};
  // Capacity and value of a rim's pixel, and an edge. The graph has more edges, and a forest.
  beside.rim_bytes = 2 * key + edge;
  beside.join_bytes = 2 * key + edges + number + key + 1;
  // Both graphs of a contraction, without and with edges; listed ones also as a message.
  beside.region_bytes = 5 * key + 3 * number;
  beside.open_bytes = edges + 4 * edge;
  beside.of_a_rank = tuning::waves_of_a_rank;
  return beside;
}

/// The size of pieces of a wave with this capacity and start.
template <class Key>
site wave_piece_size(const run& of, const frame& whole, const std::vector<node_ptr>& images) {
  const auto bytes =
      bytes_per_pixel<Key>(images) + (of.gpu_memory > 0 ? bytes_beside_gpu<Key>(images) : std::int64_t{0});
  return with_short_numbers(of.piece_size(whole, bytes, {}, surroundings_of_wave<Key>(whole, images)));
}

}  // namespace

template <class Key>
piece_waves<Key>::piece_waves(run& of, const frame& whole, std::vector<node_ptr> images, piece_wave wave)
    : run_(of),
      whole_(whole),
      near_(wave.near),
      images_(std::move(images)),
      code_{static_cast<Key>(wave.flip), static_cast<Key>(wave.negative)},
      solve_(std::move(wave.solve)),
      refuse_(std::move(wave.refuse)),
      grid_(whole, wave_piece_size<Key>(of, whole, images_)),
      own_(of.own_pieces(grid_)),
      graph_(graph_of_own_pieces()),
      lists_(static_cast<std::size_t>(grid_.count())),
      is_recalled_(lists_.size()),
      records_(of) {
  if (!run_.spills_rims(whole, grid_.size(), surroundings_of_wave<Key>(whole, images_))) return;
  regions_.emplace(run_, own_);
  values_.resize(lists_.size());
}

template <class Key>
rim_graph<Key> piece_waves<Key>::graph_of_own_pieces() const {
  std::vector<box> boxes;
  for (std::int64_t i = 0; i < own_.pixels(); ++i) boxes.push_back(grid_.piece(grid_.number_in(own_, i)));
  return {grid_.whole(), grid_.pixels_of(own_), std::move(boxes),
          [this](site p) { return place_of(grid_.piece_at(p)); }, near_};
}

template <class Key>
std::size_t piece_waves<Key>::place_of(std::int64_t piece) const {
  const site at = grid_.place(piece) - own_.first;
  return static_cast<std::size_t>((at.z * own_.size.y + at.y) * own_.size.x + at.x);
}

template <class Key>
void piece_waves<Key>::add_summary(std::int64_t piece, const std::string& found) {
  auto summary = summary_in(piece, found);
  if (regions_)
    regions_->tell(grid_.place(piece), std::string_view(found).substr(sizeof(open_list)));
  else
    graph_.add(place_of(piece), std::move(summary));
}

template <class Key>
void piece_waves<Key>::solve_regions() {
  const auto make = [&] {
    return rank_rims<Key>(grid_.whole(), near_, [&](int first, int end) {
      return grid_.pixels_of(region_of_leaves(own_, first, end));
    });
  };
  regions_->join(make, [&](site piece, const std::string& values) {
    values_[place_of(grid_.number(piece))] = regions_->file().add(values);
  });
}

template <class Key>
std::vector<Key> piece_waves<Key>::values_on_rim(std::int64_t piece) const {
  const auto place = place_of(piece);
  if (!regions_) return graph_.value(place);
  const auto bytes = regions_->file().read(values_[place]);
  std::vector<Key> values(bytes.size() / sizeof(Key));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

template <class Key>
void piece_waves<Key>::solve_rims() {
  if (regions_) return solve_regions();
  if (!run_.is_shared()) {
    graph_.solve();
    return graph_.forget_edges();
  }
  rank_rims<Key> rims(grid_.whole(), near_,
                      [&](int first, int end) { return grid_.pixels_of(run_.pieces_of(grid_, first, end)); });
  const bool has_pieces = own_.pixels() > 0;
  const auto outside =
      run_.all_ranks().exchange(has_pieces ? graph_.contract().bytes() : std::string(), rims.exchange());
  if (has_pieces) rank_rims<Key>::solve(graph_, outside);
  graph_.forget_edges();
}

template <class Key>
bool piece_waves<Key>::raise(const block& to, site p, Key value) const {
  const auto states = rows_of(to);
  const site q = p - to.where.first;
  if (states[q] >= value) return false;
  states.set_shared(q, value);
  return true;
}

template <class Key>
bool piece_waves<Key>::is_beyond(std::span<const block> from, site first, std::int64_t count) const {
  const number_order<Key> order(code_);
  // In parts, with loops that are vectorised.
  constexpr std::int64_t most = tuning::compared_bytes / static_cast<std::int64_t>(sizeof(Key));
  std::array<Key, most> capacity, start;
  for (std::int64_t begin = 0; begin < count; begin += most) {
    const auto part = std::min(most, count - begin);
    read_row(from[0], first + site{0, 0, begin}, part, capacity.data());
    read_row(from[1], first + site{0, 0, begin}, part, start.data());
    Key beyond = 0;
    if (code_.negative == 0)
      for (std::size_t i = 0; i < static_cast<std::size_t>(part); ++i)
        beyond |= static_cast<Key>(start[i] > capacity[i]);
    else
      for (std::size_t i = 0; i < static_cast<std::size_t>(part); ++i)
        beyond |= static_cast<Key>(order.is_beyond(start[i], capacity[i]));
    if (beyond != 0) return true;
  }
  return false;
}

template <class Key>
std::vector<block> piece_waves<Key>::parts(std::span<const block> blocks, const box& where) {
  std::vector<block> cropped;
  for (const auto& each : blocks) cropped.push_back(each.part(where));
  return cropped;
}

template <class Key>
node_ptr piece_waves<Key>::first_pass(const file_form& form, const host_threads& threads) {
  const auto result = std::make_shared<stored>(run_, whole_, sizeof(Key), grid_.size(), form);
  const window_radius one{near_.rank == 3 ? 1 : 0, 1, 1};
  const auto record = run_.next_record();
  bool beyond = false;
  for (std::int64_t i = 0; i < own_.pixels(); ++i) {
    const auto piece = grid_.number_in(own_, i);
    is_recalled_[static_cast<std::size_t>(piece)] = run_.done.has(record, piece);
  }
  std::optional<solved_piece> waiting;
  const bool on_gpu = run_.gpu_memory > 0;
  const auto give_waiting = [&](give_found give) {
    if (!waiting) return;
    waiting->end.get();
    if (!on_gpu) complete_summary(waiting->piece, threads);
    const auto found = bytes_of(waiting->piece);
    std::function<void()> after;
    if (run_.done.is_open())
      after = [of = &run_, record, piece = waiting->piece, found] {
        of->done.record(record, piece, std::as_bytes(std::span(found)));
      };
    give(waiting->piece, found);
    if (waiting->state)
      result->write(std::move(*waiting->state), std::move(after));
    else if (after)
      run_.files.note(std::move(after));  // after the state, which was written before
    waiting.reset();
  };
  const auto solve_alone = [&](std::int64_t piece, std::optional<std::int64_t> next, give_found give) {
    if (beyond && run_.is_shared()) return give(piece, {});
    if (run_.found(record, piece)) return give(piece, *run_.done.recall(record, piece));
    const auto own = grid_.piece(piece);
    auto around = read_all(images_, grown(own, one, whole_));
    if (next) expect_all(images_, grown(grid_.piece(*next), one, whole_));
    auto inside = parts(around, own);
    beyond = has_start_beyond(inside, threads);
    if (beyond && run_.is_shared()) return give(piece, {});
    if (beyond) refuse_();
    block state(*run_.memory, own, sizeof(Key));
    solve_(state, inside[1], inside[0]);
    give_waiting(give);
    if (on_gpu) {
      waiting = solved_piece{piece, std::move(state), std::move(around), {}};
      waiting->end = std::async(std::launch::async, [&] {
        load(waiting->piece, *waiting->state, waiting->around, threads);
        flood(waiting->piece);
        complete_summary(waiting->piece, threads);
      });
      return;
    }
    load(piece, state, around, threads);
    around.clear();
    inside.clear();
    result->write(std::move(state));
    waiting = solved_piece{piece, {}, {}, {}};
    // One thread computes at a time where the caller wants one.
    waiting->end = std::async(threads.count > 1 ? std::launch::async : std::launch::deferred,
                              [&] { flood(waiting->piece); });
  };
  share_pieces(run_, grid_, solve_alone, give_waiting, [&](std::int64_t piece, const std::string& found) {
    if (!found.empty()) add_summary(piece, found);
  });
  run_.files.wait();
  // Refusing finds the first pixel that is beyond, for which all ranks exchange what they find.
  if (refuse_ && run_.is_shared() && run_.all_ranks().least(!beyond) == 0) {
    refuse_();
    throw internal_error("pieces: a start beyond its capacity was not refused");
  }
  flood_ = {};  // its memory is as large as some images
  keys_ = {};
  summary_ = {};
  open_ = {};
  solve_rims();
  // The file owns the function, which owns this.
  result->finish_later([waves = this->shared_from_this(), file = result.get()](std::int64_t piece) {
    return waves->complete(*file, piece);
  });
  return result;
}

template <class Key>
bool piece_waves<Key>::has_start_beyond(std::span<const block> from, const host_threads& threads) const {
  if (!refuse_) return false;
  const auto& own = from[0].where;
  std::atomic<bool> beyond = false;
  threads.for_each(static_cast<std::size_t>(own.size.z * own.size.y), [&](std::size_t row) {
    const auto z = static_cast<std::int64_t>(row) / own.size.y,
               y = static_cast<std::int64_t>(row) % own.size.y;
    if (is_beyond(from, own.first + site{z, y, 0}, own.size.x)) beyond = true;
  });
  return beyond;
}

template <class Key>
void piece_waves<Key>::load(std::int64_t piece, const block& result, std::span<const block> around,
                            const host_threads& threads) {
  const auto own = grid_.piece(piece);
  const bool volume = near_.rank == 3;
  auto& keys = keys_;
  keys.reset(own, volume);
  threads.for_each(static_cast<std::size_t>(own.size.z * own.size.y), [&](std::size_t row) {
    const auto z = static_cast<std::int64_t>(row) / own.size.y,
               y = static_cast<std::int64_t>(row) % own.size.y;
    const site first = own.first + site{z, y, 0};
    read_row(around[0], first, own.size.x, &keys.capacity[keys.at(z, y, 0)]);
    read_row(result, first, own.size.x, &keys.value[keys.at(z, y, 0)]);
  });
  const auto outside = [&](site q) {
    const site p = own.first + q;
    Key key = 0;
    if (!own.contains(p) && grid_.whole().contains(p)) read_row(around[0], p, 1, &key);
    return key;
  };
  summary_ = flood_.find_seeds(near_, keys, outside);
}

template <class Key>
void piece_waves<Key>::flood(std::int64_t piece) {
  const auto most = static_cast<std::size_t>(grid_.piece(piece).pixels() / tuning::open_share);
  is_flooded_ = flood_.flood(near_, keys_, most, summary_, open_);
}

template <class Key>
void piece_waves<Key>::complete_summary(std::int64_t piece, const host_threads& threads) {
  auto& list = lists_[static_cast<std::size_t>(piece)];
  if (!is_flooded_) {
    list.count = -1;
    const keyed_piece<Key> image(keys_);
    cpu::best_wave_kernels<Key>().contract_to_rim(run_.quiet, near_, image, threads.count,
                                                  [&](std::uint32_t a, std::uint32_t b, Key weight) {
                                                    summary_.edges.push_back({a, b, weight});
                                                  });
  } else if (!open_.empty())
    list = {records_.append(open_.data(), open_.size() * sizeof(open_[0])),
            static_cast<std::int64_t>(open_.size()), run_.rank()};
}

template <class Key>
std::string piece_waves<Key>::bytes_of(std::int64_t piece) const {
  const auto& list = lists_[static_cast<std::size_t>(piece)];
  return std::string(reinterpret_cast<const char*>(&list), sizeof list) + summary_.bytes();
}

template <class Key>
rim_summary<Key> piece_waves<Key>::summary_in(std::int64_t piece, const std::string& bytes) {
  const auto own = grid_.piece(piece);
  auto& list = lists_[static_cast<std::size_t>(piece)];
  const auto size = std::min(bytes.size(), sizeof list);
  std::memcpy(&list, bytes.data(), size);
  auto summary = rim_summary<Key>::of(std::string_view(bytes).substr(size),
                                      static_cast<std::size_t>(rim_of(own, near_.rank == 3).count()));
  if (list.offset < 0 || list.count < -1 || list.count > own.pixels() || list.writer < 0)
    throw io_error("journal of pieces: a record of a wave is damaged");
  return summary;
}

template <class Key>
std::optional<block> piece_waves<Key>::complete(stored& result, std::int64_t piece) {
  const auto& list = lists_[static_cast<std::size_t>(piece)];
  if (list.count == 0) return std::nullopt;
  const auto own = grid_.piece(piece);
  const auto rim = values_on_rim(piece);
  if (list.count > 0) {
    std::vector<open_pixel<Key>> open(static_cast<std::size_t>(list.count));
    records_.read(static_cast<int>(list.writer), list.offset, open.data(), open.size() * sizeof(open[0]));
    const bool in_range = std::ranges::all_of(open, [&](const open_pixel<Key>& pixel) {
      return pixel.node < rim.size() && static_cast<std::int64_t>(pixel.at) < own.pixels();
    });
    if (!in_range) throw io_error("work files of pieces: a list of pixels is damaged");
    return patched(result, own, open, [&](const block& state, site p, const open_pixel<Key>& pixel) {
      return raise(state, p, std::min(pixel.upper, rim[pixel.node]));
    });
  }
  auto state = result.read_as_it_is(own);
  // A run that was killed may have written a part of the piece: its rim does not tell whether it is complete.
  bool changed = is_recalled_[static_cast<std::size_t>(piece)];
  std::size_t number = 0;
  for_each_on_rim(own, near_.rank == 3, [&](std::int64_t z, std::int64_t y, std::int64_t x) {
    changed |= raise(state, own.first + site{z, y, x}, rim[number++]);
  });
  if (!changed) return std::nullopt;
  solve_(state, state, images_[0]->read(own));
  ++run_.report.solved_again;
  return state;
}

template <class Key>
void plan::set_wave(const any_image& out, piece_wave wave, const host_threads& threads) {
  auto from = in_any_shape({&wave.capacity, &wave.start});
  if (run_.plans) {
    wave_piece_size<Key>(run_, out.whole(), from);
    return out.set(std::make_shared<planned>(run_, out.whole(), sizeof(Key)));
  }
  const auto waves = std::make_shared<piece_waves<Key>>(run_, out.whole(), std::move(from), std::move(wave));
  out.set(waves->first_pass(form_of(out), threads));
}

}  // namespace macareu::pieces
