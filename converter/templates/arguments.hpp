// Values of the command line.
#pragma once

#include <cerrno>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>

template <class Value>
void set_value(Value& value, const std::string& name, const std::string& text) {
  char* end = nullptr;
  errno = 0;
  bool fits = true;
  if constexpr (std::is_floating_point_v<Value>) {
    value = static_cast<Value>(std::strtod(text.c_str(), &end));
  } else if constexpr (std::is_unsigned_v<Value>) {
    const auto number = std::strtoull(text.c_str(), &end, 10);
    fits = number <= std::numeric_limits<Value>::max() && text.find('-') == std::string::npos;
    value = static_cast<Value>(number);
  } else {
    const auto number = std::strtoll(text.c_str(), &end, 10);
    fits = number >= std::numeric_limits<Value>::min() && number <= std::numeric_limits<Value>::max();
    value = static_cast<Value>(number);
  }
  if (text.empty() || *end != '\0' || errno == ERANGE || !fits)
    throw std::invalid_argument(name + ": '" + text + "' is no value for it");
}
