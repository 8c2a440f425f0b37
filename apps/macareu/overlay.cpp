#include "overlay.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <macareu/error.hpp>

#include "pixels.hpp"

namespace macareu::tool {
namespace {

using colour = std::array<std::uint8_t, 3>;

/// Bytes as they are, others from their least to their greatest finite value.
std::vector<std::uint8_t> grey_of(const image& from) {
  return with_pixels(from, []<class T>(std::span<const T> values) {
    double low = 0, high = 255;
    if constexpr (std::is_same_v<T, bool>) {
      high = 1;
    } else if constexpr (!std::is_same_v<T, std::uint8_t>) {
      low = std::numeric_limits<double>::infinity();
      high = -low;
      for (const T value : values)
        if (const auto v = static_cast<double>(value); std::isfinite(v)) {
          low = std::min(low, v);
          high = std::max(high, v);
        }
    }
    std::vector<std::uint8_t> grey(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double share = high > low ? (static_cast<double>(values[i]) - low) / (high - low) : 0;
      grey[i] =
          static_cast<std::uint8_t>(std::isnan(share) ? 0 : std::lround(255 * std::clamp(share, 0.0, 1.0)));
    }
    return grey;
  });
}

/// Neighbouring numbers get colours far apart.
colour colour_of(std::uint64_t label) {
  constexpr std::array<colour, 6> bright{
      {{255, 80, 60}, {80, 220, 90}, {90, 160, 255}, {255, 200, 40}, {240, 90, 230}, {60, 220, 220}}};
  return bright[label % bright.size()];
}

/// Digits of 3 x 5 pixels, a row in three bits.
constexpr std::array<std::array<std::uint8_t, 5>, 10> digits{{{7, 5, 5, 5, 7},
                                                              {2, 6, 2, 2, 7},
                                                              {7, 1, 7, 4, 7},
                                                              {7, 1, 7, 1, 7},
                                                              {5, 5, 7, 1, 1},
                                                              {7, 4, 7, 1, 7},
                                                              {7, 4, 7, 5, 7},
                                                              {7, 1, 1, 2, 2},
                                                              {7, 5, 7, 5, 7},
                                                              {7, 5, 7, 1, 7}}};

class canvas {
 public:
  explicit canvas(const image& under) : picture_(dtype::u8, under.shape(), 3), shape_(under.shape()) {
    const auto grey = grey_of(under);
    auto to = picture_.pixels<std::uint8_t>();
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = grey[i / 3];
  }

  void paint(std::int64_t y, std::int64_t x, const colour& with) {
    if (y < 0 || y >= shape_[0] || x < 0 || x >= shape_[1]) return;
    std::copy(with.begin(), with.end(), picture_.pixels<std::uint8_t>().begin() + 3 * (y * shape_[1] + x));
  }

  /// Around (y, x), on a dark ground so that it can be read everywhere.
  void write(const std::string& number, std::int64_t y, std::int64_t x, const colour& with) {
    const auto width = static_cast<std::int64_t>(number.size()) * 4;
    const auto top = y - 2, left = x - width / 2;
    for (std::int64_t row = -1; row < 6; ++row)
      for (std::int64_t column = -1; column < width; ++column) paint(top + row, left + column, {0, 0, 0});
    for (std::size_t i = 0; i < number.size(); ++i)
      for (std::int64_t row = 0; row < 5; ++row)
        for (std::int64_t column = 0; column < 3; ++column)
          if (digits[static_cast<std::size_t>(number[i] - '0')][static_cast<std::size_t>(row)] >>
                  (2 - column) &
              1)
            paint(top + row, left + 4 * static_cast<std::int64_t>(i) + column, with);
  }

  image take() { return std::move(picture_); }

 private:
  image picture_;
  extents shape_;
};

template <class Label>
void draw_outlines(canvas& on, std::span<const Label> labels, const extents& shape) {
  const auto at = [&](std::int64_t y, std::int64_t x) {
    return y < 0 || y >= shape[0] || x < 0 || x >= shape[1]
               ? Label{}
               : labels[static_cast<std::size_t>(y * shape[1] + x)];
  };
  for (std::int64_t y = 0; y < shape[0]; ++y)
    for (std::int64_t x = 0; x < shape[1]; ++x) {
      const auto own = at(y, x);
      if (own > Label{} &&
          (at(y - 1, x) != own || at(y + 1, x) != own || at(y, x - 1) != own || at(y, x + 1) != own))
        on.paint(y, x, colour_of(static_cast<std::uint64_t>(own)));
    }
}

}  // namespace

image overlay(const image& under, const image& labels, const table& objects) {
  if (under.shape().rank() != 2)
    throw usage_error("--overlay draws on images; a volume of " + to_string(under.shape()) +
                      " has no picture");
  canvas drawn(under);
  with_pixels(labels, [&]<class Label>(std::span<const Label> numbers) {
    draw_outlines(drawn, numbers, labels.shape());
  });
  const auto& names = objects["label"];
  const auto &top = objects["bbox-0"], &left = objects["bbox-1"], &bottom = objects["bbox-2"],
             &right = objects["bbox-3"];
  for (std::size_t i = 0; i < objects.rows(); ++i) {
    const auto label = static_cast<std::uint64_t>(names[i].to_double());
    const auto middle = [&](const table_column& a, const table_column& b) {
      return static_cast<std::int64_t>((a[i].to_double() + b[i].to_double()) / 2);
    };
    drawn.write(std::to_string(label), middle(top, bottom), middle(left, right), colour_of(label));
  }
  return drawn.take();
}

}  // namespace macareu::tool
