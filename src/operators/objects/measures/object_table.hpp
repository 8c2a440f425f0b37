// Converts the sums of objects to a table with one row per object.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>

#include <macareu/table.hpp>

#include "core/host_threads.hpp"
#include "operators/objects/measures/object_extent.hpp"
#include "operators/objects/measures/object_sums.hpp"

namespace macareu {

/// The sums of one object, for images and volumes alike; an image's axes come first.
struct object_facts {
  std::int64_t label = 0;
  std::uint64_t pixels = 0;
  std::int64_t euler = 0;
  std::array<std::uint64_t, crossing_directions> outline{};  // perimeter classes, or crossings
  std::array<wide_sum, 3> first{};
  std::array<wide_sum, 6> second{};
  std::array<std::int64_t, 3> least{}, most{};
  // Of intensities, in steps of the scale; the bounds are values.
  wide_sum mass = 0, mass_squared = 0;
  std::array<wide_sum, 3> moment{};
  double weakest = 0, strongest = 0;
};

struct object_form {
  int rank = 2;
  bool shape = true, intensity = false;    // columns to describe
  std::array<double, 3> spacing{1, 1, 1};  // in the order of the axes
  double per_value = 1;                    // of the intensity's scale
  host_threads threads = {};               // for describing objects
};

/// Rows 1..count of objects. The threads that describe them collect their facts. Labels without pixels are
/// skipped.
struct summed_objects {
  std::size_t count;
  std::function<std::uint64_t(std::size_t row)> pixels;
  /// Overwrites all facts that are described; `facts` still has those of the previous row.
  std::function<void(std::size_t row, object_facts& facts)> tell;
};

/// A table for `count` objects, to be filled in. Allocating it takes as long as writing the numbers, so it is
/// allocated while an engine computes the sums. For very many objects, whose labels may have gaps, it has no
/// rows.
table room_for_objects(std::size_t count, const object_form& form);

/// `room` must be for the same objects and form.
table describe_objects(const summed_objects& objects, const object_form& form, table room);

/// The same in parts, in the order of labels; at least one. Calls `after_part` behind each. Returns the
/// number of objects.
std::int64_t describe_in_parts(const summed_objects& objects, const object_form& form,
                               const std::function<void(const table&)>& take,
                               const std::function<void()>& after_part);

/// rows[0] is unused, and rows[i] is that of label before + i. fill(facts, row) adds the sums.
template <class Sums, class Fill>
summed_objects objects_of_rows(std::span<const typename Sums::row> rows, std::uint64_t before,
                               const Fill& fill) {
  return {rows.size() - 1, [rows](std::size_t i) { return rows[i].count[Sums::pixels]; },
          [rows, before, fill](std::size_t i, object_facts& facts) {
            facts.label = static_cast<std::int64_t>(before + i);
            facts.pixels = rows[i].count[Sums::pixels];
            fill(facts, rows[i]);
          }};
}

/// T is the type of intensities. The rows are read when objects are described.
template <class T, int Rank, bool Intensity>
summed_objects objects_of(std::span<const typename object_sums<Rank, Intensity>::row> rows,
                          std::uint64_t before = 0) {
  using sums = object_sums<Rank, Intensity>;
  return objects_of_rows<sums>(rows, before, [](object_facts& facts, const typename sums::row& row) {
    facts.euler = static_cast<std::int64_t>(row.count[sums::euler]);
    for (std::size_t i = 0; i < sums::shapes; ++i) facts.outline[i] = row.count[sums::shape + i];
    for (std::size_t i = 0; i < sums::products; ++i) facts.second[i] = row.sum[sums::second + i];
    for (std::size_t i = 0; i < Rank; ++i) {
      facts.first[i] = row.sum[sums::first + i];
      facts.least[i] = row.least[i];
      facts.most[i] = row.most[i];
      if constexpr (Intensity) facts.moment[i] = row.sum[sums::moment + i];
    }
    if constexpr (Intensity) {
      facts.mass = row.sum[sums::mass];
      facts.mass_squared = row.sum[sums::mass_squared];
      facts.weakest = from_order<T>(row.least[Rank]);
      facts.strongest = from_order<T>(row.most[Rank]);
    }
  });
}

/// The same for intensities alone.
template <class T>
summed_objects weighed_objects_of(std::span<const object_intensities::row> rows, std::uint64_t before) {
  using sums = object_intensities;
  return objects_of_rows<sums>(rows, before, [](object_facts& facts, const sums::row& row) {
    facts.mass = row.sum[sums::mass];
    facts.mass_squared = row.sum[sums::mass_squared];
    facts.weakest = from_order<T>(row.least[0]);
    facts.strongest = from_order<T>(row.most[0]);
  });
}

/// The same of sizes alone.
inline summed_objects sized_objects_of(std::span<const object_size::row> rows, std::uint64_t before) {
  return objects_of_rows<object_size>(rows, before, [](object_facts&, const object_size::row&) {});
}

}  // namespace macareu
