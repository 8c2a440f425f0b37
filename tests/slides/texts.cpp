// Texts of slides: ids, numbers, texts that wait.
#include <gtest/gtest.h>

#include <limits>

#include "slides/outputs/nuclei_table.hpp"
#include "slides/outputs/stored_texts.hpp"
#include "slides/outputs/uuid.hpp"

namespace macareu::test {
namespace {

std::string fixed(double value, int decimals) {
  std::string text;
  slides::append_fixed(text, value, decimals, "none");
  return text;
}

TEST(texts, numbers_have_few_decimals) {
  EXPECT_EQ(fixed(0, 4), "0");
  EXPECT_EQ(fixed(-0.00001, 4), "0");
  EXPECT_EQ(fixed(1.5, 4), "1.5");
  EXPECT_EQ(fixed(-0.00049, 3), "0");
  EXPECT_EQ(fixed(-0.0051, 3), "-0.005");
  EXPECT_EQ(fixed(0.0501, 4), "0.0501");
  EXPECT_EQ(fixed(123456.78949, 3), "123456.789");
  EXPECT_EQ(fixed(999.99996, 4), "1000");
  EXPECT_EQ(fixed(17, 0), "17");
  EXPECT_EQ(fixed(1e300, 4), "1e+300");
  EXPECT_EQ(fixed(std::numeric_limits<double>::quiet_NaN(), 4), "none");
  EXPECT_EQ(fixed(std::numeric_limits<double>::infinity(), 4), "none");
}

TEST(texts, ids_are_those_of_the_standard) {
  // RFC 3174 and RFC 4122.
  const auto digest_of = [](const std::string& text) {
    slides::sha1 sum;
    sum.add(text);
    return sum.end();
  };
  EXPECT_EQ(digest_of("abc")[0], 0xA9);
  EXPECT_EQ(digest_of("abc")[19], 0x9D);
  EXPECT_EQ(digest_of(std::string(1000000, 'a'))[0], 0x34);
  EXPECT_EQ(digest_of(std::string(1000000, 'a'))[19], 0x6F);
  const slides::uuid dns{0x6b, 0xa7, 0xb8, 0x10, 0x9d, 0xad, 0x11, 0xd1,
                         0x80, 0xb4, 0x00, 0xc0, 0x4f, 0xd4, 0x30, 0xc8};
  std::string text;
  slides::append(text, slides::uuid5(dns, "www.example.com"));
  EXPECT_EQ(text, "2ed6657d-e927-568b-95e1-2665a8aea6a2");
}

TEST(texts, stored_ones_come_back_in_any_order) {
  slides::stored_texts all({}, 1000);
  for (std::uint64_t label = 1; label <= 1000; ++label)
    all.add(label, std::string(label * 7 % 5000, 'x') + std::to_string(label));
  for (std::uint64_t label = 1000; label >= 1; --label)
    ASSERT_EQ(all[label], std::string(label * 7 % 5000, 'x') + std::to_string(label));
}

}  // namespace
}  // namespace macareu::test
