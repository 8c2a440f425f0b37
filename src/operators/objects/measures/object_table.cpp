#include "operators/objects/measures/object_table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/ceil_div.hpp"
#include "operators/common/angle.hpp"
#include "operators/common/cube_root.hpp"
#include "operators/common/tuning.hpp"
#include "operators/objects/measures/surface_weights.hpp"

namespace macareu {
namespace {

/// 128-bit conversions and divisions are much slower than 64-bit ones, which usually suffice.
bool is_short(signed_wide_sum value) { return static_cast<std::int64_t>(value) == value; }
double to_double(signed_wide_sum value) {
  return is_short(value) ? static_cast<double>(static_cast<std::int64_t>(value)) : static_cast<double>(value);
}
double to_double(wide_sum sum) { return to_double(static_cast<signed_wide_sum>(sum)); }
signed_wide_sum quotient(signed_wide_sum a, signed_wide_sum b) {
  return is_short(a) && is_short(b) ? static_cast<std::int64_t>(a) / static_cast<std::int64_t>(b) : a / b;
}

/// The mean of n numbers, as an integer and a remainder in [0, 1). Squares about the integer are then exact.
struct split_mean {
  signed_wide_sum whole;
  double rest;
  double value() const { return to_double(whole) + rest; }
};
split_mean mean_of(wide_sum sum, std::uint64_t n) {
  const auto total = static_cast<signed_wide_sum>(sum), count = static_cast<signed_wide_sum>(n);
  auto whole = quotient(total, count);
  if (whole * count > total) --whole;
  return {whole, to_double(total - whole * count) / static_cast<double>(n)};
}
/// From sums of a, b and a * b.
double covariance(wide_sum ab, wide_sum a, wide_sum b, const split_mean& mean_a, const split_mean& mean_b,
                  std::uint64_t n) {
  const auto x = static_cast<wide_sum>(mean_a.whole), y = static_cast<wide_sum>(mean_b.whole);
  const wide_sum about_whole = ab - x * b - y * a + wide_sum{n} * x * y;
  return to_double(about_whole) / static_cast<double>(n) - mean_a.rest * mean_b.rest;
}

using matrix = std::array<std::array<double, 3>, 3>;

struct principal_axes {
  std::array<double, 3> variance{};  // greatest first
  matrix direction{};                // of each variance, in the order of the axes
};

/// Jacobi's method, in the first `rank` axes.
template <int rank>
principal_axes principal_axes_of(matrix m) {
  matrix turned{};
  for (std::size_t i = 0; i < 3; ++i) turned[i][i] = 1;
  for (int round = 0; round < 64; ++round) {
    bool still = true;
    for (int p = 0; p < rank; ++p)
      for (int q = p + 1; q < rank; ++q) {
        const auto i = static_cast<std::size_t>(p), j = static_cast<std::size_t>(q);
        const double off = m[i][j];
        if (std::abs(off) <= 1e-18 * (std::abs(m[i][i]) + std::abs(m[j][j]))) continue;
        still = false;
        const double ratio = (m[j][j] - m[i][i]) / (2 * off);
        const double tangent = (ratio < 0 ? -1 : 1) / (std::abs(ratio) + std::sqrt(ratio * ratio + 1));
        const double cosine = 1 / std::sqrt(tangent * tangent + 1), sine = tangent * cosine;
        m[i][i] -= tangent * off;
        m[j][j] += tangent * off;
        m[i][j] = m[j][i] = 0;
        for (int other = 0; other < rank; ++other) {
          const auto k = static_cast<std::size_t>(other);
          if (k != i && k != j) {
            const double a = m[k][i], b = m[k][j];
            m[k][i] = m[i][k] = cosine * a - sine * b;
            m[k][j] = m[j][k] = sine * a + cosine * b;
          }
          const double a = turned[i][k], b = turned[j][k];
          turned[i][k] = cosine * a - sine * b;
          turned[j][k] = sine * a + cosine * b;
        }
      }
    if (still) break;
  }
  std::array<std::size_t, 3> order{0, 1, 2};
  for (int i = 1; i < rank; ++i)  // three at most, and equal ones stay in order
    for (auto at = static_cast<std::size_t>(i);
         at > 0 && m[order[at]][order[at]] > m[order[at - 1]][order[at - 1]]; --at)
      std::swap(order[at], order[at - 1]);
  principal_axes found;
  for (std::size_t i = 0; i < static_cast<std::size_t>(rank); ++i) {
    found.variance[i] = std::max(m[order[i]][order[i]], 0.0);
    found.direction[i] = turned[order[i]];
    const auto leading = std::find_if(found.direction[i].begin(), found.direction[i].end(),
                                      [](double part) { return std::abs(part) > 1e-12; });
    if (leading != found.direction[i].end() && *leading < 0)
      for (auto& part : found.direction[i]) part = -part + 0.0;
  }
  return found;
}

struct column_name {
  const char* name;
  int i = -1, j = -1;

  std::string text() const {
    std::string all = name;
    for (const int index : {i, j})
      if (index >= 0) all += "-" + std::to_string(index);
    return all;
  }
};

/// Collects the names of columns from one row; the columns stay empty.
class column_maker {
 public:
  explicit column_maker(table& to) : to_(to) {}

  void begin_row(std::size_t) {}
  void add(const column_name& name, double) { to_.columns.push_back({name.text(), std::vector<double>()}); }
  void add(const char* name, double value) { add(column_name{name}, value); }
  void add_whole(const column_name& name, std::int64_t) {
    to_.columns.push_back({name.text(), std::vector<std::int64_t>()});
  }
  void add_whole(const char* name, std::int64_t value) { add_whole(column_name{name}, value); }

 private:
  table& to_;
};

/// Writes rows of columns that have their final size. Several writers may write different rows.
class writer {
 public:
  explicit writer(table& to) {
    begins_.reserve(to.columns.size());
    for (auto& column : to.columns)
      begins_.push_back(
          std::visit([](auto& values) { return static_cast<void*>(values.data()); }, column.values));
  }

  void begin_row(std::size_t row) {
    row_ = row;
    next_ = begins_.data();
  }
  void add(const column_name&, double value) { static_cast<double*>(*next_++)[row_] = value; }
  void add(const char*, double value) { static_cast<double*>(*next_++)[row_] = value; }
  void add_whole(const column_name&, std::int64_t value) {
    static_cast<std::int64_t*>(*next_++)[row_] = value;
  }
  void add_whole(const char*, std::int64_t value) { static_cast<std::int64_t*>(*next_++)[row_] = value; }

 private:
  std::vector<void*> begins_;
  void* const* next_ = nullptr;
  std::size_t row_ = 0;
};

template <class Out>
class describer {
 public:
  describer(const object_form& form, Out& out) : form_(form), out_(out) {
    if (form.shape && form.rank == 3) weights_ = surface_weights(form.spacing);
    for (int axis = 0; axis < form.rank; ++axis) pixel_ *= spacing(axis);
  }

  void describe(const object_facts& object, std::size_t row) {
    out_.begin_row(row);
    out_.add_whole("label", object.label);
    out_.add_whole("num_pixels", static_cast<std::int64_t>(object.pixels));
    if (form_.shape) describe_shape(object);
    if (form_.intensity) describe_intensity(object);
  }

 private:
  double spacing(int axis) const { return form_.spacing[static_cast<std::size_t>(axis)]; }

  void describe_shape(const object_facts& object) {
    const double area = static_cast<double>(object.pixels) * pixel_;
    describe_place(object, area);
    const double outline = outline_of(object);
    out_.add(form_.rank == 2 ? "perimeter" : "surface_area", outline);
    out_.add_whole("euler_number", object.euler);
    describe_axes(object);
    if (form_.rank == 2)
      out_.add("circularity", 4 * std::numbers::pi * area / (outline * outline));
    else
      out_.add("sphericity", cube_root(std::numbers::pi * 36 * area * area) / outline);
  }

  void describe_place(const object_facts& object, double area) {
    out_.add("area", area);
    double box = 1;
    for (int axis = 0; axis < form_.rank; ++axis)
      out_.add_whole({"bbox", axis}, object.least[static_cast<std::size_t>(axis)]);
    for (int axis = 0; axis < form_.rank; ++axis) {
      const auto at = static_cast<std::size_t>(axis);
      out_.add_whole({"bbox", axis + form_.rank}, object.most[at] + 1);
      box *= static_cast<double>(object.most[at] + 1 - object.least[at]);
    }
    for (int axis = 0; axis < form_.rank; ++axis) {
      const auto at = static_cast<std::size_t>(axis);
      mean_[at] = mean_of(object.first[at], object.pixels);
      out_.add({"centroid", axis}, mean_[at].value() * spacing(axis));
    }
    const double ball = 2 * form_.rank * area / std::numbers::pi;
    out_.add("equivalent_diameter_area", form_.rank == 2 ? std::sqrt(ball) : cube_root(ball));
    out_.add("extent", static_cast<double>(object.pixels) / box);
  }

  double outline_of(const object_facts& object) const {
    double sum = 0;
    if (form_.rank == 3) {
      for (std::size_t d = 0; d < crossing_directions; ++d)
        sum += weights_[d] * static_cast<double>(object.outline[d]);
      return sum;
    }
    // Defined for square pixels only.
    if (spacing(0) != spacing(1)) return std::numeric_limits<double>::quiet_NaN();
    constexpr double slant = std::numbers::sqrt2;
    const std::array<double, 3> lengths{1, slant, (1 + slant) / 2};
    for (std::size_t i = 0; i < 3; ++i) sum += lengths[i] * static_cast<double>(object.outline[i]);
    return sum * spacing(0);
  }

  void describe_axes(const object_facts& object) {
    matrix spread{};
    for (int i = 0, k = 0; i < form_.rank; ++i)
      for (int j = i; j < form_.rank; ++j, ++k) {
        const auto a = static_cast<std::size_t>(i), b = static_cast<std::size_t>(j);
        spread[a][b] = spread[b][a] = covariance(object.second[static_cast<std::size_t>(k)], object.first[a],
                                                 object.first[b], mean_[a], mean_[b], object.pixels) *
                                      spacing(i) * spacing(j);
      }
    const double trace = spread[0][0] + spread[1][1] + spread[2][2];
    const auto inertia = [&](int i, int j) {
      const auto a = static_cast<std::size_t>(i), b = static_cast<std::size_t>(j);
      return i == j ? trace - spread[a][a] : 0.0 - spread[a][b];
    };
    for (int i = 0; i < form_.rank; ++i)
      for (int j = 0; j < form_.rank; ++j) out_.add({"inertia_tensor", i, j}, inertia(i, j));
    const auto axes = form_.rank == 2 ? principal_axes_of<2>(spread) : principal_axes_of<3>(spread);
    const auto& [major, middle, least] = axes.variance;
    const double minor = form_.rank == 2 ? middle : least;
    if (form_.rank == 2) {
      out_.add("inertia_tensor_eigvals-0", major);
      out_.add("inertia_tensor_eigvals-1", minor);
      out_.add("axis_major_length", 4 * std::sqrt(major));
      out_.add("axis_minor_length", 4 * std::sqrt(minor));
    } else {
      out_.add("inertia_tensor_eigvals-0", major + middle);
      out_.add("inertia_tensor_eigvals-1", major + minor);
      out_.add("inertia_tensor_eigvals-2", middle + minor);
      out_.add("axis_major_length", std::sqrt(20 * major));
      out_.add("axis_middle_length", std::sqrt(20 * middle));
      out_.add("axis_minor_length", std::sqrt(20 * minor));
    }
    for (int i = 0; i < form_.rank; ++i)
      for (int j = 0; j < form_.rank; ++j)
        out_.add({"axis_direction", i, j},
                 axes.direction[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)]);
    if (form_.rank == 2) {
      const double a = inertia(0, 0), c = inertia(1, 1);
      // For isotropic objects scikit-image 0.19 gives pi / 4. If only a and c are equal, its sign depends on
      // the rounding of their difference; here it is always the sign of the axis.
      const bool round = a == c && spread[0][1] == 0;
      out_.add("orientation", round ? std::numbers::pi / 4 : 0.5 * angle_of(2 * spread[0][1], c - a));
      out_.add("eccentricity", major == 0 ? 0 : std::sqrt(1 - minor / major));
      out_.add("elongation", std::sqrt(major / minor));
    } else {
      out_.add("elongation", std::sqrt(major / middle));
      out_.add("flatness", std::sqrt(middle / minor));
    }
  }

  void describe_intensity(const object_facts& object) {
    const auto mean = mean_of(object.mass, object.pixels);
    const double variance =
        covariance(object.mass_squared, object.mass, object.mass, mean, mean, object.pixels);
    const double mass = to_double(object.mass);
    out_.add("intensity_sum", mass / form_.per_value);
    out_.add("intensity_min", object.weakest);
    out_.add("intensity_max", object.strongest);
    out_.add("intensity_mean", mean.value() / form_.per_value);
    out_.add("intensity_std", std::sqrt(std::max(variance, 0.0)) / form_.per_value);
    if (!form_.shape) return;
    for (int axis = 0; axis < form_.rank; ++axis)
      out_.add({"centroid_weighted", axis},
               to_double(object.moment[static_cast<std::size_t>(axis)]) / mass * spacing(axis));
  }

  const object_form& form_;
  Out& out_;
  std::array<double, 13> weights_{};
  double pixel_ = 1;
  std::array<split_mean, 3> mean_{};
};

/// The columns. Their names are built once, because that takes longer than describing a few objects.
const table& empty_table(const object_form& form) {
  static const auto all = [] {
    std::array<table, 8> made;
    for (std::size_t i = 0; i < made.size(); ++i) {
      column_maker columns(made[i]);
      const object_form kind{.rank = i & 4 ? 3 : 2, .shape = (i & 2) != 0, .intensity = (i & 1) != 0};
      describer(kind, columns).describe(object_facts{.pixels = 1}, 0);
    }
    return made;
  }();
  return all[static_cast<std::size_t>(4 * (form.rank == 3) + 2 * form.shape + form.intensity)];
}

void resize(table& all, std::size_t rows, const host_threads& threads) {
  threads.for_each(all.columns.size(), [&](std::size_t column) {
    std::visit(
        [&](auto& values) {
          // For few rows capacities differ, because allocators cache few blocks of one size.
          values.reserve(rows + 4 + 2 * (column % 5));
          values.resize(rows);
        },
        all.columns[column].values);
  });
}

/// Labels in groups, the unit of work of a thread.
class label_groups {
 public:
  explicit label_groups(const summed_objects& objects)
      : objects_(objects), rows_(ceil_div(objects.count, size)), begins_(rows_.size()) {
    for (std::size_t group = 0; group < count(); ++group) begins_[group] = group * size;
  }

  std::size_t count() const { return rows_.size(); }
  std::size_t rows() const { return std::accumulate(rows_.begin(), rows_.end(), std::size_t{0}); }

  void count_rows(std::size_t group) {
    for_each_row(group, [](std::size_t, std::size_t) {});
  }
  /// Prefix sum: rows of a group then follow those of the last one without gaps.
  void close_gaps() { std::exclusive_scan(rows_.begin(), rows_.end(), begins_.begin(), std::size_t{0}); }
  /// visit(label, row) for labels with pixels.
  template <class Visit>
  void for_each_row(std::size_t group, const Visit& visit) {
    auto row = begins_[group];
    const auto end = std::min(objects_.count, (group + 1) * size);
    for (auto label = group * size + 1; label <= end; ++label)
      if (objects_.pixels(label) != 0) visit(label, row++);
    rows_[group] = row - begins_[group];
  }
  /// Compacts rows that were written with gaps between groups.
  template <class Value>
  void move_together(std::vector<Value>& column) const {
    std::size_t end = 0;
    for (std::size_t group = 0; group < count(); ++group) {
      const auto first = group * size;
      if (first != end)
        std::copy_n(column.begin() + static_cast<std::ptrdiff_t>(first), rows_[group],
                    column.begin() + static_cast<std::ptrdiff_t>(end));
      end += rows_[group];
    }
    column.resize(end);
  }

 private:
  static constexpr std::size_t size = tuning::labels_claimed;

  const summed_objects& objects_;
  std::vector<std::size_t> rows_, begins_;  // by group
};

}  // namespace

table room_for_objects(std::size_t count, const object_form& form) {
  constexpr std::size_t most = 65536;
  table room = empty_table(form);
  if (count <= most) resize(room, count, form.threads);
  return room;
}

table describe_objects(const summed_objects& objects, const object_form& form, table room) {
  label_groups groups(objects);
  // Most often every label has pixels. If there is room for all, rows are written at once and gaps closed
  // afterwards.
  const bool at_once = room.rows() == objects.count;
  if (!at_once) {
    form.threads.for_each(groups.count(), [&](std::size_t group) { groups.count_rows(group); });
    groups.close_gaps();
    resize(room, groups.rows(), form.threads);
  }
  form.threads.for_each(groups.count(), [&](std::size_t group) {
    writer out(room);
    describer each(form, out);
    object_facts facts;
    groups.for_each_row(group, [&](std::size_t label, std::size_t row) {
      objects.tell(label, facts);
      each.describe(facts, row);
    });
  });
  if (at_once && groups.rows() < objects.count)
    for (auto& column : room.columns)
      std::visit([&](auto& values) { groups.move_together(values); }, column.values);
  return room;
}

std::int64_t describe_in_parts(const summed_objects& objects, const object_form& form,
                               const std::function<void(const table&)>& take,
                               const std::function<void()>& after_part) {
  std::int64_t count = 0;
  for (std::size_t before = 0; before == 0 || before < objects.count; before += tuning::labels_described) {
    const summed_objects part{
        std::min(tuning::labels_described, objects.count - before),
        [&](std::size_t label) { return objects.pixels(before + label); },
        [&](std::size_t label, object_facts& facts) { objects.tell(before + label, facts); }};
    const auto described = describe_objects(part, form, room_for_objects(part.count, form));
    if (before == 0 || described.rows() > 0) take(described);
    count += static_cast<std::int64_t>(described.rows());
    after_part();
  }
  return count;
}

}  // namespace macareu
