// Reconstruction on small images of all kinds against the serial engine, bit for bit.
#include "conformance/engine_runs.hpp"
#include "support/strided.hpp"

namespace macareu::test {
namespace {

constexpr std::int64_t wave_images_each = 20000;  // for each connectivity

class small_reconstruct : public engine_and_type {
 protected:
  /// One image on every strategy: contiguous, in place of the marker, or strided in and out.
  void compare(const arguments& given, const context& how, dice& from, std::int64_t variant) {
    const auto marker = marker_.of(type(), scene_.shape), mask = mask_.of(type(), scene_.shape);
    const auto expected = expected_.of(type(), scene_.shape);
    if (variant % 16 == 1) {
      strided_image strided_marker(from, type(), scene_.shape), strided_mask(from, type(), scene_.shape),
          out(from, type(), scene_.shape);
      strided_marker.assign(marker);
      strided_mask.assign(mask);
      run_operator(about_, std::array<const_image_view, 2>{strided_marker, strided_mask},
                   std::array{out.view()}, given, how);
      ASSERT_TRUE(same_bits(out, expected)) << "strided";
      ASSERT_TRUE(out.gaps_untouched()) << "wrote between the pixels";
      return;
    }
    if (variant % 16 == 2) {
      const auto out = got_.of(type(), scene_.shape);
      std::memcpy(out.data(), marker.data(),
                  static_cast<std::size_t>(scene_.shape.pixels()) * size_of(type()));
      run_operator(about_, std::array<const_image_view, 2>{out, mask}, std::array{out}, given, how);
      ASSERT_TRUE(same_bits(out, expected)) << "in place of the marker";
      return;
    }
    const auto out = got_.spoiled(type(), scene_.shape);
    run_operator(about_, std::array<const_image_view, 2>{marker, mask}, std::array{out}, given, how);
    ASSERT_TRUE(same_bits(out, expected));
  }

  void compare_or_fail(const arguments& given, const context& how, dice& from, std::int64_t variant) {
    try {
      compare(given, how, from, variant);
    } catch (const std::exception& error) {
      FAIL() << error.what();
    }
  }

  template <class T>
  void draw(dice& from, int rank, std::int64_t longest, bool erosion, std::vector<T>& palette) {
    draw_scene(from, draw_shape(from, rank, longest), scene_);
    palette.resize(static_cast<std::size_t>(scene_.levels));
    draw_palette(from, type(), palette);
    paint(scene_.marker, palette, erosion, static_cast<T*>(marker_.of(type(), scene_.shape).data()));
    paint(scene_.mask, palette, erosion, static_cast<T*>(mask_.of(type(), scene_.shape).data()));
  }

  const operator_description& about_ = *find_operator("reconstruct");
  scene scene_;
  canvas marker_{most_small_pixels}, mask_{most_small_pixels}, expected_{most_small_pixels},
      got_{most_small_pixels};
};

TEST_P(small_reconstruct, equals_serial) {
  const context serial{.device = "serial"};
  for (const auto near : all_neighbours) {
    const std::vector<context> by_threads[] = {contexts(device(), about_.pattern, 1, near.rank),
                                               contexts(device(), about_.pattern, 2, near.rank),
                                               contexts(device(), about_.pattern, 3, near.rank)};
    const arguments given[] = {{{"by", std::string("dilation")}, {"connectivity", connectivity(near.count)}},
                               {{"by", std::string("erosion")}, {"connectivity", connectivity(near.count)}}};
    for (std::int64_t i = 0; i < scaled_for(device(), near.rank, wave_images_each); ++i) {
      const auto seed = seed_of("small_reconstruct", type(), near.count, i);
      dice from(seed);
      const bool erosion = from.once_in(2);
      with_type(type(), [&]<class T>() {
        static std::vector<T> palette;
        draw(from, near.rank, longest_side(device(), near.rank, i), erosion, palette);
      });
      const auto marker = marker_.of(type(), scene_.shape), mask = mask_.of(type(), scene_.shape);
      run_operator(about_, std::array<const_image_view, 2>{marker, mask},
                   std::array{expected_.spoiled(type(), scene_.shape)}, given[erosion], serial);
      const auto threads = i % 32 == 5 ? 2 : i % 32 == 21 ? 3 : 1;
      for (const auto& how : by_threads[threads - 1]) {
        ASSERT_NO_FATAL_FAILURE(compare_or_fail(given[erosion], how, from, i))
            << describe(about_, how, given[erosion]) << ", seed " << seed;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(all, small_reconstruct, engines_and_types(), parameter_name);

}  // namespace
}  // namespace macareu::test
