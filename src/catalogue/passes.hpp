// How often operators in pieces read a pixel of an input, for their reference pages. A test counts the reads.
#pragma once

#include <string_view>

namespace macareu {

struct operator_passes {
  std::string_view name;
  int reads;                   ///< at most, with default parameters and without halos
  std::string_view more = {};  ///< what the image may add to them
};

inline constexpr operator_passes passes_in_pieces[] = {
    {"add", 1},
    {"black_tophat", 2},
    {"blend", 1},
    {"canny", 1},
    {"cast", 1},
    {"clear_border", 2},
    {"clip", 1},
    {"closing", 1},
    {"closing_by_reconstruction", 3},
    {"contours", 2},
    {"convolve", 1},
    {"dilation", 1},
    {"distance_transform", 1},
    {"enlarge", 1},
    {"erosion", 1},
    {"evaluate", 1},
    {"expand_labels", 2},
    {"fill_holes", 2},
    {"gaussian", 1},
    {"h_maxima", 3},
    {"h_minima", 3},
    {"hdome", 2},
    {"histogram", 1},
    {"hmax", 2},
    {"hmin", 2},
    {"hysteresis", 2},
    {"invert", 1},
    {"label", 2},
    {"laplacian_of_gaussian", 1},
    {"local_threshold", 1},
    {"maxima", 3},
    {"measure", 2},
    {"median", 1},
    {"merge_regions", 3},
    {"minima", 3},
    {"morphological_gradient", 1},
    {"nearest_label", 2},
    {"nearest_site", 2},
    {"opening", 1},
    {"opening_by_reconstruction", 3},
    {"reconstruct", 2},
    {"reduce", 1},
    {"relabel", 3},
    {"remove_small", 3},
    {"rescale", 3},
    {"sobel", 1},
    {"statistics", 1},
    {"subtract", 1},
    {"threshold", 3},
    {"unmix", 1},
    {"watershed", 5, ", and again where rims change"},
    {"white_tophat", 2},
};

}  // namespace macareu
