#include "operators/edges/canny_plan.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include <macareu/error.hpp>

#include "core/pixel_types.hpp"
#include "operators/common/exponential.hpp"
#include "operators/edges/discrete_gaussian.hpp"
#include "operators/filters/linear_filter.hpp"

namespace macareu {
namespace {

constexpr int largest_radius = 4096;
constexpr int largest_variance = 700;  // exp(v), from which ITK computes weights, stays finite

call_error refused(fault kind, std::vector<error_part> parts, std::string given = {},
                   std::string allowed = {}) {
  return call_error({kind, "canny", std::move(parts), std::move(given), std::move(allowed)});
}

double number_of(const arguments& all, std::string_view name) {
  return std::get<number>(all.find(name)->second).to_double();
}

/// In the order of the axes of the array.
std::vector<double> along_axes(const arguments& all, std::string_view name, int rank) {
  const auto& given = std::get<std::vector<number>>(all.find(name)->second);
  if (given.size() != 1 && std::cmp_not_equal(given.size(), rank))
    throw refused(
        fault::axes,
        {parameter_named(name), ": expected one number, or one for each of " + std::to_string(rank) +
                                    " axes, got " + std::to_string(given.size())},
        std::to_string(given.size()), "1 or " + std::to_string(rank));
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(rank));
  for (int axis = 0; axis < rank; ++axis)
    values.push_back(given[given.size() == 1 ? 0 : static_cast<std::size_t>(axis)].to_double());
  return values;
}

void refuse_below_zero(std::string_view name, const std::vector<double>& values) {
  for (const double value : values)
    if (value < 0)
      throw refused(
          fault::value,
          {parameter_named(name), ": expected numbers not below 0, got " + to_string(number(value))},
          to_string(number(value)), "0 or more");
}

/// Parameters of the other flavour must keep their default.
void refuse_other_flavours(const arguments& all) {
  const bool itk = is_itk_flavour(all);
  const auto refuse = [&](std::string_view name, bool is_default) {
    if (!is_default)
      throw refused(fault::conflict, {parameter_named(name),
                                      " is for flavour " + std::string(itk ? "skimage" : "itk") + " only"});
  };
  const auto all_are = [&](std::string_view name, const auto& holds) {
    return std::ranges::all_of(std::get<std::vector<number>>(all.find(name)->second),
                               [&](const number& value) { return holds(value.to_double()); });
  };
  if (itk) {
    refuse("border", std::get<std::string>(all.find("border")->second) == "constant");
    refuse("outside", number_of(all, "outside") == 0);
  } else {
    refuse("variance", all_are("variance", [](double value) { return std::isnan(value); }));
    refuse("maximum_error", all_are("maximum_error", [](double value) { return value == 0.01; }));
  }
}

/// Sums in NumPy's order.
double pairwise_sum(const double* values, std::size_t count) {
  if (count < 8) {
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) sum += values[i];
    return sum;
  }
  if (count > 128) {
    const std::size_t half = count / 2 - count / 2 % 8;
    return pairwise_sum(values, half) + pairwise_sum(values + half, count - half);
  }
  double r[8];
  for (std::size_t k = 0; k < 8; ++k) r[k] = values[k];
  std::size_t i = 8;
  for (; i + 8 <= count; i += 8)
    for (std::size_t k = 0; k < 8; ++k) r[k] += values[i + k];
  double sum = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));
  for (; i < count; ++i) sum += values[i];
  return sum;
}

/// SciPy's weights, up to 4 sigma.
std::vector<double> sampled_gaussian(double sigma) {
  const double reach = 4.0 * sigma + 0.5;
  if (!(reach < largest_radius + 1))
    throw refused(fault::value,
                  {parameter_named("sigma"), " must be at most " + std::to_string(largest_radius / 4)},
                  to_string(number(sigma)), "up to " + std::to_string(largest_radius / 4));
  const int r = static_cast<int>(reach);
  std::vector<double> all;
  for (int x = -r; x <= r; ++x)
    all.push_back(exponential(-0.5 / (sigma * sigma) * static_cast<double>(x * x)));
  const double sum = pairwise_sum(all.data(), all.size());
  std::vector<double> half(all.begin() + r, all.end());
  for (auto& weight : half) weight /= sum;
  return half;
}

/// The share of a smoothed value that comes from inside the image, as in scikit-image: a smoothed image of
/// ones. It is constant beyond the reach of the weights.
void find_shares(smoothing& smooth, const extents& shape) {
  const auto radius = radius_of(smooth.weights);
  const bool constant = smooth.edge.mode == border_mode::constant;
  const auto classes = [&](std::int64_t size, int r) {
    return constant ? std::min<std::int64_t>(size, 2 * r + 1) : 1;
  };
  const auto rows = classes(shape.height(), radius.y), columns = classes(shape.width(), radius.x);
  const auto sum = [&](const std::vector<double>& half, std::int64_t at, std::int64_t size, double inside) {
    if (half.empty()) return inside;
    const auto value = [&](std::int64_t i) {
      return constant && (i < 0 || i >= size) ? smooth.edge.outside : inside;
    };
    double total = value(at) * half[0];
    for (auto k = std::ssize(half) - 1; k > 0; --k)
      total += (value(at - k) + value(at + k)) * half[static_cast<std::size_t>(k)];
    return total;
  };
  smooth.classes = {rows, columns};
  for (std::int64_t y = 0; y < rows; ++y) {
    const double along_y = sum(smooth.weights[1], y, rows, 1.0);
    for (std::int64_t x = 0; x < columns; ++x)
      smooth.shares.push_back(sum(smooth.weights[2], x, columns, along_y) +
                              std::numeric_limits<double>::epsilon());
  }
}

canny_plan plan_itk(const arguments& all, const extents& shape) {
  const int rank = shape.rank();
  auto variance = along_axes(all, "variance", rank);
  const auto sigma = along_axes(all, "sigma", rank), error = along_axes(all, "maximum_error", rank);
  refuse_below_zero("variance", variance);
  canny_plan plan;
  plan.smooth.edge.mode = border_mode::nearest;
  plan.low = number_of(all, "low");
  plan.high = number_of(all, "high");
  for (int axis = 0; axis < rank; ++axis) {
    const auto i = static_cast<std::size_t>(axis);
    if (std::isnan(variance[i])) variance[i] = sigma[i] * sigma[i];
    if (variance[i] > largest_variance)
      throw refused(fault::value,
                    {"the variance of the smoothing must be at most " + std::to_string(largest_variance) +
                     ", got " + to_string(number(variance[i]))},
                    to_string(number(variance[i])), "up to " + std::to_string(largest_variance));
    if (!(error[i] < 1))
      throw refused(fault::value, {parameter_named("maximum_error"), ": expected numbers below 1"},
                    to_string(number(error[i])), "below 1");
    auto* const weights = &plan.smooth.weights[i + 3 - static_cast<std::size_t>(rank)];
    const bool as_before = i > 0 && variance[i] == variance[i - 1] && error[i] == error[i - 1];
    *weights = as_before ? weights[-1] : discrete_gaussian(variance[i], error[i]);
  }
  if (std::isnan(plan.low)) plan.low = 0;
  if (std::isnan(plan.high)) plan.high = 0;
  return plan;
}

canny_plan plan_skimage(const arguments& all, dtype input, const extents& shape) {
  if (shape.rank() != 2)
    throw refused(fault::conflict,
                  {parameter_named("flavour"), " skimage is for images, got a volume; use flavour itk"});
  const auto sigma = along_axes(all, "sigma", 2);
  const double brightest =
      input == dtype::boolean ? 1 : with_pixel_type(input, []<class T>(std::type_identity<T>) {
        if (std::is_floating_point_v<T>) return 1.0;
        return static_cast<double>(std::numeric_limits<T>::max());
      });
  const auto threshold = [&](std::string_view name, double automatic) {
    const double given = number_of(all, name);
    return std::isnan(given) ? automatic : given / brightest;
  };
  canny_plan plan;
  plan.smooth.edge = {border_named(std::get<std::string>(all.find("border")->second)),
                      number_of(all, "outside")};
  plan.low = threshold("low", 0.1);
  plan.high = threshold("high", 0.2);
  if (plan.high < plan.low)
    throw refused(fault::conflict, {parameter_named("low"), " must not be above ", parameter_named("high")});
  for (std::size_t axis = 0; axis < 2; ++axis)
    if (sigma[axis] > 1e-15) plan.smooth.weights[axis + 1] = sampled_gaussian(sigma[axis]);
  find_shares(plan.smooth, shape);
  // Bounds for integers, scaled to 1: sums are multiples of the last place of the least weight's products.
  const double outside = std::fabs(plan.smooth.edge.outside);
  plan.smooth.moderate =
      input != dtype::f32 && input != dtype::f64 && (outside == 0 || (outside > 1e-100 && outside < 1e100));
  return plan;
}

}  // namespace

canny_plan plan_canny(const arguments& all, dtype input, const extents& shape) {
  refuse_other_flavours(all);
  return is_itk_flavour(all) ? plan_itk(all, shape) : plan_skimage(all, input, shape);
}

}  // namespace macareu
