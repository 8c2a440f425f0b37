// A real pair, where it is: the sum of its reconstruction is known from scikit-image, ITK and the published
// CUDA code.
#include <cstdint>
#include <cstdio>

#include <macareu/macareu.hpp>

#include "support/data.hpp"

namespace {

using namespace macareu;

constexpr int skipped = 77;
constexpr std::uint64_t known_sum = 418704038;

std::uint64_t sum_of(const image& pixels) {
  std::uint64_t sum = 0;
  for (const auto value : pixels.pixels<std::uint8_t>()) sum += value;
  return sum;
}

}  // namespace

int main() {
  const auto marker_file = test::data_file("tissue-50-marker"), mask_file = test::data_file("tissue-50-mask");
  if (marker_file.empty() || mask_file.empty()) {
    std::printf(
        "skipped: no tissue-50 pair in %s that this build reads; MACAREU_DATA names the folder that has it\n",
        test::data_folder().c_str());
    return skipped;
  }
  const auto marker = read_image(marker_file).pixels, mask = read_image(mask_file).pixels;
  bool good = true;
  const auto check = [&](const context& how) {
    const auto sum = sum_of(reconstruct(marker, mask, {.connectivity = 4, .clip = true}, how));
    std::printf("%s, %s: %llu\n", how.device.c_str(), how.strategy.c_str(),
                static_cast<unsigned long long>(sum));
    good = good && sum == known_sum;
  };
  for (const auto device : devices()) {
    check({.device = std::string(device)});
    for (const auto strategy : strategies(device, "wave"))
      check({.device = std::string(device), .strategy = std::string(strategy)});
  }
  return good ? 0 : 1;
}
