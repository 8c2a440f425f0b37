// Selects objects and renumbers them 1..n in the raster order of first pixels.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "core/call.hpp"
#include "operators/objects/measures/object_extent.hpp"
#include "patterns/images.hpp"

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
    const auto refuse = [&](const char* name, double given, const std::string& allowed) {
      throw call_error({.kind = fault::value,
                        .operation = std::string(call.about.name),
                        .parts = {parameter_named(name), " must be " + allowed},
                        .given = to_string(number(given)),
                        .allowed = allowed});
    };
    if (min_size < 0) refuse("min_size", min_size, "0 or more");
    if (largest != std::floor(largest)) refuse("largest", largest, "a whole number of objects, or inf");
    if (call.chosen("order", "size")) order = object_order::by_size;
    if (call.chosen("order", "label")) order = object_order::by_label;
  }

  /// Whether it matters where an object is, not its size alone.
  bool sees_places() const {
    return clear_border || std::isfinite(largest) || order == object_order::by_first_pixel;
  }
  bool keeps(const object_extent::row& object) const {
    const auto size = static_cast<double>(object.count[object_extent::pixels]);
    return size > 0 && size >= min_size && size <= max_size &&
           !(clear_border && object.count[object_extent::on_border] > 0);
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

/// The new number of every object, 0 for dropped ones. Returns how many are kept. Among objects of one size
/// the earlier counts as larger.
template <class Label>
std::uint64_t renumber(std::span<const object_extent::row> objects, const object_selection& wanted,
                       std::vector<Label>& number) {
  const auto first = [&](std::size_t object) { return objects[object].least[0]; };
  const auto size = [&](std::size_t object) { return objects[object].count[object_extent::pixels]; };
  std::vector<std::size_t> kept;
  for (std::size_t object = 1; object < objects.size(); ++object)
    if (wanted.keeps(objects[object])) kept.push_back(object);
  if (wanted.largest < static_cast<double>(kept.size())) {
    std::ranges::sort(
        kept, [&](auto a, auto b) { return size(a) != size(b) ? size(a) > size(b) : first(a) < first(b); });
    kept.resize(static_cast<std::size_t>(wanted.largest));
  }
  if (wanted.order == object_order::by_first_pixel)
    std::ranges::sort(kept, {}, first);
  else
    std::ranges::sort(kept);
  if (wanted.order == object_order::by_size) std::ranges::stable_sort(kept, std::greater{}, size);
  number.assign(objects.size(), Label{});
  for (std::size_t i = 0; i < kept.size(); ++i) number[kept[i]] = static_cast<Label>(i + 1);
  return kept.size();
}

inline std::vector<object_extent::row> without_places(std::span<const object_size::row> sizes) {
  std::vector<object_extent::row> objects(sizes.size());
  for (std::size_t i = 0; i < sizes.size(); ++i)
    objects[i].count[object_extent::pixels] = sizes[i].count[object_size::pixels];
  return objects;
}

/// Labels 1..count in place. Returns how many are kept.
template <class Image, class Engine>
std::uint64_t select_objects(Engine& engine, const call& call, const object_selection& wanted,
                             std::uint64_t count, const Image& labels) {
  std::vector<pixel_of<Image>> number;
  std::uint64_t kept = 0;
  if (wanted.sees_places())
    kept = renumber(engine.tally(object_extent{labels.whole(), call.rank() == 3}, count, labels.reading()),
                    wanted, number);
  else  // engines count runs of pixels
    kept = renumber(without_places(engine.tally(object_size{}, count, labels.reading())), wanted, number);
  engine.recode(labels, number);
  return kept;
}

}  // namespace macareu
