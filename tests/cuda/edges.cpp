// Canny's edges on the GPU: by bits where an image's tile fits, else stage by stage; the same as on the host.
#include <macareu/generate.hpp>
#include <macareu/operators.hpp>

#include "cuda/on_gpu.hpp"
#include "support/same.hpp"

namespace macareu::test {
namespace {

class edges : public on_gpu {
 protected:
  void compare(const const_image_view& f, const canny_options& options, const context& reference) {
    EXPECT_TRUE(same_bits(canny(f, options, cuda_), canny(f, options, reference)))
        << to_string(f.shape()) << ", " << (options.flavour == canny_flavour::itk ? "itk" : "skimage");
  }
};

/// All ends of tiles and words, in images that are smaller than either.
TEST_F(edges, of_every_size) {
  for (const auto& shape :
       {extents{1, 1}, extents{1, 200}, extents{200, 1}, extents{2, 3}, extents{31, 63}, extents{32, 64},
        extents{33, 65}, extents{64, 128}, extents{67, 130}, extents{301, 417}}) {
    const noise_pair given(shape);
    for (const auto flavour : {canny_flavour::itk, canny_flavour::skimage})
      for (const double sigma : {0.0, 1.0, 3.0, 20.0})  // the last does not fit a tile
        compare(given.mask_view(), {.flavour = flavour, .sigma = {sigma}, .low = 2, .high = 9}, serial_);
  }
}

TEST_F(edges, of_floats) {
  const auto made = generate("tissue", {1000, 1500}).mask;
  std::vector<float> pixels;
  for (const auto pixel : made.pixels<std::uint8_t>()) pixels.push_back(static_cast<float>(pixel) / 3);
  const const_image_view f(pixels.data(), made.shape());
  const context cpu{.device = "cpu"};
  for (const auto flavour : {canny_flavour::itk, canny_flavour::skimage})
    for (const double low : {-1.0, 0.0, 4.0})
      compare(f, {.flavour = flavour, .sigma = {1.4}, .low = low, .high = low + 3}, cpu);
}

/// Estimates of levels are not sure where an image is flat, nor along its flat parts.
TEST_F(edges, of_flat_parts) {
  auto made = generate("tissue", {500, 700}).mask;
  std::vector<float> floats;
  for (auto& pixel : made.pixels<std::uint8_t>()) {
    pixel = static_cast<std::uint8_t>(pixel / 50 * 50);
    floats.push_back(static_cast<float>(pixel) / 3);
  }
  const const_image_view of_floats(floats.data(), made.shape());
  for (const double low : {-1.0, 0.0, 0.01, 5.0})
    for (const double more : {0.0, 0.5, 20.0})
      for (const auto& f : {const_image_view(made), of_floats})
        compare(f, {.sigma = {1.0}, .low = low, .high = low + more}, serial_);
}

/// One edge through all tiles, with a start at one end of it.
TEST_F(edges, that_are_long) {
  const extents shape{777, 1111};
  std::vector<std::uint8_t> pixels(static_cast<std::size_t>(shape.pixels()));
  for (std::int64_t y = 0; y < shape.height(); ++y)
    for (std::int64_t x = 0; x < shape.width(); ++x) {
      const bool turn = y / 20 % 2 ? x > 1090 : x < 20;
      const bool wall = y % 20 < 10 || turn;
      pixels[static_cast<std::size_t>(y * shape.width() + x)] =
          static_cast<std::uint8_t>(wall ? (y < 30 && x < 40 ? 250 : 60) : 0);
    }
  const const_image_view f(pixels.data(), shape);
  const context cpu{.device = "cpu"};
  compare(f, {.sigma = {1.0}, .low = 3, .high = 50}, cpu);
  compare(f, {.sigma = {1.0}, .low = 3, .high = 200}, cpu);
}

TEST_F(edges, with_their_stages) {
  const noise_pair given({130, 200});
  const std::vector<const_image_view> inputs{given.mask_view()};
  const auto run = [&](const context& how) {
    std::vector<image> made;
    made.emplace_back(dtype::boolean, given.shape);
    made.emplace_back(dtype::f32, given.shape);
    made.emplace_back(dtype::boolean, given.shape);
    const std::vector<image_view> outputs{made[0], made[1], made[2]};
    run_operator(*find_operator("canny"), inputs, outputs, {{"low", number(5)}, {"high", number(20)}}, how);
    return made;
  };
  const auto there = run(cuda_), here = run(serial_);
  for (std::size_t i = 0; i < here.size(); ++i) EXPECT_TRUE(same_bits(there[i], here[i])) << "output " << i;
}

}  // namespace
}  // namespace macareu::test
