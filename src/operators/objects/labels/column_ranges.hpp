// Ranges of columns of an object table, as text: "area 8:375, eccentricity :0.9".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <macareu/table.hpp>

#include "core/call.hpp"
#include "core/function_ref.hpp"

namespace macareu {

struct column_range {
  std::string column;
  double low, high;  // both included
  bool of_intensity = false;
};

/// Of the parameter `keep`. Throws call_error for bad text and for columns that objects of the image do not
/// have. Columns of intensities need the second input.
std::vector<column_range> kept_ranges(const call& call);

/// take(label) for the rows of a table that are in all ranges.
void over_labels_in_ranges(const table& objects, const std::vector<column_range>& ranges,
                           function_ref<void(std::uint64_t)> take);

inline void check_kept_ranges(const call& call) { kept_ranges(call); }

}  // namespace macareu
