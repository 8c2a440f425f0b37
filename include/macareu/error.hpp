// Errors by whose fault they are. Every message is one line: what, where, which values, what to do.
#pragma once

#include <stdexcept>
#include <string>

namespace macareu {

class error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The caller asked for something that cannot be: shape, type, option or pixel values.
class usage_error : public error {
 public:
  using error::error;
};

/// A file is missing, damaged, of an unsupported kind, or cannot be written.
class io_error : public error {
 public:
  using error::error;
};

/// A device is absent, too small, or failed.
class device_error : public error {
 public:
  using error::error;
};

/// A promise of this library was broken: please report it.
class internal_error : public error {
 public:
  using error::error;
};

/// The caller's stop token was set. Memory given for the result is in no defined state.
class interrupted : public error {
 public:
  interrupted() : error("interrupted") {}
};

}  // namespace macareu
