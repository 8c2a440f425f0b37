// A function on the CPU: compiled by the system's compiler to a shared object, which is kept, and called.
#pragma once

#include <macareu/context.hpp>

#include "call.hpp"

namespace macareu::converter {

enum class cpu_engine { serial, parallel };

/// The compiled function. Throws device_error where there is no compiler, or it fails.
class cpu_function {
 public:
  explicit cpu_function(const description& about, const generation& how);
  ~cpu_function();
  cpu_function(const cpu_function&) = delete;
  cpu_function& operator=(const cpu_function&) = delete;

  /// Of `how` threads, stop and progress: work is shared out by the library's cpu engine, as that of
  /// operators.
  void operator()(const call& given, cpu_engine where, const context& how, result_bytes& result) const;

 private:
  void* library_ = nullptr;
  void* entry_ = nullptr;
};

}  // namespace macareu::converter
