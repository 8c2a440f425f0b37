#include "operators/objects/regions/region_merging.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <queue>
#include <utility>

#include "operators/common/checks.hpp"

namespace macareu {

void region_sums::add(const region_sums& other) {
  pixels += other.pixels;
  x += other.x;
  y += other.y;
  xx += other.xx;
  xy += other.xy;
  yy += other.yy;
  z += other.z;
  xz += other.xz;
  yz += other.yz;
  zz += other.zz;
  density += other.density;
}

void region_gathering::add(const row_band& band) {
  if (has_wide_labels(band.images[0].type))
    add_band<std::uint64_t>(band);
  else
    add_band<std::uint32_t>(band);
}

template <class Label>
void region_gathering::add_band(const row_band& band) {
  constexpr std::int64_t least_rows = 32;
  const auto type = band.images[1].type;
  // Sums of short integers are exact in any order. Rows of a volume have two rows before them.
  const bool divisible = size_of(type) <= 2 && call_.rank() == 2;
  const auto units = divisible ? std::min<std::int64_t>(threads_.count, band.rows() / least_rows) : 1;
  if (units <= 1) return add_rows<Label>(band, 0, band.rows());
  const auto begin = [&](std::int64_t unit) { return band.rows() * unit / units; };
  std::vector<region_gathering> others(static_cast<std::size_t>(units - 1), region_gathering(call_));
  threads_.for_each(static_cast<std::size_t>(units), [&](std::size_t i) {
    const auto unit = static_cast<std::int64_t>(i);
    auto& own = unit == 0 ? *this : others[i - 1];
    if (unit > 0) own.template see_above<Label>(band, begin(unit) - 1);
    own.template add_rows<Label>(band, begin(unit), begin(unit + 1));
  });
  for (const auto& each : others) join(each);
}

template <class Label>
void region_gathering::see_above(const row_band& band, std::int64_t row) {
  label_row_reader<Label> read_labels;
  value_row_reader read_values;
  above_.clear();
  over_runs(read_labels(band, 0, row), band.width, [&](std::int64_t first, std::int64_t end, Label label) {
    if (label != 0) above_.push_back({first, end, label});
  });
  const double* const values = read_values(band, 1, row);
  values_above_.assign(values, values + band.width);
}

void region_gathering::join(const region_gathering& later) {
  later.regions_.for_each([&](label_pair key, const region_sums& sums) {
    auto& to = regions_[key];
    to.label = sums.label;
    to.add(sums);
  });
  later.borders_.for_each([&](label_pair key, const region_border& border) {
    auto& to = borders_[key];
    to.edges += border.edges;
    to.density += border.density;
  });
  above_ = later.above_;
  values_above_ = later.values_above_;
}

template <class Label>
void region_gathering::add_rows(const row_band& band, std::int64_t first_row, std::int64_t last_row) {
  label_row_reader<Label> read_labels;
  value_row_reader read_values;
  const auto type = band.images[1].type;
  const bool may_be_nan = type == dtype::f32 || type == dtype::f64;
  const bool volume = call_.rank() == 3;
  if (volume) {  // bands are whole slices, or rows of the only one
    const auto end = static_cast<std::size_t>(band.first.y + band.height);
    slice_before_.resize(std::max(slice_before_.size(), end));
    values_before_.resize(slice_before_.size());
  }
  for (auto row = first_row; row < last_row; ++row) {
    const site at{band.first.z + row / band.height, band.first.y + row % band.height, 0};
    const double* const values = read_values(band, 1, row);
    if (may_be_nan)
      for (std::int64_t x = 0; x < band.width; ++x)
        if (std::isnan(values[x])) refuse_nan_at(call_.about, call_.rank(), 1, {at.z, at.y, x});
    here_.clear();
    over_runs(read_labels(band, 0, row), band.width, [&](std::int64_t first, std::int64_t end, Label label) {
      if (label == 0) return;
      if (!here_.empty() && here_.back().end == first) {
        auto& border = borders_[{std::min<std::uint64_t>(here_.back().label, label),
                                 std::max<std::uint64_t>(here_.back().label, label)}];
        ++border.edges;
        border.density += std::min(values[first - 1], values[first]);
      }
      here_.push_back({first, end, label});
      add_run(at, here_.back(), values);
    });
    if (at.y > 0) add_borders(above_, values_above_, values);
    if (volume) {
      const auto i = static_cast<std::size_t>(at.y);
      if (at.z > 0) add_borders(slice_before_[i], values_before_[i], values);
      slice_before_[i] = here_;
      values_before_[i].assign(values, values + band.width);
    }
    std::swap(above_, here_);
    values_above_.assign(values, values + band.width);
  }
}

void region_gathering::add_run(site row, const label_run& run, const double* values) {
  const auto y = row.y, z = row.z;
  auto& to = regions_[{run.label, 0}];
  to.label = run.label;
  const signed_wide_sum count = run.end - run.first, last = run.end - 1, before = run.first - 1;
  const auto squares_up_to = [](signed_wide_sum n) { return n * (n + 1) * (2 * n + 1) / 6; };
  const signed_wide_sum sum = (run.first + last) * count / 2;
  to.pixels += static_cast<std::uint64_t>(count);
  to.x += sum;
  to.y += count * y;
  to.xx += squares_up_to(last) - squares_up_to(before);
  to.xy += sum * y;
  to.yy += count * y * y;
  to.z += count * z;
  to.xz += sum * z;
  to.yz += count * y * z;
  to.zz += count * z * z;
  for (auto x = run.first; x < run.end; ++x) to.density += values[x];
}

void region_gathering::add_borders(const std::vector<label_run>& beside,
                                   const std::vector<double>& values_beside, const double* values) {
  auto next = beside.begin();
  for (const auto& run : here_) {
    while (next != beside.end() && next->end <= run.first) ++next;
    for (auto other = next; other != beside.end() && other->first < run.end; ++other) {
      if (other->label == run.label) continue;
      auto& border = borders_[{std::min(other->label, run.label), std::max(other->label, run.label)}];
      const auto first = std::max(run.first, other->first), end = std::min(run.end, other->end);
      border.edges += static_cast<std::uint64_t>(end - first);
      for (auto x = first; x < end; ++x)
        border.density += std::min(values_beside[static_cast<std::size_t>(x)], values[x]);
    }
  }
}

std::vector<region_sums> region_gathering::regions() const {
  std::vector<region_sums> all;
  for (const auto& [key, sums] : regions_.sorted()) all.push_back(sums);
  return all;
}

namespace {

/// Area over that of the ellipse with the same second moments: 1 for an ellipse, else less. In volumes
/// likewise, of an ellipsoid.
double ellipticity(const region_sums& of, int rank) {
  const auto pixels = static_cast<double>(of.pixels), squared = pixels * pixels;
  const auto count = static_cast<signed_wide_sum>(of.pixels);
  const auto covariance = [&](signed_wide_sum ab, signed_wide_sum a, signed_wide_sum b) {
    return static_cast<double>(ab * count - a * b) / squared;
  };
  const double of_pixel = 1.0 / 12;  // a pixel is a square
  const double xx = covariance(of.xx, of.x, of.x) + of_pixel, yy = covariance(of.yy, of.y, of.y) + of_pixel;
  const double xy = covariance(of.xy, of.x, of.y);
  const double determinant = xx * yy - xy * xy;
  if (rank == 3) {
    const double zz = covariance(of.zz, of.z, of.z) + of_pixel;
    const double xz = covariance(of.xz, of.x, of.z), yz = covariance(of.yz, of.y, of.z);
    const double of_volume = zz * determinant - xz * (xz * yy - xy * yz) - yz * (xx * yz - xy * xz);
    const double sphere = 20 * std::numbers::pi * std::sqrt(5.0) / 3;  // semi-axes are sqrt(5) deviations
    return std::min(pixels / (sphere * std::sqrt(std::max(of_volume, 1e-6))), 1.0);
  }
  return std::min(pixels / (4 * std::numbers::pi * std::sqrt(std::max(determinant, 1e-6))), 1.0);
}

class merging {
 public:
  merging(const std::vector<region_sums>& regions, const merge_limits& limits, int rank)
      : limits_(limits), rank_(rank), regions_(regions), versions_(regions.size()), near_(regions.size()) {
    for (const auto& each : regions) ellipticities_.push_back(ellipticity(each, rank_));
    for (std::size_t i = 0; i < regions.size(); ++i) parents_.push_back(i);
  }

  void add(const pair_map<region_border>& borders) {
    for (const auto& [pair, border] : borders.sorted()) {
      const auto i = index_of(pair.first), j = index_of(pair.second);
      borders_[{i, j}] = border;
      near_[i].push_back(j);
      near_[j].push_back(i);
      push(i, j);
    }
  }

  void run() {
    while (!queue_.empty()) {
      const auto best = queue_.top();
      queue_.pop();
      if (versions_[best.i] == best.version_i && versions_[best.j] == best.version_j && is_root(best.i) &&
          is_root(best.j))
        join(best.i, best.j);
    }
  }

  std::vector<merged_label> merged() const {
    std::vector<merged_label> all;
    for (std::size_t i = 0; i < parents_.size(); ++i) {
      auto root = i;
      while (!is_root(root)) root = parents_[root];
      if (root != i) all.push_back({regions_[i].label, regions_[root].label});
    }
    return all;
  }

 private:
  struct candidate {
    double gain;
    std::size_t i, j;
    std::uint32_t version_i, version_j;

    /// The best is the greatest: of equal gains the smaller pair.
    bool operator<(const candidate& other) const {
      return gain != other.gain ? gain < other.gain : std::pair(i, j) > std::pair(other.i, other.j);
    }
  };

  bool is_root(std::size_t i) const { return parents_[i] == i; }
  std::size_t index_of(std::uint64_t label) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(regions_, label, {}, &region_sums::label) -
                                    regions_.begin());
  }
  static label_pair pair_of(std::size_t a, std::size_t b) { return {std::min(a, b), std::max(a, b)}; }

  void push(std::size_t a, std::size_t b) {
    const auto i = std::min(a, b), j = std::max(a, b);
    const auto &one = regions_[i], &other = regions_[j];
    if (static_cast<double>(one.pixels + other.pixels) > limits_.max_area) return;
    auto both = one;
    both.add(other);
    const auto pixels = [](const region_sums& of) { return static_cast<double>(of.pixels); };
    const auto* const border = borders_.find({i, j});
    const double parts = (pixels(one) * ellipticities_[i] + pixels(other) * ellipticities_[j]) / pixels(both);
    const double lower_mean = std::min(one.density / pixels(one), other.density / pixels(other));
    const double dip = border->density / static_cast<double>(border->edges) / std::max(lower_mean, 1e-6);
    const double tiny = std::max(0.0, 1 - std::min(pixels(one), pixels(other)) / limits_.small_area);
    const double gain =
        ellipticity(both, rank_) - parts + limits_.border_weight * (dip - 1) + limits_.small_weight * tiny;
    if (gain > 0) queue_.push({gain, i, j, versions_[i], versions_[j]});
  }

  /// j becomes part of i.
  void join(std::size_t i, std::size_t j) {
    parents_[j] = i;
    regions_[i].add(regions_[j]);
    ellipticities_[i] = ellipticity(regions_[i], rank_);
    ++versions_[i];
    for (const auto q : std::exchange(near_[j], {})) {
      if (q == i || !is_root(q)) continue;
      const auto shared = *borders_.find(pair_of(j, q));
      auto& border = borders_[pair_of(i, q)];
      if (border.edges == 0) {
        near_[i].push_back(q);
        near_[q].push_back(i);
      }
      border.edges += shared.edges;
      border.density = shared.density + border.density;
    }
    std::erase_if(near_[i], [&](std::size_t q) { return !is_root(q); });
    for (const auto q : near_[i]) push(i, q);
  }

  const merge_limits& limits_;
  int rank_;
  std::vector<region_sums> regions_;
  std::vector<double> ellipticities_;
  std::vector<std::size_t> parents_;
  std::vector<std::uint32_t> versions_;
  std::vector<std::vector<std::size_t>> near_;  // also of regions that are no more
  pair_map<region_border> borders_;             // of pairs of indices
  std::priority_queue<candidate> queue_;
};

}  // namespace

std::vector<merged_label> merged_labels(const std::vector<region_sums>& regions,
                                        const pair_map<region_border>& borders, const merge_limits& limits,
                                        int rank) {
  merging work(regions, limits, rank);
  work.add(borders);
  work.run();
  return work.merged();
}

}  // namespace macareu
