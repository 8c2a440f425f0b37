// What a user writes: the same file against an installed Macareu and against one added as a subdirectory.
// Its arguments are formats that must be there.
#include <macareu/macareu.hpp>
#include <macareu/steps.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

int main(int count, char** values) {
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
  macareu::steps on;
  const auto labels =
      on.whole("label", {}, {on.local("threshold", {{"value", macareu::number(0)}}, {on.picture_of(mask)})});
  if (on.count() != 2 || on.read(labels).shape() != shape) {
    std::puts("wrong labels");
    return 1;
  }
  for (const std::string extension : std::span(values + 1, values + count)) {
    macareu::write_image("mask" + extension, mask);
    if (!std::ranges::equal(macareu::read_image("mask" + extension).pixels.pixels<std::uint8_t>(),
                            mask_pixels)) {
      std::printf("wrong pixels from %s\n", extension.c_str());
      return 1;
    }
  }
  const auto formats = macareu::writable_extensions();
  std::printf("macareu %s, writes %zu formats\n", macareu::version, formats.size());
  return formats.empty() ? 1 : 0;
}
