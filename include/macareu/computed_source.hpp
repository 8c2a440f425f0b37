// Images that are computed where they are read.
#pragma once

#include <cstdint>

#include <macareu/sources.hpp>

namespace macareu {

/// A source whose read() computes. A run in pieces calls it from the thread that computes, so that it may use
/// the threads of operators, and leaves room for its memory.
class computed_source : public image_source {
 public:
  /// While a region is read, result included.
  virtual std::int64_t bytes_per_pixel() const = 0;
};

}  // namespace macareu
