// Numbers as text.
#include "support.hpp"

namespace macareu::test {
namespace {

TEST(numbers, rows_and_columns) {
  for (const auto* text : {"1,2,3\n-4,0.5,6e2\n", "1 2 3\r\n-4\t0.5  6e2", "\n1;2;3\n\n-4, 0.5, 600\n\n"})
    for (const auto* name : {"kernel.csv", "kernel.txt"}) {
      const auto got = read_image(save(name, text)).pixels;
      EXPECT_EQ(got.shape(), (extents{2, 3}));
      EXPECT_EQ(values<double>(got), (std::vector<double>{1, 2, 3, -4, 0.5, 600})) << text;
    }
}

TEST(numbers, errors_name_the_line) {
  const auto words = message_of<io_error>([] { read_image(save("a.csv", "1,2\n3,four\n")); });
  EXPECT_TRUE(contains(words, "line 2: expected numbers with commas or spaces between them, got 'four'"))
      << words;
  const auto ragged = message_of<io_error>([] { read_image(save("b.csv", "1,2\n3\n")); });
  EXPECT_TRUE(contains(ragged, "line 2 has 1 numbers, the first 2")) << ragged;
}

}  // namespace
}  // namespace macareu::test
