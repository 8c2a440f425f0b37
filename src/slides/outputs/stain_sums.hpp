// What one pass over labels and colours says of every nucleus: its first pixel and its stains.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <macareu/catalogue.hpp>
#include <macareu/nuclei.hpp>

#include "slides/outputs/label_store.hpp"

namespace macareu::slides {

/// Optical densities of one stain in every nucleus. Sums are integers, so their order does not matter.
struct stain_column {
  std::string name;  ///< as QuPath has it: Hematoxylin
  std::vector<std::int64_t> sum, squares;
  std::vector<float> least, most;

  static constexpr double unit = 1.0 / (1 << 20);
};

struct stain_sums {
  std::vector<std::uint32_t> first_y, first_x;  ///< the first pixel in raster order
  std::vector<std::uint32_t> pixels;
  std::vector<stain_column> stains;
};

/// Parameters of `unmix` for the stains of the options.
arguments unmixing(const nuclei_options& options, const std::array<double, 3>& white);
/// Names of the stains that are measured.
std::vector<std::string> stain_names(const nuclei_options& options);

/// Labels are 1 to count. Tiles without labels are not read. Of ranks that share it, the first one gets the
/// sums of all.
stain_sums sum_stains(image_source& rgb, label_store& labels, std::uint64_t count,
                      const nuclei_options& options, const std::array<double, 3>& white, const context& how,
                      ranks* shared_by = nullptr);

}  // namespace macareu::slides
