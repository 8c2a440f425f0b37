#include "slopes.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/call.hpp"
#include "engines/cpu/window/run_window.hpp"
#include "engines/cpu/window/sums.hpp"

namespace macareu::python {
namespace {

void add_square(const double* slope, std::int64_t count, double* sum) {
  for (std::int64_t i = 0; i < count; ++i) sum[i] += slope[i] * slope[i];
}

template <class Out>
void write_roots(const double* sum, std::int64_t count, double divisor, Out* to) {
  for (std::int64_t i = 0; i < count; ++i) to[i] = static_cast<Out>(std::sqrt(sum[i]) / divisor);
}

/// All taps of an image's piece of rows that one thread has around.
class slope_rows {
 public:
  slope_rows(std::span<const slope_taps> slopes, window_radius radius, std::int64_t count)
      : slopes_(slopes),
        radius_(radius),
        count_(count),
        slope_(static_cast<std::size_t>(count)),
        sum_(static_cast<std::size_t>(count)) {}

  template <class Out>
  void write(const double* const* rows, double divisor, Out* to) {
    if (slopes_.size() == 1) {
      add_taps(rows, slopes_[0]);
      std::copy(slope_.begin(), slope_.end(), to);
      return;
    }
    std::ranges::fill(sum_, 0.0);
    for (const auto& taps : slopes_) {
      add_taps(rows, taps);
      add_square(slope_.data(), count_, sum_.data());
    }
    write_roots(sum_.data(), count_, divisor, to);
  }

 private:
  void add_taps(const double* const* rows, const slope_taps& taps) {
    places_.clear();
    weights_.clear();
    for (const auto& each : taps) {
      const int row = (each.dz + radius_.z) * (2 * radius_.y + 1) + each.dy + radius_.y;
      places_.push_back(rows[row] + each.dx);
      weights_.push_back(each.weight);
    }
    cpu::best_sums<double>().weighted(places_.data(), weights_.data(), static_cast<int>(taps.size()), count_,
                                      slope_.data());
  }

  std::span<const slope_taps> slopes_;
  window_radius radius_;
  std::int64_t count_;
  std::vector<double> slope_, sum_, weights_;
  std::vector<const double*> places_;
};

template <class Out, class In>
void write_typed(const view<const In>& in, const view<Out>& out, std::span<const slope_taps> slopes,
                 border_mode edge, double divisor, const std::stop_token& stop) {
  window_radius radius{0, 0, 0};
  for (const auto& taps : slopes) {
    const auto own = radius_of(std::span<const tap<double>>(taps));
    radius = {std::max(radius.z, own.z), std::max(radius.y, own.y), std::max(radius.x, own.x)};
  }
  context how;
  how.stop = stop;
  const job work{.how = how, .report = {}};
  cpu::over_bands(
      work, out,
      [&](std::int64_t z, std::int64_t top, std::int64_t bottom, std::int64_t first, std::int64_t count) {
        cpu::near_rows<double, In> rows(in, {edge, 0}, radius, first, count);
        slope_rows sums(slopes, radius, count);
        for (auto y = top; y < bottom; ++y) {
          rows.move_to(z, y);
          sums.write(rows.rows(), divisor, &out[{z, y, first}]);
        }
      });
}

}  // namespace

void write_slopes(const const_image_view& in, const image_view& out, std::span<const slope_taps> slopes,
                  border_mode edge, double divisor, std::stop_token stop) {
  const auto write = [&]<class T>(std::type_identity<T>) {
    write_typed(typed_view<const T>(in), typed_view<T>(out), slopes, edge, divisor, stop);
  };
  if (in.type() == dtype::f32)
    write(std::type_identity<float>{});
  else
    write(std::type_identity<double>{});
}

}  // namespace macareu::python
