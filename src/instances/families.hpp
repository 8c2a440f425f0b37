// The formulas, one function per instance; generate.cpp lists them.
#pragma once

#include <macareu/generate.hpp>

namespace macareu::formula {

instance random(const extents& shape, const generate_options& options);
instance percolation(const extents& shape, const generate_options& options);

instance flat(const extents& shape, const generate_options& options);
instance serpentine(const extents& shape, const generate_options& options);
instance spiral(const extents& shape, const generate_options& options);

instance noise(const extents& shape, const generate_options& options);
instance tissue(const extents& shape, const generate_options& options);

instance sites_1(const extents& shape, const generate_options& options);
instance sites_10(const extents& shape, const generate_options& options);
instance circles16(const extents& shape, const generate_options& options);
instance big_circle(const extents& shape, const generate_options& options);
instance central_circle(const extents& shape, const generate_options& options);
instance corner_squares(const extents& shape, const generate_options& options);
instance diagonal(const extents& shape, const generate_options& options);
instance cross(const extents& shape, const generate_options& options);

instance chess(const extents& shape, const generate_options& options);
instance blocks(const extents& shape, const generate_options& options);
instance snake(const extents& shape, const generate_options& options);

}  // namespace macareu::formula
