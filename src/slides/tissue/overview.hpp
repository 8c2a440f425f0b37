// A slide at low resolution.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <stop_token>

#include <macareu/image.hpp>
#include <macareu/sources.hpp>

namespace macareu::slides {

/// Means of colours. A pixel covers factor x factor pixels of the analysed part, fewer at its end.
struct overview {
  image colour;  ///< red, green and blue of u8
  std::int64_t factor = 1;
};

struct overview_sizes {
  std::int64_t picture = 1;  ///< factor of the overview
  std::int64_t tissue = 1;   ///< factor of the tissue mask, a multiple
};

/// A level of a file's pyramid, whose pixels cover `downsample` pixels of level 0 along each axis.
struct coarse_level {
  std::unique_ptr<image_source> pixels;
  std::int64_t downsample = 1;
};

/// The smallest level with at most this downsample; without one `pixels` is null. Throws io_error if the file
/// names a level that cannot be read.
coarse_level find_level(const std::filesystem::path& file, const source_form& level_0, std::int64_t most,
                        const std::filesystem::path& scratch);

/// Factors for a part of this shape: about 8 um for tissue, and a picture of at most 2048 pixels where that
/// is finer. Both are multiples of the downsample.
overview_sizes sizes_for(const extents& part, double mpp, std::int64_t downsample);

/// Reduces a part of level 0. `from` is level 0, or a level with this downsample that divides the factor. At
/// most `memory` bytes are read at once, where rows are not longer. 0 threads are all.
overview reduce(image_source& from, std::int64_t downsample, const image_region& part, std::int64_t factor,
                std::int64_t memory, const std::stop_token& stop = {}, int threads = 0);

/// Limits of views_of().
struct view_limits {
  std::int64_t memory = 0;             ///< of the whole run; 0: no limit
  std::filesystem::path scratch = {};  ///< for levels of formats without random access
  std::stop_token stop = {};
  int threads = 0;  ///< 0 are all
};

/// A part of a slide as pictures show it, and coarser, where tissue is looked for.
struct slide_views {
  overview picture, coarse;
};

/// Views of a part of level 0, which `level_0` gives, from a smaller level where the file has one. `slide` is
/// the form of the whole level 0. Without a name of a file there are no levels.
slide_views views_of(const std::filesystem::path& file, const source_form& slide, image_source& level_0,
                     const image_region& part, double mpp, const view_limits& limits);

}  // namespace macareu::slides
