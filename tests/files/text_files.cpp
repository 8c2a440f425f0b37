// Long texts: the same bytes for any number of threads, which read back.
#include <macareu/text_file.hpp>

#include "support.hpp"

namespace macareu::test {
namespace {

std::string long_text(std::size_t size) {
  std::string text;
  for (std::size_t i = 0; text.size() < size; ++i)
    text += std::to_string(i * i % 9973) + (i % 9 == 0 ? "\n" : ",");
  text.resize(size);
  return text;
}

std::string written(const std::string& name, const std::string& text, int threads, std::size_t part) {
  const auto file = fresh(name);
  text_file out(file, threads);
  for (std::size_t i = 0; i < text.size(); i += part) out.write(std::string_view(text).substr(i, part));
  out.commit();
  return load(file);
}

std::string read_back(const std::filesystem::path& file) {
  std::string text;
  read_text(file, [&](std::string_view part) { text += part; });
  return text;
}

TEST(text_files, packed_bytes_do_not_depend_on_threads_and_parts) {
  try {
    text_file probe(fresh("probe.gz"));
  } catch (const usage_error&) {
    GTEST_SKIP() << "this build has no zlib";
  }
  constexpr std::size_t part = std::size_t{1} << 20;
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, part - 1, part, part + 1, 3 * part + 12345}) {
    const auto text = long_text(size);
    const auto expected = written("one.gz", text, 1, part);
    EXPECT_EQ(read_back(directory() / "one.gz"), text);
    EXPECT_EQ(written("two.gz", text, 2, 70001), expected);
    EXPECT_EQ(written("many.gz", text, 7, 3 * part), expected);
  }
}

TEST(text_files, plain_text_reads_back) {
  const auto text = long_text(700000);
  EXPECT_EQ(written("a.csv", text, 3, 4096), text);
  EXPECT_EQ(read_back(directory() / "a.csv"), text);
}

TEST(text_files, damage_is_an_io_error) {
  EXPECT_THROW(read_back(directory() / "none.gz"), io_error);
  std::string packed;
  try {
    packed = written("cut.gz", long_text(3000000), 2, 1 << 16);
  } catch (const usage_error&) {
    GTEST_SKIP() << "this build has no zlib";
  }
  save("cut.gz", std::string_view(packed).substr(0, packed.size() / 2));
  EXPECT_THROW(read_back(directory() / "cut.gz"), io_error);
  packed[packed.size() - 6] ^= 1;  // the checksum
  save("wrong.gz", packed);
  EXPECT_THROW(read_back(directory() / "wrong.gz"), io_error);
}

}  // namespace
}  // namespace macareu::test
