// Every operator of the catalogue with random parameters on small images against the serial engine: the same
// bits, or the same error.
#include "conformance/against_serial.hpp"

namespace macareu::test {
namespace {

constexpr std::int64_t small_images_each = 500;  // for each connectivity

class small_operators : public against_serial {
 protected:
  small_operators() : against_serial(most_small_pixels) {}

  void compare_one(const operator_description& about, neighbours near, std::int64_t i) {
    const int threads = i % 16 == 3 ? 2 : i % 16 == 11 ? 3 : 1;
    const auto seed = seed_of(about.name, type(), near.count, i);
    SCOPED_TRACE("seed " + std::to_string(seed));
    dice from(seed);
    draw_scene(from, draw_shape(from, near.rank, longest_side(device(), near.rank, i)), scene_);
    with_type(type(), [&]<class T>() {
      std::vector<T> palette(static_cast<std::size_t>(scene_.levels));
      draw_palette(from, type(), palette);
      auto given = draw_arguments(from, about, type(), near.count, palette);
      keep_comparable(given, device());
      const bool wrong_way_up = from.once_in(8);  // then a marker lies beyond its mask
      const bool sinks =
          (given.contains("by") && std::get<std::string>(given.at("by")) == "erosion") != wrong_way_up;
      compare(from, about, draw_inputs(from, about, palette, sinks), given, threads);
    });
  }
};

TEST_P(small_operators, equal_serial) {
  const bool fractions = type() == dtype::f32 || type() == dtype::f64;
  for (const auto& about : all_operators()) {
    if (!takes(about, type())) continue;
    refused_ = 0;
    std::int64_t images = 0;
    for (const auto near : all_neighbours) {
      if (!takes_rank(about, near.rank)) continue;
      for (std::int64_t i = 0; i < scaled_for(device(), near.rank, small_images_each); ++i, ++images)
        ASSERT_NO_FATAL_FAILURE(compare_one(about, near, i));
    }
    if (fractions && about.takes_labels) continue;  // labels are whole
    // Parameters and images that are refused test little.
    EXPECT_LT(refused_, images / 2 + 5) << about.name << ": calls were refused; see draw_arguments.cpp";
  }
}

INSTANTIATE_TEST_SUITE_P(all, small_operators, engines_and_types(), parameter_name);

}  // namespace
}  // namespace macareu::test
