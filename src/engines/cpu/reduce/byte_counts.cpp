#include "engines/cpu/reduce/run_histogram.hpp"

namespace macareu::cpu {

void count_bytes(const std::uint8_t* from, std::int64_t count, byte_counts& to) {
  std::int64_t i = 0;
  for (; i + 16 <= count; i += 16) {
    auto words = group_at(from + i);
    if (is_alike(words)) {  // one addition
      to[0][words[0] & 0xff] += 16;
      continue;
    }
    hold_back(words);
    for (const auto eight : words)
      for (unsigned k = 0; k < 8; ++k) ++to[k % 4][eight >> 8 * k & 0xff];
  }
  for (; i < count; ++i) ++to[0][from[i]];
}

void pair_counts::count(const std::uint8_t* from, std::int64_t groups) {
  auto mixed = groups;
  for (std::int64_t i = 0; i < groups; ++i) {
    auto words = group_at(from + 16 * i);
    if (is_alike(words)) {
      alike_[words[0] & 0xff] += 16;
      --mixed;
      continue;
    }
    hold_back(words);
    for (const auto eight : words) {
      const auto places = eight << 3 & 0x0018001800180018u;  // bit offsets of the four counts in their words
      for (unsigned k = 0; k < 4; ++k)
        words_[eight >> (16 * k + 2) & 0x3fff] += 1u << (places >> 16 * k & 31);
    }
  }
  pairs_ += 8 * mixed;
}

bool pair_counts::add_to(byte_bins& bins) {
  std::array<std::uint16_t, 256> first{}, second{};  // counts stay below 2^16
  std::int64_t total = 0;
  for (std::size_t other = 0; other < 256; ++other) {
    std::array<std::uint8_t, 256> counts;
    std::memcpy(counts.data(), words_.data() + 64 * other, sizeof counts);
    std::uint32_t sum = 0;
    for (std::size_t one = 0; one < 256; ++one) {
      first[one] = static_cast<std::uint16_t>(first[one] + counts[one]);
      sum += counts[one];
    }
    second[other] = static_cast<std::uint16_t>(sum);
    total += sum;
  }
  const bool right = total == pairs_;
  if (right)
    for (std::size_t i = 0; i < bins.size(); ++i) bins[i] += first[i] + second[i] + alike_[i];
  words_.fill(0);
  alike_.fill(0);
  pairs_ = 0;
  return right;
}

}  // namespace macareu::cpu
