#include "overview.hpp"

#include <algorithm>
#include <utility>

#include "core/ceil_div.hpp"

namespace macareu::pages {
namespace {

/// Cells of the first pass, along the longer axis.
constexpr std::int64_t first_cells = 8;
/// How long a reader waits for a finer copy than that of the first pass, counted from the thread's start.
constexpr std::chrono::milliseconds patience{200};

/// The mean of squares of so many pixels; those at the end may be smaller.
template <int Channels>
void add_means(const tile& from, std::int64_t side, bool round_up, tile& to) {
  auto* out = to.pixels.data();
  const auto stride = static_cast<std::int64_t>(from.width) * Channels;
  for (std::int64_t y = 0; y < from.height; y += side)
    for (std::int64_t x = 0; x < from.width; x += side) {
      const auto rows = std::min(side, from.height - y), columns = std::min(side, from.width - x);
      const auto count = rows * columns, up = round_up ? count - 1 : count / 2;
      std::array<std::uint32_t, Channels> sums{};
      for (std::int64_t v = 0; v < rows; ++v) {
        const auto* row = from.pixels.data() + (y + v) * stride + x * Channels;
        for (std::int64_t u = 0; u < columns; ++u)
          for (int c = 0; c < Channels; ++c) sums[static_cast<std::size_t>(c)] += *row++;
      }
      for (const auto sum : sums) *out++ = static_cast<std::uint8_t>((sum + up) / count);
    }
}

tile means(const tile& from, std::int64_t side, bool round_up) {
  tile to{static_cast<int>(ceil_div(from.width, side)), static_cast<int>(ceil_div(from.height, side)),
          from.channels};
  to.pixels.resize(static_cast<std::size_t>(to.width) * static_cast<std::size_t>(to.height * to.channels));
  from.channels == 3 ? add_means<3>(from, side, round_up, to) : add_means<1>(from, side, round_up, to);
  return to;
}

}  // namespace

overview::overview(const source_form& form, const std::array<std::int64_t, 3>& chunk, int channels,
                   int halvings, rounding how, read_bytes read)
    : height_(form.shape.height()),
      width_(form.shape.width()),
      halvings_(halvings),
      channels_(channels),
      how_(how),
      read_(std::move(read)) {
  const auto smallest = std::max(halvings, halvings_of(form.shape));
  for (auto k = halvings; k <= smallest; ++k) {
    const auto height = halved_side(height_, k), width = halved_side(width_, k);
    levels_.push_back({k, height, width,
                       std::make_unique_for_overwrite<std::uint8_t[]>(
                           static_cast<std::size_t>(height * width * channels))});
  }
  // A cell is a chunk of the file, where that is not too small or wide, and has whole pixels of every level.
  constexpr std::int64_t least = 256, most = 1024;
  cells_.side = std::clamp(std::max(chunk[1], chunk[2]), least, most);
  cells_.side = ceil_div(cells_.side, std::int64_t{1} << smallest) << smallest;
  cells_.rows = ceil_div(height_, cells_.side);
  cells_.columns = ceil_div(width_, cells_.side);
  known_.resize(static_cast<std::size_t>(cells_.rows * cells_.columns));
  nearest_.assign(known_.size() * static_cast<std::size_t>(channels), how.unknown);
  for (; std::max(cells_.rows, cells_.columns) > first_cells * first_step_; first_step_ *= 2) ++passes_;
}

void overview::start() {
  const std::lock_guard lock(lock_);
  if (thread_.joinable()) return;
  started_ = std::chrono::steady_clock::now();
  thread_ = std::jthread([this](const std::stop_token& stop) { work(stop); });
}

void overview::work(const std::stop_token& stop) {
  for (auto step = first_step_; step >= 1; step /= 2) {
    for (std::int64_t y = 0; y < cells_.rows; y += step)
      for (std::int64_t x = 0; x < cells_.columns; x += step) {
        if (stop.stop_requested()) return;
        const bool read_before = step < first_step_ && y % (2 * step) == 0 && x % (2 * step) == 0;
        if (read_before) continue;
        try {
          add_cell(y, x, step);
        } catch (const std::exception&) {
          leave_out_cell(y, x);
        }
      }
    const std::lock_guard lock(lock_);
    ++version_;
    finer_.notify_all();
  }
}

void overview::add_cell(std::int64_t row, std::int64_t column, std::int64_t step) {
  const auto top = row * cells_.side, left = column * cells_.side;
  const auto bytes = read_(
      {{0, top, left}, {1, std::min(cells_.side, height_ - top), std::min(cells_.side, width_ - left)}});
  const auto small = means(bytes, std::int64_t{1} << halvings_, how_.up);
  const auto one = means(small, std::max(small.width, small.height), how_.up);
  std::vector<tile> parts;
  for (const auto& to : levels_)
    parts.push_back(means(small, std::int64_t{1} << (to.halvings - halvings_), how_.up));
  const std::lock_guard lock(lock_);
  for (std::size_t l = 0; l < parts.size(); ++l) {
    auto& to = levels_[l];
    const auto& part = parts[l];
    const auto row_bytes = part.width * channels_;
    auto* out = &to.pixels[static_cast<std::size_t>(
        ((top >> to.halvings) * to.width + (left >> to.halvings)) * channels_)];
    for (int y = 0; y < part.height; ++y, out += to.width * channels_)
      std::copy_n(part.pixels.data() + y * row_bytes, row_bytes, out);
  }
  known_[static_cast<std::size_t>(row * cells_.columns + column)] = 1;
  any_known_ = true;
  // The mean stands for the cells up to the next one that is read.
  for (auto y = row; y < std::min(row + step, cells_.rows); ++y)
    for (auto x = column; x < std::min(column + step, cells_.columns); ++x)
      std::copy_n(one.pixels.data(), channels_,
                  &nearest_[static_cast<std::size_t>((y * cells_.columns + x) * channels_)]);
}

/// Called where an exception is handled.
void overview::leave_out_cell(std::int64_t row, std::int64_t column) {
  const std::lock_guard lock(lock_);
  if (!failure_) failure_ = std::current_exception();
  // The mean of a cell near by would look like pixels of the file.
  std::fill_n(&nearest_[static_cast<std::size_t>((row * cells_.columns + column) * channels_)], channels_,
              how_.unknown);
}

void overview::copy_cell(const level& from, std::int64_t row, std::int64_t column, const tile_place& place,
                         tile& to) const {
  const auto top = place.y * tile_side, left = place.x * tile_side, side = cells_.side >> from.halvings;
  const auto y0 = std::max(row * side, top), y1 = std::min((row + 1) * side, top + to.height);
  const auto x0 = std::max(column * side, left), x1 = std::min((column + 1) * side, left + to.width);
  const auto cell = static_cast<std::size_t>(row * cells_.columns + column);
  const auto* mean = &nearest_[cell * static_cast<std::size_t>(channels_)];
  for (auto y = y0; y < y1; ++y) {
    auto* out = to.pixels.data() + ((y - top) * to.width + x0 - left) * channels_;
    if (known_[cell])
      std::copy_n(&from.pixels[static_cast<std::size_t>((y * from.width + x0) * channels_)],
                  (x1 - x0) * channels_, out);
    else
      for (auto x = x0; x < x1; ++x) out = std::copy_n(mean, channels_, out);
  }
}

tile overview::read(const tile_place& place) {
  start();
  std::unique_lock lock(lock_);
  const auto ready = [&](int version) { return version_ >= std::min(version, passes_); };
  finer_.wait(lock, [&] { return ready(1); });
  finer_.wait_until(lock, started_ + patience, [&] { return ready(4); });
  if (!any_known_) std::rethrow_exception(failure_);
  const auto& from = levels_[static_cast<std::size_t>(place.halvings - halvings_)];
  const auto top = place.y * tile_side, left = place.x * tile_side, side = cells_.side >> from.halvings;
  tile to{static_cast<int>(std::min(from.width - left, tile_side)),
          static_cast<int>(std::min(from.height - top, tile_side)), channels_};
  to.pixels.resize(static_cast<std::size_t>(to.width * to.height * to.channels));
  for (auto row = top / side; row * side < top + to.height; ++row)
    for (auto column = left / side; column * side < left + to.width; ++column)
      copy_cell(from, row, column, place, to);
  return to;
}

int overview::version() {
  const std::lock_guard lock(lock_);
  return version_;
}

bool overview::refines() {
  const std::lock_guard lock(lock_);
  return thread_.joinable() && version_ < passes_;
}

}  // namespace macareu::pages
