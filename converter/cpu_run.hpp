// Runs a function on the CPU: the system's compiler builds a cached shared object.
#pragma once

#include <macareu/context.hpp>

#include "call.hpp"

namespace macareu::converter {

enum class cpu_engine { serial, parallel };

/// The compiled function. Throws device_error if there is no compiler, or if it fails.
class cpu_function {
 public:
  explicit cpu_function(const description& about, const generation& how);
  ~cpu_function();
  cpu_function(const cpu_function&) = delete;
  cpu_function& operator=(const cpu_function&) = delete;

  /// Uses threads, stop and progress of `how`. The library's cpu engine distributes the work, as for
  /// operators.
  void operator()(const call& given, cpu_engine where, const context& how, result_bytes& result) const;

 private:
  void* library_ = nullptr;
  void* entry_ = nullptr;
};

}  // namespace macareu::converter
