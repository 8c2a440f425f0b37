// Operators in pieces, in one process.
#include "conformance/in_pieces.hpp"

namespace macareu::test {
namespace {

constexpr std::int64_t pieced_images_each = 6;  // for each connectivity

TEST_P(in_pieces, equal_serial) {
  for (const auto& about : all_operators()) {
    if (!takes(about, type()) || about.hidden) continue;
    for (const auto near : all_neighbours)
      for (std::int64_t i = 0; i < scaled(pieced_images_each); ++i)
        ASSERT_NO_FATAL_FAILURE(compare_one(about, near, i));
  }
}

INSTANTIATE_TEST_SUITE_P(all, in_pieces, engines_and_types(), parameter_name);

}  // namespace
}  // namespace macareu::test
