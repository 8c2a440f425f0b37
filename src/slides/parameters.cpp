#include "slides/parameters.hpp"

namespace macareu::slides {
namespace {

using o = nuclei_options;

constexpr nuclei_parameter parameters[] = {
    {"smooth", &o::smooth, "um", "Gaussian of the haematoxylin's density"},
    {"hole", &o::hole, "um", "pale centres narrower than this disc's radius are filled"},
    {"local", &o::local, "um", "Gaussian of the local means of nuclei and background"},
    {"w", &o::w, "", "local threshold: share of the way from background to nuclei"},
    {"k", &o::k, "", "factor of the local threshold"},
    {"valley", &o::valley, "", "depth of valleys that separate nuclei"},
    {"valley_s", &o::valley_s, "um", "Gaussian of these valleys"},
    {"opening", &o::opening, "um", "disc of the foreground's opening"},
    {"min_blob", &o::min_blob, "um^2", "least area of a part of the foreground"},
    {"cap", &o::cap, "um", "most that the distance to the background counts"},
    {"edt_s", &o::edt_s, "um", "Gaussian of the distance"},
    {"w_int", &o::w_int, "um", "weight of the density in the landscape"},
    {"int_s", &o::int_s, "um", "Gaussian of that density"},
    {"w_log", &o::w_log, "um", "weight of the Laplacian of Gaussian in the landscape"},
    {"log_s", &o::log_s, "um", "Gaussian of that Laplacian"},
    {"h", &o::h, "um", "dynamics that a seed needs"},
    {"merge_max", &o::merge_max, "um^2", "largest area of merged parts"},
    {"small", &o::small, "um^2", "parts below this area merge more easily"},
    {"c_small", &o::c_small, "", "weight of that"},
    {"c_dip", &o::c_dip, "", "weight of the density on the border between parts"},
    {"refine", &o::refine, "", "threshold of each nucleus, between its ring and its mean"},
    {"ring", &o::ring, "um", "outer distance of the ring"},
    {"ring_gap", &o::ring_gap, "um", "inner distance of the ring"},
    {"grow", &o::grow, "um", "how far a refined nucleus may grow"},
    {"refine_open", &o::refine_open, "um", "disc of the opening after that"},
    {"min_area", &o::min_area, "um^2", "least area of a nucleus"},
    {"max_area", &o::max_area, "um^2", "largest area of a nucleus"},
};

}  // namespace

std::span<const nuclei_parameter> nuclei_parameters() { return parameters; }

}  // namespace macareu::slides
