// What filters do to single pixels, before and after operators of the catalogue. Compiled once for all pixel
// types: for the host's threads and for a GPU.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include <macareu/number.hpp>

namespace macareu::itk::pixelwise {

/// As static_cast does.
struct convert {};

/// A mask: from low to high, both included.
struct mark {
  number low, high;
};

/// A mask: any value but one.
struct mark_others {
  number value;
};

/// A mask, of two masks.
struct mark_both {};

/// One of two values, by a mask.
struct choose {
  number inside, outside;
};

/// A value where the first image, a mask, is set; elsewhere the second image.
struct fill {
  number inside;
};

/// The length of a vector, of two or three images of f64. As in ITK what is squared, each square, their sum
/// and its root are rounded to the output's type.
struct length {};

/// The first image has distances, and where there are none infinity or the greatest integer, which becomes
/// `nowhere`. By the second, a mask of objects, they get a sign, if it is given.
struct distance {
  number nowhere;
  bool inside_is_positive = false;
  bool nowhere_has_a_sign = true;
};

/// Objects that are numbered 1, 2, ... are numbered from 0, and by numbers that are not the background's.
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
