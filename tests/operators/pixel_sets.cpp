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
        EXPECT_TRUE(engine == "cpu" ? in_pieces || about.hidden : !in_pieces)
            << engine << " " << about.name << " " << name_of(type);
      }
    }
}

TEST(pixel_sets, parts_join_to_one_entry_and_types_without_code_are_refused) {
  const auto all = joined_entries({entry_for(dtype::u8, &nothing), entry_for(dtype::f64, &something)});
  const auto found =
      std::ranges::find(all, std::string_view("threshold"), [](const entry& one) { return one.about->name; });
  ASSERT_NE(found, all.end());
  EXPECT_EQ(found->code_for(dtype::u8).run, &nothing);
  EXPECT_EQ(found->code_for(dtype::f64).run, &something);
  EXPECT_EQ(message_of<usage_error>([&] { found->code_for(dtype::i64); }),
            "threshold: this build has no code for pixels of type i64; build all of it with make "
            "(-DMACAREU_OPERATORS=all)");
  const auto left_out =
      std::ranges::find(all, std::string_view("invert"), [](const entry& one) { return one.about->name; });
  ASSERT_NE(left_out, all.end());
  EXPECT_EQ(message_of<usage_error>([&] { left_out->code_for(dtype::i64); }),
            "invert: this build has no code for pixels of type i64; build all of it with make "
            "(-DMACAREU_OPERATORS=all)");
}

}  // namespace
}  // namespace macareu::test
