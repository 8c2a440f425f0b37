// Selects objects and renumbers them 1..n in the raster order of first pixels.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/call.hpp"
#include "operators/objects/measures/object_extent.hpp"
#include "patterns/images.hpp"
#include "patterns/object_numbers.hpp"

namespace macareu {

enum class object_order { by_first_pixel, by_size, by_label };

struct object_selection {
  double min_size = 0, max_size = std::numeric_limits<double>::infinity(),
         largest = std::numeric_limits<double>::infinity();
  bool clear_border = false;
  object_order order = object_order::by_first_pixel;

  /// Of all objects.
  explicit object_selection(object_order wanted) : order(wanted) {}
  explicit object_selection(const call& call)
      : min_size(call.quantity("min_size").to_double()),
        max_size(call.quantity("max_size").to_double()),
        largest(call.quantity("largest").to_double()),
        clear_border(call.flag("clear_border")) {
    const std::string allowed = "a whole number of objects, or inf";
    if (largest != std::floor(largest))
      throw call_error({.kind = fault::value,
                        .operation = std::string(call.about.name),
                        .parts = {parameter_named("largest"), " must be " + allowed},
                        .given = to_string(number(largest)),
                        .allowed = allowed});
    if (call.chosen("order", "size")) order = object_order::by_size;
    if (call.chosen("order", "label")) order = object_order::by_label;
  }

  /// Whether it matters where an object is, not its size alone.
  bool sees_places() const {
    return clear_border || std::isfinite(largest) || order == object_order::by_first_pixel;
  }
  template <class Rule>
  bool keeps(const typename Rule::row& object) const {
    if constexpr (std::is_same_v<Rule, object_extent>)
      if (clear_border && object.count[object_extent::on_border] > 0) return false;
    const auto size = static_cast<double>(object.count[Rule::pixels]);
    return size > 0 && size >= min_size && size <= max_size;
  }
};

inline void check_selection(const call& call) { object_selection{call}; }

/// The image, and 0 where `kept` is 0.
struct where_kept {
  template <class T, class Label>
  MACAREU_HD T operator()(site, T value, Label kept) const {
    return kept != 0 ? value : T{};
  }
};

/// Sets the new number of every object, which are 0 before. Returns how many are kept. Among objects of one
/// size the earlier counts as larger.
template <class Rule, class Rows, class Numbers>
std::uint64_t renumber(const Rows& rows, const object_selection& wanted, Numbers& number) {
  using object_row = typename Rule::row;
  using label = std::remove_cvref_t<decltype(number[0])>;
  const auto first = []([[maybe_unused]] const object_row& object) {
    if constexpr (std::is_same_v<Rule, object_extent>)
      return object.least[0];
    else
      return std::int64_t{0};  // places do not matter
  };
  // Labels are in the wanted order most often. A list of objects, which is as large as their numbers, is made
  // where they are not.
  std::uint64_t count = 0;
  std::int64_t last = -1;
  bool in_order = wanted.order != object_order::by_size;
  over_objects<object_row>(rows, [&](std::size_t object, const object_row& found) {
    if (!wanted.keeps<Rule>(found)) return;
    number[object] = static_cast<label>(++count);
    if (wanted.order == object_order::by_first_pixel) in_order = in_order && first(found) > last;
    last = first(found);
  });
  if (in_order && wanted.largest >= static_cast<double>(count)) return count;
  const std::span<const object_row> objects(rows);
  const auto size = [&](label object) { return objects[object].count[Rule::pixels]; };
  const auto place = [&](label object) { return first(objects[object]); };
  std::vector<label> kept;
  kept.reserve(static_cast<std::size_t>(count));
  for (std::size_t object = 1; object < objects.size(); ++object)
    if (number[object] != 0) kept.push_back(static_cast<label>(object));
  if (wanted.largest < static_cast<double>(count)) {
    std::ranges::sort(
        kept, [&](auto a, auto b) { return size(a) != size(b) ? size(a) > size(b) : place(a) < place(b); });
    for (auto i = static_cast<std::size_t>(wanted.largest); i < kept.size(); ++i) number[kept[i]] = 0;
    kept.resize(static_cast<std::size_t>(wanted.largest));
  }
  if (wanted.order == object_order::by_first_pixel)
    std::ranges::sort(kept, {}, place);
  else
    std::ranges::sort(kept);
  if (wanted.order == object_order::by_size) std::ranges::stable_sort(kept, std::greater{}, size);
  for (std::size_t i = 0; i < kept.size(); ++i) number[kept[i]] = static_cast<label>(i + 1);
  return kept.size();
}

/// Labels 1..count in place. Returns how many are kept.
template <class Image, class Engine>
std::uint64_t select_objects(Engine& engine, const call& call, const object_selection& wanted,
                             std::uint64_t count, const Image& labels) {
  auto number = object_numbers<pixel_of<Image>>(engine, static_cast<std::size_t>(count) + 1);
  std::uint64_t kept = 0;
  if (wanted.sees_places())
    kept = renumber<object_extent>(
        engine.tally(object_extent{labels.whole(), call.rank() == 3}, count, labels.reading()), wanted,
        number);
  else  // engines count runs of pixels
    kept = renumber<object_size>(engine.tally(object_size{}, count, labels.reading()), wanted, number);
  engine.recode(labels, std::move(number));
  return kept;
}

}  // namespace macareu
