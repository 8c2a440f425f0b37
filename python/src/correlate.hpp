// Sums along one axis with the arithmetic of scipy.ndimage.correlate1d, so that the drop-in functions round
// as SciPy.
#pragma once

#include <span>
#include <stop_token>

#include <macareu/image.hpp>

#include "patterns/window.hpp"

namespace macareu::python {

/// Weights from the middle on. The other half is symmetric, or antisymmetric if `odd`.
struct line_weights {
  std::span<const double> half;
  bool odd;
};

/// Correlates along the axis. Pairs of pixels are summed in f64, the outer ones first, and converted to the
/// result's type as in C. Throws `interrupted` when stop is set.
void correlate(const const_image_view& in, const image_view& out, int axis, const line_weights& weights,
               const border<double>& edge, std::stop_token stop = {});

}  // namespace macareu::python
