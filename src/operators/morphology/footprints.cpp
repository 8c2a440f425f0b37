#include "operators/morphology/footprints.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numbers>
#include <string>

#include <macareu/error.hpp>

#include "operators/common/wrong_value.hpp"

namespace macareu::operators {
namespace {

constexpr std::int64_t longest = 1025;

/// The largest w with w * w <= square, or -1.
int root_below(double square) {
  if (square < 0) return -1;
  auto w = static_cast<int>(std::sqrt(square));
  while (static_cast<double>(w) * w > square) --w;
  while (static_cast<double>(w + 1) * (w + 1) <= square) ++w;
  return w;
}

/// Chords -half(dz, dy) ... half(dz, dy), of rows where it is not negative.
template <class Half>
std::vector<chord> symmetric(int rank, int reach, const Half& half) {
  std::vector<chord> all;
  const int deep = rank == 3 ? reach : 0;
  for (int dz = -deep; dz <= deep; ++dz)
    for (int dy = -reach; dy <= reach; ++dy)
      if (const int w = half(dz, dy); w >= 0) all.push_back({dz, dy, -w, w});
  return all;
}

std::vector<chord> rectangle(const std::vector<number>& sizes, int rank) {
  std::array<int, 3> side{1, 1, 1};  // z, y, x
  for (int axis = 0; axis < rank; ++axis) {
    const auto& given = sizes[sizes.size() == 1 ? 0 : static_cast<std::size_t>(axis)];
    side[static_cast<std::size_t>(axis + 3 - rank)] = static_cast<int>(given.to_double());
  }
  std::vector<chord> all;
  for (int z = 0; z < side[0]; ++z)
    for (int y = 0; y < side[1]; ++y)
      all.push_back({z - side[0] / 2, y - side[1] / 2, -(side[2] / 2), side[2] - 1 - side[2] / 2});
  return all;
}

/// Adjacent offsets become chords.
std::vector<chord> joined(std::vector<chord> pixels) {
  std::ranges::sort(pixels, {}, [](const chord& c) { return std::array{c.dz, c.dy, c.first}; });
  std::vector<chord> all;
  for (const auto& each : pixels) {
    const bool goes_on = !all.empty() && all.back().dz == each.dz && all.back().dy == each.dy &&
                         each.first <= all.back().last + 1;
    if (goes_on)
      all.back().last = std::max(all.back().last, each.last);
    else
      all.push_back(each);
  }
  return all;
}

/// Of an angle from -90 to 90 degrees. Taylor's polynomials are exact to 2^-50, so the rounded sine is the
/// same with every compiler, and that of 30 degrees is a half.
double sine(double degrees) {
  const double size = std::abs(degrees), x = (size <= 45 ? size : 90 - size) * (std::numbers::pi / 180);
  double term = size <= 45 ? x : 1, sum = term;
  for (int n = size <= 45 ? 2 : 1; n < 20; n += 2) {
    term *= -x * x / (n * (n + 1));
    sum += term;
  }
  constexpr double bits = 0x1p40;
  return std::copysign(std::round(sum * bits) / bits, degrees);
}

/// part / parts of a whole number, rounded to the nearest, halves away from zero.
int share(int of, int part, int parts) {
  const int size = (2 * std::abs(of) * part + parts) / (2 * parts);
  return of < 0 ? -size : size;
}

/// The pixels of a line from the middle, without it, to so many pixels away in a direction.
void add_ray(std::vector<chord>& to, int length, double across, double down) {
  const auto x = static_cast<int>(std::round(length * across));
  const auto y = static_cast<int>(std::round(length * down));
  const int steps = std::max(std::abs(x), std::abs(y));
  for (int k = 1; k <= steps; ++k)
    to.push_back({0, share(y, k, steps), share(x, k, steps), share(x, k, steps)});
}

/// The longer half goes to the first end in raster order, as in the image of a line.
std::vector<chord> line(int length, double degrees) {
  const double angle = std::remainder(degrees, 180);  // exact
  const double across = sine(90 - std::abs(angle)), down = -sine(angle);
  const int before = length / 2, after = (length - 1) / 2;
  std::vector<chord> pixels{{0, 0, 0, 0}};
  add_ray(pixels, down < 0 ? before : after, across, down);
  add_ray(pixels, down < 0 ? after : before, -across, -down);
  return joined(pixels);
}

[[noreturn]] void refuse_form(const call& call, const std::string& allowed, const std::string& given) {
  throw call_error({.kind = fault::shape,
                    .operation = std::string(call.about.name),
                    .parts = {input_named("footprint"), ": expected " + allowed + ", got " + given},
                    .given = given,
                    .allowed = allowed});
}

}  // namespace

void check_footprint(const call& call) {
  const auto rank = static_cast<std::size_t>(call.rank());
  if (call.has_input(1)) {
    const auto& shape = call.inputs[1].shape();
    if (shape.rank() != call.rank())
      refuse_form(call, "as many axes as the image, " + std::to_string(rank), std::to_string(shape.rank()));
    if (std::max({shape.depth(), shape.height(), shape.width()}) > longest)
      refuse_form(call, "at most " + std::to_string(longest) + " pixels along an axis", to_string(shape));
  }
  const auto& sizes = call.list<number>("size");
  if (sizes.size() != 1 && sizes.size() != rank)
    throw wrong_value(call.about.name, "size", "1 number or " + std::to_string(rank),
                      std::to_string(sizes.size()));
}

std::vector<chord> footprint_by_shape(const call& call) {
  const double radius = call.quantity("radius").to_double();
  const int reach = static_cast<int>(radius);
  if (call.chosen("element", "rectangle")) return rectangle(call.list<number>("size"), call.rank());
  if (call.chosen("element", "line"))
    return line(static_cast<int>(call.quantity("length").to_double()), call.quantity("angle").to_double());
  if (call.chosen("element", "diamond"))
    return symmetric(call.rank(), reach, [&](int dz, int dy) { return reach - std::abs(dz) - std::abs(dy); });
  return symmetric(call.rank(), reach,
                   [&](int dz, int dy) { return root_below(radius * radius - dz * dz - dy * dy); });
}

std::vector<chord> footprint_by_mask(const call& call, std::span<const std::uint8_t> mask) {
  const auto& shape = call.inputs[1].shape();
  const auto middle = [](std::int64_t size) { return static_cast<int>(size / 2); };
  std::vector<chord> pixels;
  for (std::size_t i = 0; i < mask.size(); ++i) {
    if (mask[i] == 0) continue;
    const auto place = static_cast<std::int64_t>(i), row = place / shape.width();
    const auto x = static_cast<int>(place % shape.width()) - middle(shape.width());
    pixels.push_back({static_cast<int>(row / shape.height()) - middle(shape.depth()),
                      static_cast<int>(row % shape.height()) - middle(shape.height()), x, x});
  }
  if (pixels.empty())
    throw call_error(
        {.kind = fault::value,
         .operation = std::string(call.about.name),
         .parts = {input_named("footprint"),
                   " is empty: all of its " + std::to_string(mask.size()) + " pixels are zero"}});
  return joined(pixels);
}

}  // namespace macareu::operators
