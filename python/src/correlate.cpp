#include "correlate.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/call.hpp"
#include "core/ceil_div.hpp"
#include "core/pixel_types.hpp"
#include "engines/cpu/runtime/threads.hpp"
#include "engines/cpu/window/sums.hpp"

namespace macareu::python {
namespace {

using load_row = void (*)(const void* from, std::int64_t step, std::int64_t count, double* to);
using store_row = void (*)(const double* from, std::int64_t count, void* to, std::int64_t step);

template <class T>
void load(const void* from, std::int64_t step, std::int64_t count, double* to) {
  const auto* const pixels = static_cast<const T*>(from);
  if (step == 1)
    for (std::int64_t i = 0; i < count; ++i) to[i] = static_cast<double>(pixels[i]);
  else
    for (std::int64_t i = 0; i < count; ++i) to[i] = static_cast<double>(pixels[i * step]);
}

template <class T>
void store(const double* from, std::int64_t count, void* to, std::int64_t step) {
  auto* const pixels = static_cast<T*>(to);
  if (step == 1)
    for (std::int64_t i = 0; i < count; ++i) pixels[i] = static_cast<T>(from[i]);
  else
    for (std::int64_t i = 0; i < count; ++i) pixels[i * step] = static_cast<T>(from[i]);
}

/// Access to the rows of an image of any type.
template <class Pixel>
class rows_of {
 public:
  template <class View>
  explicit rows_of(const View& image)
      : bytes_(static_cast<std::int64_t>(size_of(image.type()))),
        view_(typed_view<Pixel>(image)),
        as_it_is_(image.type() == dtype::f64 && view_.step_x == 1) {}

  std::int64_t step() const { return view_.step_x; }
  /// Whether rows are contiguous f64.
  bool as_it_is() const { return as_it_is_; }
  Pixel* at(site p) const {
    return view_.data + bytes_ * (p.z * view_.step_z + p.y * view_.step_y + p.x * view_.step_x);
  }

 private:
  std::int64_t bytes_;
  view<Pixel> view_;
  bool as_it_is_;
};

/// The antisymmetric counterpart of the library's symmetric sums. rows[r] is the middle row.
void add_differences(const double* const* rows, const double* half, int r, std::int64_t count, double* sums) {
  for (std::int64_t i = 0; i < count; ++i) sums[i] = rows[r][i] * half[0];
  for (int k = r; k > 0; --k) {
    const double *const before = rows[r - k], *const after = rows[r + k];
    const double weight = half[k];
    for (std::int64_t i = 0; i < count; ++i) sums[i] += (after[i] - before[i]) * weight;
  }
}

class correlation {
 public:
  correlation(const const_image_view& in, const image_view& out, int axis, const line_weights& weights,
              const border<double>& edge, std::stop_token stop)
      : shape_(in.shape()),
        in_(in),
        out_(out),
        axis_(axis + 3 - in.shape().rank()),
        reach_(static_cast<int>(weights.half.size()) - 1),
        weights_(weights),
        edge_(edge),
        stop_(std::move(stop)),
        load_(
            with_pixel_type(in.type(), []<class T>(std::type_identity<T>) -> load_row { return &load<T>; })),
        store_(with_pixel_type(out.type(),
                               []<class T>(std::type_identity<T>) -> store_row { return &store<T>; })) {}

  /// Processes pieces of few columns, whose rows stay in the cache.
  void run() const {
    const auto along_z = axis_ == 0;
    const auto length = along_z ? shape_.depth() : shape_.height();
    const auto bands = ceil_div(length, rows_at_once()), strips = ceil_div(shape_.width(), columns_at_once());
    const auto all = bands * strips * (along_z ? shape_.height() : shape_.depth());
    std::atomic<std::int64_t> next{0};
    cpu::parallel(cpu::threads_for(shape_.pixels(), 0), [&](int) {
      scratch own(*this);
      for (std::int64_t task; (task = next.fetch_add(1, std::memory_order_relaxed)) < all;) {
        const auto first = task % strips * columns_at_once(), top = task / strips % bands * rows_at_once();
        const piece here{task / strips / bands, top, std::min(length, top + rows_at_once()), first,
                         std::min(shape_.width() - first, columns_at_once())};
        if (axis_ == 2)
          within_rows(here, own);
        else
          across_rows(here, own);
      }
    });
  }

 private:
  /// Columns of the rows top ... bottom - 1, along y in one slice, or along z at one y.
  struct piece {
    std::int64_t other, top, bottom, first, count;
  };

  /// Memory of a thread: rows as f64, and their sums.
  struct scratch {
    explicit scratch(const correlation& all)
        : lines(all.axis_ == 2 ? 1 : 2 * all.reach_ + 1),
          pitch(all.columns_at_once() + (all.axis_ == 2 ? 2 * all.reach_ : 0)),
          rows(static_cast<std::size_t>(2 * all.reach_ + 1)),
          converted(static_cast<std::size_t>(lines * pitch)),
          sums(static_cast<std::size_t>(all.columns_at_once())) {}
    std::int64_t lines, pitch;
    std::vector<const double*> rows;
    std::vector<double> converted, sums;
  };

  /// Along x, wide enough that the overlap is small; otherwise, few enough that the rows fit in the L1 cache.
  std::int64_t columns_at_once() const {
    constexpr int values_in_cache = 6 * 1024;
    return axis_ == 2 ? std::max(1024, 8 * reach_) : std::max(64, values_in_cache / (2 * reach_ + 1) & ~15);
  }
  std::int64_t rows_at_once() const { return axis_ == 2 ? 16 : std::max(64, 8 * reach_); }

  site place(const piece& here, std::int64_t along) const {
    return axis_ == 0 ? site{along, here.other, here.first} : site{here.other, along, here.first};
  }

  void add_up(const scratch& own, std::int64_t count, double* sums) const {
    const auto add = weights_.odd ? &add_differences : cpu::best_sums<double>().symmetric;
    add(own.rows.data(), weights_.half.data(), reach_, count, sums);
  }

  /// Long sums take time, so each row checks for a stop request.
  void write(site p, std::int64_t count, scratch& own) const {
    if (stop_.stop_requested()) throw interrupted();
    auto* const to = out_.at(p);
    if (out_.as_it_is()) return add_up(own, count, static_cast<double*>(static_cast<void*>(to)));
    add_up(own, count, own.sums.data());
    store_(own.sums.data(), count, to, out_.step());
  }

  void within_rows(const piece& here, scratch& own) const {
    const auto width = shape_.width(), begin = here.first - reach_, end = here.first + here.count + reach_;
    const auto first_inside = std::max<std::int64_t>(begin, 0), end_inside = std::min(end, width);
    double* const row = own.converted.data();
    for (int k = 0; k <= 2 * reach_; ++k) own.rows[static_cast<std::size_t>(k)] = row + k;
    for (auto y = here.top; y < here.bottom; ++y) {
      load_(in_.at({here.other, y, first_inside}), in_.step(), end_inside - first_inside,
            row + (first_inside - begin));
      const auto fill_outside = [&](std::int64_t x) {
        double& value = row[x - begin];
        if (edge_.mode == border_mode::constant)
          value = edge_.outside;
        else
          load_(in_.at({here.other, y, edge_.fold(x, width)}), 1, 1, &value);
      };
      for (auto x = begin; x < first_inside; ++x) fill_outside(x);
      for (auto x = end_inside; x < end; ++x) fill_outside(x);
      write({here.other, y, here.first}, here.count, own);
    }
  }

  /// Each row is converted once, into a ring buffer.
  void across_rows(const piece& here, scratch& own) const {
    for (auto along = here.top - reach_; along < here.top + reach_; ++along) bring(here, along, own);
    for (auto along = here.top; along < here.bottom; ++along) {
      bring(here, along + reach_, own);
      write(place(here, along), here.count, own);
      std::rotate(own.rows.begin(), own.rows.begin() + 1, own.rows.end());
    }
  }

  void bring(const piece& here, std::int64_t along, scratch& own) const {
    const auto length = axis_ == 0 ? shape_.depth() : shape_.height();
    const auto slot = ((along % own.lines) + own.lines) % own.lines;
    double* const room = own.converted.data() + slot * own.pitch;
    const auto number = std::min<std::int64_t>(along - (here.top - reach_), 2 * reach_);
    const double*& row = own.rows[static_cast<std::size_t>(number)];
    row = room;
    if (edge_.mode == border_mode::constant && (along < 0 || along >= length)) {
      std::fill_n(room, here.count, edge_.outside);
      return;
    }
    const auto* const from = in_.at(place(here, edge_.fold(along, length)));
    if (in_.as_it_is())
      row = static_cast<const double*>(static_cast<const void*>(from));
    else
      load_(from, in_.step(), here.count, room);
  }

  extents shape_;
  rows_of<const std::byte> in_;
  rows_of<std::byte> out_;
  int axis_, reach_;
  line_weights weights_;
  border<double> edge_;
  std::stop_token stop_;
  load_row load_;
  store_row store_;
};

}  // namespace

void correlate(const const_image_view& in, const image_view& out, int axis, const line_weights& weights,
               const border<double>& edge, std::stop_token stop) {
  if (in.shape().pixels() > 0) correlation(in, out, axis, weights, edge, std::move(stop)).run();
}

}  // namespace macareu::python
