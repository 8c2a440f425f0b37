// The catalogue describes every operator completely, and arguments come from text.
#include <gtest/gtest.h>

#include <array>
#include <set>

#include <macareu/macareu.hpp>

#include "operators/pictures.hpp"

namespace macareu::test {
namespace {

TEST(catalogue, names_every_operator_once) {
  std::set<std::string_view> names, verbs;
  for (const auto& about : catalogue()) {
    EXPECT_TRUE(names.insert(about.name).second) << about.name;
    EXPECT_TRUE(verbs.insert(about.verb).second) << about.verb;
    EXPECT_EQ(find_operator(about.name), &about);
    EXPECT_EQ(find_operator(about.verb), &about);
  }
  for (const auto* name :
       {"reconstruct", "fill_holes", "maxima", "minima", "h_maxima", "h_minima", "hmax", "hmin", "hdome"})
    EXPECT_TRUE(names.contains(name)) << name;
  for (const auto* verb :
       {"reconstruct", "fill-holes", "maxima", "minima", "hmaxima", "hminima", "hmax", "hmin", "hdome"})
    EXPECT_TRUE(verbs.contains(verb)) << verb;
  EXPECT_EQ(find_operator("no-such-operator"), nullptr);
}

TEST(catalogue, descriptions_are_complete) {
  for (const auto& about : catalogue()) {
    SCOPED_TRACE(about.name);
    EXPECT_FALSE(about.group.empty() || about.pattern.empty() || about.notes.empty());
    EXPECT_FALSE(about.formula.empty() || about.formula.ends_with('.')) << about.formula;
    EXPECT_TRUE(about.brief.ends_with('.')) << about.brief;
    EXPECT_FALSE(about.inputs.empty());
    EXPECT_EQ(about.outputs.empty(), !about.table.empty() || !about.shapes.empty());
    for (const auto& input : about.inputs) EXPECT_FALSE(input.name.empty() || input.help.empty());
    for (const auto& output : about.outputs) EXPECT_FALSE(output.name.empty() || output.help.empty());
    for (const auto& parameter : about.parameters) {
      EXPECT_FALSE(parameter.name.empty() || parameter.help.empty());
      EXPECT_EQ(parameter.kind == parameter_kind::choice, !parameter.choices.empty());
      if (!parameter.default_text.empty()) {
        EXPECT_NO_THROW(parse_argument(parameter, parameter.default_text));
      }
    }
  }
}

TEST(catalogue, suggests_what_an_unknown_name_means) {
  const auto nearest = [](std::string_view name) {
    const auto* found = nearest_operator(name);
    return found ? found->name : "";
  };
  EXPECT_EQ(nearest("recontruct"), "reconstruct");
  EXPECT_EQ(nearest("hmaxima"), "h_maxima");
  EXPECT_EQ(nearest("imreconstruct"), "reconstruct");
  EXPECT_EQ(nearest("ndimage.label"), "label");
  EXPECT_EQ(nearest("ConnectedComponent"), "label");
  EXPECT_EQ(nearest("connectedComponentsWithStats"), "measure");
  EXPECT_EQ(nearest("skimage.measure.label"), "label");
  EXPECT_EQ(nearest("cv::Canny"), "canny");
  EXPECT_EQ(nearest("adds"), "add");
  EXPECT_EQ(nearest("abs"), "");
  EXPECT_EQ(nearest("abracadabra"), "");
  EXPECT_EQ(nearest(""), "");
}

TEST(catalogue, suggests_parameters) {
  const auto image = macareu::image(dtype::u8, {2, 2});
  const std::array<const_image_view, 1> inputs{image};
  const auto* about = find_operator("maxima");
  EXPECT_EQ(message_of<usage_error>([&] {
              run_operator(*about, inputs, {{"conectivity", std::string("4")}});
            }),
            "maxima: no such parameter: conectivity (did you mean connectivity?)");
  EXPECT_EQ(message_of<usage_error>([&] {
              run_operator(*about, inputs, {{"sigma", std::string("4")}});
            }),
            "maxima: no such parameter: sigma");
}

TEST(catalogue, serial_and_cpu_are_in_every_build) {
  const auto all = devices();
  EXPECT_NE(std::ranges::find(all, "serial"), all.end());
  EXPECT_NE(std::ranges::find(all, "cpu"), all.end());
  EXPECT_FALSE(strategies("cpu", "wave").empty());
  EXPECT_TRUE(strategies("serial", "wave").empty());
  EXPECT_TRUE(strategies("abacus", "wave").empty());
}

TEST(catalogue, tells_what_works_in_pieces) {
  for (const auto& about : all_operators()) {
    for (const auto* const device : {"auto", "cpu"})
      EXPECT_EQ(works_in_pieces(about, device), about.in_pieces) << about.name << " " << device;
    const auto all = built_devices();
    const bool has_cuda = std::ranges::find(all, "cuda") != all.end();
    for (const auto* const device : {"cuda", "cuda:0,cuda:1"})
      EXPECT_EQ(works_in_pieces(about, device), about.in_pieces && has_cuda) << about.name << " " << device;
    for (const auto* const device : {"serial", "unknown", "cudafoo"})
      EXPECT_FALSE(works_in_pieces(about, device)) << about.name << " " << device;
    EXPECT_TRUE(about.in_pieces || about.hidden) << about.name;
  }
}

TEST(arguments, numbers_are_exact) {
  const parameter_description h{"h", parameter_kind::number, "", "height"};
  const auto parsed = [&](std::string_view text) {
    return to_string(std::get<number>(parse_argument(h, text)));
  };
  for (const auto* text :
       {"1", "9007199254740993", "9223372036854775807", "18446744073709551615", "0.25", "1e-300"})
    EXPECT_EQ(parsed(text), text);
  EXPECT_EQ(std::get<number>(parse_argument(h, "0.1")).to_double(), 0.1);
  for (const auto* text : {"", "0", "-1", "-0.5", "nan", "inf", "one", "1x", " 1", "1e999"})
    EXPECT_EQ(message_of<usage_error>([&] { parse_argument(h, text); }),
              "h: expected a number greater than 0, got '" + std::string(text) + "'");
}

TEST(arguments, connectivity_choice_and_flag) {
  const parameter_description near{"connectivity", parameter_kind::connectivity, "full", "neighbours"};
  for (const auto* text : {"4", "8", "6", "18", "26", "face", "edge", "full"})
    EXPECT_EQ(std::get<connectivity>(parse_argument(near, text)).name(), text);
  EXPECT_EQ(message_of<usage_error>([&] { parse_argument(near, "5"); }),
            "connectivity: expected 4, 8, 6, 18, 26, face, edge or full, got '5'");

  const parameter_description by{"by", parameter_kind::choice, "dilation", "how", "dilation|erosion"};
  EXPECT_EQ(std::get<std::string>(parse_argument(by, "erosion")), "erosion");
  for (const auto* text : {"", "dila", "dilation|erosion", "Erosion"})
    EXPECT_EQ(message_of<usage_error>([&] { parse_argument(by, text); }),
              "by: expected one of dilation|erosion, got '" + std::string(text) + "'");

  const parameter_description clip{"clip", parameter_kind::flag, "false", "whether"};
  EXPECT_TRUE(std::get<bool>(parse_argument(clip, "true")));
  EXPECT_FALSE(std::get<bool>(parse_argument(clip, "false")));
  EXPECT_EQ(message_of<usage_error>([&] { parse_argument(clip, "yes"); }),
            "clip: expected true or false, got 'yes'");
}

/// As on the command line and in Python, where all values come as text or as numbers.
TEST(arguments, by_their_text) {
  const picture<std::uint8_t> f{{2, 2}, {7, 0, 0, 9}};
  const auto values = [&](const char* name, const arguments& given) {
    return run_operator(*find_operator(name), std::vector{f.view()}, given, on_serial);
  };
  for (const argument& four : {argument(connectivity(4)), argument(std::string("4")), argument(number(4)),
                               argument(std::string("face"))})
    EXPECT_EQ(values_of<std::uint32_t>(values("label", {{"connectivity", four}})[0]),
              (std::vector<std::uint32_t>{1, 0, 0, 2}));
  EXPECT_TRUE(same_bits(
      values("distance_transform", {{"spacing", std::string("2,0.5")}, {"invert", std::string("true")}})[0],
      distance_transform(f.view(), {.spacing = {2, 0.5}, .invert = true}, on_serial)));
  EXPECT_TRUE(same_bits(values("distance_transform", {{"spacing", number(2)}})[0],
                        distance_transform(f.view(), {.spacing = {2}}, on_serial)));
  const auto refused = [&](const char* name, const arguments& given) {
    return message_of<usage_error>([&] { values(name, given); });
  };
  EXPECT_EQ(refused("label", {{"connectivity", std::string("round")}}),
            "connectivity: expected 4, 8, 6, 18, 26, face, edge or full, got 'round'");
  EXPECT_EQ(refused("label", {{"connectivity", true}}),
            "connectivity: expected 4, 8, 6, 18, 26, face, edge or full, got 'true'");
  EXPECT_EQ(refused("distance_transform", {{"invert", number(1)}}),
            "invert: expected true or false, got '1'");
  EXPECT_EQ(refused("distance_transform", {{"max_distance", std::vector<number>{1, 2}}}),
            "max_distance: expected a number greater than 0, or inf, got '1,2'");
}

TEST(connectivities, reach) {
  EXPECT_EQ(connectivity(4).reach(2), 1);
  EXPECT_EQ(connectivity(8).reach(2), 2);
  EXPECT_EQ(connectivity(6).reach(3), 1);
  EXPECT_EQ(connectivity(18).reach(3), 2);
  EXPECT_EQ(connectivity(26).reach(3), 3);
  EXPECT_EQ(connectivity::face.reach(2), 1);
  EXPECT_EQ(connectivity::face.reach(3), 1);
  EXPECT_EQ(connectivity::edge.reach(2), 2);
  EXPECT_EQ(connectivity::edge.reach(3), 2);
  EXPECT_EQ(connectivity::full.reach(2), 2);
  EXPECT_EQ(connectivity::full.reach(3), 3);
  EXPECT_FALSE(connectivity::named("12").has_value());
}

}  // namespace
}  // namespace macareu::test
