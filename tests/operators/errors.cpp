// What operators refuse, and what they say: one line with the place, the values and what to do.
#include <gtest/gtest.h>

#include "operators/pictures.hpp"

namespace macareu::test {
namespace {

template <class Call>
std::string refusal(Call call) {
  return message_of<usage_error>(call);
}

const std::vector<std::string> both_engines{"serial", "cpu"};

class errors : public ::testing::TestWithParam<std::string> {
 protected:
  context on() const { return {.device = GetParam(), .threads = 2}; }
};
INSTANTIATE_TEST_SUITE_P(engines, errors, ::testing::ValuesIn(both_engines),
                         [](const auto& test) { return test.param; });

TEST(error, keeps_apart_what_it_is_about) {
  const io_error of_file("slide.tif", "is damaged"), plain("no space");
  EXPECT_STREQ(of_file.what(), "slide.tif: is damaged");
  EXPECT_EQ(of_file.about(), "slide.tif");
  EXPECT_EQ(of_file.message(), "is damaged");
  EXPECT_EQ(plain.about(), "");
  EXPECT_EQ(plain.message(), plain.what());
  const unfinished_error unfinished(of_file);
  EXPECT_STREQ(unfinished.what(), "slide.tif: is damaged; what is done is kept");
  EXPECT_EQ(unfinished.cause(), of_file.what());
  EXPECT_EQ(unfinished.about(), "slide.tif");
  const call_error of_call({.kind = fault::value, .operation = "median", .parts = {"too large"}});
  EXPECT_EQ(of_call.about(), "median");
  EXPECT_EQ(of_call.message(), "too large");
}

TEST_P(errors, a_marker_above_its_mask_is_named_at_its_first_pixel) {
  const picture<std::uint8_t> mask{{2, 3}, {5, 5, 5, 5, 5, 5}}, marker{{2, 3}, {5, 0, 5, 0, 9, 7}};
  EXPECT_EQ(
      refusal([&] { reconstruct(marker.view(), mask.view(), {}, on()); }),
      "reconstruct: marker 9 is above mask 5 at row 1, column 1; use clip to clip the marker to the mask");
  EXPECT_EQ(
      refusal([&] { reconstruct(marker.view(), mask.view(), {.by = reconstruct_by::erosion}, on()); }),
      "reconstruct: marker 0 is below mask 5 at row 0, column 1; use clip to clip the marker to the mask");
}

TEST_P(errors, the_first_pixel_is_first_in_raster_order_of_large_images_too) {
  for (const auto& shape : {extents{300, 400}, extents{20, 90, 200}}) {
    const auto pixels = static_cast<std::size_t>(shape.pixels());
    const picture<std::int32_t> mask{shape, std::vector<std::int32_t>(pixels, 10)};
    auto marker = mask;
    dice from(seed_of("first_pixel", shape.rank()));
    std::int64_t first = shape.pixels();
    for (int n = 0; n < 40; ++n) {
      const auto i = from.between(shape.pixels() / 3, shape.pixels() - 1);
      marker.pixels[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(i);
      first = std::min(first, i);
    }
    const auto said = refusal([&] { reconstruct(std::as_const(marker).view(), mask.view(), {}, on()); });
    EXPECT_NE(
        said.find("marker " + std::to_string(first) + " is above mask 10 at " + place_of(shape, first) + ";"),
        std::string::npos)
        << said;
  }
}

TEST_P(errors, values_are_printed_in_full) {
  const auto top = std::numeric_limits<std::uint64_t>::max();
  EXPECT_NE(refusal([&] {
              reconstruct(picture<std::uint64_t>{{1, 1}, {top}}.view(),
                          picture<std::uint64_t>{{1, 1}, {top - 1}}.view(), {}, on());
            }).find("marker 18446744073709551615 is above mask 18446744073709551614 at row 0, column 0"),
            std::string::npos);
  EXPECT_NE(refusal([&] {
              reconstruct(picture<double>{{1, 1, 1}, {0.1 + 0.2}}.view(),
                          picture<double>{{1, 1, 1}, {0.3}}.view(), {}, on());
            }).find("marker 0.30000000000000004 is above mask 0.3 at slice 0, row 0, column 0"),
            std::string::npos);
  EXPECT_NE(refusal([&] {
              reconstruct(picture<std::uint8_t>{{1, 1}, {1}, dtype::boolean}.view(),
                          picture<std::uint8_t>{{1, 1}, {0}, dtype::boolean}.view(), {}, on());
            }).find("marker 1 is above mask 0"),
            std::string::npos);
}

TEST_P(errors, nan_is_named_with_its_place) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const picture<float> good{{2, 2}, {0, 0, 0, 0}}, bad{{2, 2}, {0, 0, nan, nan}};
  const std::string place = "is NaN at row 1, column 0; replace NaN first, it has no order";
  EXPECT_EQ(refusal([&] { reconstruct(bad.view(), good.view(), {}, on()); }), "reconstruct: marker " + place);
  EXPECT_EQ(refusal([&] { reconstruct(good.view(), bad.view(), {}, on()); }), "reconstruct: mask " + place);
  EXPECT_EQ(refusal([&] { reconstruct(good.view(), bad.view(), {.clip = true}, on()); }),
            "reconstruct: mask " + place);
  for (const auto& about : catalogue()) {
    if (about.inputs.size() != 1 || about.pattern != "wave") continue;  // the others need no order
    if (about.name == "hysteresis") continue;                           // NaN is above nothing
    arguments given;
    for (const auto& parameter : about.parameters)
      if (parameter.default_text.empty()) given.emplace(parameter.name, number(1));
    EXPECT_EQ(refusal([&] { run_operator(about, std::array{bad.view()}, given, on()); }),
              std::string(about.name) + ": " + std::string(about.inputs[0].name) + " " + place);
  }
}

TEST_P(errors, nothing_is_written_before_a_pixel_check_fails) {
  const picture<std::uint8_t> mask{{1, 3}, {1, 1, 1}}, marker{{1, 3}, {0, 0, 9}};
  picture<std::uint8_t> out{{1, 3}, {7, 7, 7}};
  refusal([&] { reconstruct(marker.view(), mask.view(), out.view(), {}, on()); });
  EXPECT_EQ(out.pixels, (std::vector<std::uint8_t>{7, 7, 7}));
}

TEST_P(errors, heights) {
  const picture<std::uint8_t> f{{1, 2}, {3, 4}};
  const auto said = refusal([&] { hmax(f.view(), {.h = 0.5}, on()); });
  EXPECT_EQ(said, "hmax: h must be a whole number up to 255 for pixels of type u8, got 0.5");
  EXPECT_EQ(refusal([&] { hmin(f.view(), {.h = 256}, on()); }),
            "hmin: h must be a whole number up to 255 for pixels of type u8, got 256");
  refusal([&] { hdome(f.view(), {.h = 1.5}, on()); });
  EXPECT_EQ(refusal([&] {
              hmin(picture<std::uint8_t>{{1, 1}, {1}, dtype::boolean}.view(), {.h = 2}, on());
            }),
            "hmin: h must be a whole number up to 1 for pixels of type bool, got 2");
  EXPECT_EQ(refusal([&] {
              hmax(picture<std::int8_t>{{1, 1}, {1}}.view(), {.h = 128}, on());
            }),
            "hmax: h must be a whole number up to 127 for pixels of type i8, got 128");
  for (const number h : {number(0), number(-1), number(0.0), number(-0.5), number(std::nan("")),
                         number(std::numeric_limits<double>::infinity())}) {
    for (const auto& about : catalogue()) {
      const auto own = std::ranges::find(about.parameters, "h", &parameter_description::name);
      if (own == about.parameters.end() || own->or_equal) continue;
      const auto text = refusal([&] { run_operator(about, std::array{f.view()}, {{"h", h}}, on()); });
      EXPECT_NE(text.find("h: expected a number greater than 0, got"), std::string::npos) << text;
    }
  }
}

TEST_P(errors, connectivity_and_rank) {
  const picture<std::uint8_t> flat{{2, 2}, {0, 0, 0, 0}}, solid{{1, 2, 2}, {0, 0, 0, 0}};
  for (const int volume : {6, 18, 26})
    EXPECT_EQ(refusal([&] { maxima(flat.view(), {.connectivity = volume}, on()); }),
              "connectivity " + std::to_string(volume) +
                  " is for volumes, the input has 2 axes: use 4, 8, face, edge or full");
  for (const int flat_one : {4, 8})
    EXPECT_EQ(refusal([&] { fill_holes(solid.view(), {.connectivity = flat_one}, on()); }),
              "connectivity " + std::to_string(flat_one) +
                  " is for images, the input has 3 axes: use 6, 18, 26, face, edge or full");
  refusal([&] { maxima(picture<std::uint8_t>{{0, 5}, {}}.view(), {.connectivity = 6}, on()); });
  EXPECT_EQ(refusal([] { connectivity(5); }),
            "connectivity 5: use 4 or 8 for images, 6, 18 or 26 for volumes");
}

TEST_P(errors, images_that_do_not_fit_together) {
  const picture<std::uint8_t> two{{2, 2}, {0, 0, 0, 0}}, row{{1, 4}, {0, 0, 0, 0}},
      solid{{1, 2, 2}, {0, 0, 0, 0}};
  const picture<std::int8_t> other{{2, 2}, {0, 0, 0, 0}};
  EXPECT_EQ(refusal([&] { reconstruct(two.view(), row.view(), {}, on()); }),
            "reconstruct: mask is 1 x 4, but marker is 2 x 2: they must have one shape");
  refusal([&] { reconstruct(two.view(), solid.view(), {}, on()); });
  EXPECT_EQ(refusal([&] { reconstruct(two.view(), other.view(), {}, on()); }),
            "reconstruct: mask has pixels of type i8, but marker of u8: they must have one type");
  const image colour(dtype::u8, {2, 2}, 3);
  const auto said = refusal([&] { maxima(colour, {}, on()); });
  EXPECT_NE(said.find("maxima: image has 3 channels"), std::string::npos) << said;
  EXPECT_NE(said.find("luminance"), std::string::npos) << said;
  const auto& about = *find_operator("reconstruct");
  EXPECT_EQ(refusal([&] { run_operator(about, std::array{two.view()}, {}, on()); }),
            "reconstruct: takes 2 image(s), got 1");
}

TEST_P(errors, outputs_that_do_not_fit) {
  const picture<std::uint8_t> f{{2, 2}, {0, 0, 0, 1}};
  picture<std::uint8_t> wide{{2, 3}, std::vector<std::uint8_t>(6)};
  picture<std::uint16_t> deep{{2, 2}, std::vector<std::uint16_t>(4)};
  picture<std::uint8_t> bytes{{2, 2}, std::vector<std::uint8_t>(4)};
  EXPECT_EQ(refusal([&] { fill_holes(f.view(), wide.view(), {}, on()); }),
            "fill_holes: output filled must be grey and 2 x 2, like the input");
  EXPECT_EQ(refusal([&] { fill_holes(f.view(), deep.view(), {}, on()); }),
            "fill_holes: output filled must have pixels of type u8, not u16");
  EXPECT_EQ(refusal([&] { maxima(f.view(), bytes.view(), {}, on()); }),
            "maxima: output maxima must have pixels of type bool, not u8");
  const auto& about = *find_operator("maxima");
  EXPECT_EQ(
      refusal([&] { run_operator(about, std::array{f.view()}, std::span<const image_view>(), {}, on()); }),
      "maxima: gives 1 image(s), got room for 0");
  EXPECT_EQ(refusal([&] {
              fill_holes(f.view(), image_view(bytes.pixels.data(), extents{2, 2}, strides{0, 1}), {}, on());
            }),
            "fill_holes: output filled: its strides map two pixels to one address");
}

TEST_P(errors, overlap) {
  picture<std::uint8_t> f{{4, 4}, std::vector<std::uint8_t>(16, 0)}, mask = f;
  const auto part = [](picture<std::uint8_t>& of, std::int64_t first) {
    return image_view(of.pixels.data() + first, extents{2, 4}, strides{4, 1});
  };
  const std::string own = ": give it memory of its own";
  EXPECT_EQ(refusal([&] { fill_holes(std::as_const(f).view(), f.view(), {}, on()); }),
            "fill_holes: output filled overlaps input image" + own);
  EXPECT_EQ(refusal([&] {
              reconstruct(std::as_const(f).view(), std::as_const(mask).view(), mask.view(), {}, on());
            }),
            "reconstruct: output reconstruction overlaps input mask" + own);
  EXPECT_EQ(refusal([&] { reconstruct(part(f, 0), part(mask, 0), part(f, 4), {}, on()); }),
            "reconstruct: output reconstruction overlaps input marker" + own)
      << "the marker's memory, but one row further";
  EXPECT_NO_THROW(reconstruct(part(f, 0), part(mask, 0), part(f, 8), {}, on()));
  EXPECT_NO_THROW(reconstruct(part(f, 0), part(f, 0), part(f, 8), {}, on())) << "inputs may share memory";
}

TEST_P(errors, views_into_interleaved_channels_do_not_overlap) {
  image colour(dtype::u8, {3, 5}, 2);
  std::ranges::fill(colour.pixels<std::uint8_t>(), std::uint8_t{1});
  const image_view all = colour;
  EXPECT_NO_THROW(fill_holes(all.channel(0), all.channel(1), {}, on()));
  refusal([&] { fill_holes(all.channel(0), all.channel(0), {}, on()); });
}

TEST(unknown, devices_strategies_and_parameters) {
  const picture<std::uint8_t> f{{1, 2}, {3, 4}};
  const auto device = refusal([&] { maxima(f.view(), {}, {.device = "abacus"}); });
  EXPECT_TRUE(device.starts_with("device 'abacus' is not in this build; it has auto, serial, cpu")) << device;
  const auto strategy = refusal([&] { maxima(f.view(), {}, {.device = "cpu", .strategy = "magic"}); });
  EXPECT_NE(strategy.find("strategy 'magic' is unknown for maxima on cpu; it has auto"), std::string::npos)
      << strategy;
  for (const auto name : strategies("cpu", "wave"))
    EXPECT_NE(strategy.find(name), std::string::npos) << strategy;
  EXPECT_EQ(refusal([&] { maxima(f.view(), {}, {.threads = -1}); }),
            "threads: expected 0 (as many as the machine has) to 1024, got -1");

  const auto& about = *find_operator("hmax");
  EXPECT_EQ(refusal([&] {
              run_operator(about, std::array{f.view()}, {{"h", number(1)}, {"height", number(1)}});
            }),
            "hmax: no such parameter: height");
  EXPECT_EQ(refusal([&] { run_operator(about, std::array{f.view()}); }),
            "hmax: h is missing: give a number greater than 0");
  EXPECT_EQ(refusal([&] {
              run_operator(about, std::array{f.view()}, {{"h", true}});
            }),
            "h: expected a number greater than 0, got 'true'");
}

}  // namespace
}  // namespace macareu::test
