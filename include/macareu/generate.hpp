// Test and benchmark images by formula: integer arithmetic only, the same bytes on every machine and thread
// count.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <string_view>

#include <macareu/image.hpp>

namespace macareu {

struct instance_description {
  std::string_view name;
  std::string_view brief;
  bool images = true;   ///< offered in 2-D
  bool volumes = true;  ///< offered in 3-D
  bool marker = true;   ///< has a marker beside its mask
};

std::span<const instance_description> instances();

struct generate_options {
  std::uint64_t seed = 1;
  int coverage = 50;          ///< tissue: per cent of the slide covered, 25, 50, 75 or 100
  std::stop_token stop = {};  ///< when it is set, the call throws `interrupted`
};

struct instance {
  image mask;
  std::optional<image> marker;
};

/// Throws usage_error for an unknown name, or a rank the instance does not have; interrupted when it is
/// stopped.
instance generate(std::string_view name, const extents& shape, const generate_options& options = {});

}  // namespace macareu
