#include "operators/objects/outlines/contour_sweep.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace macareu {
namespace {

constexpr std::uint32_t longest = (std::uint32_t{1} << 31) - 1;  // tells the compiler that rows fit 31 bits

bool is_before(const corner& a, const corner& b) { return a.y != b.y ? a.y < b.y : a.x < b.x; }

bool begins_before(const corner_ring& a, const corner_ring& b) { return is_before(a[0], b[0]); }

}  // namespace

template <class T>
auto contour_sweep::pool<T>::take(const T& value) -> index {
  if (free.empty()) {
    all.push_back(value);
    return static_cast<index>(all.size() - 1);
  }
  const auto place = free.back();
  free.pop_back();
  all[place] = value;
  return place;
}

void contour_sweep::trace(std::uint64_t label, const label_extent& rows) {
  labels_[{label, 0}] = {.number = label, .last_row = rows.last_row};
}

void contour_sweep::add(const std::vector<row_run>& row) {
  below_.assign(1, run{});  // left of the image
  std::uint32_t end = 0;
  for (const auto& each : row) {
    auto* const label = labels_.find({each.label, 0});
    if (!label) continue;
    if (each.first > end && below_.back().label) below_.push_back({.first = end});
    below_.push_back({.label = label, .first = each.first});
    end = each.end;
  }
  if (below_.back().label) below_.push_back({.first = end});
  advance();
}

void contour_sweep::finish() {
  below_.assign(1, run{});
  advance();
}

auto contour_sweep::new_chain(std::uint32_t x, bool pinched) -> index {
  const auto made = nodes_.take({x, y_ & longest, pinched, none, none});
  nodes_[made].mate = made;
  return made;
}

auto contour_sweep::append(index head, std::uint32_t x, bool pinched) -> index {
  const auto tail = nodes_[head].mate;
  const auto made = nodes_.take({x, y_ & longest, pinched, none, tail});
  nodes_[head].next = made;
  nodes_[tail].mate = made;
  return made;
}

auto contour_sweep::prepend(index tail, std::uint32_t x, bool pinched) -> index {
  const auto head = nodes_[tail].mate;
  const auto made = nodes_.take({x, y_ & longest, pinched, tail, head});
  nodes_[head].mate = made;
  return made;
}

void contour_sweep::join(index head, index tail, std::uint32_t x, index of, bool pinched) {
  const auto made = nodes_.take({x, y_ & longest, pinched, tail, none});
  nodes_[head].next = made;
  const auto first = nodes_[head].mate, last = nodes_[tail].mate;
  if (first != tail) {
    nodes_[first].mate = last;
    nodes_[last].mate = first;
    return;
  }
  const auto closed = rings_.take({made, none});
  auto& owner = parts_[root_of(of)];
  if (owner.first_ring == none)
    owner.first_ring = closed;
  else
    rings_[owner.last_ring].next = closed;
  owner.last_ring = closed;
}

auto contour_sweep::root_of(index one) -> index {
  while (parts_[one].parent != one) {
    parts_[one].parent = parts_[parts_[one].parent].parent;
    one = parts_[one].parent;
  }
  return one;
}

auto contour_sweep::united(index a, index b) -> index {
  a = root_of(a);
  b = root_of(b);
  if (a == b) return a;
  auto& to = parts_[a];
  auto& from = parts_[b];
  from.parent = a;
  if (from.first_ring == none) return a;
  if (to.first_ring == none)
    to.first_ring = from.first_ring;
  else
    rings_[to.last_ring].next = from.first_ring;
  to.last_ring = from.last_ring;
  return a;
}

void contour_sweep::advance() {
  constexpr auto beyond = std::numeric_limits<std::uint32_t>::max();
  std::size_t a = 0, b = 0;
  index upper = none, lower = none;  // the tail and the head on the edge to the left
  while (true) {
    const auto next_above = a + 1 < above_.size() ? above_[a + 1].first : beyond;
    const auto next_below = b + 1 < below_.size() ? below_[b + 1].first : beyond;
    const auto x = std::min(next_above, next_below);
    if (x == beyond) break;
    const auto nw = above_[a].label, sw = below_[b].label;
    if (next_above == x) ++a;
    if (next_below == x) ++b;
    const auto ne = above_[a].label, se = below_[b].label;
    const auto n_head = above_[a].head, n_tail = above_[a].tail;
    const auto w_tail = std::exchange(upper, none), w_head = std::exchange(lower, none);
    auto& s_head = below_[b].head;  // used only where a run begins at x
    auto& s_tail = below_[b].tail;
    if (nw) {
      const bool east = ne == nw, south = sw == nw, diagonal = se == nw;
      if (!east && !south)
        join(n_head, w_tail, x, above_[a - 1].part, diagonal);
      else if (!south && diagonal)
        s_tail = prepend(w_tail, x);
      else if (!south)
        upper = w_tail;
      else if (!east && diagonal)
        lower = append(n_head, x);
      else if (!east)
        s_head = n_head;
      else if (!diagonal)
        upper = s_head = new_chain(x);
    }
    if (ne && ne != nw) {
      const bool south = se == ne, diagonal = sw == ne;
      if (!south)
        upper = prepend(n_tail, x, diagonal);
      else if (diagonal)
        join(w_head, n_tail, x, above_[a].part);
      else
        s_tail = n_tail;
    }
    if (sw && sw != nw) {
      const bool diagonal = ne == sw;
      if (se != sw)
        s_head = append(w_head, x, diagonal);
      else if (!diagonal)
        lower = w_head;
    }
    if (se && se != ne && se != sw) lower = s_tail = new_chain(x, nw == se);
    if (ne && ne == se)  // the runs touch from x on
      below_[b].part =
          below_[b].part == none ? root_of(above_[a].part) : united(below_[b].part, above_[a].part);
  }
  begin_parts();
  give_complete();
  std::swap(above_, below_);
  ++y_;
}

void contour_sweep::begin_parts() {
  for (auto& each : below_)
    if (each.label && each.part == none) {
      each.part = parts_.take({none, none, none, each.label->first_part});
      parts_[each.part].parent = each.part;
      each.label->first_part = each.part;
    }
}

void contour_sweep::give_complete() {
  complete_.clear();
  for (auto each = above_.rbegin(); each != above_.rend(); ++each)
    if (each->label && each->label->last_row + 1 == y_ && !std::exchange(each->label->complete, true))
      complete_.push_back(each->label);
  for (auto label = complete_.rbegin(); label != complete_.rend(); ++label) give(**label);
}

void contour_sweep::cut_into_rings(index first, std::vector<corner_ring>& to) {
  path_.clear();
  pair_map<std::size_t> passed;  // places of pinched corners on the path, plus 1
  const auto cut_from = [&](std::size_t begin) {
    auto& made = to.emplace_back(path_.begin() + static_cast<std::ptrdiff_t>(begin), path_.end());
    std::rotate(made.begin(), std::ranges::min_element(made, is_before), made.end());
    path_.resize(begin);
  };
  auto at = first;
  do {
    const auto here = nodes_[at];
    if (here.pinched) {
      // Loops are nested: what lies between two passes of a corner is whole, and is not passed again.
      auto& place = passed[{here.x, here.y}];
      if (place > 0) cut_from(place - 1);
      place = path_.size() + 1;
    }
    path_.push_back({here.x, here.y});
    nodes_.free.push_back(at);
    at = here.next;
  } while (at != first);
  cut_from(0);
}

void contour_sweep::give(const traced_label& label) {
  shape made{.label = label.number, .parts = {}};
  for (auto at = label.first_part; at != none;) {
    const auto each = parts_[at];
    parts_.free.push_back(at);
    if (each.parent == at) {
      auto& rings = made.parts.emplace_back().rings;
      for (auto one = each.first_ring; one != none; one = rings_[one].next) {
        cut_into_rings(rings_[one].corner, rings);
        rings_.free.push_back(one);
      }
      const auto exterior =
          std::ranges::find_if(rings, [](const corner_ring& one) { return doubled_area(one) > 0; });
      std::iter_swap(rings.begin(), exterior);
      std::sort(rings.begin() + 1, rings.end(), begins_before);
    }
    at = each.next_of_label;
  }
  std::ranges::sort(
      made.parts, begins_before, [](const polygon& each) -> auto& { return each.rings[0]; });
  take_(std::move(made));
}

}  // namespace macareu
