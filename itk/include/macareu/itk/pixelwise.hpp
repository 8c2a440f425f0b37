// Operations on single pixels, before and after operators of the catalogue. Compiled once for all pixel
// types, for the host and for a GPU.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include <macareu/number.hpp>

namespace macareu::itk::pixelwise {

/// Converts by static_cast.
struct convert {};

/// A mask of the values from low to high, both included.
struct mark {
  number low, high;
};

/// A mask of all values but one.
struct mark_others {
  number value;
};

/// The conjunction of two masks.
struct mark_both {};

/// One of two values, by a mask.
struct choose {
  number inside, outside;
};

/// A value where the first image, a mask, is set; elsewhere the second image.
struct fill {
  number inside;
};

/// The length of a vector of two or three f64 images. As in ITK, the components, their squares, the sum and
/// its root are each rounded to the output's type.
struct length {};

/// Finishes distances. In the first image, infinity or the greatest integer marks pixels without a distance;
/// they become `nowhere`. A second image, a mask of objects, adds the sign.
struct distance {
  number nowhere;
  bool inside_is_positive = false;
  bool nowhere_has_a_sign = true;
};

/// Renumbers objects 1, 2, ... from 0 on, skipping the background's number.
struct leave_out {
  number background;
};

/// names[label]
struct rename {
  std::vector<std::uint64_t> names;
};

using work =
    std::variant<convert, mark, mark_others, mark_both, choose, fill, length, distance, leave_out, rename>;

}  // namespace macareu::itk::pixelwise
