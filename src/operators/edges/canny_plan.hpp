// Plans both flavours of Canny from their parameters.
#pragma once

#include <string>

#include "core/call.hpp"
#include "patterns/edges.hpp"

namespace macareu {

struct canny_plan {
  smoothing smooth;
  double low = 0, high = 0;
};

inline bool is_itk_flavour(const arguments& all) {
  return std::get<std::string>(all.find("flavour")->second) == "itk";
}

/// The type that a flavour computes in, f32 or f64, and the type of its gradient.
inline dtype canny_type(const arguments& all, dtype input, const extents&) {
  if (is_itk_flavour(all)) return input == dtype::f64 ? dtype::f64 : dtype::f32;
  return input == dtype::f32 ? dtype::f32 : dtype::f64;
}

/// Throws usage_error for invalid parameters.
canny_plan plan_canny(const arguments& all, dtype input, const extents& shape);

}  // namespace macareu
