#include "engines/pieces/component/band_regions.hpp"

#include <algorithm>
#include <concepts>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <macareu/error.hpp>

#include "core/ceil_div.hpp"
#include "engines/pieces/tuning.hpp"

namespace macareu::pieces {
namespace {

/// The final number of one object.
std::uint64_t number_of(const block_answer& answer, std::uint64_t object) {
  const auto at = std::ranges::lower_bound(answer.moved, object);
  const auto before = static_cast<std::size_t>(at - answer.moved.begin());
  if (at != answer.moved.end() && *at == object) return answer.target[before];
  return answer.before + object - before;
}

/// outer(inner(object)) for `objects` objects. An object has moved if it moved in one of the two.
block_answer composed(const block_answer& outer, const block_answer& inner, std::uint64_t objects) {
  const auto stays = objects - inner.moved.size();
  const auto first = std::ranges::upper_bound(outer.moved, inner.before);
  std::vector<std::pair<std::uint32_t, std::uint64_t>> moved;
  for (std::size_t i = 0; i < inner.moved.size(); ++i)
    moved.emplace_back(inner.moved[i], number_of(outer, inner.target[i]));
  std::size_t skipped = 0;  // objects that moved in `inner`, before this one
  for (auto at = first; at != outer.moved.end() && *at - inner.before <= stays; ++at) {
    const auto rank = *at - inner.before;  // among those that stay
    while (skipped < inner.moved.size() && inner.moved[skipped] - skipped <= rank) ++skipped;
    moved.emplace_back(static_cast<std::uint32_t>(rank + skipped),
                       outer.target[static_cast<std::size_t>(at - outer.moved.begin())]);
  }
  std::ranges::sort(moved);
  block_answer all;
  all.before = outer.before + inner.before - static_cast<std::uint64_t>(first - outer.moved.begin());
  for (const auto& [object, target] : moved) {
    all.moved.push_back(object);
    all.target.push_back(target);
  }
  return all;
}

/// Objects of consecutive bands, numbered by their first pixels in them.
struct region {
  std::uint64_t objects = 0;
  std::uint32_t in_first = 0;      // of the first band, those in its first slice
  std::uint64_t last_objects = 0;  // of the last band
  block_answer first, last;  // numbers in the region of objects of the first slice, and of the last band
  std::vector<number_run> first_slice;  // in numbers of the first band
  std::vector<number_run> next_slice;   // that of the next region, in numbers of the last band

  /// Objects of the region in its first slice: they are the first ones.
  std::uint32_t at_front() const { return in_first - static_cast<std::uint32_t>(first.moved.size()); }
};

/// visit(member) for each, in the order of messages.
template <class Answer, class Visit>
requires std::same_as<std::remove_const_t<Answer>, block_answer>
void over_members(Answer& of, const Visit& visit) {
  visit(of.before);
  visit(of.moved);
  visit(of.target);
}
template <class Region, class Visit>
requires std::same_as<std::remove_const_t<Region>, region>
void over_members(Region& of, const Visit& visit) {
  visit(of.objects);
  visit(of.in_first);
  visit(of.last_objects);
  visit(of.first);
  visit(of.last);
  visit(of.first_slice);
  visit(of.next_slice);
}

class message {
 public:
  message() = default;
  /// Refers to the bytes.
  explicit message(std::string_view bytes) : rest_(bytes) {}

  template <class T>
  void add(const T& value) {
    if constexpr (std::is_trivially_copyable_v<T>)
      add_bytes(&value, sizeof value);
    else
      over_members(value, [&](const auto& member) { add(member); });
  }
  template <class T>
  void add(const std::vector<T>& values) {
    add(std::uint64_t{values.size()});
    add_bytes(values.data(), values.size() * sizeof(T));
  }
  template <class T>
  void take(T& value) {
    if constexpr (std::is_trivially_copyable_v<T>)
      take_bytes(&value, sizeof value);
    else
      over_members(value, [&](auto& member) { take(member); });
  }
  template <class T>
  void take(std::vector<T>& values) {
    std::uint64_t count = 0;
    take(count);
    values.resize(count);
    take_bytes(values.data(), count * sizeof(T));
  }
  std::string bytes() && { return std::move(bytes_); }

 private:
  void add_bytes(const void* from, std::size_t count) {
    bytes_.append(static_cast<const char*>(from), count);
  }
  void take_bytes(void* to, std::size_t count) {
    if (count > 0) std::memcpy(to, rest_.data(), count);
    rest_.remove_prefix(count);
  }

  std::string bytes_;
  std::string_view rest_;
};

std::string bytes_of(const region& from) {
  message to;
  to.add(from);
  return std::move(to).bytes();
}

region region_in(std::string_view bytes) {
  message from(bytes);
  region to;
  from.take(to);
  return to;
}

/// Keeps the numbers of the first slice.
block_answer of_first_slice(block_answer answer, std::uint32_t in_first) {
  const auto count =
      static_cast<std::size_t>(std::ranges::upper_bound(answer.moved, in_first) - answer.moved.begin());
  answer.moved.resize(count);
  answer.target.resize(count);
  return answer;
}

[[noreturn]] void refuse_damaged_record() {
  throw io_error("journal of pieces: a record of labels is damaged");
}

/// Pairs on the slice that a band shares with the next. Both have all of its pixels.
std::vector<rim_pair> pairs_of(std::span<const number_run> own, std::span<const number_run> next,
                               std::uint64_t own_objects) {
  std::vector<rim_pair> pairs;
  std::size_t i = 0, j = 0;
  for (std::uint32_t in_own = 0, in_next = 0; i < own.size() && j < next.size();) {  // pixels of two runs
    const rim_pair pair{own[i].number, next[j].number};
    if (pair.own != 0 && pair.own <= own_objects && (pairs.empty() || pairs.back() != pair))
      pairs.push_back(pair);
    const auto both = std::min(own[i].length - in_own, next[j].length - in_next);
    if ((in_own += both) == own[i].length) ++i, in_own = 0;
    if ((in_next += both) == next[j].length) ++j, in_next = 0;
  }
  if (i < own.size() || j < next.size()) refuse_damaged_record();
  return pairs;
}

/// Whether the next band has all objects of the pairs in its first slice.
bool are_of_first_slice(const std::vector<rim_pair>& pairs, std::uint32_t in_first) {
  return std::ranges::all_of(pairs,
                             [&](const rim_pair& pair) { return pair.next >= 1 && pair.next <= in_first; });
}

std::pair<region, joined_bands> join(const region& a, const region& b) {
  constexpr auto most = std::numeric_limits<std::uint32_t>::max();
  if (a.objects > most || b.objects > most)
    throw usage_error(
        "pieces: half of an image has more than 2^32 - 1 objects; use one rank and more memory");
  std::vector<block_residue> halves(2);
  halves[0].objects = static_cast<std::uint32_t>(a.objects);
  halves[0].in_first = a.at_front();
  halves[1].objects = static_cast<std::uint32_t>(b.objects);
  halves[1].in_first = b.at_front();
  const auto pairs = pairs_of(a.next_slice, b.first_slice, a.last_objects);
  if (!are_of_first_slice(pairs, b.in_first)) refuse_damaged_record();
  for (const auto& pair : pairs)
    halves[0].to_next.push_back({static_cast<std::uint32_t>(number_of(a.last, pair.own)),
                                 static_cast<std::uint32_t>(number_of(b.first, pair.next))});
  auto merged = merge_rims(halves, {});
  region both;
  both.objects = merged.count;
  both.in_first = a.in_first;
  both.last_objects = b.last_objects;
  both.first = of_first_slice(composed(merged.blocks[0], a.first, a.in_first), a.in_first);
  both.last = composed(merged.blocks[1], b.last, b.last_objects);
  both.first_slice = a.first_slice;
  both.next_slice = b.next_slice;
  return {std::move(both), {std::move(merged.blocks[0]), std::move(merged.blocks[1]), a.objects, b.objects}};
}

std::vector<block_residue> residues_of(const std::vector<band_record>& bands) {
  std::vector<block_residue> residues;
  for (std::size_t b = 0; b < bands.size(); ++b) {
    const auto& band = bands[b];
    std::vector<rim_pair> pairs;
    if (b > 0) pairs = pairs_of(bands[b - 1].next, band.first, bands[b - 1].objects);
    if (!are_of_first_slice(pairs, band.in_first) || band.in_first > band.objects) refuse_damaged_record();
    if (b > 0) residues.back().to_next = std::move(pairs);
    residues.push_back({band.objects, band.in_first, {}});
  }
  return residues;
}

}  // namespace

std::vector<number_run> runs_of(std::span<const std::uint32_t> slice, const host_threads& threads) {
  constexpr auto part = tuning::run_pixels_claimed;
  std::vector<std::vector<number_run>> found(ceil_div(slice.size(), part));
  threads.for_each(found.size(), [&](std::size_t i) {
    const auto pixels = slice.subspan(i * part, std::min(part, slice.size() - i * part));
    for (std::size_t begin = 0, end = 0; begin < pixels.size(); begin = end) {
      while (end < pixels.size() && pixels[end] == pixels[begin]) ++end;
      found[i].push_back({static_cast<std::uint32_t>(end - begin), pixels[begin]});
    }
  });
  std::vector<number_run> runs;
  for (const auto& some : found) runs.insert(runs.end(), some.begin(), some.end());
  return runs;
}

rank_bands::rank_bands(std::vector<band_record> own, const host_threads& threads) {
  const auto residues = residues_of(own);
  merged_ = merge_rims(residues, threads);
  for (const auto& residue : residues) objects_.push_back(residue.objects);
  if (own.empty()) return;
  const auto in_first = residues[0].in_first;
  told_ =
      bytes_of({merged_.count, in_first, residues.back().objects, of_first_slice(merged_.blocks[0], in_first),
                merged_.blocks.back(), std::move(own[0].first), std::move(own.back().next)});
}

std::string rank_bands::join(const rank_range& range, const std::string& first, const std::string& second) {
  if (first.empty() || second.empty()) return first + second;
  auto [both, halves] = pieces::join(region_in(first), region_in(second));
  joined_[range.end] = std::move(halves);
  return bytes_of(both);
}

std::pair<std::string, std::string> rank_bands::split(const rank_range& range, const std::string& answer) {
  const auto found = joined_.find(range.end);
  if (found == joined_.end()) return {answer, answer};  // to the one that has bands
  message from(answer);
  std::uint64_t count = 0;
  block_answer final_numbers;
  from.take(count);
  from.take(final_numbers);
  const auto of_half = [&](const block_answer& half, std::uint64_t objects) {
    message to;
    to.add(count);
    to.add(composed(final_numbers, half, objects));
    return std::move(to).bytes();
  };
  const auto& halves = found->second;
  return {of_half(halves.first, halves.first_objects), of_half(halves.second, halves.second_objects)};
}

rank_exchange rank_bands::exchange() {
  return {[this](const rank_range& range, const std::string& first, const std::string& second) {
            return join(range, first, second);
          },
          [](const std::string& all) {
            message to;
            to.add(all.empty() ? std::uint64_t{0} : region_in(all).objects);
            to.add(block_answer{});
            return std::move(to).bytes();
          },
          [this](const rank_range& range, const std::string& answer) { return split(range, answer); }};
}

merged_blocks rank_bands::numbered(const std::string& answer) && {
  message from(answer);
  block_answer final_numbers;
  from.take(merged_.count);
  from.take(final_numbers);
  for (std::size_t b = 0; b < merged_.blocks.size(); ++b)
    merged_.blocks[b] = composed(final_numbers, merged_.blocks[b], objects_[b]);
  return std::move(merged_);
}

merged_blocks merge_bands(const run& of, std::vector<band_record> own, const host_threads& threads) {
  rank_bands bands(std::move(own), threads);
  if (!of.is_shared()) return std::move(bands).of_own();
  const auto answer = of.all_ranks().exchange(bands.told(), bands.exchange());
  return std::move(bands).numbered(answer);
}

}  // namespace macareu::pieces
