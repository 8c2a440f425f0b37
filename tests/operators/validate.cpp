// Calls that are checked without images: what is refused, in parts that a front end can word.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "operators/pictures.hpp"

namespace macareu::test {
namespace {

const operator_description& named(std::string_view name) { return *find_operator(name); }

std::optional<call_problem> problem_of(std::string_view name, const std::vector<image_form>& forms,
                                       const arguments& given = {}, const context& how = {}) {
  try {
    validate(named(name), forms, given, how);
    return std::nullopt;
  } catch (const call_error& refused) {
    return refused.problem();
  }
}

std::string subject_of(const std::optional<call_problem>& problem) {
  return problem && problem->subject() ? problem->subject()->text : "";
}

const image_form open{}, grey{.channels = 1}, bytes{dtype::u8, extents{4, 5}, 1};

TEST(validate, what_is_open_is_not_refused) {
  for (const auto& about : catalogue()) {
    arguments required;
    for (const auto& parameter : about.parameters)
      if (parameter.default_text.empty()) required.emplace(parameter.name, number(1));
    EXPECT_NO_THROW(validate(about, std::vector<image_form>(about.inputs.size()), required)) << about.name;
  }
}

TEST(validate, tells_kind_subject_and_values) {
  const auto height = problem_of("hmax", {bytes}, {{"h", number(0.5)}});
  ASSERT_TRUE(height);
  EXPECT_EQ(height->kind, fault::value);
  EXPECT_EQ(height->operation, "hmax");
  EXPECT_EQ(subject_of(height), "h");
  EXPECT_EQ(height->subject()->is, error_part::role::parameter);
  EXPECT_EQ(height->given, "0.5");
  EXPECT_EQ(height->allowed, "whole numbers up to 255");

  EXPECT_EQ(problem_of("hmax", {open})->kind, fault::missing);
  EXPECT_EQ(problem_of("maxima", {open}, {{"height", number(1)}})->kind, fault::unknown);
  EXPECT_EQ(problem_of("reconstruct", {open})->kind, fault::count);
  EXPECT_EQ(problem_of("maxima", {{.channels = 3}})->kind, fault::channels);
  EXPECT_EQ(problem_of("maxima", {open}, {}, {.device = "abacus"})->given, "abacus");
  EXPECT_EQ(problem_of("maxima", {open}, {}, {.threads = -1})->given, "-1");
  EXPECT_EQ(problem_of("relabel", {open}, {{"largest", number(1.5)}})->allowed,
            "a whole number of objects, or inf");

  const auto shapes = problem_of("reconstruct", {bytes, {.shape = extents{5, 4}}});
  EXPECT_EQ(shapes->kind, fault::shape);
  EXPECT_EQ(subject_of(shapes), "mask");
  const auto types = problem_of("reconstruct", {bytes, {.type = dtype::i8}});
  EXPECT_EQ(types->kind, fault::type);
  EXPECT_EQ(problem_of("label", {open}, {{"background", number(1)}})->kind, fault::conflict);
}

TEST(validate, waits_for_what_depends_on_forms) {
  const arguments volumes{{"connectivity", connectivity(26)}}, half{{"h", number(0.5)}},
      steps{{"spacing", std::vector{number(1), number(2), number(3), number(4)}}};
  EXPECT_FALSE(problem_of("maxima", {open}, volumes));
  EXPECT_EQ(problem_of("maxima", {bytes}, volumes)->kind, fault::axes);
  EXPECT_FALSE(problem_of("hmax", {grey}, half)) << "floats have it";
  EXPECT_FALSE(problem_of("hmax", {{.type = dtype::f32}}, half));
  EXPECT_TRUE(problem_of("hmax", {{.type = dtype::i16}}, half));
  EXPECT_FALSE(problem_of("distance_transform", {open}, steps)) << "how many axes there are is not known";
  EXPECT_EQ(subject_of(problem_of("distance_transform", {{.shape = extents{2, 2, 2}}}, steps)), "spacing");
}

TEST(validate, says_what_a_run_says) {
  const picture<std::uint8_t> image{{1, 2}, {3, 4}};
  const arguments half{{"h", number(0.5)}};
  EXPECT_EQ(message_of<usage_error>([&] { validate(named("hmin"), std::vector{image_form{bytes}}, half); }),
            message_of<usage_error>([&] { run_operator(named("hmin"), std::array{image.view()}, half); }));
}

TEST(validate, names_are_spelled_by_the_front_end) {
  const auto problem = problem_of("label", {open}, {{"background", number(1)}});
  const auto option = [](const error_part& part) { return "--" + part.text; };
  EXPECT_EQ(problem->text(option), "--background is for --values, which is not given");
}

}  // namespace
}  // namespace macareu::test
