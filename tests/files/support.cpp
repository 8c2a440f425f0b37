#include "support.hpp"

#include <unistd.h>

#include <cstring>
#include <fstream>
#include <iterator>

namespace macareu::test {
namespace {

struct temporary_directory {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("macareu-files-" + std::to_string(::getpid()));
  temporary_directory() { std::filesystem::create_directories(path); }
  ~temporary_directory() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
};

template <class T>
void fill(image& pixels) {
  auto i = std::uint64_t{0};
  for (auto& value : pixels.pixels<T>()) {
    const auto bits = i++ * 0x9E3779B97F4A7C15u + 0x0123456789ABCDEFu;
    if constexpr (std::is_same_v<T, bool>)
      value = (bits >> 40 & 1) != 0;
    else if constexpr (std::is_floating_point_v<T>)
      value = static_cast<T>(static_cast<std::int64_t>(bits)) / 1000;
    else
      value = static_cast<T>(bits >> (64 - 8 * sizeof(T)));
  }
}

}  // namespace

const std::filesystem::path& directory() {
  static const temporary_directory made;
  return made.path;
}

std::vector<std::string> listing() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(directory()))
    names.push_back(entry.path().filename());
  std::ranges::sort(names);
  return names;
}

std::filesystem::path fresh(const std::string& name) {
  const auto path = directory() / name;
  std::filesystem::remove(path);
  return path;
}

std::filesystem::path save(const std::string& name, std::string_view bytes) {
  const auto path = fresh(name);
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

std::string load(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::string from_hex(std::string_view digits) {
  std::string bytes;
  int high = -1;
  for (const char c : digits) {
    const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    if (digit < 0) continue;
    if (high >= 0) bytes += static_cast<char>(high * 16 + digit);
    high = high < 0 ? digit : -1;
  }
  return bytes;
}

image sample(dtype type, const extents& shape, int channels) {
  image pixels(type, shape, channels);
  switch (type) {
    case dtype::boolean:
      fill<bool>(pixels);
      break;
    case dtype::i8:
      fill<std::int8_t>(pixels);
      break;
    case dtype::u8:
      fill<std::uint8_t>(pixels);
      break;
    case dtype::i16:
      fill<std::int16_t>(pixels);
      break;
    case dtype::u16:
      fill<std::uint16_t>(pixels);
      break;
    case dtype::i32:
      fill<std::int32_t>(pixels);
      break;
    case dtype::u32:
      fill<std::uint32_t>(pixels);
      break;
    case dtype::i64:
      fill<std::int64_t>(pixels);
      break;
    case dtype::u64:
      fill<std::uint64_t>(pixels);
      break;
    case dtype::f32:
      fill<float>(pixels);
      break;
    case dtype::f64:
      fill<double>(pixels);
      break;
  }
  return pixels;
}

image without_bool(const image& pixels, std::uint8_t truth) {
  if (pixels.type() != dtype::boolean) return copy_of(pixels);
  image result(dtype::u8, pixels.shape(), pixels.channels());
  std::ranges::transform(pixels.pixels<bool>(), result.pixels<std::uint8_t>().begin(),
                         [=](bool set) { return set ? truth : std::uint8_t{0}; });
  return result;
}

void expect_same(const image& got, const image& expected) {
  EXPECT_EQ(name_of(got.type()), name_of(expected.type()));
  EXPECT_EQ(to_string(got.shape()), to_string(expected.shape()));
  EXPECT_EQ(got.channels(), expected.channels());
  ASSERT_EQ(got.bytes(), expected.bytes());
  EXPECT_EQ(std::memcmp(got.data(), expected.data(), got.bytes()), 0) << "the pixels differ";
}

}  // namespace macareu::test
