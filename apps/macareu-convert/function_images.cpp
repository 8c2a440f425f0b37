#include "function_images.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <map>

#include <macareu/error.hpp>

#include "command/pixels.hpp"
#include "command/text.hpp"

namespace macareu::tool {
namespace {

/// Calls visit with a value of the C++ type.
template <class Visit>
auto with_type(dtype type, Visit&& visit) {
  return with_pixels(image(type, extents{0, 0}), [&]<class T>(std::span<const T>) { return visit(T{}); });
}

/// Whether To can represent every value of From.
template <class From, class To>
constexpr bool fits() {
  using from = std::numeric_limits<From>;
  using to = std::numeric_limits<To>;
  if (std::is_same_v<To, bool>) return std::is_same_v<From, bool>;
  if (std::is_floating_point_v<From> && !std::is_floating_point_v<To>) return false;
  return from::digits <= to::digits && (!from::is_signed || to::is_signed);
}

converter::parameter_value value_from(const converter::parameter& about, const std::string& text) {
  const auto option = "--param " + about.name;
  converter::parameter_value value{};
  if (about.type == dtype::f32 || about.type == dtype::f64) {
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value.real);
    if (failure != std::errc() || end != text.data() + text.size())
      throw usage_error(option + ": expected a number, got " + in_quotes(text));
    if (about.type == dtype::f32 && std::isfinite(value.real) &&
        std::fabs(value.real) > std::numeric_limits<float>::max())
      throw usage_error(option + ": expected a number that a float can hold, got " + in_quotes(text));
    return value;
  }
  if (about.type == dtype::boolean) {
    const auto word = choice_from(option, text, "false|true|0|1");
    value.whole = word == "true" || word == "1" ? 1 : 0;
    return value;
  }
  if (about.type == dtype::u64) {
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value.natural);
    if (failure != std::errc() || end != text.data() + text.size())
      throw usage_error(option + ": expected a whole number from 0, got " + in_quotes(text));
    return value;
  }
  with_type(about.type, [&]<class T>(T) {
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, std::uint64_t>)
      value.whole = whole_number(option, text, std::numeric_limits<T>::min(), std::numeric_limits<T>::max());
  });
  return value;
}

template <class T>
std::string number_text(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    char text[64];
    std::snprintf(text, sizeof text, "%.*g", std::numeric_limits<T>::max_digits10,
                  static_cast<double>(value));
    return text;
  } else {
    return std::to_string(value);
  }
}

}  // namespace

image widened(image from, dtype type, const std::string& file) {
  if (from.type() == type) return from;
  image result(type, from.shape(), from.channels());
  with_pixels(from, [&]<class From>(std::span<const From> values) {
    with_type(type, [&]<class To>(To) {
      if constexpr (fits<From, To>())
        std::ranges::transform(values, result.pixels<To>().begin(),
                               [](From value) { return static_cast<To>(value); });
      else
        throw usage_error(file + " holds " + std::string(name_of(from.type())) + ", and the function takes " +
                          std::string(name_of(type)) + ", which cannot hold all of its values");
    });
  });
  return result;
}

std::vector<converter::parameter_value> parameter_values(const converter::description& about,
                                                         const std::vector<std::string>& given) {
  std::vector<std::string> names;
  for (const auto& each : about.parameters) names.push_back(each.name);
  const auto has = about.function + (names.empty() ? " has no parameters" : " has " + joined(names, ", "));
  std::map<std::string, std::string> texts;
  for (const auto& each : given) {
    const auto equals = each.find('=');
    if (equals == std::string::npos)
      throw usage_error("--param: expected NAME=VALUE, got " + in_quotes(each));
    const auto name = each.substr(0, equals);
    if (std::ranges::find(names, name) == names.end())
      throw usage_error("--param: there is no parameter " + in_quotes(name) + did_you_mean(name, names) +
                        "; " + has);
    if (!texts.emplace(name, each.substr(equals + 1)).second)
      throw usage_error("--param: " + name + " is given twice");
  }
  std::vector<converter::parameter_value> values;
  for (const auto& each : about.parameters) {
    const auto text = texts.find(each.name);
    if (text == texts.end())
      throw usage_error("parameter " + each.name + " is needed: --param " + each.name + "=VALUE");
    values.push_back(value_from(each, text->second));
  }
  return values;
}

std::string text_of_result(const converter::call& given, const converter::result_bytes& result) {
  return with_type(given.about.result.type, [&]<class T>(T value) {
    std::string text = given.about.kind == converter::category::r2v ? "bin,value\n" : "";
    for (std::size_t i = 0; i < result.size() / sizeof(T); ++i) {
      std::memcpy(&value, result.data() + i * sizeof(T), sizeof(T));
      if (given.about.kind == converter::category::r2v) text += std::to_string(i) + ",";
      text += number_text(value) + "\n";
    }
    return text;
  });
}

}  // namespace macareu::tool
