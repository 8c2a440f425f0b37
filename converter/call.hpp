// A call of a described function: images, parameters and result. The same for every device.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <macareu/image.hpp>

#include "description.hpp"
#include "generate.hpp"

namespace macareu::converter {

/// As in templates/entry.cpp.
union parameter_value {
  long long whole;
  unsigned long long natural;
  double real;
};

struct call {
  description about;
  generation how;
  std::vector<const image*> images;     ///< of the function's own types, of one shape
  std::vector<parameter_value> values;  ///< in the order of the description
  int bins = 256;
  int connectivity = 8;

  const extents& shape() const { return images[0]->shape(); }
};

/// The image, one value, or the vector: as bytes of the function's result type.
using result_bytes = std::vector<std::byte>;

/// How many bytes that is.
std::size_t result_size(const call& given);

/// Throws usage_error where the images do not fit the function, in shape or number of pixels.
void check_call(const call& given);

}  // namespace macareu::converter
