// Percentiles, exactly: values by their rank, found digit by digit of their keys in histograms.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/key.hpp"
#include "patterns/histogram.hpp"
#include "patterns/images.hpp"

namespace macareu {

/// One digit of the keys whose higher digits are `prefix`.
template <class T>
struct key_digit {
  static constexpr int bits = sizeof(T) == 1 ? 8 : 16;
  key_of<T> prefix;
  int shift;

  template <class Sink>
  MACAREU_HD void operator()(site, const Sink& sink, T value) const {
    const std::uint64_t key = to_key(without_negative_zero(value)), digits = key >> shift;
    if (digits >> bits == prefix) sink.add(static_cast<std::int64_t>(digits & ((1u << bits) - 1)));
  }
};

/// The value with this rank, from 0, in the order of values, and the next one. There must be no NaN.
template <class T, class Engine>
std::pair<T, T> values_in_order(Engine& engine, const image_in<Engine, const T>& image, std::uint64_t rank) {
  const auto last = static_cast<std::uint64_t>(image.whole().pixels()) - 1;
  key_of<T> key = 0, next = 0;
  std::uint64_t left = rank;
  bool has_next = rank == last;
  std::vector<std::uint64_t> counts(std::size_t{1} << key_digit<T>::bits);
  for (int shift = 8 * static_cast<int>(sizeof(T)) - key_digit<T>::bits; shift >= 0;
       shift -= key_digit<T>::bits) {
    std::ranges::fill(counts, 0);
    engine.histogram(key_digit<T>{key, shift}, counts, image);
    std::size_t digit = 0;
    for (; left >= counts[digit]; ++digit) left -= counts[digit];
    const auto before = static_cast<std::uint64_t>(key) << key_digit<T>::bits;
    key = static_cast<key_of<T>>(before | digit);
    if (shift > 0) continue;
    if (has_next || left + 1 < counts[digit]) {
      next = key;
      has_next = true;
    }
    for (++digit; !has_next && digit < counts.size(); ++digit)
      if (counts[digit] > 0) {
        next = static_cast<key_of<T>>(before | digit);
        has_next = true;
      }
  }
  const T value = from_key<T>(key);
  return {value, has_next ? from_key<T>(next) : values_in_order<T>(engine, image, rank + 1).first};
}

/// NumPy's percentile: between two values, linearly, in f64.
template <class T, class Engine>
double percentile(Engine& engine, const image_in<Engine, const T>& image, double percent) {
  const double place = percent / 100 * static_cast<double>(image.whole().pixels() - 1);
  const double rank = std::floor(place), share = place - rank;
  const auto [below, above] = values_in_order<T>(engine, image, static_cast<std::uint64_t>(rank));
  const double a = static_cast<double>(below), b = static_cast<double>(above), apart = b - a;
  if (a == b) return a;
  return share >= 0.5 ? b - apart * (1 - share) : a + apart * share;
}

}  // namespace macareu
