// What the tests of images by regions share.
#pragma once

#include <random>
#include <vector>

#include <macareu/sources.hpp>

#include "support.hpp"

namespace macareu::test {

inline image_region all_of(const extents& shape) {
  return {{}, {shape.depth(), shape.height(), shape.width()}};
}
/// A region of an image, as an image.
image cut(const image& from, const image_region& region);
image read_region(image_source& source, const image_region& region);
image_region random_region(const extents& shape, std::mt19937& random);

/// Compares the source with the image: form, all pixels, and random regions.
void expect_regions(image_source& source, const image& expected);
/// Compares a file by regions with the file as a whole.
void expect_like_read_image(const std::filesystem::path& file, const read_options& options = {});

source_form form_of(const image& pixels, const metadata& info = {});
/// Writes all pixels in pieces of `piece`, in random order.
void write_pieces(image_sink& sink, const image& pixels, std::array<std::int64_t, 3> piece);

}  // namespace macareu::test
