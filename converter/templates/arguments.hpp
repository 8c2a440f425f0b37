// Values of the command line.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <string>
#include <system_error>
#include <type_traits>

/// As decimal digits, with nothing around them.
template <class Value>
void set_value(Value& value, const std::string& name, const std::string& text) {
  const char* const begin = text.c_str();
  const char* const end = begin + text.size();
  constexpr auto highest = std::numeric_limits<Value>::max();
  bool fits = false;
  if constexpr (std::is_floating_point_v<Value>) {
    char* stop = nullptr;
    const double number = std::strtod(begin, &stop);
    // A number too large for a double is infinite, and so is what says so.
    const bool infinite = std::isinf(number) && text.find_first_of("iI") != std::string::npos;
    fits = stop == end && text.find_first_of("+ \t\n") != 0 && text.find_first_of("xX") == text.npos &&
           !(std::fabs(number) > static_cast<double>(highest) && !infinite);
    if (fits) value = static_cast<Value>(number);
  } else {
    std::conditional_t<std::is_unsigned_v<Value>, unsigned long long, long long> number = 0;
    const auto [stop, failure] = std::from_chars(begin, end, number);
    fits = stop == end && failure == std::errc() && number <= highest &&
           number >= std::numeric_limits<Value>::min();
    if (fits) value = static_cast<Value>(number);
  }
  if (text.empty() || !fits) throw std::invalid_argument(name + ": '" + text + "' is no value for it");
}

inline int whole_number(const std::string& name, const std::string& text, int lowest, int highest) {
  long long value = 0;
  set_value(value, name, text);
  if (value < lowest || value > highest)
    throw std::invalid_argument(name + ": expected a whole number from " + std::to_string(lowest) + " to " +
                                std::to_string(highest) + ", got '" + text + "'");
  return static_cast<int>(value);
}
