// The steps of two of ITK's filters, on the host's threads. They are templates like ITK's: the compiler
// rounds and contracts (FMA) in the same way, so the pixels are bit-identical. Filters use them unless the
// user named a device.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <macareu/image.hpp>
#include <macareu/itk/run.hpp>

// A linker keeps only one instance of a template, whatever FMA options its files were compiled with. The
// inline namespace prevents that for the library's overrides (override_filters.cpp). Files of a program with
// other FMA options need a namespace of their own too.
#ifndef MACAREU_ITK_FUSED_AS
#define MACAREU_ITK_FUSED_AS in_program
#endif

namespace macareu::itk {
inline namespace MACAREU_ITK_FUSED_AS {
namespace as_itk {

/// The library does not install its own.
constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// An image seen along one axis: `lines` x `places` contiguous rows of pixels.
template <class T>
struct along_axis {
  T* data;
  std::int64_t lines, places, width, line_step, place_step;

  template <class View>
  along_axis(const View& image, int axis)
      : data(static_cast<T*>(image.data())), lines(1), width(image.shape().width()), line_step(0) {
    places = image.shape()[axis];
    place_step = image.steps()[static_cast<std::size_t>(axis)];
    for (int other = 0; other + 1 < image.shape().rank(); ++other)
      if (other != axis) {
        lines = image.shape()[other];
        line_step = image.steps()[static_cast<std::size_t>(other)];
      }
  }
  T* row(std::int64_t line, std::int64_t place) const { return data + line * line_step + place * place_step; }
};

/// to[column * to_step + row] = from[row * from_step + column]
template <class T>
void turn(const T* from, std::int64_t from_step, std::int64_t rows, std::int64_t columns, T* to,
          std::int64_t to_step) {
  for (std::int64_t column = 0; column < columns; ++column)
    for (std::int64_t row = 0; row < rows; ++row) to[column * to_step + row] = from[row * from_step + column];
}

/// to[x] = the sum of weights[k] * rows[k][x], in this order. Rows are padded to whole blocks.
inline constexpr std::int64_t pixels_of_block = 16;
template <class To>
void sum_rows(std::span<const double> weights, const double* const* rows, std::int64_t count, To* to) {
  for (std::int64_t x = 0; x < count; x += pixels_of_block) {
    double sums[pixels_of_block] = {};
    for (std::size_t k = 0; k < weights.size(); ++k)
      for (std::int64_t i = 0; i < pixels_of_block; ++i) sums[i] += weights[k] * rows[k][x + i];
    const auto here = std::min(pixels_of_block, count - x);
    for (std::int64_t i = 0; i < here; ++i) to[x + i] = static_cast<To>(sums[i]);
  }
}

inline std::int64_t whole_blocks(std::int64_t count) {
  return ceil_div(count, pixels_of_block) * pixels_of_block;
}

/// Scratch memory of a thread, allocated once.
struct smoothing_room {
  std::vector<double> pixels;
  std::vector<const double*> rows;
};

/// Along x: one row, with its ends repeated.
template <class From, class To>
void smooth_row(std::span<const double> weights, const From* from, std::int64_t width, smoothing_room& room,
                To* to) {
  auto& [pixels, rows] = room;
  const auto reach = static_cast<std::int64_t>(weights.size() / 2);
  pixels.resize(static_cast<std::size_t>(whole_blocks(width) + 2 * reach));
  std::fill_n(pixels.begin(), reach, static_cast<double>(from[0]));
  std::transform(from, from + width, pixels.begin() + reach,
                 [](From pixel) { return static_cast<double>(pixel); });
  std::fill(pixels.begin() + reach + width, pixels.end(), static_cast<double>(from[width - 1]));
  rows.resize(weights.size());
  for (std::size_t k = 0; k < rows.size(); ++k) rows[k] = pixels.data() + k;
  sum_rows(weights, rows.data(), width, to);
}

/// Along another axis: `count` columns of one line, from place `first` to `last`. A ring buffer holds the
/// rows under the weights as f64.
template <class From, class To>
void smooth_columns(std::span<const double> weights, const along_axis<const From>& from,
                    const along_axis<To>& to, std::int64_t line, std::int64_t column, std::int64_t count,
                    std::int64_t first, std::int64_t last, smoothing_room& room) {
  const auto reach = static_cast<std::int64_t>(weights.size() / 2), kept = 2 * reach + 1;
  const auto length = whole_blocks(count);
  room.pixels.resize(static_cast<std::size_t>(kept * length));
  room.rows.resize(weights.size());
  const auto row_of = [&](std::int64_t place) { return room.pixels.data() + place % kept * length; };
  auto next = std::max<std::int64_t>(first - reach, 0);
  for (auto place = first; place < last; ++place) {
    for (; next <= std::min(place + reach, from.places - 1); ++next) {
      const From* pixels = from.row(line, next) + column;
      std::transform(pixels, pixels + count, row_of(next),
                     [](From pixel) { return static_cast<double>(pixel); });
    }
    for (std::int64_t k = 0; k < kept; ++k)
      room.rows[static_cast<std::size_t>(k)] =
          row_of(std::clamp<std::int64_t>(place + k - reach, 0, from.places - 1));
    sum_rows(weights, room.rows.data(), count, to.row(line, place) + column);
  }
}

}  // namespace as_itk

/// Convolves along one axis as ITK's NeighborhoodOperatorImageFilter: sums in f64, then converts to the
/// output's type. The number of weights is odd, and the axis is in array order. Border pixels are repeated.
template <class From, class To>
void smooth_axis(::itk::ProcessObject& filter, step part, int axis, std::span<const double> weights,
                 const const_image_view& source, const image_view& out) {
  if (out.shape().pixels() == 0) return;
  const bool along_rows = axis == source.shape().rank() - 1;
  const int rows_axis = along_rows ? axis - 1 : axis;
  const as_itk::along_axis<const From> from(source, rows_axis);
  const as_itk::along_axis<To> to(out, rows_axis);
  in_rounds(filter, part, to.lines * to.places, to.width, [&](std::int64_t first, std::int64_t last) {
    as_itk::smoothing_room room;
    while (first < last) {
      const auto line = first / to.places, place = first % to.places;
      const auto end = std::min(to.places, place + last - first);
      if (along_rows) {
        for (auto at = place; at < end; ++at)
          as_itk::smooth_row(weights, from.row(line, at), to.width, room, to.row(line, at));
      } else {
        constexpr std::int64_t strip = 256;  // columns whose rows fit in the L1 cache
        for (std::int64_t column = 0; column < to.width; column += strip)
          as_itk::smooth_columns(weights, from, to, line, column, std::min(strip, to.width - column), place,
                                 end, room);
      }
      first += end - place;
    }
  });
}

/// One axis of SignedMaurerDistanceMapImageFilter::Voronoi, with ITK's arithmetic. A line holds squared
/// distances over the previous axes, or the greatest number; they are extended by this axis.
template <class Real>
class distances_along {
 public:
  distances_along(std::int64_t length, double spacing)
      : sites_(static_cast<std::size_t>(length)), pixels_(static_cast<std::size_t>(length)) {
    for (std::size_t i = 0; i < sites_.size(); ++i) {  // ITK rounds the positions in these two ways
      sites_[i] = static_cast<Real>(i) * static_cast<Real>(spacing);
      pixels_[i] = static_cast<Real>(static_cast<double>(i) * spacing);
    }
  }

  static constexpr Real none = std::numeric_limits<Real>::max();
  struct stack {
    std::vector<Real> squares, places;
  };

  void operator()(Real* line, stack& kept) const {
    kept.squares.resize(sites_.size());
    kept.places.resize(sites_.size());
    Real* const g = kept.squares.data();
    Real* const h = kept.places.data();
    std::int64_t top = -1;
    for (std::size_t i = 0; i < sites_.size(); ++i) {
      const Real square = line[i];
      if (square == none) continue;
      while (top >= 1 && Hides(g[top - 1], g[top], square, h[top - 1], h[top], sites_[i])) --top;
      ++top;
      g[top] = square;
      h[top] = sites_[i];
    }
    if (top < 0) return;
    std::int64_t nearest = 0;
    for (std::size_t i = 0; i < pixels_.size(); ++i) {
      const Real place = pixels_[i];
      Real least = g[nearest] + (h[nearest] - place) * (h[nearest] - place);
      while (nearest < top) {
        const Real next = g[nearest + 1] + (h[nearest + 1] - place) * (h[nearest + 1] - place);
        if (least <= next) break;
        ++nearest;
        least = next;
      }
      line[i] = least;
    }
  }

 private:
  /// Whether the parabolas of two sites hide the one between them.
  static bool Hides(Real d1, Real d2, Real df, Real x1, Real x2, Real xf) {
    const Real a = x2 - x1, b = xf - x2, c = xf - x1;
    return c * d2 - b * d1 - a * df - a * b * c > 0;
  }

  std::vector<Real> sites_, pixels_;
};

/// Options of SignedMaurerDistanceMapImageFilter.
struct distance_kind {
  bool squared, inside_is_positive;
};

/// The distances of SignedMaurerDistanceMapImageFilter to the pixels where `away` is not set, with a sign by
/// `objects`. Spacing is in array order. All images are contiguous.
template <class Real>
void measure_as_itk(::itk::ProcessObject& filter, const const_image_view& sites,
                    const const_image_view& objects, std::span<const double> spacing, distance_kind kind,
                    const image_view& out) {
  using along_line = distances_along<Real>;
  const int rank = out.shape().rank();
  if (out.shape().pixels() == 0) return;
  const auto part = [&](int axis) {
    return step{double(rank - 1 - axis) / rank, double(rank - axis) / rank};
  };
  const auto width = out.shape().width();
  const auto* const set = static_cast<const bool*>(sites.data());
  auto* const pixels = static_cast<Real*>(out.data());
  const along_line along_rows(width, spacing[static_cast<std::size_t>(rank - 1)]);
  in_rounds(filter, part(rank - 1), out.shape().depth() * out.shape().height(), width,
            [&](std::int64_t first, std::int64_t last) {
              typename along_line::stack kept;
              for (auto row = first; row < last; ++row) {
                Real* const line = pixels + row * width;
                for (std::int64_t x = 0; x < width; ++x)
                  line[x] = set[row * width + x] ? Real{} : along_line::none;
                along_rows(line, kept);
              }
            });
  const auto* const in_object = static_cast<const bool*>(objects.data());
  for (int axis = rank - 2; axis >= 0; --axis) {
    const as_itk::along_axis<Real> rows(out, axis);
    const along_line along(rows.places, spacing[static_cast<std::size_t>(axis)]);
    constexpr std::int64_t together = 128 / sizeof(Real);  // columns: two cache lines per row
    const auto strips = as_itk::ceil_div(width, together);
    const auto length = rows.places + together;  // padding avoids cache-set conflicts between columns
    constexpr std::int64_t at_once = 16;
    in_rounds(filter, part(axis), rows.lines * strips, together * rows.places,
              [&](std::int64_t first, std::int64_t last) {
                typename along_line::stack kept;
                std::vector<Real> columns(static_cast<std::size_t>(together * length));
                for (auto unit = first; unit < last; ++unit) {
                  const auto line = unit / strips, x = unit % strips * together,
                             count = std::min(together, width - x);
                  for (std::int64_t place = 0; place < rows.places; place += at_once) {
                    const auto end = std::min(place + at_once, rows.places);
                    // Hardware prefetchers do not cross so many pages.
                    for (auto ahead = end; ahead < std::min(end + at_once, rows.places); ++ahead)
                      __builtin_prefetch(rows.row(line, ahead) + x);
                    as_itk::turn(rows.row(line, place) + x, rows.place_step, end - place, count,
                                 columns.data() + place, length);
                  }
                  for (std::int64_t i = 0; i < count; ++i) {
                    Real* const column = columns.data() + i * length;
                    along(column, kept);
                    if (axis == 0 && !kind.squared)
                      std::transform(column, column + rows.places, column,
                                     [](Real square) { return std::sqrt(square); });
                  }
                  for (std::int64_t place = 0; place < rows.places; place += at_once) {
                    const auto end = std::min(place + at_once, rows.places);
                    as_itk::turn(columns.data() + place, length, count, end - place,
                                 rows.row(line, place) + x, rows.place_step);
                    if (axis > 0) continue;
                    for (auto signed_place = place; signed_place < end; ++signed_place) {
                      Real* const row = rows.row(line, signed_place) + x;
                      const bool* const inside = in_object + (row - pixels);
                      for (std::int64_t i = 0; i < count; ++i) {
                        const bool negative =
                            inside[i] != kind.inside_is_positive && row[i] != along_line::none;
                        row[i] = negative ? -row[i] : row[i];
                      }
                    }
                  }
                }
              });
  }
}

}  // namespace MACAREU_ITK_FUSED_AS
}  // namespace macareu::itk
