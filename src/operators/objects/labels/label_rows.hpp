// Rows of a label image as unsigned numbers, and as runs of one number. Negative labels are outside, like 0.
#pragma once

#include <cstdint>
#include <vector>

#include "patterns/host_rows.hpp"

namespace macareu {

/// Labels of 64 bits need wide rows.
inline bool has_wide_labels(dtype type) { return type == dtype::u64 || type == dtype::i64; }

/// Reads rows of labels; those of another type than Label are converted to a row of its own.
template <class Label>
class label_row_reader {
 public:
  /// `width` labels, valid until the next call.
  const Label* operator()(const row_band& band, std::size_t image, std::int64_t row);

 private:
  std::vector<Label> converted_;
};

/// Any pixels as f64.
class value_row_reader {
 public:
  const double* operator()(const row_band& band, std::size_t image, std::int64_t row);

 private:
  std::vector<double> converted_;
};

struct label_run {
  std::int64_t first, end;
  std::uint64_t label;
};

/// visit(first, end, label) for the runs of equal labels in a row, 0 included.
template <class Label, class Visit>
void over_runs(const Label* row, std::int64_t width, const Visit& visit) {
  constexpr std::int64_t stride = 16;
  for (std::int64_t begin = 0; begin < width;) {
    const Label label = row[begin];
    auto end = begin + 1;
    // Whole vectors of one label: the compiler joins the comparisons.
    while (end + stride <= width) {
      Label differences = 0;
      for (std::int64_t i = 0; i < stride; ++i) differences |= row[end + i] ^ label;
      if (differences != 0) break;
      end += stride;
    }
    while (end < width && row[end] == label) ++end;
    visit(begin, end, label);
    begin = end;
  }
}

}  // namespace macareu
