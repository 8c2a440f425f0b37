#include "overview.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "core/ceil_div.hpp"

namespace macareu::pages {
namespace {

/// Cells between those of the first pass.
constexpr std::int64_t first_step = 16;

/// The mean of squares of so many pixels; those at the end may be smaller.
tile means(const tile& from, std::int64_t side, bool round_up) {
  tile to{static_cast<int>(ceil_div(from.width, side)), static_cast<int>(ceil_div(from.height, side)),
          from.channels};
  for (std::int64_t y = 0; y < from.height; y += side)
    for (std::int64_t x = 0; x < from.width; x += side)
      for (int c = 0; c < from.channels; ++c) {
        const auto bottom = std::min<std::int64_t>(y + side, from.height),
                   right = std::min<std::int64_t>(x + side, from.width);
        const auto count = (bottom - y) * (right - x);
        auto sum = round_up ? count - 1 : count / 2;
        for (auto v = y; v < bottom; ++v)
          for (auto u = x; u < right; ++u)
            sum += from.pixels[static_cast<std::size_t>((v * from.width + u) * from.channels + c)];
        to.pixels.push_back(static_cast<std::uint8_t>(sum / count));
      }
  return to;
}

}  // namespace

overview::overview(const source_form& form, const std::array<std::int64_t, 3>& chunk, int channels,
                   int halvings, bool round_up, read_bytes read)
    : height_(form.shape.height()),
      width_(form.shape.width()),
      halvings_(halvings),
      round_up_(round_up),
      read_(std::move(read)) {
  // A cell is a chunk of the file, where that is not too small or wide, and has whole pixels of the copy.
  constexpr std::int64_t least = 256, most = 1024;
  cell_ = std::clamp(std::max(chunk[1], chunk[2]), least, most);
  cell_ = ceil_div(cell_, std::int64_t{1} << halvings) << halvings;
  copy_ = {static_cast<int>(halved_side(width_, halvings)), static_cast<int>(halved_side(height_, halvings)),
           channels};
  copy_.pixels.resize(static_cast<std::size_t>(copy_.width) * static_cast<std::size_t>(copy_.height) *
                      static_cast<std::size_t>(channels));
}

void overview::start() {
  if (!thread_.joinable()) thread_ = std::jthread([this](const std::stop_token& stop) { work(stop); });
}

void overview::work(const std::stop_token& stop) {
  try {
    for (auto step = first_step; step >= 1; step /= 2) {
      for (std::int64_t y = 0; y * cell_ < height_; y += step)
        for (std::int64_t x = 0; x * cell_ < width_; x += step) {
          if (stop.stop_requested()) return;
          const bool read_before = step < first_step && y % (2 * step) == 0 && x % (2 * step) == 0;
          if (!read_before) add_cell(y, x, step);
        }
      {
        const std::lock_guard lock(lock_);
        ++version_;
        finer_.notify_all();
      }
      setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), 15);  // what is looked at comes first
    }
  } catch (...) {
    const std::lock_guard lock(lock_);
    failure_ = std::current_exception();
    finer_.notify_all();
  }
}

void overview::add_cell(std::int64_t row, std::int64_t column, std::int64_t step) {
  const auto top = row * cell_, left = column * cell_;
  const auto bytes =
      read_({{0, top, left}, {1, std::min(cell_, height_ - top), std::min(cell_, width_ - left)}});
  const auto small = means(bytes, std::int64_t{1} << halvings_, round_up_);
  const auto one = means(small, std::max(small.width, small.height), round_up_);
  const auto y0 = top >> halvings_, x0 = left >> halvings_, side = (cell_ * step) >> halvings_;
  const std::lock_guard lock(lock_);
  // The mean stands for the cells up to the next one that is read.
  for (auto y = y0; y < std::min<std::int64_t>(y0 + side, copy_.height); ++y)
    for (auto x = x0; x < std::min<std::int64_t>(x0 + side, copy_.width); ++x) {
      const bool own = y - y0 < small.height && x - x0 < small.width;
      const auto* from =
          own ? &small.pixels[static_cast<std::size_t>(((y - y0) * small.width + x - x0) * small.channels)]
              : one.pixels.data();
      std::copy_n(from, small.channels,
                  &copy_.pixels[static_cast<std::size_t>((y * copy_.width + x) * copy_.channels)]);
    }
}

tile overview::read(const tile_place& place) {
  std::unique_lock lock(lock_);
  start();
  finer_.wait(lock, [&] { return version_ > 0 || failure_; });
  if (failure_) std::rethrow_exception(failure_);
  const auto side = std::int64_t{1} << (place.halvings - halvings_);
  const auto top = place.y * tile_side * side, left = place.x * tile_side * side;
  tile part{static_cast<int>(std::min(copy_.width - left, tile_side * side)),
            static_cast<int>(std::min(copy_.height - top, tile_side * side)), copy_.channels};
  for (auto y = top; y < top + part.height; ++y) {
    const auto* row = &copy_.pixels[static_cast<std::size_t>((y * copy_.width + left) * copy_.channels)];
    part.pixels.insert(part.pixels.end(), row, row + part.width * part.channels);
  }
  lock.unlock();
  return means(part, side, round_up_);
}

int overview::version() {
  const std::lock_guard lock(lock_);
  // One that nobody reads stays as it is.
  return failure_ || !thread_.joinable() ? last_version : version_;
}

}  // namespace macareu::pages
