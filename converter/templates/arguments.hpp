// Parses the values of the command line.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <string>
#include <system_error>
#include <type_traits>

/// Parses decimal digits without surrounding text; a bool may be a word. Returns whether it is a value of the
/// type.
template <class Value>
bool read_value(const std::string& text, Value& value) {
  const char* const begin = text.c_str();
  const char* const end = begin + text.size();
  if constexpr (std::is_same_v<Value, bool>) {
    value = text == "true" || text == "1";
    return value || text == "false" || text == "0";
  } else if constexpr (std::is_floating_point_v<Value>) {
    char* stop = nullptr;
    const double number = std::strtod(begin, &stop);
    // An overflow to infinity is an error; the word for infinity is not.
    const bool infinite = std::isinf(number) && text.find_first_of("iI") != std::string::npos;
    const bool fits =
        stop == end && !text.empty() && text.find_first_of("+ \t\n") != 0 &&
        text.find_first_of("xX") == text.npos &&
        !(std::fabs(number) > static_cast<double>(std::numeric_limits<Value>::max()) && !infinite);
    if (fits) value = static_cast<Value>(number);
    return fits;
  } else {
    std::conditional_t<std::is_unsigned_v<Value>, unsigned long long, long long> number = 0;
    const auto [stop, failure] = std::from_chars(begin, end, number);
    const bool fits = stop == end && failure == std::errc() && number <= std::numeric_limits<Value>::max() &&
                      number >= std::numeric_limits<Value>::min();
    if (fits) value = static_cast<Value>(number);
    return fits;
  }
}

[[noreturn]] inline void refuse_value(const std::string& name, const std::string& text,
                                      const std::string& expected) {
  throw std::invalid_argument(name + ": expected " + expected + ", got '" + text + "'");
}

inline std::string whole_number_from(const std::string& lowest, const std::string& highest) {
  return "a whole number from " + lowest + " to " + highest;
}

template <class Value>
void set_value(Value& value, const std::string& name, const std::string& text) {
  if (read_value(text, value)) return;
  if constexpr (std::is_same_v<Value, bool>)
    refuse_value(name, text, "true, false, 1 or 0");
  else if constexpr (std::is_floating_point_v<Value>)
    refuse_value(
        name, text,
        std::is_same_v<Value, float> ? "a number that a float can hold" : "a number that a double can hold");
  else
    refuse_value(name, text,
                 whole_number_from(std::to_string(std::numeric_limits<Value>::min()),
                                   std::to_string(std::numeric_limits<Value>::max())));
}

inline int whole_number(const std::string& name, const std::string& text, int lowest, int highest) {
  int value = 0;
  if (!read_value(text, value) || value < lowest || value > highest)
    refuse_value(name, text, whole_number_from(std::to_string(lowest), std::to_string(highest)));
  return value;
}
