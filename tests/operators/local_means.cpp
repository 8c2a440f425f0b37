// local_threshold by gaussian and two_class: known answers, and the definition in f64 by other loops.
#include <cmath>

#include <macareu/catalogue.hpp>

#include "core/ceil_div.hpp"
#include "operators/pictures.hpp"

namespace macareu::test {
namespace {

using plane = std::vector<double>;

image marked(const const_image_view& f, const char* method, arguments given) {
  given.emplace("method", method);
  return std::move(run_operator(*find_operator("local_threshold"), std::span(&f, 1), given, on_serial)[0]);
}

/// Otsu's threshold as the division between values with the largest variance between both parts.
double otsu(plane values) {
  std::ranges::sort(values);
  double all = 0, below = 0, best = -1, found = values[0];
  for (const double v : values) all += v;
  for (std::size_t i = 0; i + 1 < values.size(); ++i) {
    below += values[i];
    if (values[i] == values[i + 1]) continue;
    const double n = static_cast<double>(i + 1), m = static_cast<double>(values.size()) - n;
    const double apart = below / n - (all - below) / m;
    if (n * m * apart * apart > best) best = n * m * apart * apart, found = (values[i] + values[i + 1]) / 2;
  }
  return found;
}

/// One row or column: blocks, Gaussian weights with reflected ends, and straight lines between blocks.
plane smooth_line(const plane& line, double sigma, std::int64_t factor) {
  const auto n = std::ssize(line);
  plane small;
  for (std::int64_t x = 0; x < n; x += factor) {
    double sum = 0, count = 0;
    for (auto i = x; i < std::min(n, x + factor); ++i) sum += line[static_cast<std::size_t>(i)], ++count;
    small.push_back(sum / count);
  }
  const double own = sigma / static_cast<double>(factor);
  const auto radius = static_cast<std::int64_t>(4 * own + 0.5), m = std::ssize(small);
  const auto reflected = [&](std::int64_t i) {
    while (i < 0 || i >= m) i = i < 0 ? -1 - i : 2 * m - 1 - i;
    return small[static_cast<std::size_t>(i)];
  };
  plane smooth;
  for (std::int64_t x = 0; x < m; ++x) {
    double sum = 0, weights = 0;
    for (auto i = -radius; i <= radius; ++i) {
      const double w = own > 0 ? std::exp(-0.5 * static_cast<double>(i * i) / (own * own)) : 1;
      sum += w * reflected(x + i);
      weights += w;
    }
    smooth.push_back(sum / weights);
  }
  plane result;
  for (std::int64_t x = 0; x < n; ++x) {
    const double at = std::clamp((static_cast<double>(x) + 0.5) / static_cast<double>(factor) - 0.5, 0.0,
                                 static_cast<double>(m - 1));
    const auto before = static_cast<std::size_t>(at);
    const double beyond = at - static_cast<double>(before);
    result.push_back(beyond > 0 ? smooth[before] * (1 - beyond) + smooth[before + 1] * beyond
                                : smooth[before]);
  }
  return result;
}

/// All steps are separable.
plane smooth(plane f, std::int64_t height, std::int64_t width, double sigma_y, double sigma_x,
             std::int64_t (*factor)(double sigma)) {
  const auto at = [&](std::int64_t y, std::int64_t x) -> double& {
    return f[static_cast<std::size_t>(y * width + x)];
  };
  for (std::int64_t y = 0; y < height; ++y) {
    plane row;
    for (std::int64_t x = 0; x < width; ++x) row.push_back(at(y, x));
    row = smooth_line(row, sigma_x, factor(sigma_x));
    for (std::int64_t x = 0; x < width; ++x) at(y, x) = row[static_cast<std::size_t>(x)];
  }
  for (std::int64_t x = 0; x < width; ++x) {
    plane column;
    for (std::int64_t y = 0; y < height; ++y) column.push_back(at(y, x));
    column = smooth_line(column, sigma_y, factor(sigma_y));
    for (std::int64_t y = 0; y < height; ++y) at(y, x) = column[static_cast<std::size_t>(y)];
  }
  return f;
}

std::int64_t of_classes(double sigma) { return sigma < 4 ? 1 : sigma < 64 ? 4 : sigma < 128 ? 8 : 16; }
std::int64_t of_gaussian(double sigma) { return sigma < 32 ? 1 : of_classes(sigma); }

/// Squares of different grey on noise, so that local means differ.
picture<float> squares(dice& from, std::int64_t height, std::int64_t width) {
  picture<float> f{{height, width}, {}};
  constexpr std::int64_t side = 23;
  std::vector<std::int64_t> grey;
  for (std::int64_t i = 0; i < ceil_div(height, side) * ceil_div(width, side); ++i)
    grey.push_back(from.between(0, 200));
  for (std::int64_t y = 0; y < height; ++y)
    for (std::int64_t x = 0; x < width; ++x)
      f.pixels.push_back(static_cast<float>(
          grey[static_cast<std::size_t>(y / side * ceil_div(width, side) + x / side)] + from.between(0, 50)));
  return f;
}

TEST(local_gaussian, equals_the_definition) {
  for (std::int64_t n = 0; n < scaled(160); ++n) {
    const auto seed = seed_of("local_gaussian", n);
    dice from(seed);
    const std::int64_t height = from.between(1, 200), width = from.between(2, 200);
    const auto f = squares(from, height, width);
    const std::int64_t window_y = 2 * from.between(0, 500) + 1, window_x = 2 * from.between(0, 500) + 1;
    const auto mask = values_of<std::uint8_t>(
        marked(f.view(), "gaussian", {{"window", std::vector<number>{window_y, window_x}}}));
    const double sigma_y = static_cast<double>(window_y - 1) / 6,
                 sigma_x = static_cast<double>(window_x - 1) / 6;
    const plane values(f.pixels.begin(), f.pixels.end());
    const auto means = smooth(values, height, width, sigma_y, sigma_x, of_gaussian);
    for (std::size_t i = 0; i < mask.size(); ++i) {
      if (std::abs(values[i] - means[i]) < 1e-2) continue;  // f32 decides
      ASSERT_EQ(mask[i] != 0, values[i] > means[i]) << "seed " << seed << ", pixel " << i;
    }
  }
}

TEST(local_gaussian, of_wide_windows_is_nearly_exact) {
  dice from(seed_of("wide windows", 0));
  const std::int64_t height = 264, width = 416;  // whole blocks: part of one counts as much in the mean
  const auto f = squares(from, height, width);
  const plane values(f.pixels.begin(), f.pixels.end());
  for (const auto& [window_y, window_x] : {std::pair(199, 385), {13, 301}}) {
    const auto mask = values_of<std::uint8_t>(
        marked(f.view(), "gaussian", {{"window", std::vector<number>{window_y, window_x}}}));
    const auto exact = smooth(values, height, width, (window_y - 1) / 6.0, (window_x - 1) / 6.0,
                              [](double) { return std::int64_t{1}; });
    std::size_t near = 0;
    for (std::size_t i = 0; i < mask.size(); ++i) {
      const bool is_near = std::abs(values[i] - exact[i]) <= 1;  // of 250 grey values
      near += is_near;
      ASSERT_TRUE(is_near || (mask[i] != 0) == (values[i] > exact[i])) << i;
    }
    EXPECT_LT(near, mask.size() / 20);
  }
}

TEST(two_classes, equals_the_definition) {
  std::int64_t bright = 0, all = 0;
  for (std::int64_t n = 0; n < scaled(60); ++n) {
    const auto seed = seed_of("two_classes", n);
    dice from(seed);
    const std::int64_t height = from.between(1, 60), width = from.between(2, 60);
    picture<float> f{{height, width}, {}};
    // Few values, far apart, so that bins do not decide; and both classes are there.
    for (auto i = height * width; i > 0; --i)
      f.pixels.push_back(static_cast<float>(from.once_in(3) ? from.between(60, 90) : from.between(0, 30)));
    f.pixels[0] = 0, f.pixels[1] = 90;
    const std::int64_t window_y = 2 * from.between(0, 30) + 1, window_x = 2 * from.between(0, 30) + 1;
    const double weight = static_cast<double>(from.between(0, 20)) / 20,
                 scale = static_cast<double>(from.between(10, 30)) / 20,
                 margin = static_cast<double>(from.between(-5, 5));
    const auto mask = values_of<std::uint8_t>(marked(f.view(), "two_class",
                                                     {{"window", std::vector<number>{window_y, window_x}},
                                                      {"weight", number(weight)},
                                                      {"scale", number(scale)},
                                                      {"margin", number(margin)}}));
    const double split = otsu(plane(f.pixels.begin(), f.pixels.end()));
    plane bright_part, dark_part, share;
    double bright_sum = 0, dark_sum = 0, bright_count = 0;
    for (const float value : f.pixels) {
      const bool is_bright = static_cast<double>(value) > split;
      bright_part.push_back(is_bright ? value : 0);
      dark_part.push_back(is_bright ? 0 : value);
      share.push_back(is_bright);
      (is_bright ? bright_sum : dark_sum) += static_cast<double>(value);
      bright_count += is_bright;
    }
    const double sigma_y = static_cast<double>(window_y - 1) / 6,
                 sigma_x = static_cast<double>(window_x - 1) / 6;
    const auto b = smooth(bright_part, height, width, sigma_y, sigma_x, of_classes),
               d = smooth(dark_part, height, width, sigma_y, sigma_x, of_classes),
               s = smooth(share, height, width, sigma_y, sigma_x, of_classes);
    const double bright_mean = bright_sum / bright_count,
                 dark_mean = dark_sum / (static_cast<double>(f.pixels.size()) - bright_count);
    for (std::size_t i = 0; i < mask.size(); ++i) {
      const double upper = (b[i] + 0.05 * bright_mean) / (s[i] + 0.05),
                   lower = (d[i] + 0.05 * dark_mean) / (1 - s[i] + 0.05);
      const double threshold = scale * (weight * upper + (1 - weight) * lower) - margin;
      if (std::abs(static_cast<double>(f.pixels[i]) - threshold) < 1e-3) continue;  // f32 decides
      ASSERT_EQ(mask[i] != 0, static_cast<double>(f.pixels[i]) > threshold)
          << "seed " << seed << ", pixel " << i;
      ++all;
      bright += mask[i];
    }
  }
  EXPECT_GT(bright, all / 20);
  EXPECT_LT(bright, all * 19 / 20);
}

TEST(two_classes, one_value_has_no_bright_pixels) {
  const picture<float> flat{{2, 3}, {7, 7, 7, 7, 7, 7}};
  EXPECT_EQ(values_of<std::uint8_t>(marked(flat.view(), "two_class", {})), (std::vector<std::uint8_t>(6)));
}

}  // namespace
}  // namespace macareu::test
