// Sums along one axis in the arithmetic of scipy.ndimage.correlate1d, so that functions under its names round
// as it does.
#pragma once

#include <span>
#include <stop_token>

#include <macareu/image.hpp>

#include "patterns/window.hpp"

namespace macareu::python {

/// Weights from the middle on; before it they are the same, or their opposites where they are odd.
struct line_weights {
  std::span<const double> half;
  bool odd;
};

/// out = the sum of pairs of pixels around each along the axis, in f64, the outer ones first, converted to
/// the result's type as C does it. Throws `interrupted` when stop is set.
void correlate(const const_image_view& in, const image_view& out, int axis, const line_weights& weights,
               const border<double>& edge, std::stop_token stop = {});

}  // namespace macareu::python
