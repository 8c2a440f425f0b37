// A parameter's number: exact for every pixel type, 64-bit integers included.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <variant>

namespace macareu {

class number {
 public:
  template <std::floating_point F>
  number(F value) : value_(static_cast<double>(value)) {}
  template <std::signed_integral I>
  number(I value) : value_(static_cast<std::int64_t>(value)) {}
  template <std::unsigned_integral U>
  number(U value) : value_(static_cast<std::uint64_t>(value)) {}

  /// The nearest double.
  double to_double() const {
    return std::visit([](auto value) { return static_cast<double>(value); }, value_);
  }
  const std::variant<std::int64_t, std::uint64_t, double>& value() const { return value_; }

 private:
  std::variant<std::int64_t, std::uint64_t, double> value_;
};

std::string to_string(const number& value);

/// A closed interval.
struct interval {
  number low, high;
};

}  // namespace macareu
