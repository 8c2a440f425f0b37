// What a user writes: the same file against an installed Macareu and against one added as a subdirectory.
#include <macareu/macareu.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

int main() {
  const macareu::extents shape{1, 9};
  const std::vector<std::uint8_t> mask_pixels{0, 1, 2, 1, 0, 2, 5, 2, 0},
      marker_pixels{0, 0, 0, 0, 0, 0, 4, 0, 0};
  const macareu::const_image_view marker(marker_pixels.data(), shape), mask(mask_pixels.data(), shape);
  const auto result = macareu::reconstruct(marker, mask, {.connectivity = 8});
  const std::vector<std::uint8_t> expected{0, 0, 0, 0, 0, 2, 4, 2, 0};
  if (!std::ranges::equal(result.pixels<std::uint8_t>(), expected)) {
    std::puts("wrong pixels");
    return 1;
  }
  const auto formats = macareu::writable_extensions();
  std::printf("macareu %s, writes %zu formats\n", macareu::version, formats.size());
  return formats.empty() ? 1 : 0;
}
