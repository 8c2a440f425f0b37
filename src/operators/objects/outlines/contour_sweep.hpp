// Traces the outlines of labels in one sweep over rows. Memory holds open outlines and objects that are not
// complete.
//
// Between two rows, outlines turn only where a run of labels begins or ends. So a row of corners costs a
// merge of the runs above and below. Chains grow at both ends: a head that follows the outline, with the
// object to its right on the screen, and a tail against it.
//
// Every outline follows one part of a label, connected along edges. Where two pixels of a label touch at a
// corner alone, outlines keep to their own pixel there, and the corner is marked. If both are of one part,
// its outline passes the corner twice. It is then cut into two rings that touch: OGC's rules allow that, but
// no ring that touches itself.
#pragma once

#include <cstdint>
#include <vector>

#include <macareu/shapes.hpp>

#include "core/function_ref.hpp"
#include "operators/objects/labels/pair_map.hpp"
#include "operators/objects/outlines/label_extents.hpp"

namespace macareu {

/// A label that a sweep traces.
struct traced_label {
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  std::uint64_t number = 0;
  std::uint32_t last_row = 0;
  std::uint32_t first_part = none;  // of those that the sweep has seen
  bool complete = false;
};

class contour_sweep {
 public:
  /// Begins at row 0. `take` must outlive the sweep.
  explicit contour_sweep(function_ref<void(shape&&)> take) : take_(take), above_(1) {}

  /// Before the first row: labels that are traced. Others are outside.
  void trace(std::uint64_t label, const label_extent& rows);
  /// Rows above have no label that is traced.
  void skip_to(std::uint32_t row) { y_ = row; }

  void add(const std::vector<row_run>& row);
  /// Closes the last row.
  void finish();

 private:
  using index = std::uint32_t;
  static constexpr index none = traced_label::none;

  /// A corner of a chain. `mate` is the other end, at ends.
  struct node {
    std::uint32_t x, y : 31;
    bool pinched : 1;
    index next, mate;
  };
  /// Of equal labels in a row, or of what is outside. `head` is that of the label to the left, `tail` of the
  /// run's own, both on the edge where the run begins.
  struct run {
    traced_label* label = nullptr;
    std::uint32_t first = 0;
    index part = none;
    index head = none, tail = none;
  };
  /// A connected part of a label, in a forest of parts.
  struct part {
    index parent;
    index first_ring, last_ring;
    index next_of_label;
  };
  struct ring {
    index corner, next;
  };
  template <class T>
  struct pool {
    std::vector<T> all;
    std::vector<index> free;
    index take(const T& value);
    T& operator[](index i) { return all[i]; }
  };

  /// Corners between the rows above and below, then the row below is above.
  void advance();
  void begin_parts();

  index new_chain(std::uint32_t x, bool pinched = false);
  index append(index head, std::uint32_t x, bool pinched = false);
  index prepend(index tail, std::uint32_t x, bool pinched = false);
  void join(index head, index tail, std::uint32_t x, index of, bool pinched = false);

  index root_of(index one);
  index united(index a, index b);

  void give_complete();
  void give(const traced_label& label);
  /// The rings of one outline, whose corners are freed.
  void cut_into_rings(index first, std::vector<corner_ring>& to);

  pair_map<traced_label> labels_;  // of pairs (label, 0)
  function_ref<void(shape&&)> take_;
  std::uint32_t y_ = 0;  // of the row below, less than 2^31
  std::vector<run> above_, below_;
  pool<node> nodes_;
  pool<part> parts_;
  pool<ring> rings_;
  std::vector<const traced_label*> complete_;
  corner_ring path_;
};

}  // namespace macareu
