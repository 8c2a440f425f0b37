// Entries of an operator are compiled in parts by pixel type, and joined.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include <macareu/catalogue.hpp>
#include <macareu/error.hpp>

#include "catalogue/entry.hpp"
#include "operators/pictures.hpp"

namespace macareu::test {
namespace {

constexpr std::size_t type_count = std::tuple_size_v<decltype(entry::by_type)>;

bool takes(const operator_description& about, dtype type) {
  const auto has = [&](dtype one) { return std::ranges::find(about.types, one) != about.types.end(); };
  return about.types.empty() || has(type) || (type == dtype::u8 && has(dtype::boolean));
}

void nothing(const call&) {}
void something(const call&) {}

entry entry_for(dtype type, entry::function run) {
  entry made{find_operator("threshold"), "cpu", nullptr};
  made.by_type[static_cast<std::size_t>(type)].run = run;
  return made;
}

TEST(pixel_sets, every_engine_has_code_for_every_type_that_an_operator_takes) {
  for (const auto& about : all_operators())
    for (const std::string engine : {"serial", "cpu"}) {
      const auto all = entries();
      const auto is_it = [&](const entry& one) {
        return one.about->name == about.name && one.engine == engine;
      };
      ASSERT_EQ(std::ranges::count_if(all, is_it), 1) << engine << " " << about.name;
      const auto& found = *std::ranges::find_if(all, is_it);
      for (std::size_t t = 0; t < type_count; ++t) {
        const auto type = static_cast<dtype>(t);
        if (!takes(about, type)) continue;
        EXPECT_TRUE(found.by_type[t].run) << engine << " " << about.name << " " << name_of(type);
        const bool in_pieces = found.by_type[t].run_in_pieces != nullptr;
        EXPECT_EQ(in_pieces, about.in_pieces && engine == "cpu")
            << engine << " " << about.name << " " << name_of(type);
      }
    }
}

TEST(pixel_sets, parts_join_to_one_entry_and_types_without_code_are_refused) {
  const auto all = joined_entries({entry_for(dtype::u8, &nothing), entry_for(dtype::f64, &something)});
  const auto named = [&](std::string_view name) {
    return std::ranges::find(all, name, [](const entry& one) { return one.about->name; });
  };
  const auto code_for = [&](std::string_view name, dtype type, bool in_pieces = false) {
    const image of(type, {2, 2});
    const const_image_view view = of;
    const arguments none;
    const context how;
    job work{how, {}};
    return named(name)->code_for({*find_operator(name), {&view, 1}, {}, none, work}, in_pieces);
  };
  ASSERT_NE(named("threshold"), all.end());
  EXPECT_EQ(code_for("threshold", dtype::u8), &nothing);
  EXPECT_EQ(code_for("threshold", dtype::f64), &something);
  EXPECT_EQ(message_of<usage_error>([&] { code_for("threshold", dtype::i64); }),
            "threshold: this build has no code for pixels of type i64; build all of it with make "
            "(-DMACAREU_OPERATORS=all)");
  ASSERT_NE(named("invert"), all.end());
  EXPECT_EQ(message_of<usage_error>([&] { code_for("invert", dtype::i64, true); }),
            "invert: this build has no code for pieces of type i64; build all of it with make "
            "(-DMACAREU_OPERATORS=all)");
}

/// The code of usual calls is preferred, and all other code is there too.
TEST(pixel_sets, usual_calls_have_code_of_their_own) {
  const auto usual = [](const call& of) { return of.flag("invert"); };
  entry first{find_operator("distance_transform"), "cpu", nullptr, true}, rest = first;
  const auto u8 = static_cast<std::size_t>(dtype::u8);
  first.usual[u8].run = &nothing;
  first.is_usual = usual;
  rest.by_type[u8] = {&something, &something};
  const auto all = joined_entries({first, rest});
  const auto code_for = [&](bool invert, bool in_pieces) {
    const image of(dtype::u8, {2, 2});
    const const_image_view view = of;
    const arguments given{{"invert", invert}};
    const context how;
    job work{how, {}};
    return all[0].code_for({*first.about, {&view, 1}, {}, given, work}, in_pieces);
  };
  EXPECT_EQ(code_for(true, false), &nothing);
  EXPECT_EQ(code_for(false, false), &something);
  EXPECT_EQ(code_for(true, true), &something);
}

}  // namespace
}  // namespace macareu::test
