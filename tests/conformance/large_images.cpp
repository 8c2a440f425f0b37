// Images of many tiles against the serial engine: waves that cross tiles in all directions, long corridors,
// strided views, the marker's own memory, and repeated runs.
#include "conformance/against_serial.hpp"
#include "support/mazes.hpp"

namespace macareu::test {
namespace {

constexpr std::int64_t large_images_each = 30;  // for each connectivity
const extents image_shapes[] = {{390, 560}, {129, 257}, {1, 3000}, {2500, 1},
                                {5, 1023},  {260, 300}, {140, 520}};
const extents volume_shapes[] = {{36, 70, 140}, {17, 33, 129}, {3, 70, 270},
                                 {1, 140, 261}, {50, 5, 66},   {33, 40, 65}};

/// A corridor of one pixel. The marker is one pixel at its start, or a staircase along it, so that each wave
/// is overtaken by the next.
void draw_corridor(dice& from, const extents& shape, scene& s) {
  const auto path = from.once_in(2)   ? spiral(shape)
                    : from.once_in(2) ? serpentine(shape)
                                      : serpentine_of_columns(shape);
  const auto length = *std::ranges::max_element(path) + 1;
  s.shape = shape;
  s.levels = static_cast<int>(from.between(2, 12));
  const auto top = static_cast<level>(s.levels - 1);
  s.mask.assign(path.size(), level{0});
  s.marker.assign(path.size(), level{0});
  const bool falling = from.once_in(3), stairs = from.once_in(2), from_end = from.once_in(2);
  const auto every = std::max<std::int64_t>(length / from.between(2, 6), 1);
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (path[i] < 0) continue;
    const auto place = from_end ? length - 1 - path[i] : path[i];
    const auto height = static_cast<level>(place * s.levels / length);
    s.mask[i] = falling ? static_cast<level>(top - height) : top;
    if (place == 0 || (stairs && place % every == 0))
      s.marker[i] = std::min(s.mask[i], stairs ? height : top);
  }
}

constexpr std::int64_t most_pixels = 36 * 70 * 140;

class large_images : public against_serial {
 protected:
  large_images() : against_serial(most_pixels) {}

  void draw_form(dice& from, int rank, bool corridors) {
    const auto& shape = rank == 3 ? from.pick(volume_shapes) : from.pick(image_shapes);
    if (corridors)
      draw_corridor(from, shape, scene_);
    else
      draw_scene(from, shape, scene_);
  }

  void draw(dice& from, int rank, bool corridors, bool sinks) {
    draw_form(from, rank, corridors);
    const auto& shape = scene_.shape;
    marker_ = image(type(), shape);
    mask_ = image(type(), shape);
    with_type(type(), [&]<class T>() {
      std::vector<T> palette(static_cast<std::size_t>(scene_.levels));
      draw_palette(from, type(), palette);
      paint(scene_.marker, palette, sinks, static_cast<T*>(marker_.data()));
      paint(scene_.mask, palette, sinks, static_cast<T*>(mask_.data()));
    });
  }

  image reconstruct_on(const arguments& given, const context& how) {
    return std::move(
        run_operator(reconstruct_, std::array<const_image_view, 2>{marker_, mask_}, given, how)[0]);
  }

  const operator_description& reconstruct_ = *find_operator("reconstruct");
  image marker_, mask_;
};

arguments reconstruct_arguments(bool erosion, int neighbour_count) {
  return {{"by", std::string(erosion ? "erosion" : "dilation")},
          {"connectivity", connectivity(neighbour_count)}};
}

TEST_P(large_images, reconstruct_equals_serial) {
  for (const auto near : all_neighbours)
    for (std::int64_t i = 0; i < scaled(large_images_each); ++i) {
      const auto seed = seed_of("large_reconstruct", type(), near.count, i);
      dice from(seed);
      const bool erosion = from.once_in(2);
      draw(from, near.rank, i % 2 == 1, erosion);
      const auto given = reconstruct_arguments(erosion, near.count);
      const auto expected = reconstruct_on(given, {.device = "serial"});
      for (const auto& how :
           contexts(device(), reconstruct_.pattern, static_cast<int>(i % 3) + 1, near.rank)) {
        SCOPED_TRACE(describe(reconstruct_, how, given) + ", seed " + std::to_string(seed));
        if (i % 4 == 2) {
          strided_image marker(from, type(), mask_.shape()), mask(from, type(), mask_.shape()),
              out(from, type(), mask_.shape());
          marker.assign(marker_);
          mask.assign(mask_);
          run_operator(reconstruct_, std::array<const_image_view, 2>{marker, mask}, std::array{out.view()},
                       given, how);
          ASSERT_TRUE(same_bits(out, expected)) << "strided";
          ASSERT_TRUE(out.gaps_untouched()) << "wrote between the pixels";
        } else if (i % 4 == 3) {
          auto out = copy_of(marker_);
          run_operator(reconstruct_, std::array<const_image_view, 2>{out, mask_},
                       std::array<image_view, 1>{out}, given, how);
          ASSERT_TRUE(same_bits(out, expected)) << "in place of the marker";
        } else {
          ASSERT_TRUE(same_bits(reconstruct_on(given, how), expected));
        }
      }
    }
}

TEST_P(large_images, operators_equal_serial) {
  for (const auto& about : catalogue())
    for (const auto near : all_neighbours) {
      const auto images = scaled_on_average(2, seed_of(about.name, type(), near.count));
      for (std::int64_t i = 0; i < images; ++i) {
        const auto seed = seed_of(about.name, type(), near.count, i, 1);
        SCOPED_TRACE("seed " + std::to_string(seed));
        dice from(seed);
        draw_form(from, near.rank, from.once_in(2));
        with_type(type(), [&]<class T>() {
          std::vector<T> palette(static_cast<std::size_t>(scene_.levels));
          draw_palette(from, type(), palette);
          auto given = draw_arguments(from, about, type(), near.count,
                                      std::vector<T>{T{0}, T{1}, static_cast<T>(from.between(2, 100))});
          if (given.contains("clip")) given.insert_or_assign("clip", true);
          // What an image, or one of three axes, does not have.
          if (given.contains("give"))
            given.insert_or_assign("give", std::string(from.once_in(3) ? "x" : "magnitude"));
          if (given.contains("size") && near.rank == 3) given.insert_or_assign("size", number(3));
          keep_comparable(given, device());
          compare(from, about, draw_inputs(from, about, palette, false), given,
                  static_cast<int>(from.between(1, 3)));
        });
        if (HasFatalFailure()) return;
      }
    }
}

TEST_P(large_images, repeat_the_same_bits) {
  for (const auto near : {neighbours{8, 2}, neighbours{26, 3}}) {
    const auto seed = seed_of("repeat", type(), near.count);
    dice from(seed);
    draw(from, near.rank, from.once_in(2), false);
    const auto given = reconstruct_arguments(false, near.count);
    for (const auto& how : contexts(device(), reconstruct_.pattern, 3, near.rank)) {
      const auto first = reconstruct_on(given, how);
      for (std::int64_t again = 1; again < std::max<std::int64_t>(3, scaled(20)); ++again)
        ASSERT_TRUE(same_bits(reconstruct_on(given, how), first))
            << describe(reconstruct_, how, given) << ", run " << again << ", seed " << seed;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(all, large_images, engines_and_types(), parameter_name);

}  // namespace
}  // namespace macareu::test
