// The weights of Gaussian filters, as SciPy has them.
#pragma once

#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/call.hpp"
#include "operators/common/exponential.hpp"
#include "operators/common/wrong_value.hpp"

namespace macareu {

inline constexpr int largest_gaussian_radius = 4096;

inline constexpr parameter_description truncate_parameter{"truncate", parameter_kind::number, "4",
                                                          "radius of the filter in standard deviations"};

/// exp(-x^2 / (2 sigma^2)) up to the radius floor(truncate * sigma + 1/2), divided by the sum.
inline std::vector<double> gaussian_weights(std::string_view operation, double sigma, double truncate) {
  if (sigma == 0) return {1};
  const double reach = truncate * sigma + 0.5;
  if (!(reach < largest_gaussian_radius + 1))
    throw call_error({.kind = fault::conflict,
                      .operation = std::string(operation),
                      .parts = {parameter_named("sigma"), " times ", parameter_named("truncate"),
                                ": expected at most " + std::to_string(largest_gaussian_radius) +
                                    " pixels, got " + to_string(number(truncate * sigma))},
                      .given = to_string(number(truncate * sigma)),
                      .allowed = "at most " + std::to_string(largest_gaussian_radius)});
  std::vector<double> half(static_cast<std::size_t>(reach) + 1);
  double sum = 0;
  for (std::size_t x = half.size(); x-- > 0;) {
    half[x] = exponential(-0.5 / (sigma * sigma) * static_cast<double>(x * x));
    sum += x == 0 ? half[x] : 2 * half[x];
  }
  for (auto& weight : half) weight /= sum;
  return half;
}

/// In the order of the axes of the array.
inline std::vector<double> sigmas_of(std::string_view operation, const arguments& all, const extents& shape) {
  const auto& given = std::get<std::vector<number>>(all.at("sigma"));
  if (given.size() != 1 && std::cmp_not_equal(given.size(), shape.rank()))
    throw wrong_value(operation, "sigma",
                      "one number, or one for each of " + std::to_string(shape.rank()) + " axes",
                      std::to_string(given.size()), fault::axes);
  std::vector<double> sigma;
  for (int axis = 0; axis < shape.rank(); ++axis)
    sigma.push_back(given[given.size() == 1 ? 0 : static_cast<std::size_t>(axis)].to_double());
  return sigma;
}

/// Of the parameters `sigma` and `truncate`, against the shape.
inline void check_sigmas(std::string_view operation, const arguments& all, const extents& shape) {
  for (const double sigma : sigmas_of(operation, all, shape))
    gaussian_weights(operation, sigma, std::get<number>(all.at("truncate")).to_double());
}

}  // namespace macareu
