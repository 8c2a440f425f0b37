// A queue of pixels of one tile, for fronts too narrow for sweeps of whole rows.
#pragma once

#include <cstdint>
#include <vector>

#include "engines/cpu/wave/tile.hpp"

namespace macareu::cpu {

/// First in, first out: pixels that have risen and may raise their neighbours.
template <class Key>
class pixel_queue {
 public:
  void clear() {
    waiting_.clear();
    next_ = 0;
    on_rim.clear();
  }
  std::size_t size() const { return waiting_.size() - next_; }
  void push(tile_pixel p) { waiting_.push_back(p); }
  tile_pixel pop() {
    const auto p = waiting_[next_++];
    if (next_ == waiting_.size()) {
      waiting_.clear();
      next_ = 0;
    }
    return p;
  }

  std::vector<raised_pixel<Key>> on_rim;  // risen pixels that neighbouring tiles read

 private:
  std::vector<tile_pixel> waiting_;
  std::size_t next_ = 0;
};

}  // namespace macareu::cpu
