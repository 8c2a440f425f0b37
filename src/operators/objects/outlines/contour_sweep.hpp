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

#include <atomic>
#include <cstdint>
#include <vector>

#include <macareu/shapes.hpp>

#include "core/function_ref.hpp"
#include "core/host_threads.hpp"
#include "operators/objects/labels/pair_map.hpp"
#include "patterns/host_rows.hpp"

namespace macareu {

/// What is known of every label: of the pair (label, 0).
struct traced_label {
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  std::uint32_t last_row = 0;
  std::uint32_t first_part = none;  // of those that the sweep has seen
  bool complete = false;
};
using traced_labels = pair_map<traced_label>;

/// Of equal labels in a row. `head` is that of the label to the left, `tail` of the run's own, both on the
/// edge where the run begins.
struct traced_run {
  static constexpr std::uint32_t none = traced_label::none;
  std::uint32_t first = 0;
  std::uint64_t label = 0;
  std::uint32_t part = none;
  std::uint32_t head = none, tail = none;
};

/// The runs of all rows, found with the last rows of labels. If they take more than `most` bytes, they are
/// dropped, and the sweep reads the image again.
struct traced_rows {
  traced_rows(std::int64_t height, std::int64_t most) : rows(static_cast<std::size_t>(height)), left(most) {}
  bool kept() const { return left.load(std::memory_order_relaxed) >= 0; }

  std::vector<std::vector<traced_run>> rows;
  std::atomic<std::int64_t> left;
};

/// Notes the last rows of labels, and keeps runs.
void add_last_rows(const row_band& band, traced_labels& to, traced_rows& runs, const host_threads& threads);

class contour_sweep {
 public:
  /// `labels` have the last rows of the same image. `take` must outlive the sweep.
  contour_sweep(traced_labels& labels, const host_threads& threads, function_ref<void(const shape&)> take)
      : labels_(labels), threads_(threads), take_(take), above_(1) {}

  void add(const row_band& band);
  /// All rows, whose runs are lost. Checks for a stop.
  void add(traced_rows& runs, const job& work);
  /// Closes the last row.
  void finish();
  std::int64_t count() const { return count_; }

 private:
  using index = std::uint32_t;
  static constexpr index none = traced_label::none;

  /// A corner of a chain. `mate` is the other end, at ends.
  struct node {
    std::uint32_t x, y : 31;
    bool pinched : 1;
    index next, mate;
  };
  using run = traced_run;
  /// A connected part of a label, in a forest of parts.
  struct part {
    std::uint64_t label;
    index parent;
    index first_ring, last_ring;
    index next_of_label;
    std::uint32_t last_row;
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

  template <class Label>
  void add_rows(const row_band& band);
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
  void give(std::uint64_t label);
  /// The rings of one outline, whose corners are freed.
  void cut_into_rings(index first, std::vector<corner_ring>& to);

  traced_labels& labels_;
  host_threads threads_;
  function_ref<void(const shape&)> take_;
  std::uint32_t y_ = 0;  // of the row below, less than 2^31
  std::vector<run> above_, below_;
  std::vector<std::vector<run>> rows_;  // that threads have found
  pool<node> nodes_;
  pool<part> parts_;
  pool<ring> rings_;
  std::vector<std::uint64_t> complete_;
  corner_ring path_;
  std::int64_t count_ = 0;
};

}  // namespace macareu
