// A typed window on an image: trivially copyable, so it may be a kernel's argument. Images are volumes of one
// slice.
#pragma once

#include <cstdint>

#include "core/macros.hpp"
#include "core/site.hpp"

namespace macareu {

template <class T>
struct view {
  T* data{};
  std::int64_t depth{}, height{}, width{};
  std::int64_t step_z{}, step_y{}, step_x{};  // in elements

  MACAREU_HD T* at(std::int64_t z, std::int64_t y) const { return data + z * step_z + y * step_y; }
  MACAREU_HD T& operator[](site p) const { return at(p.z, p.y)[p.x * step_x]; }
  MACAREU_HD bool contains(site p) const {
    return p.z >= 0 && p.z < depth && p.y >= 0 && p.y < height && p.x >= 0 && p.x < width;
  }
  MACAREU_HD std::int64_t pixels() const { return depth * height * width; }
  MACAREU_HD operator view<const T>() const { return {data, depth, height, width, step_z, step_y, step_x}; }
};

}  // namespace macareu
