// Every engine but the serial one, with every strategy and some numbers of threads; and runs whose errors are
// results too.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include <macareu/catalogue.hpp>
#include <macareu/error.hpp>
#include <macareu/shapes.hpp>

#include "support/dice.hpp"
#include "support/palettes.hpp"
#include "support/same.hpp"
#include "support/scenes.hpp"
#include "support/types.hpp"

namespace macareu {
inline void PrintTo(dtype type, std::ostream* out) { *out << name_of(type); }
}  // namespace macareu

namespace macareu::test {

inline std::vector<std::string> engines_under_test() {
  std::vector<std::string> names;
  for (const auto name : devices())
    if (name != "serial") names.emplace_back(name);
  return names;
}

/// `auto` and every strategy that the engine has for the pattern and images of this rank. Those for general
/// rules serve propagation, whose results depend on them: tests/operators/propagation.cpp.
inline std::vector<context> contexts(const std::string& device, std::string_view pattern, int threads,
                                     int rank) {
  std::vector<context> all{{.device = device, .threads = threads}};
  if (pattern == "general_wave") return all;
  for (const auto name : strategies(device, pattern))
    if (rank == 2 || name != "diagonal")
      all.push_back({.device = device, .strategy = std::string(name), .threads = threads});
  return all;
}

/// On a GPU a small image takes as long as a large one: fewer of them, so that every strategy, also one for
/// 2-D only, sees more than 20,000 over all types and connectivities.
/// Where few images are tested, the cpu gets half of its share.
inline std::int64_t scaled_for(const std::string& device, int rank, std::int64_t images) {
  if (device != "cuda") return scaled(share_of_images() < 1 ? images / 2 : images);
  return scaled(std::max<std::int64_t>(2, images / (rank == 2 ? 20 : 50)));
}

/// On a GPU every other image crosses tiles, which are up to 64 pixels wide.
inline std::int64_t longest_side(const std::string& device, int rank, std::int64_t i) {
  if (device != "cuda" || i % 2) return 24;
  return rank == 2 ? 150 : 36;
}
inline constexpr std::int64_t most_small_pixels = 36 * 36 * 36;

inline std::string describe(const operator_description& about, const context& how, const arguments& given,
                            const std::vector<bool>& asked = {}) {
  std::string text = std::string(about.name) + " on " + how.device + ", strategy " + how.strategy + ", " +
                     std::to_string(how.threads) + " threads";
  for (const auto& [name, value] : given) {
    text += ", " + name + " ";
    if (const auto* flag = std::get_if<bool>(&value)) text += *flag ? "true" : "false";
    if (const auto* quantity = std::get_if<number>(&value)) text += to_string(*quantity);
    if (const auto* choice = std::get_if<std::string>(&value)) text += *choice;
    if (const auto* near = std::get_if<connectivity>(&value)) text += near->name();
    if (const auto* list = std::get_if<std::vector<number>>(&value))
      for (const auto& one : *list) text += to_string(one) + " ";
    if (const auto* list = std::get_if<std::vector<interval>>(&value))
      for (const auto& one : *list) text += to_string(one.low) + ":" + to_string(one.high) + " ";
  }
  for (std::size_t o = 0; o < asked.size(); ++o)
    if (asked[o]) text += ", output " + std::string(about.outputs[o].name);
  return text;
}

/// On a GPU the order of visits is another one, and so are the results of propagation.
inline void keep_comparable(arguments& given, const std::string& device) {
  if (device != "cuda" || !given.contains("method") || !given.contains("squared")) return;
  given.insert_or_assign("method", std::string("exact"));
  given.erase("connectivity");
}

/// Memory for images of any type and shape up to a number of pixels.
class canvas {
 public:
  explicit canvas(std::int64_t pixels) : memory_(dtype::f64, extents{1, pixels}) {}
  image_view of(dtype type, const extents& shape, int channels = 1) {
    return {memory_.data(), type, shape, contiguous_strides(shape, channels), channels};
  }
  /// Bytes that no run should leave.
  image_view spoiled(dtype type, const extents& shape, int channels = 1) {
    std::memset(memory_.data(), 0xa5, static_cast<std::size_t>(shape.pixels() * channels) * size_of(type));
    return of(type, shape, channels);
  }

 private:
  image memory_;
};

/// The error's message, or nothing.
inline std::optional<std::string> run(const operator_description& about,
                                      std::span<const const_image_view> inputs,
                                      std::span<const image_view> outputs, const arguments& given,
                                      const context& how) {
  try {
    run_operator(about, inputs, outputs, given, how);
    return std::nullopt;
  } catch (const usage_error& error) {
    return error.what();
  }
}

/// The table as text, or the error's message.
inline std::string run_table(const operator_description& about, std::span<const const_image_view> inputs,
                             const arguments& given, const context& how) {
  try {
    return to_csv(compute_table(about, inputs, given, how));
  } catch (const usage_error& error) {
    return error.what();
  }
}

/// Shapes as text, or the error's message. In pieces or not.
template <class Compute>
std::string shapes_from(const Compute& compute) {
  std::string text;
  shape_text lines(shape_format::csv);
  lines.begin(text);
  try {
    compute([&](const shape& one) { lines.add(text, one); });
    return text;
  } catch (const usage_error& error) {
    return error.what();
  }
}
inline std::string run_shapes(const operator_description& about, std::span<const const_image_view> inputs,
                              const arguments& given, const context& how) {
  return shapes_from([&](const take_shape& take) { compute_shapes(about, inputs, take, given, how); });
}

/// Whether an operator takes images of this rank at all: what is always refused tests little.
inline bool takes_rank(const operator_description& about, int rank) {
  if (about.pattern != "rows" || rank == 2) return true;
  std::vector<image_form> forms(about.inputs.size(), {dtype::u8, extents{2, 2, 2}, 1});
  try {
    validate(about, forms);
  } catch (const call_error& refused) {
    return refused.problem().kind != fault::axes;
  }
  return true;
}

/// The inputs of any operator: a marker first where it takes two, and a corner of it as what has a form of
/// its own. `set` is of type bool. It is also what an option gives, and markers.
inline std::vector<const_image_view> inputs_of(const operator_description& about,
                                               const const_image_view& marker, const const_image_view& mask,
                                               const const_image_view& set) {
  std::vector<const_image_view> inputs(about.inputs.size(), mask);
  if (inputs.size() > 1 && !about.inputs[1].own_form) inputs[0] = marker;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (about.inputs[i].mask || about.inputs[i].by_option || about.inputs[i].name == "markers")
      inputs[i] = set;
    if (!about.inputs[i].own_form) continue;
    std::array<std::int64_t, 3> sizes{};
    const auto rank = marker.shape().rank();
    for (int axis = 0; axis < rank; ++axis)
      sizes[static_cast<std::size_t>(axis)] = std::min<std::int64_t>(marker.shape()[axis], 4);
    inputs[i] = {marker.data(), marker.type(),
                 extents(std::span<const std::int64_t>(sizes).first(static_cast<std::size_t>(rank))),
                 marker.steps()};
  }
  return inputs;
}

/// One test for every engine and pixel type.
class engine_and_type : public ::testing::TestWithParam<std::tuple<std::string, dtype>> {
 protected:
  std::string device() const { return std::get<0>(GetParam()); }
  dtype type() const { return std::get<1>(GetParam()); }
};

inline std::string parameter_name(const ::testing::TestParamInfo<std::tuple<std::string, dtype>>& info) {
  return std::get<0>(info.param) + "_" + std::string(name_of(std::get<1>(info.param)));
}

inline auto engines_and_types() {
  return ::testing::Combine(::testing::ValuesIn(engines_under_test()), ::testing::ValuesIn(all_types));
}

}  // namespace macareu::test
