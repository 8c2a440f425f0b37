// Renumbers labels far above the number of pixels, for which a table of rows would be too large. It
// processes bits from the highest down. The number for the bits so far and the next few bits form a label
// small enough for rows, which is renumbered, and so on.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include <macareu/error.hpp>

#include "core/call.hpp"
#include "operators/objects/labels/label_images.hpp"
#include "operators/objects/labels/selection.hpp"
#include "patterns/images.hpp"
#include "patterns/map.hpp"

namespace macareu {

/// One number for all objects, before any bit is processed.
template <class Number>
struct in_any_object {
  template <class T>
  MACAREU_HD Number operator()(site, T label) const {
    return label > T{} ? 1 : 0;
  }
};

/// `left`: number of lower bits that remain.
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

/// Returns the number of objects.
template <class T, class Number, class Engine>
std::uint64_t number_sparse_labels(Engine& engine, const call& call, std::uint64_t greatest,
                                   const image_in<Engine, Number>& out,
                                   const image_in<Engine, const T>& labels) {
  // Allows two bits or more per pass; small images take more, since their rows are cheap.
  const auto most = std::min<std::uint64_t>(std::uint64_t{1} << 32,
                                            4 * static_cast<std::uint64_t>(labels.whole().pixels()) + 4096);
  engine.map(in_any_object<Number>{}, out, labels);
  std::uint64_t count = 1;
  for (int left = std::bit_width(greatest); left > 0;) {
    const auto room = (most - 1) / count;
    const int bits = std::min(left, static_cast<int>(std::bit_width(room)) - 1);
    if (bits <= 0) throw too_large(call, greatest, " with as many objects");
    left -= bits;
    engine.map(with_next_bits<Number>{bits, left}, out, out.reading(), labels);
    count = select_objects(engine, call, object_selection(object_order::by_label), count << bits, out);
  }
  return count;
}

}  // namespace macareu
