// histogram on the cpu. Neighbours are often equal, and adding to a bin that was added to just before waits
// for it: pixels side by side add to bins of their own where those fit the cache.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "engines/cpu/threads.hpp"
#include "engines/cpu/units.hpp"
#include "patterns/histogram.hpp"

namespace macareu::cpu {

/// Bins beyond this many are kept once for a thread.
inline constexpr std::size_t replicated_bins = 1024;
inline constexpr std::int64_t replicas = 4;

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
  const int threads = threads_for(first.pixels(), work.how.threads);
  const bool replicated = bins.size() <= replicated_bins;
  std::vector<std::vector<std::uint64_t>> own(
      static_cast<std::size_t>(threads),
      std::vector<std::uint64_t>(bins.size() * (replicated ? replicas : 1)));
  const auto batch = std::max<std::int64_t>(1, 16 * 1024 / std::max<std::int64_t>(first.width, 1));
  over_units(work, threads, first.depth * first.height, batch, [&](int thread, std::int64_t row) {
    histogram_row(rule, site{row / first.height, row % first.height, 0}, first.width,
                  own[static_cast<std::size_t>(thread)].data(), bins.size(), replicated, first, in...);
  });
  for (const auto& part : own)
    for (std::size_t i = 0; i < part.size(); ++i) bins[i % bins.size()] += part[i];
}

/// Are all 16 bytes the same? Then they are one addition.
inline bool are_alike(const std::array<std::uint64_t, 2>& words) {
  return words[0] == words[1] && words[0] == (words[0] & 0xff) * 0x0101010101010101u;
}

/// Counts of all bytes of a row without gaps, four times over.
using byte_counts = std::array<std::array<std::uint32_t, 256>, 4>;

inline void count_bytes(const std::uint8_t* from, std::int64_t count, byte_counts& to) {
  std::int64_t i = 0;
  for (std::array<std::uint64_t, 2> words; i + 16 <= count; i += 16) {
    std::memcpy(&words, from + i, sizeof words);
    if (are_alike(words)) {
      to[0][words[0] & 0xff] += 16;
      continue;
    }
    for (const auto eight : words)
      for (unsigned k = 0; k < 8; ++k) ++to[k % 4][eight >> 8 * k & 0xff];
  }
  for (; i < count; ++i) ++to[0][from[i]];
}

using byte_bins = std::array<std::uint64_t, 256>;

/// Counts of pairs of bytes. It is the stores that take the time, so half of them take half of it, where the
/// table fits the first cache: 64 KiB, which ARM's servers have. (4096^2 random, ms on two Neoverse-V1 cores:
/// bytes 4.4; pairs counted in 8 bits 3.2, in 16 bits 4.1, in 32 bits 4.4; bytes eight times over 4.6.)
class pair_counts {
 public:
#ifdef __aarch64__
  static constexpr bool pay = true;
#else
  static constexpr bool pay = false;
#endif

  /// Whole groups of 16 bytes. Counts that come round go to the bins. Returns how many: where they are many,
  /// pairs are few, and each addition waits for the one before.
  std::int64_t count(const std::uint8_t* from, std::int64_t groups, byte_bins& bins) {
    std::int64_t rounds = 0;
    for (std::int64_t i = 0; i < groups; ++i) {
      std::array<std::uint64_t, 2> words;
      std::memcpy(&words, from + 16 * i, sizeof words);
      if (are_alike(words)) {
        bins[words[0] & 0xff] += 16;
        continue;
      }
      for (const auto eight : words)
        for (unsigned k = 0; k < 4; ++k)
          if (const auto pair = eight >> 16 * k & 0xffff; ++counts_[pair] == 0) {
            bins[pair & 0xff] += 256;
            bins[pair >> 8] += 256;
            ++rounds;
          }
    }
    return rounds;
  }

  void add_to(byte_bins& bins) const {
    std::array<std::uint32_t, 256> of_one{};  // local: bytes could be part of a member
    for (std::size_t other = 0; other < 256; ++other) {
      std::uint32_t of_other = 0;
      for (std::size_t one = 0; one < 256; ++one) {
        const std::uint32_t count = counts_[256 * other + one];
        of_one[one] += count;
        of_other += count;
      }
      bins[other] += of_other;
    }
    for (std::size_t one = 0; one < 256; ++one) bins[one] += of_one[one];
  }

 private:
  std::array<std::uint8_t, 65536> counts_{};
};

/// The bytes that a thread has counted, a piece of the image at a time.
class thread_bytes {
 public:
  /// Pieces that counts of 32 bits hold.
  static constexpr std::int64_t piece = 1 << 16;

  explicit thread_bytes(bool many) {
    if (many) pairs_ = std::make_unique<pair_counts>();
  }
  /// `rows` is called with a visitor of rows without gaps.
  template <class Rows>
  void count_piece(const Rows& rows) {
    byte_counts counts{};
    std::int64_t rounds = 0;
    const bool in_pairs = pairs_ && one_by_one_ == 0;
    rows([&](const std::uint8_t* from, std::int64_t count) {
      const auto groups = in_pairs ? count / 16 : 0;
      if (groups) rounds += pairs_->count(from, groups, bins_);
      count_bytes(from + 16 * groups, count - 16 * groups, counts);
    });
    one_by_one_ = rounds > most_rounds ? pieces_before_pairs : std::max(one_by_one_ - 1, 0);
    add(counts);
  }
  void add(const byte_counts& counts) {
    for (const auto& part : counts)
      for (std::size_t i = 0; i < part.size(); ++i) bins_[i] += part[i];
  }
  byte_bins bins() const {
    auto all = bins_;
    if (pairs_) pairs_->add_to(all);
    return all;
  }

 private:
  /// Random bytes have none; of one pair alone, which takes twice as long as bytes do, they are 128.
  static constexpr std::int64_t most_rounds = 32;
  static constexpr int pieces_before_pairs = 15;

  byte_bins bins_{};
  std::unique_ptr<pair_counts> pairs_;
  int one_by_one_ = 0;  // pieces to come
};

/// Bytes need no arithmetic and no check, whatever their sign.
template <class T>
requires(sizeof(T) == 1) void run_histogram(const job& work, const value_bins<T>& rule,
                                            std::span<std::uint64_t> bins, const view<const T>& image) {
  constexpr auto piece = thread_bytes::piece;
  const int threads = threads_for(image.pixels(), work.how.threads);
  const auto pieces = (image.width + piece - 1) / piece;
  // A thread's table must be cleared and added up, which takes some 10 us.
  const bool many = pair_counts::pay && image.step_x == 1 && image.pixels() >= 64 * piece * threads;
  std::vector<thread_bytes> own;
  own.reserve(static_cast<std::size_t>(threads));
  for (int thread = 0; thread < threads; ++thread) own.emplace_back(many);
  const auto rows_at_once = std::max<std::int64_t>(1, piece / std::max<std::int64_t>(image.width, 1));
  const auto rows = image.depth * image.height;
  const auto groups = (rows + rows_at_once - 1) / rows_at_once;
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
    const auto counted = part.bins();
    for (std::size_t i = 0; i < counted.size(); ++i)
      sink.add(static_cast<T>(i) - static_cast<int>(rule.first), counted[i]);
  }
}

}  // namespace macareu::cpu
