// Labels far above the number of pixels, which no row of a table can be kept for: numbered 1..n by their
// bits, the highest first. The number for the bits so far and the next few bits make a label small enough for
// rows; it is numbered anew, and so on.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include <macareu/error.hpp>

#include "core/call.hpp"
#include "operators/objects/label_images.hpp"
#include "operators/objects/selection.hpp"
#include "patterns/images.hpp"
#include "patterns/map.hpp"

namespace macareu {

/// One number for all objects: no bit has been looked at.
template <class Number>
struct in_any_object {
  template <class T>
  MACAREU_HD Number operator()(site, T label) const {
    return label > T{} ? 1 : 0;
  }
};

/// `left`: the bits below those that are taken.
template <class Number>
struct with_next_bits {
  int bits, left;

  template <class T>
  MACAREU_HD Number operator()(site, Number number, T label) const {
    if (number == 0) return 0;
    const auto next = static_cast<std::uint64_t>(label) >> left & ((std::uint64_t{1} << bits) - 1);
    return static_cast<Number>((static_cast<std::uint64_t>(number - 1) << bits | next) + 1);
  }
};

/// In the order of the labels. Returns how many objects there are.
template <class T, class Number, class Engine>
std::uint64_t number_sparse_labels(Engine& engine, const call& call, std::uint64_t greatest,
                                   const image_in<Engine, Number>& out,
                                   const image_in<Engine, const T>& labels) {
  // So that two bits or more are taken at once, but more of small images, whose rows cost least.
  const auto most = std::min<std::uint64_t>(std::uint64_t{1} << 32,
                                            4 * static_cast<std::uint64_t>(labels.whole().pixels()) + 4096);
  engine.map(in_any_object<Number>{}, out, labels);
  std::uint64_t count = 1;
  for (int left = std::bit_width(greatest); left > 0;) {
    const auto room = (most - 1) / count;
    const int bits = std::min(left, static_cast<int>(std::bit_width(room)) - 1);
    if (bits <= 0) throw usage_error(too_large(call, greatest) + " with as many objects");
    left -= bits;
    engine.map(with_next_bits<Number>{bits, left}, out, out.reading(), labels);
    count = select_objects(engine, call, object_selection(object_order::by_label), count << bits, out);
  }
  return count;
}

}  // namespace macareu
