// Where outlines of nuclei are on an overview.
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "slides/outputs/label_store.hpp"
#include "slides/tissue/overview.hpp"

namespace macareu::slides {

/// For every pixel of the overview, how many pixels in it are on the outline of a nucleus.
std::vector<std::uint32_t> count_outlines(label_store& labels, const overview& on,
                                          const std::stop_token& stop);

}  // namespace macareu::slides
