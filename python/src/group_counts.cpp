#include "group_counts.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <type_traits>

#include "core/call.hpp"
#include "core/pixel_types.hpp"
#include "engines/cpu/runtime/threads.hpp"

namespace macareu::python {
namespace {

/// Converts pixels of a row to another type.
template <class To>
using load_pixels = void (*)(const const_image_view& image, site first, std::int64_t count, To* to);

template <class T, class To>
void load(const const_image_view& image, site first, std::int64_t count, To* to) {
  over_row(
      first, count, [&](std::int64_t i, const T& value) { to[i] = static_cast<To>(value); },
      typed_view<const T>(image));
}

template <class To>
load_pixels<To> loader(dtype type) {
  return with_pixel_type(type,
                         []<class T>(std::type_identity<T>) -> load_pixels<To> { return &load<T, To>; });
}

/// The bin of a value: computed from the bin width, then corrected by comparing with the edges.
class bins_between {
 public:
  explicit bins_between(std::span<const double> edges)
      : edges_(edges),
        last_(std::ssize(edges) - 2),
        per_value_(static_cast<double>(last_ + 1) / (edges.back() - edges.front())) {}

  /// -1 outside the edges.
  std::int64_t operator()(double value) const {
    if (!(value >= edges_.front() && value <= edges_.back())) return -1;
    auto bin = std::min(static_cast<std::int64_t>((value - edges_.front()) * per_value_), last_);
    while (bin > 0 && value < at(bin)) --bin;
    while (bin < last_ && value >= at(bin + 1)) ++bin;
    return bin;
  }

 private:
  double at(std::int64_t edge) const { return edges_[static_cast<std::size_t>(edge)]; }

  std::span<const double> edges_;
  std::int64_t last_;
  double per_value_;
};

void add(const std::vector<std::int64_t>& more, std::vector<std::int64_t>& to) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += more[i];
}

}  // namespace

group_counts count_groups(const const_image_view& image, const const_image_view& labels,
                          const label_rows& rows, std::span<const double> edges, std::stop_token stop) {
  constexpr std::int64_t at_once = 1024;
  const auto& shape = image.shape();
  const auto load_values = loader<double>(image.type());
  const auto load_labels = loader<std::int64_t>(labels.type());
  const bins_between bin_of(edges);
  const auto bins = std::ssize(edges) - 1;
  const auto empty = [&] {
    return group_counts{std::vector<std::int64_t>(static_cast<std::size_t>(rows.count)),
                        std::vector<std::int64_t>(static_cast<std::size_t>(rows.count * bins))};
  };
  auto all = empty();
  const auto lines = shape.depth() * shape.height(),
             batch = std::max<std::int64_t>(1, (1 << 16) / shape.width());
  // Every thread has its own counts, so these must be few compared to the pixels.
  const int threads = rows.count * bins < shape.pixels() / 8 ? cpu::threads_for(shape.pixels(), 0) : 1;
  std::atomic<std::int64_t> next{0};
  std::mutex adding;
  cpu::parallel(threads, [&](int) {
    auto own = empty();
    double values[at_once];
    std::int64_t numbers[at_once];
    const auto count_piece = [&](site first, std::int64_t count) {
      load_labels(labels, first, count, numbers);
      load_values(image, first, count, values);
      for (std::int64_t i = 0; i < count; ++i) {
        if (numbers[i] < 0 || numbers[i] >= std::ssize(rows.of)) continue;
        const std::int64_t row = rows.of[static_cast<std::size_t>(numbers[i])];
        if (row < 0) continue;
        ++own.pixels[static_cast<std::size_t>(row)];
        if (const auto bin = bin_of(values[i]); bin >= 0)
          ++own.bins[static_cast<std::size_t>(row * bins + bin)];
      }
    };
    for (std::int64_t begin; (begin = next.fetch_add(batch, std::memory_order_relaxed)) < lines;) {
      if (stop.stop_requested()) throw interrupted();
      for (auto line = begin; line < std::min(lines, begin + batch); ++line)
        for (std::int64_t x = 0; x < shape.width(); x += at_once)
          count_piece({line / shape.height(), line % shape.height(), x},
                      std::min(at_once, shape.width() - x));
    }
    const std::lock_guard lock(adding);
    add(own.pixels, all.pixels);
    add(own.bins, all.bins);
  });
  return all;
}

}  // namespace macareu::python
