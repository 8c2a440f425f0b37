// Typed view of an image: trivially copyable, so it can be a kernel's argument. Images are volumes of one
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

/// visit(i, values...) for `count` pixels of a row from `first` on. Contiguous rows have a separate loop,
/// which compilers vectorise.
template <class Visit, class... T>
MACAREU_HD void over_row(site first, std::int64_t count, Visit&& visit, const view<T>&... images) {
  const auto packed = [&](T*... row) {
    for (std::int64_t i = 0; i < count; ++i) visit(i, row[i]...);
  };
  if (((images.step_x == 1) && ...)) return packed((images.at(first.z, first.y) + first.x)...);
  for (std::int64_t i = 0; i < count; ++i) visit(i, images[{first.z, first.y, first.x + i}]...);
}

}  // namespace macareu
