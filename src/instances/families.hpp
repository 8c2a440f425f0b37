// The formulas, one function per instance; generate.cpp lists them.
#pragma once

#include <cstdint>
#include <functional>

#include <macareu/generate.hpp>

namespace macareu::formula {

struct drawing {
  /// Draws a region of whole rows. `marker` and `truth` are null where they are not wanted.
  std::function<void(const image_region& rows, std::uint8_t* mask, std::uint8_t* marker,
                     std::uint32_t* truth)>
      draw;
  /// Bytes that draw() allocates and keeps at most.
  std::int64_t work_memory = 0;
};

drawing random(const extents& shape, const generate_options& options);
drawing percolation(const extents& shape, const generate_options& options);

drawing flat(const extents& shape, const generate_options& options);
drawing serpentine(const extents& shape, const generate_options& options);
drawing spiral(const extents& shape, const generate_options& options);

drawing noise(const extents& shape, const generate_options& options);
drawing tissue(const extents& shape, const generate_options& options);
drawing stained_slide(const extents& shape, const generate_options& options);

drawing sites_1(const extents& shape, const generate_options& options);
drawing sites_10(const extents& shape, const generate_options& options);
drawing circles16(const extents& shape, const generate_options& options);
drawing big_circle(const extents& shape, const generate_options& options);
drawing central_circle(const extents& shape, const generate_options& options);
drawing corner_squares(const extents& shape, const generate_options& options);
drawing diagonal(const extents& shape, const generate_options& options);
drawing cross(const extents& shape, const generate_options& options);

drawing chess(const extents& shape, const generate_options& options);
drawing blocks(const extents& shape, const generate_options& options);
drawing snake(const extents& shape, const generate_options& options);

}  // namespace macareu::formula
