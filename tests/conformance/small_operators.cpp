// Every operator of the catalogue with random parameters on small images against the serial engine: the same
// bits, or the same error.
#include "conformance/draw_arguments.hpp"
#include "conformance/engine_runs.hpp"

namespace macareu::test {
namespace {

constexpr std::int64_t images_per_connectivity = 500;

class small_operators : public engine_and_type {
 protected:
  void compare(const operator_description& about, neighbours near, std::int64_t i) {
    const int threads = i % 16 == 3 ? 2 : i % 16 == 11 ? 3 : 1;
    const auto seed = seed_of(about.name, type(), near.count, i);
    SCOPED_TRACE("seed " + std::to_string(seed));
    dice from(seed);
    draw_scene(from, draw_shape(from, near.rank, longest_side(device(), near.rank, i)), scene_);
    const auto given = with_type(type(), [&]<class T>() {
      std::vector<T> palette(static_cast<std::size_t>(scene_.levels));
      draw_palette(from, type(), palette);
      auto drawn = draw_arguments(from, about, type(), near.count, palette);
      keep_comparable(drawn, device());
      const bool wrong_way_up = from.once_in(8);  // then a marker lies beyond its mask
      const bool sinks =
          (drawn.contains("by") && std::get<std::string>(drawn.at("by")) == "erosion") != wrong_way_up;
      paint(scene_.marker, palette, sinks, static_cast<T*>(marker_.of(type(), scene_.shape).data()));
      paint(scene_.mask, palette, sinks, static_cast<T*>(mask_.of(type(), scene_.shape).data()));
      if constexpr (std::is_floating_point_v<T>)
        if (from.once_in(40) && scene_.shape.pixels() > 0)
          static_cast<T*>(mask_.of(type(), scene_.shape).data())[from.below(scene_.shape.pixels())] =
              std::numeric_limits<T>::quiet_NaN();
      return drawn;
    });
    const auto inputs = inputs_of(about, marker_.of(type(), scene_.shape), mask_.of(type(), scene_.shape));
    if (!about.table.empty()) return compare_tables(about, inputs, given, threads, near.rank);
    if (!has_type(about, given)) {  // seen before any engine is asked
      ++refused_;
      return;
    }

    const auto out_type = output_type(about, 0, type(), scene_.shape, given);
    const auto expected = expected_.spoiled(out_type, scene_.shape);
    const auto error = run(about, inputs, expected, given, {.device = "serial"});
    for (const auto& how : contexts(device(), about.pattern, threads, near.rank)) {
      const auto out = got_.spoiled(out_type, scene_.shape);
      ASSERT_EQ(run(about, inputs, out, given, how), error) << describe(about, how, given);
      if (!error) {
        ASSERT_TRUE(same_bits(out, expected)) << describe(about, how, given);
      }
    }
    refused_ += error.has_value();
  }

  /// False where the arguments are refused together with the shape.
  bool has_type(const operator_description& about, const arguments& given) const {
    try {
      output_type(about, 0, type(), scene_.shape, given);
      return true;
    } catch (const usage_error&) {
      return false;
    }
  }

  void compare_tables(const operator_description& about, std::span<const const_image_view> inputs,
                      const arguments& given, int threads, int rank) {
    const auto expected = run_table(about, inputs, given, {.device = "serial"});
    for (const auto& how : contexts(device(), about.pattern, threads, rank))
      ASSERT_EQ(run_table(about, inputs, given, how), expected) << describe(about, how, given);
    refused_ += !expected.ends_with('\n');
  }

  scene scene_;
  canvas marker_{most_small_pixels}, mask_{most_small_pixels}, expected_{most_small_pixels},
      got_{most_small_pixels};
  std::int64_t refused_ = 0;
};

TEST_P(small_operators, equal_serial) {
  for (const auto& about : catalogue()) {
    if (about.name == "measure") continue;  // tests/operators/measure.cpp
    refused_ = 0;
    std::int64_t images = 0;
    for (const auto near : all_neighbours)
      for (std::int64_t i = 0; i < scaled_for(device(), near.rank, images_per_connectivity); ++i, ++images)
        ASSERT_NO_FATAL_FAILURE(compare(about, near, i));
    if (about.name == "relabel" && (type() == dtype::f32 || type() == dtype::f64))
      continue;  // labels are whole numbers
    // Parameters and images that are refused test little.
    EXPECT_LT(refused_, images / 2 + 5) << about.name;
  }
}

INSTANTIATE_TEST_SUITE_P(all, small_operators, engines_and_types(), parameter_name);

}  // namespace
}  // namespace macareu::test
