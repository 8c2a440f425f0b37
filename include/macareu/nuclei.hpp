// Nuclei of stained bright-field slides, by classical operators. docs/explanation/nuclei.md explains the
// steps.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <macareu/context.hpp>
#include <macareu/image.hpp>
#include <macareu/pieces.hpp>
#include <macareu/sources.hpp>

namespace macareu {

/// Parameters of the recipe. Lengths are in micrometres, areas in square micrometres.
struct nuclei_options {
  double smooth = 0.375;          ///< Gaussian of the density
  double hole = 2.5;              ///< pale centres that a disc of this radius closes are filled
  double local = 25;              ///< Gaussian of the means around a pixel
  double local_weight = 0.45;     ///< of the nuclear mean in the local threshold; the other mean has the rest
  double local_share = 0.85;      ///< of the local threshold that a nuclear pixel exceeds
  double valley = 0.15;           ///< of the local threshold: deeper valleys between nuclei are cut
  double valley_scale = 1.25;     ///< Gaussian of the Laplacian that shows valleys
  double opening = 0.75;          ///< radius of the disc that removes thin parts
  double min_blob = 8;            ///< smaller parts are dropped before nuclei are told apart
  double distance_cap = 3;        ///< distances from the rim that count, so that large nuclei keep one top
  double distance_smooth = 0.75;  ///< Gaussian of distances
  double density_weight = 0.5;    ///< height of a density as large as Otsu's threshold
  double density_smooth = 0.75;   ///< Gaussian of that density
  double blob_weight = 0.75;      ///< height of a Laplacian as large as Otsu's threshold
  double blob_scale = 1.5;        ///< Gaussian of that Laplacian
  double seed_height = 0.1;       ///< how far a nucleus' top stands out
  double merge_max = 156;         ///< touching parts are joined up to this area
  double merge_small = 12.5;      ///< parts smaller than this are joined more readily
  double merge_small_weight = 0.2;  ///< of the smallness
  double merge_dip_weight = 0.3;    ///< of the density on the border between two parts
  double refine = 0.45;             ///< a nucleus' own threshold, from its ring's mean to its own
  double ring = 2;                  ///< outer distance of the ring around a nucleus
  double ring_gap = 0.5;            ///< inner distance
  double grow = 0.75;               ///< how far the own threshold may move the outline outwards
  double refine_opening = 0.5;      ///< radius of the disc that smooths the outline
  double min_area = 8;              ///< of a nucleus
  double max_area = 375;

  std::string stain_set = "h-e";  ///< or h-dab
  std::vector<double> stains =
      {};  ///< optical densities of two or three stains, 6 or 9 numbers, in place of the set
  std::vector<double> white = {};  ///< red, green and blue without stain; empty: from the slide
};

/// Which pixels are tissue, at low resolution: pixel (y, x) is if mask(y / factor, x / factor) is set.
struct tissue_mask {
  image mask;
  std::int64_t factor = 1;
};

struct nuclei_report {
  std::array<double, 3> white{};                             ///< red, green and blue
  double threshold = 0;                                      ///< Otsu's, an optical density
  std::uint64_t count = 0;                                   ///< nuclei
  std::vector<std::pair<std::string, double>> seconds = {};  ///< of each step, in their order
  std::int64_t scratch_bytes = 0;                            ///< of work files, at most at one time
  std::int64_t boxes = 0;  ///< of whole objects that were computed in memory; 0: in pieces, or all at once
};

/// Red, green and blue without stain: of each channel the 99th percentile over the tissue, at least 220.
std::array<double, 3> find_white(image_source& rgb, const tissue_mask* tissue, const context& how = {},
                                 const piece_options& pieces = {});

/// Finds the nuclei of an image of u8 with three channels; mpp is the size of a pixel in micrometres. Labels
/// are 1..n in the raster order of first pixels, u32. They are the same bits for every piece size, thread
/// count and engine. Pixels outside the tissue have no density, and do not count in statistics. Returns n.
/// Ranks that share it write rows of their own, and the first one commits the labels.
std::uint64_t find_nuclei(image_source& rgb, const tissue_mask* tissue, double mpp, image_sink& labels,
                          const nuclei_options& options = {}, const context& how = {},
                          const piece_options& pieces = {}, nuclei_report* report = nullptr);

/// The same in memory, of an image that the host can read.
image find_nuclei(const const_image_view& rgb, double mpp, const nuclei_options& options = {},
                  const context& how = {}, nuclei_report* report = nullptr);

}  // namespace macareu
