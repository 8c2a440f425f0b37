// The division of an image into tiles.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/ceil_div.hpp"
#include "core/neighbourhood.hpp"
#include "core/site.hpp"

namespace macareu::cpu {

struct tile_size {
  int width, height, depth;
};

/// A tile's place in the image, and its size clipped to the image.
struct tile_place {
  site first;
  int width, height, depth;
};

class tile_grid {
 public:
  tile_grid(std::int64_t depth, std::int64_t height, std::int64_t width, tile_size size)
      : size_(size),
        image_{depth, height, width},
        count_{ceil_div(depth, size.depth), ceil_div(height, size.height), ceil_div(width, size.width)} {}

  std::int64_t tiles() const { return count_.z * count_.y * count_.x; }
  const tile_size& size() const { return size_; }
  const site& count() const { return count_; }

  site position(std::int64_t tile) const {
    return {tile / count_.x / count_.y, tile / count_.x % count_.y, tile % count_.x};
  }

  tile_place place(std::int64_t tile) const {
    const site p = position(tile);
    const site first{p.z * size_.depth, p.y * size_.height, p.x * size_.width};
    return {first, static_cast<int>(std::min<std::int64_t>(size_.width, image_.x - first.x)),
            static_cast<int>(std::min<std::int64_t>(size_.height, image_.y - first.y)),
            static_cast<int>(std::min<std::int64_t>(size_.depth, image_.z - first.z))};
  }

  /// -1 outside the image.
  std::int64_t neighbour(const site& position, int dz, int dy, int dx) const {
    const site p{position.z + dz, position.y + dy, position.x + dx};
    if (p.z < 0 || p.z >= count_.z || p.y < 0 || p.y >= count_.y || p.x < 0 || p.x >= count_.x) return -1;
    return (p.z * count_.y + p.y) * count_.x + p.x;
  }

 private:
  tile_size size_;
  site image_, count_;
};

}  // namespace macareu::cpu
