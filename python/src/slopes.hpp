// Slopes in the arithmetic of scikit-image's edge filters, so that functions under its names round as it
// does.
#pragma once

#include <span>
#include <stop_token>
#include <vector>

#include <macareu/image.hpp>

#include "patterns/weighted.hpp"

namespace macareu::python {

using slope_taps = std::vector<tap<double>>;

/// Of images and results of f32 or f64, in f64: out = the sum of the taps, or of several sums the root of
/// their squares' sum, divided by `divisor`. Throws `interrupted` when stop is set.
void write_slopes(const const_image_view& in, const image_view& out, std::span<const slope_taps> slopes,
                  border_mode edge, double divisor, std::stop_token stop = {});

}  // namespace macareu::python
