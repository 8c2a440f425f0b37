#include "operators/points/stains.hpp"

#include <cmath>
#include <string>
#include <vector>

#include "operators/common/vectors.hpp"
#include "operators/common/wrong_value.hpp"

namespace macareu {
namespace {

std::vector<three_numbers> named(const std::string& stains) {
  if (stains == "h_e") return {{.65111, .70119, .29049}, {.2159, .8012, .5581}};
  if (stains == "h_dab") return {{.650, .704, .286}, {.268, .570, .776}};
  return {{.65, .70, .29}, {.07, .99, .11}, {.27, .57, .78}};
}

std::vector<three_numbers> stains_of(const call& call) {
  const auto& given = call.list<number>("vectors");
  if (given.size() == 1 && std::isnan(given[0].to_double())) return named(call.choice("stains"));
  if (given.size() != 6 && given.size() != 9)
    throw wrong_value("unmix", "vectors", "6 or 9 numbers", std::to_string(given.size()));
  std::vector<three_numbers> stains;
  for (std::size_t i = 0; i < given.size(); i += 3)
    stains.push_back({given[i].to_double(), given[i + 1].to_double(), given[i + 2].to_double()});
  return stains;
}

double length_of(const three_numbers& stain) { return std::sqrt(dot(stain, stain)); }

/// What keeps stains from being told apart.
std::string fault_of(const std::vector<three_numbers>& stains, double least) {
  const auto vector = [&](std::size_t i) {
    const auto& [r, g, b] = stains[i];
    return std::to_string(i + 1) + " (" + to_string(number(r)) + ", " + to_string(number(g)) + ", " +
           to_string(number(b)) + ")";
  };
  const auto count = stains.size();
  for (std::size_t i = 0; i < count; ++i)
    if (!(length_of(stains[i]) > 0)) return "vector " + vector(i) + " is 0";
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = i + 1; j < count; ++j)
      if (!(length_of(cross(stains[i], stains[j])) > least * length_of(stains[i]) * length_of(stains[j])))
        return "vectors " + vector(i) + " and " + vector(j) + " have one direction";
  return "vector " + vector(count - 1) + " is a mixture of the others";
}

void scale_to_one(three_numbers& stain) {
  const double length = length_of(stain);
  if (!(length > 0)) return;
  for (auto& one : stain) one /= length;
}

}  // namespace

std::array<three_numbers, 3> stain_directions(const call& call) {
  auto stains = stains_of(call);
  const auto given = stains;
  stains.reserve(3);
  const bool unit = call.flag("unit_vectors");
  if (unit)
    for (auto& stain : stains) scale_to_one(stain);
  if (stains.size() == 2) {
    stains.push_back(cross(stains[0], stains[1]));
    if (unit) scale_to_one(stains[2]);
  }
  std::array<three_numbers, 3> directions{cross(stains[1], stains[2]), cross(stains[2], stains[0]),
                                          cross(stains[0], stains[1])};
  const double determinant = dot(stains[0], directions[0]);
  double lengths = 1;
  for (const auto& stain : stains) lengths *= length_of(stain);
  // The volume between vectors of length 1; below, rounding errors exceed f32's.
  constexpr double least_volume = 1e-6;
  if (!(std::abs(determinant) > least_volume * lengths))
    throw call_error({.kind = fault::value,
                      .operation = "unmix",
                      .parts = {parameter_named("vectors"),
                                ": the stains cannot be told apart: " + fault_of(given, least_volume)}});
  for (auto& direction : directions)
    for (auto& one : direction) one /= determinant;
  return directions;
}

double full_value(const call& call) {
  const auto type = call.inputs[0].type();
  return type == dtype::u8 ? 255 : type == dtype::u16 ? 65535 : 1;
}

three_numbers white_of(const call& call) {
  const auto& given = call.list<number>("white");
  if (given.size() == 3) return {given[0].to_double(), given[1].to_double(), given[2].to_double()};
  if (given.size() != 1) throw wrong_value("unmix", "white", "1 or 3 numbers", std::to_string(given.size()));
  const double one = std::isnan(given[0].to_double()) ? full_value(call) : given[0].to_double();
  return {one, one, one};
}

void refuse_two_whites(const call& call) {
  if (call.flag("find_white") && !std::isnan(call.list<number>("white")[0].to_double()))
    throw call_error({.kind = fault::conflict,
                      .operation = "unmix",
                      .parts = {parameter_named("white"), " is given and ", parameter_named("find_white"),
                                " finds it: use one of them"}});
}

optical_density::optical_density(const call& call, const three_numbers& of)
    : white(of), relative(call.chosen("density", "relative")) {
  least = relative ? 1e-6 : full_value(call) / 255;
  divisor = relative ? logarithm(1e-6) : -logarithm(10);
}

}  // namespace macareu
