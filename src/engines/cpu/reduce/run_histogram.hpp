// histogram on the cpu. Neighbours are often equal, and an addition to a bin waits for the previous one to
// the same bin. Adjacent pixels therefore use separate copies of the bins, where these fit the cache.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/ceil_div.hpp"
#include "engines/cpu/runtime/threads.hpp"
#include "engines/cpu/runtime/units.hpp"
#include "engines/cpu/tuning.hpp"
#include "patterns/histogram.hpp"

namespace macareu::cpu {

inline constexpr auto replicas = tuning::bin_replicas;

template <class Rule, class... In>
void histogram_row(const Rule& rule, site first, std::int64_t count, std::uint64_t* bins, std::size_t size,
                   bool replicated, const view<const In>&... in) {
  std::array<bin_sink, replicas> sinks;
  for (std::size_t i = 0; i < sinks.size(); ++i) sinks[i].bins = {bins + (replicated ? i * size : 0), size};
  const auto add = [&](std::int64_t x, std::size_t replica, const In*... row) {
    rule(site{first.z, first.y, first.x + x}, sinks[replica], row[x * in.step_x]...);
  };
  const auto over = [&](const In*... row) {
    std::int64_t x = 0;
    for (; x + replicas <= count; x += replicas) {
      add(x, 0, row...);
      add(x + 1, 1, row...);
      add(x + 2, 2, row...);
      add(x + 3, 3, row...);
    }
    for (; x < count; ++x) add(x, 0, row...);
  };
  over(&in[first]...);
}

template <class Rule, class First, class... In>
void run_histogram(const job& work, const Rule& rule, std::span<std::uint64_t> bins,
                   const view<const First>& first, const view<const In>&... in) {
  const bool many = std::cmp_greater(bins.size(), first.pixels() / tuning::least_pixels_a_bin);
  const int threads = many ? 1 : threads_for(first.pixels(), work.how.threads);
  const bool replicated = bins.size() <= tuning::replicated_bins;
  std::vector<std::vector<std::uint64_t>> own(
      static_cast<std::size_t>(threads),
      std::vector<std::uint64_t>(bins.size() * (replicated ? replicas : 1)));
  const auto batch =
      std::max<std::int64_t>(1, tuning::pixels_claimed / std::max<std::int64_t>(first.width, 1));
  over_units(work, threads, first.depth * first.height, batch, [&](int thread, std::int64_t row) {
    histogram_row(rule, site{row / first.height, row % first.height, 0}, first.width,
                  own[static_cast<std::size_t>(thread)].data(), bins.size(), replicated, first, in...);
  });
  for (const auto& part : own)
    for (std::size_t i = 0; i < part.size(); ++i) bins[i % bins.size()] += part[i];
}

/// 16 bytes that are counted together.
using byte_group = std::array<std::uint64_t, 2>;

inline byte_group group_at(const std::uint8_t* from) {
  byte_group words;
  std::memcpy(&words, from, sizeof words);
  return words;
}

/// Whether all bytes are equal.
inline bool is_alike(const byte_group& words) {
  return words[0] == words[1] && words[0] == (words[0] & 0xff) * 0x0101010101010101u;
}

/// Stops compilers from hoisting work on the words above the test for equal bytes. Otherwise a constant image
/// takes 2.5 ms instead of 1.2 (4096^2, two Neoverse-V1 cores).
inline void hold_back(byte_group& words) { asm volatile("" : "+r"(words[0]), "+r"(words[1])); }

/// Four copies of the counts of all byte values.
using byte_counts = std::array<std::array<std::uint32_t, 256>, 4>;

void count_bytes(const std::uint8_t* from, std::int64_t count, byte_counts& to);

using byte_bins = std::array<std::uint64_t, 256>;

/// Counts of pairs of bytes. Stores limit the speed, and pairs halve them, where the table of 64 KiB fits the
/// first-level cache, as on ARM servers. Four counts share a word: on a Neoverse-V1 a store of a byte takes
/// 1.9 cycles, of a word 1.3. The count of a pair overflows at 256 per piece, so this is for images with many
/// values. 8 MiB of random bytes, ms on one such core: bytes 4.5; pairs in separate bytes 3.2; pairs in words
/// with a test of each count 3.0; this 2.65.
class pair_counts {
 public:
#ifdef __aarch64__
  static constexpr bool pay = true;
#else
  static constexpr bool pay = false;
#endif

  /// At most 2^32 - 1 bytes in all.
  void count(const std::uint8_t* from, std::int64_t groups);

  /// Adds the counts to the bins and clears them. Returns false, and adds nothing, if a count has overflowed.
  /// The total shows that: an overflow lowers a count by 256 and raises the next in its word by 1.
  bool add_to(byte_bins& bins);

 private:
  std::array<std::uint32_t, 16384> words_{};  // little-endian, as all supported platforms
  std::array<std::uint32_t, 256> alike_{};
  std::int64_t pairs_ = 0;
};

/// The byte counts of one thread, gathered a piece of the image at a time.
class thread_bytes {
 public:
  explicit thread_bytes(bool in_pairs) {
    if (in_pairs) pairs_ = std::make_unique<pair_counts>();
  }
  /// Calls `rows` with a visitor of contiguous rows; twice if a count of pairs overflows.
  template <class Rows>
  void count_piece(const Rows& rows) {
    if (pairs_ && one_by_one_ == 0) {
      if (count_in_pairs(rows)) return;
      one_by_one_ = tuning::pieces_before_pairs;
    }
    one_by_one_ = std::max(one_by_one_ - 1, 0);
    byte_counts counts{};
    rows([&](const std::uint8_t* from, std::int64_t count) { count_bytes(from, count, counts); });
    add(counts);
  }
  void add(const byte_counts& counts) {
    for (const auto& part : counts)
      for (std::size_t i = 0; i < part.size(); ++i) bins_[i] += part[i];
  }
  const byte_bins& bins() const { return bins_; }

 private:
  template <class Rows>
  bool count_in_pairs(const Rows& rows) {
    byte_counts rest{};
    rows([&](const std::uint8_t* from, std::int64_t count) {
      pairs_->count(from, count / 16);
      count_bytes(from + count / 16 * 16, count % 16, rest);
    });
    if (!pairs_->add_to(bins_)) return false;
    add(rest);
    return true;
  }

  byte_bins bins_{};
  std::unique_ptr<pair_counts> pairs_;
  int one_by_one_ = 0;  // pieces to count by bytes
};

/// Bytes, signed or not, need neither arithmetic nor range checks.
template <class T>
requires(sizeof(T) == 1) void run_histogram(const job& work, const value_bins<T>& rule,
                                            std::span<std::uint64_t> bins, const view<const T>& image) {
  const int threads = threads_for(image.pixels(), work.how.threads);
  const bool in_pairs =
      pair_counts::pay && image.step_x == 1 && image.pixels() >= tuning::least_pairs_a_thread * threads;
  const auto piece = in_pairs ? tuning::piece_of_pairs : tuning::piece_of_bytes;
  const auto pieces = ceil_div(image.width, piece);
  std::vector<thread_bytes> own;
  own.reserve(static_cast<std::size_t>(threads));
  for (int thread = 0; thread < threads; ++thread) own.emplace_back(in_pairs);
  const auto rows_at_once = std::max<std::int64_t>(1, piece / std::max<std::int64_t>(image.width, 1));
  const auto rows = image.depth * image.height;
  const auto groups = ceil_div(rows, rows_at_once);
  over_units(work, threads, groups * pieces, 1, [&](int thread, std::int64_t unit) {
    const auto x = unit % pieces * piece, width = std::min(piece, image.width - x);
    const auto first = unit / pieces * rows_at_once, last = std::min(rows, first + rows_at_once);
    const auto begin = [&](std::int64_t row) { return &image[{row / image.height, row % image.height, x}]; };
    auto& mine = own[static_cast<std::size_t>(thread)];
    if (image.step_x == 1) {
      mine.count_piece([&](const auto& count) {
        for (auto row = first; row < last; ++row)
          count(reinterpret_cast<const std::uint8_t*>(begin(row)), width);
      });
    } else {
      byte_counts counts{};
      for (auto row = first; row < last; ++row)
        for (std::int64_t i = 0; i < width; ++i)
          ++counts[0][static_cast<std::uint8_t>(begin(row)[i * image.step_x])];
      mine.add(counts);
    }
  });
  const bin_sink sink{bins};
  for (const auto& part : own) {
    const auto& counted = part.bins();
    for (std::size_t i = 0; i < counted.size(); ++i)
      sink.add(static_cast<T>(i) - static_cast<int>(rule.first), counted[i]);
  }
}

}  // namespace macareu::cpu
