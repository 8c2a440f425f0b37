#include "correlate.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

#include "core/call.hpp"
#include "core/pixel_types.hpp"
#include "engines/cpu/threads.hpp"

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

/// An image of any type by rows.
template <class Pixel>
class rows_of {
 public:
  template <class View>
  explicit rows_of(const View& image)
      : bytes_(static_cast<std::int64_t>(size_of(image.type()))), view_(typed_view<Pixel>(image)) {}

  std::int64_t step() const { return view_.step_x; }
  Pixel* at(std::int64_t z, std::int64_t y) const {
    return view_.data + bytes_ * (z * view_.step_z + y * view_.step_y);
  }

 private:
  std::int64_t bytes_;
  view<Pixel> view_;
};

/// near[k]: the row k further; sums of pairs.
void add_pairs(const double* const* near, std::int64_t count, const line_weights& weights, double* sums) {
  const auto& half = weights.half;
  const double* const here = near[0];
  for (std::int64_t i = 0; i < count; ++i) sums[i] = here[i] * half[0];
  for (auto k = std::ssize(half) - 1; k > 0; --k) {
    const double *const before = near[-k], *const after = near[k];
    const double weight = half[static_cast<std::size_t>(k)];
    if (weights.odd)
      for (std::int64_t i = 0; i < count; ++i) sums[i] += (after[i] - before[i]) * weight;
    else
      for (std::int64_t i = 0; i < count; ++i) sums[i] += (before[i] + after[i]) * weight;
  }
}

class correlation {
 public:
  correlation(const const_image_view& in, const image_view& out, int axis, const line_weights& weights,
              const border<double>& edge)
      : shape_(in.shape()),
        in_(in),
        out_(out),
        axis_(axis + 3 - in.shape().rank()),
        weights_(weights),
        edge_(edge),
        load_(
            with_pixel_type(in.type(), []<class T>(std::type_identity<T>) -> load_row { return &load<T>; })),
        store_(with_pixel_type(out.type(),
                               []<class T>(std::type_identity<T>) -> store_row { return &store<T>; })),
        as_it_is_(in.type() == dtype::f64 && in_.step() == 1) {}

  void run() const {
    const auto rows = shape_.depth() * shape_.height();
    const auto batch = std::max<std::int64_t>(1, 16 * 1024 / shape_.width());
    std::atomic<std::int64_t> next{0};
    cpu::parallel(cpu::threads_for(shape_.pixels(), 0), [&](int) {
      scratch own(*this);
      for (;;) {
        const auto begin = next.fetch_add(batch, std::memory_order_relaxed);
        if (begin >= rows) return;
        for (auto row = begin; row < std::min(rows, begin + batch); ++row)
          write(row / shape_.height(), row % shape_.height(), own);
      }
    });
  }

 private:
  std::int64_t reach() const { return std::ssize(weights_.half) - 1; }

  /// Memory of a thread: rows around, and the sums.
  struct scratch {
    explicit scratch(const correlation& all)
        : sums(static_cast<std::size_t>(all.shape_.width())),
          around(static_cast<std::size_t>(all.axis_ == 2 ? all.shape_.width() + 2 * all.reach()
                                                         : (2 * all.reach() + 1) * all.shape_.width())),
          rows(static_cast<std::size_t>(2 * all.reach() + 1)) {}
    std::vector<double> sums, around;
    std::vector<const double*> rows;
  };

  void write(std::int64_t z, std::int64_t y, scratch& own) const {
    if (axis_ == 2)
      shift_row(z, y, own);
    else
      gather_rows(z, y, own);
    add_pairs(own.rows.data() + reach(), shape_.width(), weights_, own.sums.data());
    store_(own.sums.data(), shape_.width(), out_.at(z, y), out_.step());
  }

  void shift_row(std::int64_t z, std::int64_t y, scratch& own) const {
    const auto width = shape_.width();
    double* const row = own.around.data() + reach();
    load_(in_.at(z, y), in_.step(), width, row);
    const auto outside = [&](std::int64_t x) {
      return edge_.mode == border_mode::constant ? edge_.outside : row[edge_.fold(x, width)];
    };
    for (std::int64_t k = 1; k <= reach(); ++k) {
      row[-k] = outside(-k);
      row[width - 1 + k] = outside(width - 1 + k);
    }
    for (auto k = -reach(); k <= reach(); ++k) own.rows[static_cast<std::size_t>(k + reach())] = row + k;
  }

  void gather_rows(std::int64_t z, std::int64_t y, scratch& own) const {
    const auto size = axis_ == 0 ? shape_.depth() : shape_.height(), here = axis_ == 0 ? z : y;
    for (auto k = -reach(); k <= reach(); ++k) {
      double* const room = own.around.data() + (k + reach()) * shape_.width();
      const bool outside = here + k < 0 || here + k >= size;
      const double*& row = own.rows[static_cast<std::size_t>(k + reach())];
      row = room;
      if (outside && edge_.mode == border_mode::constant) {
        std::fill_n(room, shape_.width(), edge_.outside);
        continue;
      }
      const auto place = edge_.fold(here + k, size);
      const auto* const from = axis_ == 0 ? in_.at(place, y) : in_.at(z, place);
      if (as_it_is_)
        row = static_cast<const double*>(static_cast<const void*>(from));
      else
        load_(from, in_.step(), shape_.width(), room);
    }
  }

  extents shape_;
  rows_of<const std::byte> in_;
  rows_of<std::byte> out_;
  int axis_;
  line_weights weights_;
  border<double> edge_;
  load_row load_;
  store_row store_;
  bool as_it_is_;
};

}  // namespace

void correlate(const const_image_view& in, const image_view& out, int axis, const line_weights& weights,
               const border<double>& edge) {
  if (in.shape().pixels() > 0) correlation(in, out, axis, weights, edge).run();
}

}  // namespace macareu::python
