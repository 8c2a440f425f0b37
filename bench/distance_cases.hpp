// The cases and acceptance thresholds of the suite `distance`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <macareu/catalogue.hpp>
#include <macareu/image.hpp>

#include "suite.hpp"

namespace macareu::bench {

/// A binary image; zero pixels are the sites.
struct distance_origin {
  /// A name of generate(), `tissue-over-40`, or `sites`: one pixel in `one_in` on average (0: a single
  /// pixel).
  std::string_view family;
  extents shape;
  std::int64_t one_in = 0;
  int copies = 1;  ///< mirrored copies along each axis
};

struct distance_instance {
  std::string name;
  distance_origin from;
  bool of_paper_1 = false;               ///< measured by propagation too
  std::optional<time_limit> limit = {};  ///< of the exact transform on a GPU
  std::optional<memory_limit> extra_limit = {};
};

/// Variants besides the plain transform.
struct distance_variant {
  std::string name;
  std::string_view instance;
  std::string_view operation = "distance_transform";
  arguments given;
  bool on_cpu = true;  ///< measured there too
};

const std::vector<distance_instance>& distance_instances();
const std::vector<distance_variant>& distance_variants();

image make_sites(const distance_origin& from, const options& chosen);

}  // namespace macareu::bench
