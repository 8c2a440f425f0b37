// Pairs of marker and mask for the suites.
#pragma once

#include <string_view>

#include <macareu/generate.hpp>
#include <macareu/image.hpp>

#include "suite.hpp"

namespace macareu::bench {

struct pair {
  image marker, mask;
};

pair generated_pair(std::string_view name, const extents& shape, const generate_options& how = {});

/// Whether the data directory has the published pair of paper 1 in a format that this build reads: tissue on
/// half of 4096 x 4096. Always false with --quick.
bool has_published_pair(const options& chosen);
pair published_pair(const options& chosen);

/// From u8 to u8, u16 or f32.
image converted(const image& from, dtype type);

}  // namespace macareu::bench
