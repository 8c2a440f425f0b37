// Prints the rounds, visits and changes of a wave with tiles of 64 x 64: tissue_behaviour MARKER MASK
#include <cstdio>
#include <exception>
#include <numeric>
#include <string>

#include <macareu/error.hpp>
#include <macareu/files.hpp>

#include "../tests/support/tile_rounds.hpp"

namespace {

macareu::image read_grey(const char* file) {
  auto read = macareu::read_image(file).pixels;
  if (read.type() != macareu::dtype::u8 || read.shape().rank() != 2 || read.channels() != 1)
    throw macareu::usage_error(std::string(file) + ": a grey image of 8 bits is needed");
  return read;
}

void report(const macareu::image& marker, const macareu::image& mask, int neighbours) {
  const auto seen =
      macareu::test::count_tile_rounds(marker.pixels<std::uint8_t>(), mask.pixels<std::uint8_t>(),
                                       mask.shape().height(), mask.shape().width(), neighbours);
  const auto sum = std::accumulate(seen.result.begin(), seen.result.end(), std::int64_t{0});
  std::printf(
      "%d neighbours: %lld rounds, %lld visits (%.2f per tile), %lld pixels changed (%.1f %%), sum %lld\n",
      neighbours, static_cast<long long>(seen.rounds()), static_cast<long long>(seen.visits()),
      seen.visits_per_tile(), static_cast<long long>(seen.changed), 100 * seen.changed_share(),
      static_cast<long long>(sum));
  std::printf("  tiles in each round:");
  for (const auto tiles : seen.active) std::printf(" %lld", static_cast<long long>(tiles));
  std::printf("\n");
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) {
    std::fprintf(stderr, "usage: tissue_behaviour MARKER MASK\n");
    return 2;
  }
  try {
    const auto marker = read_grey(arguments[1]), mask = read_grey(arguments[2]);
    if (marker.shape() != mask.shape())
      throw macareu::usage_error("marker is " + to_string(marker.shape()) + ", mask " +
                                 to_string(mask.shape()));
    for (const int neighbours : {4, 8}) report(marker, mask, neighbours);
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "tissue_behaviour: %s\n", failure.what());
    return dynamic_cast<const macareu::io_error*>(&failure) ? 3 : 2;
  }
}
