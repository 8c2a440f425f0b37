// Rows of a label image as unsigned numbers, and as runs of one number. Negative labels are outside, like 0.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
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

namespace detail {

/// How many pixels a comparison of whole vectors covers.
inline constexpr std::int64_t compared_labels = 16;
template <class Label>
inline constexpr auto bit_of_pixel = [] {
  std::array<Label, compared_labels> bits{};
  for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = Label{1} << i;
  return bits;
}();

/// Of pixels that differ from `label`, one bit each. The compiler joins the comparisons to vectors.
template <class Label>
std::uint32_t differing(const Label* row, Label label) {
  Label found = 0;
  for (std::size_t i = 0; i < compared_labels; ++i) found |= row[i] != label ? bit_of_pixel<Label>[i] : 0;
  return static_cast<std::uint32_t>(found);
}

}  // namespace detail

/// visit(first, end, label) for the runs of equal labels in a row, 0 included.
template <class Label, class Visit>
void over_runs(const Label* row, std::int64_t width, const Visit& visit) {
  for (std::int64_t begin = 0; begin < width;) {
    const Label label = row[begin];
    auto end = begin + 1;
    std::uint32_t differing = 0;
    while (end + detail::compared_labels <= width && (differing = detail::differing(row + end, label)) == 0)
      end += detail::compared_labels;
    if (differing != 0)
      end += std::countr_zero(differing);
    else
      while (end < width && row[end] == label) ++end;
    visit(begin, end, label);
    begin = end;
  }
}

}  // namespace macareu
