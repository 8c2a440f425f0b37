#include "workplace.hpp"

#include <algorithm>
#include <cstring>

namespace macareu::bench {
namespace {

constexpr std::size_t staging_bytes = std::size_t{64} << 20;

std::size_t bytes_of(dtype type, const extents& shape) {
  return static_cast<std::size_t>(shape.pixels()) * size_of(type);
}

}  // namespace

workplace workplace::on_host(std::string device) { return workplace(std::move(device)); }

workplace workplace::on_gpu() {
  workplace made("cuda");
  made.timer_.emplace();
  made.staging_.emplace(staging_bytes);
  return made;
}

double workplace::milliseconds(const std::function<void()>& run) {
  return timer_ ? timer_->milliseconds(stream_before::busy, run) : bench::milliseconds(run);
}

void workplace::take_times(result& about, int repeat, double most_ms, const std::function<void()>& run) {
  constexpr double short_ms = 5;
  bench::take_times(about, repeat, most_ms, [&] { return milliseconds(run); });
  if (!timer_ || about.median_ms > short_ms) return;
  result from_idle;
  bench::take_times(from_idle, repeat, most_ms,
                    [&] { return timer_->milliseconds(stream_before::idle, run); });
  about.run->from_idle_ms = from_idle.median_ms;
}

placed_image::placed_image(const workplace& at, dtype type, const extents& shape)
    : at_(&at), type_(type), shape_(shape) {
  if (at.is_gpu())
    device_.emplace(bytes_of(type, shape));
  else
    host_ = image(type, shape);
}

// Large images are created in pieces during the transfer, so that they need no host memory.
placed_image::placed_image(const workplace& at, const mirrored& from)
    : placed_image(at, from.type(), from.shape()) {
  if (!device_) {
    from.write_rows(0, from.rows(), static_cast<std::byte*>(host_.data()));
    return;
  }
  for_pieces([&](std::int64_t first, std::int64_t last, std::size_t offset, std::span<std::byte> piece) {
    from.write_rows(first, last, piece.data());
    device_->write(offset, piece);
  });
}

image_view placed_image::view() {
  if (!device_) return host_;
  return {device_->data(), type_, shape_, contiguous_strides(shape_)};
}

void placed_image::clear() {
  if (device_)
    device_->clear();
  else
    std::memset(host_.data(), 0, host_.bytes());
}

checksum placed_image::sum() const {
  if (!device_) return checksum_of(host_);
  checksum total;
  for_pieces([&](std::int64_t first, std::int64_t, std::size_t offset, std::span<std::byte> piece) {
    device_->read(offset, piece);
    total += checksum_of(piece, type_, shape_.width(), first);
  });
  return total;
}

image placed_image::host_copy() const {
  if (!device_) return copy_of(host_);
  image copy(type_, shape_);
  for_pieces([&](std::int64_t, std::int64_t, std::size_t offset, std::span<std::byte> piece) {
    device_->read(offset, piece);
    std::memcpy(static_cast<std::byte*>(copy.data()) + offset, piece.data(), piece.size());
  });
  return copy;
}

template <class Each>
void placed_image::for_pieces(const Each& each) const {
  const auto rows = shape_.depth() * shape_.height();
  const auto row_bytes = bytes_of(type_, {1, shape_.width()});
  const auto staging = at_->staging().bytes();
  const auto rows_a_piece = static_cast<std::int64_t>(staging.size() / row_bytes);
  for (std::int64_t first = 0; first < rows; first += rows_a_piece) {
    const auto last = std::min(rows, first + rows_a_piece);
    each(first, last, static_cast<std::size_t>(first) * row_bytes,
         staging.first(static_cast<std::size_t>(last - first) * row_bytes));
  }
}

}  // namespace macareu::bench
