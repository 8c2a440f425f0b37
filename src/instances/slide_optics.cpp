// From absorbances to colours: focus, Beer-Lambert and the sensor.
#include <algorithm>
#include <cstring>

#include "instances/slide.hpp"

namespace macareu::formula::stained {
namespace {

/// 256 times the brightness of white light after an absorbance of 0 to 4 in 1/1024.
constexpr auto brightness = [] {
  std::array<std::uint16_t, 4096> table{};
  // 2^32 times 10^(-1/1024).
  constexpr std::uint64_t step = 4285320404u, white = 240;
  std::uint64_t light = std::uint64_t{1} << 32;
  for (auto& entry : table) {
    entry = static_cast<std::uint16_t>((white * 256 * light + (std::uint64_t{1} << 31)) >> 32);
    light = light * step >> 32;
  }
  return table;
}();

/// Weights 1, 2, 1 along both axes, in place except for the outermost pixels; `rows` has two rows.
void soften(const canvas& of, std::uint16_t* rows) {
  const auto values = 3 * of.width();
  auto *above = rows, *kept = rows + values;
  for (auto y = of.area.top; y < of.area.bottom; ++y) {
    auto* row = of.row(y);
    std::copy_n(row, values, kept);
    for (std::int64_t i = 3; i + 3 < values; ++i)
      row[i] = static_cast<std::uint16_t>((kept[i - 3] + 2 * kept[i] + kept[i + 3] + 2) >> 2);
  }
  std::copy_n(of.row(of.area.top), values, above);
  for (auto y = of.area.top + 1; y + 1 < of.area.bottom; ++y) {
    auto* row = of.row(y);
    const auto* below = of.row(y + 1);
    std::copy_n(row, values, kept);
    for (std::int64_t i = 0; i < values; ++i)
      row[i] = static_cast<std::uint16_t>((above[i] + 2 * kept[i] + below[i] + 2) >> 2);
    std::swap(above, kept);
  }
}

constexpr std::int64_t blur_radius = 4;

/// Means over 9 x 9 pixels, in place, except for pixels nearer to the rim than the radius.
void mean_of_box(const canvas& of, std::uint16_t* rows) {
  constexpr std::int32_t side = 2 * blur_radius + 1, share = 65536 / side;
  const auto values = 3 * of.width();
  for (auto y = of.area.top; y < of.area.bottom; ++y) {
    auto* row = of.row(y);
    std::copy_n(row, values, rows);
    for (std::int64_t i = 3 * blur_radius; i < values - 3 * blur_radius; ++i) {
      std::int32_t sum = 0;
      for (auto k = -blur_radius; k <= blur_radius; ++k) sum += rows[i + 3 * k];
      row[i] = static_cast<std::uint16_t>(sum * share >> 16);
    }
  }
  // Down the columns: a ring keeps the rows above.
  std::array<std::uint16_t*, side> ring;
  for (std::int64_t k = 0; k < side; ++k) ring[k] = rows + k * values;
  for (auto y = of.area.top; y < of.area.bottom; ++y) {
    std::copy_n(of.row(y), values, ring[(y - of.area.top) % side]);
    const auto middle = y - blur_radius;
    if (y - of.area.top + 1 < side) continue;
    auto* out = of.row(middle);
    for (std::int64_t i = 3 * blur_radius; i < values - 3 * blur_radius; ++i) {
      std::int32_t sum = 0;
      for (const auto* row : ring) sum += row[i];
      out[i] = static_cast<std::uint16_t>(sum * share >> 16);
    }
  }
}

}  // namespace

void develop(const canvas& from, std::uint16_t* spare, const box& tile, const slide_marks& marks,
             std::uint64_t seed, std::uint8_t* rgb, std::int64_t row_bytes) {
  const canvas blurred{from.area, spare};
  auto* rows = spare + 3 * from.width() * (from.area.bottom - from.area.top);
  soften(from, rows);
  const bool any_blur = marks.blurs(tile);
  if (any_blur) {
    std::copy_n(from.values, 3 * from.width() * (from.area.bottom - from.area.top), spare);
    mean_of_box(blurred, rows);
    mean_of_box(blurred, rows);
  }
  for (auto y = tile.top; y < tile.bottom; ++y, rgb += row_bytes) {
    const auto* sharp = from.pixel(y, tile.left);
    const auto* soft = blurred.pixel(y, tile.left);
    const auto key = static_cast<std::uint32_t>(
        mix64(key_for(seed, use::sensor) + golden * static_cast<std::uint64_t>(y)));
    for (std::int64_t i = 0; i < tile.right - tile.left; ++i) {
      const auto bits = mix32(key + static_cast<std::uint32_t>(tile.left + i) * 0x9e3779b1u);
      const auto share = any_blur ? marks.blur_at(y, tile.left + i) : 0;
      for (int c = 0; c < 3; ++c) {
        auto dark = std::int32_t{sharp[3 * i + c]};
        if (share > 0) dark += (soft[3 * i + c] - dark) * share >> 12;
        // The sum of two uniform numbers: up to 4 levels, 1.6 on average.
        const auto part = bits >> 10 * c;
        const auto noise = 32 * static_cast<std::int32_t>((part & 31) + (part >> 5 & 31) - 31);
        rgb[3 * i + c] = static_cast<std::uint8_t>(
            std::clamp((brightness[std::min(dark, 4095)] + noise + 128) >> 8, 0, 255));
      }
    }
  }
}

}  // namespace macareu::formula::stained
