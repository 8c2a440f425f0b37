#include "slides/nuclei/parameters.hpp"

namespace macareu::slides {
namespace {

using o = nuclei_options;

constexpr nuclei_parameter parameters[] = {
    {"smooth", &o::smooth, "um", "Gaussian of the haematoxylin's density"},
    {"hole", &o::hole, "um", "pale centres narrower than this disc's radius are filled"},
    {"local", &o::local, "um", "Gaussian of the local means of nuclei and background"},
    {"local_weight", &o::local_weight, "", "local threshold: share of the way from background to nuclei"},
    {"local_share", &o::local_share, "", "factor of the local threshold"},
    {"valley", &o::valley, "", "depth of valleys that separate nuclei"},
    {"valley_scale", &o::valley_scale, "um", "Gaussian of these valleys"},
    {"opening", &o::opening, "um", "disc of the foreground's opening"},
    {"min_blob", &o::min_blob, "um^2", "least area of a part of the foreground"},
    {"distance_cap", &o::distance_cap, "um", "most that the distance to the background counts"},
    {"distance_smooth", &o::distance_smooth, "um", "Gaussian of the distance"},
    {"density_weight", &o::density_weight, "um", "weight of the density in the landscape"},
    {"density_smooth", &o::density_smooth, "um", "Gaussian of that density"},
    {"blob_weight", &o::blob_weight, "um", "weight of the Laplacian of Gaussian in the landscape"},
    {"blob_scale", &o::blob_scale, "um", "Gaussian of that Laplacian"},
    {"seed_height", &o::seed_height, "um", "dynamics that a seed needs"},
    {"merge_max", &o::merge_max, "um^2", "largest area of merged parts"},
    {"merge_small", &o::merge_small, "um^2", "parts below this area merge more easily"},
    {"merge_small_weight", &o::merge_small_weight, "", "weight of that"},
    {"merge_dip_weight", &o::merge_dip_weight, "", "weight of the density on the border between parts"},
    {"refine", &o::refine, "", "threshold of each nucleus, between its ring and its mean"},
    {"ring", &o::ring, "um", "outer distance of the ring"},
    {"ring_gap", &o::ring_gap, "um", "inner distance of the ring"},
    {"grow", &o::grow, "um", "how far a refined nucleus may grow"},
    {"refine_opening", &o::refine_opening, "um", "disc of the opening after that"},
    {"min_area", &o::min_area, "um^2", "least area of a nucleus"},
    {"max_area", &o::max_area, "um^2", "largest area of a nucleus"},
};

}  // namespace

std::span<const nuclei_parameter> nuclei_parameters() { return parameters; }

}  // namespace macareu::slides
