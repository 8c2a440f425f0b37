#include "regions.hpp"

#include <cstring>

namespace macareu::test {

image cut(const image& from, const image_region& region) {
  const auto& [z, y, x] = region.size;
  image result(from.type(), from.shape().rank() == 3 ? extents{z, y, x} : extents{y, x}, from.channels());
  const auto pixel = static_cast<std::int64_t>(size_of(from.type())) * from.channels();
  auto* to = static_cast<std::byte*>(result.data());
  for (std::int64_t k = 0; k < z; ++k)
    for (std::int64_t j = 0; j < y; ++j, to += x * pixel) {
      const auto row = (region.first[0] + k) * from.shape().height() + region.first[1] + j;
      if (x > 0)
        std::memcpy(to,
                    static_cast<const std::byte*>(from.data()) +
                        (row * from.shape().width() + region.first[2]) * pixel,
                    static_cast<std::size_t>(x * pixel));
    }
  return result;
}

image read_region(image_source& source, const image_region& region) {
  const auto& form = source.form();
  const auto& [z, y, x] = region.size;
  image result(form.type, form.shape.rank() == 3 ? extents{z, y, x} : extents{y, x}, form.channels);
  source.read(region, result.data());
  return result;
}

image_region random_region(const extents& shape, std::mt19937& random) {
  auto region = all_of(shape);
  for (std::size_t axis = shape.rank() == 3 ? 0 : 1; axis < 3; ++axis) {
    const auto size = region.size[axis];
    region.first[axis] = std::uniform_int_distribution<std::int64_t>(0, size)(random);
    // Half of the regions cover an axis, so that rows and slices are read together.
    if (random() % 2 == 0)
      region.first[axis] = 0;
    else
      region.size[axis] = std::uniform_int_distribution<std::int64_t>(0, size - region.first[axis])(random);
  }
  return region;
}

void expect_regions(image_source& source, const image& expected) {
  ASSERT_EQ(name_of(source.form().type), name_of(expected.type()));
  ASSERT_EQ(to_string(source.form().shape), to_string(expected.shape()));
  ASSERT_EQ(source.form().channels, expected.channels());
  expect_same(read_region(source, all_of(expected.shape())), expected);
  std::mt19937 random(7);
  for (int i = 0; i < 8; ++i) {
    const auto region = random_region(expected.shape(), random);
    SCOPED_TRACE("region of " + std::to_string(region.size[0]) + " x " + std::to_string(region.size[1]) +
                 " x " + std::to_string(region.size[2]));
    expect_same(read_region(source, region), cut(expected, region));
  }
}

void expect_like_read_image(const std::filesystem::path& file, const read_options& options) {
  const auto [pixels, info] = read_image(file, options);
  const auto source = open_source(file, options, directory());
  SCOPED_TRACE(file.filename().string() + " " + std::string(name_of(pixels.type())) + " " +
               to_string(pixels.shape()) + " x " + std::to_string(pixels.channels()));
  EXPECT_EQ(source->form().info.spacing, info.spacing);
  expect_regions(*source, pixels);
}

source_form form_of(const image& pixels, const metadata& info) {
  return {pixels.type(), pixels.shape(), pixels.channels(), info};
}

void write_pieces(image_sink& sink, const image& pixels, std::array<std::int64_t, 3> piece) {
  const auto whole = all_of(pixels.shape());
  std::vector<image_region> pieces;
  for (std::int64_t z = 0; z < whole.size[0]; z += piece[0])
    for (std::int64_t y = 0; y < whole.size[1]; y += piece[1])
      for (std::int64_t x = 0; x < whole.size[2]; x += piece[2])
        pieces.push_back({{z, y, x},
                          {std::min(piece[0], whole.size[0] - z), std::min(piece[1], whole.size[1] - y),
                           std::min(piece[2], whole.size[2] - x)}});
  if (!sink.in_order()) std::ranges::shuffle(pieces, std::mt19937(11));
  for (const auto& region : pieces) sink.write(region, cut(pixels, region).data());
}

}  // namespace macareu::test
