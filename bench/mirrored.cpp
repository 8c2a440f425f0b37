#include "mirrored.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include <macareu/error.hpp>

#include "workers.hpp"

namespace macareu::bench {
namespace {

extents repeated(const extents& base, int copies) {
  if (copies == 1) return base;
  if (base.rank() != 2) throw internal_error("bench: volumes are not mirrored");
  return {copies * base.height(), copies * base.width()};
}

std::int64_t folded(std::int64_t at, std::int64_t size) {
  at %= 2 * size;
  return at < size ? at : 2 * size - 1 - at;
}

template <class T>
void reverse_row(const std::byte* row, std::size_t bytes, std::byte* to) {
  const auto* const pixels = reinterpret_cast<const T*>(row);
  std::reverse_copy(pixels, pixels + bytes / sizeof(T), reinterpret_cast<T*>(to));
}

void reverse_row(const std::byte* row, std::size_t bytes, std::size_t pixel, std::byte* to) {
  if (pixel == 1) return reverse_row<std::uint8_t>(row, bytes, to);
  if (pixel == 2) return reverse_row<std::uint16_t>(row, bytes, to);
  if (pixel == 4) return reverse_row<std::uint32_t>(row, bytes, to);
  throw internal_error("bench: no mirror for pixels of " + std::to_string(pixel) + " bytes");
}

}  // namespace

mirrored::mirrored(const image& base, int copies)
    : base_(base), copies_(copies), shape_(repeated(base.shape(), copies)) {}

void mirrored::write_rows(std::int64_t first, std::int64_t last, std::byte* to) const {
  const auto base_rows = base_.shape().depth() * base_.shape().height();
  const auto base_bytes = static_cast<std::size_t>(base_.shape().width()) * size_of(type());
  const auto* const base = static_cast<const std::byte*>(base_.data());
#pragma omp parallel for num_threads(workers())
  for (std::int64_t y = first; y < last; ++y) {
    const auto* const row = base + static_cast<std::size_t>(folded(y, base_rows)) * base_bytes;
    auto* const out = to + static_cast<std::size_t>(y - first) * row_bytes();
    std::memcpy(out, row, base_bytes);
    if (copies_ > 1) reverse_row(row, base_bytes, size_of(type()), out + base_bytes);
    for (int copy = 2; copy < copies_; ++copy)
      std::memcpy(out + copy * base_bytes, out + (copy - 2) * base_bytes, base_bytes);
  }
}

image mirrored::whole() const {
  image made(type(), shape_);
  write_rows(0, rows(), static_cast<std::byte*>(made.data()));
  return made;
}

}  // namespace macareu::bench
