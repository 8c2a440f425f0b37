#include <macareu/value_counts.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numeric>

#include <macareu/error.hpp>
#include <macareu/number.hpp>

#include "slides/steps/count_values.hpp"

namespace macareu {
namespace {

std::size_t value_at(const value_counts& counts, std::uint64_t rank) {
  std::size_t value = 0;
  for (; value + 1 < counts.size() && rank >= counts[value]; ++value) rank -= counts[value];
  return value;
}

}  // namespace

namespace slides {

template <class T>
void count_values(const const_image_view& pixels, std::vector<value_counts>& to) {
  const auto channels = to.size();
  const auto* pixel = static_cast<const T*>(pixels.data());
  // Equal pixels often follow each other: two tables in turn, so that one count does not wait for the other.
  auto others = std::vector<value_counts>(channels, value_counts(to[0].size()));
  const auto add = [&](std::vector<value_counts>& table) {
    for (std::size_t channel = 0; channel < channels; ++channel) ++table[channel][*pixel++];
  };
  for (auto left = pixels.shape().pixels(); left > 0; left -= 2) {
    add(to);
    if (left > 1) add(others);
  }
  for (std::size_t channel = 0; channel < channels; ++channel)
    for (std::size_t value = 0; value < others[channel].size(); ++value)
      to[channel][value] += others[channel][value];
}
template void count_values<std::uint8_t>(const const_image_view&, std::vector<value_counts>&);
template void count_values<std::uint16_t>(const const_image_view&, std::vector<value_counts>&);

}  // namespace slides

double percentile(const value_counts& counts, double percent) {
  if (!(percent >= 0 && percent <= 100))
    throw usage_error("percentile", "expected 0 to 100, got " + to_string(number(percent)));
  const auto all = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  if (all == 0) return 0;
  const double place = percent / 100 * static_cast<double>(all - 1), rank = std::floor(place);
  const auto first = static_cast<std::uint64_t>(rank);
  const auto below = static_cast<double>(value_at(counts, first));
  const auto above = static_cast<double>(value_at(counts, std::min(first + 1, all - 1)));
  return below + (place - rank) * (above - below);
}

double otsu_threshold(const value_counts& counts, double highest) {
  constexpr std::size_t bins = 256;
  const auto is_used = [](std::uint64_t count) { return count > 0; };
  const auto first = std::ranges::find_if(counts, is_used);
  if (first == counts.end()) return 0;
  const auto last = std::find_if(counts.rbegin(), counts.rend(), is_used);
  const auto low = static_cast<double>(first - counts.begin());
  const double high = std::min(static_cast<double>(counts.rend() - last) - 1, highest);
  if (!(low < high)) return low;
  const double width = (high - low) / bins;
  std::array<std::uint64_t, bins> binned{};
  for (std::size_t value = 0; value < counts.size(); ++value) {
    if (counts[value] == 0) continue;
    const auto bin = static_cast<std::size_t>((std::min(static_cast<double>(value), high) - low) / width);
    binned[std::min(bin, bins - 1)] += counts[value];
  }
  const auto middle = [&](std::size_t bin) { return low + (static_cast<double>(bin) + 0.5) * width; };
  double all = 0, all_sum = 0;
  for (std::size_t bin = 0; bin < bins; ++bin) {
    all += static_cast<double>(binned[bin]);
    all_sum += static_cast<double>(binned[bin]) * middle(bin);
  }
  double below = 0, below_sum = 0, best = -1, threshold = low;
  for (std::size_t bin = 0; bin + 1 < bins; ++bin) {
    below += static_cast<double>(binned[bin]);
    below_sum += static_cast<double>(binned[bin]) * middle(bin);
    const double apart = below_sum / below - (all_sum - below_sum) / (all - below);
    const double variance = below * (all - below) * apart * apart;
    if (variance > best) {
      best = variance;
      threshold = middle(bin);
    }
  }
  return threshold;
}

class_means means_beside(const value_counts& counts, double threshold) {
  double number[2]{}, sum[2]{};
  for (std::size_t value = 0; value < counts.size(); ++value) {
    const auto own = static_cast<double>(value), count = static_cast<double>(counts[value]);
    const bool upper = own > threshold;
    number[upper] += count;
    sum[upper] += count * own;
  }
  const auto mean = [&](int part) { return number[part] > 0 ? sum[part] / number[part] : threshold; };
  return {mean(0), mean(1)};
}

}  // namespace macareu
