#include "tiles.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <exception>
#include <limits>

#include "core/ceil_div.hpp"
#include "core/pixel_types.hpp"
#include "files/jpeg.hpp"
#include "overview.hpp"
#include "packed.hpp"

namespace macareu::pages {
namespace {

/// Pixels that a tile of a picture reads at most; more are sampled. As many as a tile without an overview
/// needs.
constexpr std::int64_t most_pixels = std::int64_t{64} << 20;
/// Along each axis of a sampled tile.
constexpr std::int64_t most_samples = 32;
/// Images that are larger than a tile after so many halvings have an overview of that size.
constexpr int halvings_of_overview = 4;

image sample(image_source& from, const image_region& box) {
  image pixels(from.form().type, extents{box.size[1], box.size[2]}, from.form().channels);
  from.read(box, pixels.data());
  return pixels;
}

tile empty_tile(std::int64_t width, std::int64_t height, int channels) {
  tile made{static_cast<int>(width), static_cast<int>(height), channels};
  made.pixels.resize(static_cast<std::size_t>(width * height * channels));
  return made;
}

/// Width and height of the tile.
std::array<std::int64_t, 2> sides_of(const extents& shape, const tile_place& place) {
  const auto side = [&](std::int64_t whole, std::int64_t index) {
    return std::min(halved_side(whole, place.halvings) - index * tile_side, tile_side);
  };
  return {side(shape.width(), place.x), side(shape.height(), place.y)};
}

}  // namespace

std::int64_t halved_side(std::int64_t side, int halvings) {
  return ceil_div(side, std::int64_t{1} << halvings);
}

int halvings_of(const extents& shape) {
  int count = 0;
  while (halved_side(std::max(shape.width(), shape.height()), count) > tile_side) ++count;
  return count;
}

tile halved(const tile& from) {
  auto to = empty_tile((from.width + 1) / 2, (from.height + 1) / 2, from.channels);
  const auto at = [&](int y, int x, int c) {
    return from.pixels[static_cast<std::size_t>((y * from.width + x) * from.channels + c)];
  };
  auto* out = to.pixels.data();
  for (int y = 0; y < to.height; ++y)
    for (int x = 0; x < to.width; ++x) {
      const int below = std::min(2 * y + 1, from.height - 1), right = std::min(2 * x + 1, from.width - 1);
      for (int c = 0; c < from.channels; ++c)
        *out++ = static_cast<std::uint8_t>(
            (at(2 * y, 2 * x, c) + at(2 * y, right, c) + at(below, 2 * x, c) + at(below, right, c) + 2) / 4);
    }
  return to;
}

void source_lock::lock(turn when) {
  std::unique_lock guard(mutex_);
  if (when == turn::next) {
    ++waiting_;
    changed_.wait(guard, [&] { return !held_; });
    --waiting_;
  } else {
    changed_.wait(guard, [&] { return !held_ && waiting_ == 0; });
  }
  held_ = true;
}

void source_lock::unlock() {
  {
    const std::lock_guard guard(mutex_);
    held_ = false;
  }
  changed_.notify_all();
}

tile_reader::tile_reader(const page_image& image, kind what) : levels_(image.levels), kind_(what) {
  if (kind_ == kind::picture) window_ = window_of_sample();
  // Smaller levels of labels are samples, and lack small objects.
  if (kind_ == kind::labels) levels_.resize(1);
  // Only where the smallest level is so large that coarse tiles would read too much of it.
  auto& smallest = *levels_.back();
  const auto& shape = smallest.form().shape;
  if (shape.depth() > 1 || halvings_of(shape) <= halvings_of_overview) return;
  if (levels_.size() > 1) return;
  overview_ = std::make_unique<overview>(
      form(), smallest.chunk(), channels(), halvings_of_overview,
      overview::rounding{.up = kind_ == kind::labels, .unknown = unknown()},
      [this](const image_region& box) { return readable_region(*levels_[0], box, source_lock::turn::last); });
}

tile_reader::~tile_reader() = default;

void tile_reader::start_overview() {
  if (overview_) overview_->start();
}
std::optional<int> tile_reader::overview_halvings() const {
  return overview_ ? std::optional(overview_->halvings()) : std::nullopt;
}
bool tile_reader::refines() const { return overview_ && overview_->refines(); }
int tile_reader::version() const { return overview_ ? overview_->version() : 0; }

std::string tile_reader::failure() const {
  const std::lock_guard guard(failure_lock_);
  return failure_;
}

void tile_reader::remember_failure(const std::string& reason) {
  const std::lock_guard guard(failure_lock_);
  if (failure_.empty()) failure_ = reason;
}

tile_reader::window tile_reader::window_of_sample() {
  if (form().type == dtype::u8) return {0, 255};
  if (form().type == dtype::boolean) return {0, 1};
  auto& from = *levels_.back();
  const auto& shape = from.form().shape;
  constexpr std::int64_t parts = 8, side = 64;
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (std::int64_t i = 0; i < parts; ++i)
    for (std::int64_t j = 0; j < parts; ++j) {
      image_region box{{shape.depth() / 2, shape.height() * i / parts, shape.width() * j / parts}, {1, 0, 0}};
      box.size[1] = std::min(side, shape.height() - box.first[1]);
      box.size[2] = std::min(side, shape.width() - box.first[2]);
      if (box.pixels() == 0) continue;
      image pixels;
      try {
        pixels = sample(from, box);
      } catch (const std::exception& failure) {
        remember_failure(failure.what());
        continue;
      }
      with_pixel_type(pixels.type(), [&]<class T>(std::type_identity<T>) {
        const auto* values = static_cast<const T*>(pixels.data());
        for (std::int64_t n = 0; n < box.pixels() * pixels.channels(); ++n)
          if (const auto value = static_cast<double>(values[n]); std::isfinite(value)) {
            low = std::min(low, value);
            high = std::max(high, value);
          }
      });
    }
  if (low > high) return {};  // nothing was read, or no value is finite
  return low < high ? window{low, high} : window{low - 1, low + 1};
}

tile tile_reader::region(image_source& from, const image_region& box, source_lock::turn when) {
  const auto pixels = [&] {
    lock_.lock(when);
    const std::lock_guard guard(lock_, std::adopt_lock);
    return sample(from, box);
  }();
  auto to = empty_tile(box.size[2], box.size[1], channels());
  if (as_stored() && kind_ == kind::picture && pixels.channels() == to.channels) {
    std::memcpy(to.pixels.data(), pixels.data(), to.pixels.size());
    return to;
  }
  const auto stored = static_cast<std::size_t>(pixels.channels()),
             shown = static_cast<std::size_t>(to.channels);
  const auto count = static_cast<std::size_t>(box.pixels());
  with_pixel_type(pixels.type(), [&]<class T>(std::type_identity<T>) {
    const auto* values = static_cast<const T*>(pixels.data());
    const auto scale = 255 / (window_.high - window_.low);
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t c = 0; c < shown; ++c) {
        const auto value = values[i * stored + c];
        auto& out = to.pixels[i * shown + c];
        if (kind_ == kind::labels)
          out = value > 0 ? 255 : 0;
        else
          out = static_cast<std::uint8_t>(
              std::clamp((static_cast<double>(value) - window_.low) * scale + 0.5, 0.0, 255.0));
      }
  });
  return to;
}

tile tile_reader::unknown_tile(std::int64_t width, std::int64_t height) const {
  auto to = empty_tile(width, height, channels());
  std::ranges::fill(to.pixels, unknown());
  return to;
}

tile tile_reader::readable_region(image_source& from, const image_region& box, source_lock::turn when) {
  try {
    return region(from, box, when);
  } catch (const std::exception& failure) {
    // Ends of chunks inside the box, and the box's own.
    const auto ends = [&](std::size_t axis) {
      const auto last = box.first[axis] + box.size[axis], side = from.chunk()[axis];
      std::vector<std::int64_t> all;
      if (side > 0)
        for (auto at = (box.first[axis] / side + 1) * side; at < last; at += side) all.push_back(at);
      all.push_back(last);
      return all;
    };
    const auto rows = ends(1), columns = ends(2);
    if (rows.size() * columns.size() == 1) {
      remember_failure(std::string(failure.what()) + " (near x " + std::to_string(box.first[2]) + ", y " +
                       std::to_string(box.first[1]) + ")");
      throw;
    }
    auto to = unknown_tile(box.size[2], box.size[1]);
    bool any = false;
    for (auto top = box.first[1]; const auto bottom : rows) {
      for (auto left = box.first[2]; const auto right : columns) {
        try {
          const auto part =
              readable_region(from, {{box.first[0], top, left}, {1, bottom - top, right - left}}, when);
          const auto width = part.width * part.channels;
          for (int y = 0; y < part.height; ++y)
            std::copy_n(
                part.pixels.data() + y * width, width,
                to.pixels.data() + ((top - box.first[1] + y) * to.width + left - box.first[2]) * to.channels);
          any = true;
        } catch (const std::exception&) {  // the part stays unknown, and its reason is remembered
        }
        left = right;
      }
      top = bottom;
    }
    if (!any) throw;
    return to;
  }
}

tile tile_reader::read(const tile_place& place) {
  const auto [width, height] = sides_of(form().shape, place);
  return region(*levels_[0], {{place.slice, place.y * tile_side, place.x * tile_side}, {1, height, width}});
}

tile tile_reader::read_scaled(const tile_place& place) {
  if (overview_ && place.halvings >= overview_->halvings()) return overview_->read(place);
  // Levels of slides are not exact powers of two; one pixel less than wanted is the same level.
  auto* from = levels_[0];
  const auto wanted = halved_side(form().shape.width(), place.halvings);
  for (auto* level : levels_)
    if (level->form().shape.width() + 1 >= wanted) from = level;
  const auto scale = static_cast<double>(from->form().shape.width()) /
                     (static_cast<double>(form().shape.width()) / static_cast<double>(1 << place.halvings));
  const auto [width, height] = sides_of(form().shape, place);
  const auto pixels = static_cast<double>(width * height) * scale * scale;
  const bool all = kind_ == kind::labels || pixels <= most_pixels;  // small objects would be missed
  return all ? shrunk(*from, place, scale) : sampled(*from, place, scale);
}

/// The mean of all pixels that a pixel covers.
tile tile_reader::shrunk(image_source& from, const tile_place& place, double scale) {
  const auto [width, height] = sides_of(form().shape, place);
  const auto& shape = from.form().shape;
  const auto edge = [&](std::int64_t at, std::int64_t most) {
    return std::clamp(static_cast<std::int64_t>(std::lround(static_cast<double>(at) * scale)),
                      std::int64_t{0}, most);
  };
  auto to = unknown_tile(width, height);
  std::exception_ptr failure;
  std::int64_t rows_read = 0;
  // Bands of rows, so that memory holds few pixels of the file.
  const auto band = std::max<std::int64_t>(
      1, (std::int64_t{1} << 20) /
             std::max<std::int64_t>(1, std::lround(static_cast<double>(width) * scale * scale)));
  for (std::int64_t y0 = 0; y0 < height; y0 += band) {
    const auto y1 = std::min(y0 + band, height);
    const auto left = std::min(edge(place.x * tile_side, shape.width()), shape.width() - 1);
    const auto right = std::max(edge(place.x * tile_side + width, shape.width()), left + 1);
    const auto top = std::min(edge(place.y * tile_side + y0, shape.height()), shape.height() - 1);
    const auto bottom = std::max(edge(place.y * tile_side + y1, shape.height()), top + 1);
    tile part;
    try {
      part = readable_region(from, {{place.slice, top, left}, {1, bottom - top, right - left}});
    } catch (const std::exception&) {
      failure = std::current_exception();
      continue;
    }
    rows_read += y1 - y0;
    for (auto y = y0; y < y1; ++y) {
      const auto from_y = std::clamp(edge(place.y * tile_side + y, shape.height()), top, bottom - 1);
      const auto to_y = std::clamp(edge(place.y * tile_side + y + 1, shape.height()), from_y + 1, bottom);
      for (std::int64_t x = 0; x < width; ++x) {
        const auto from_x = std::clamp(edge(place.x * tile_side + x, shape.width()), left, right - 1);
        const auto to_x = std::clamp(edge(place.x * tile_side + x + 1, shape.width()), from_x + 1, right);
        const auto count = static_cast<std::uint64_t>((to_y - from_y) * (to_x - from_x));
        for (int c = 0; c < to.channels; ++c) {
          std::uint64_t sum = kind_ == kind::labels ? count - 1 : count / 2;
          for (auto v = from_y; v < to_y; ++v)
            for (auto u = from_x; u < to_x; ++u)
              sum += part.pixels[static_cast<std::size_t>(((v - top) * part.width + u - left) * to.channels +
                                                          c)];
          to.pixels[static_cast<std::size_t>((y * width + x) * to.channels + c)] =
              static_cast<std::uint8_t>(sum / count);
        }
      }
    }
  }
  if (rows_read == 0) std::rethrow_exception(failure);
  return to;
}

/// One small box of the file for each part of the tile.
tile tile_reader::sampled(image_source& from, const tile_place& place, double scale) {
  const auto [width, height] = sides_of(form().shape, place);
  const auto& shape = from.form().shape;
  auto to = unknown_tile(width, height);
  std::exception_ptr failure;
  bool any = false;
  const auto cell = ceil_div(tile_side, most_samples);
  const auto inside = [&](std::int64_t at, std::int64_t most) {
    return std::min(
        static_cast<std::int64_t>((static_cast<double>(at) + static_cast<double>(cell) / 2) * scale),
        most - 1);
  };
  for (std::int64_t y = 0; y < height; y += cell)
    for (std::int64_t x = 0; x < width; x += cell) {
      const auto row = inside(place.y * tile_side + y, shape.height()),
                 column = inside(place.x * tile_side + x, shape.width());
      tile pixel;
      try {
        pixel = readable_region(from, {{place.slice, row, column}, {1, 1, 1}});
      } catch (const std::exception&) {
        failure = std::current_exception();
        continue;
      }
      any = true;
      for (auto v = y; v < std::min(y + cell, height); ++v)
        for (auto u = x; u < std::min(x + cell, width); ++u)
          for (int c = 0; c < to.channels; ++c)
            to.pixels[static_cast<std::size_t>((v * width + u) * to.channels + c)] =
                pixel.pixels[static_cast<std::size_t>(c)];
    }
  if (!any) std::rethrow_exception(failure);
  return to;
}

std::string encoded(const tile& from, int quality) {
  if (quality > 0) {
    const const_image_view view(from.pixels.data(), dtype::u8, extents{from.height, from.width},
                                contiguous_strides(extents{from.height, from.width}, from.channels),
                                from.channels);
    if (auto file = files::jpeg(view, quality)) return *std::move(file);
  }
  return png(from.pixels, from.width, from.height, from.channels, quality > 0 ? 6 : 1);
}

}  // namespace macareu::pages
