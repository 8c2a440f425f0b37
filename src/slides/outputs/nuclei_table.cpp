#include "slides/outputs/nuclei_table.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include <macareu/error.hpp>

namespace macareu::slides {
namespace {

/// The namespace of ids: a UUID of version 5 of URL and "macareu:slide".
const uuid& id_space() {
  static const uuid url{0x6b, 0xa7, 0xb8, 0x11, 0x9d, 0xad, 0x11, 0xd1,
                        0x80, 0xb4, 0x00, 0xc0, 0x4f, 0xd4, 0x30, 0xc8};
  static const uuid own = uuid5(url, "macareu:slide");
  return own;
}

std::vector<double> doubles(const table_column& column) {
  return std::visit([](const auto& all) { return std::vector<double>(all.begin(), all.end()); },
                    column.values);
}

template <class Number>
void append_number(std::string& to, Number value) {
  char text[32];
  to.append(text, std::to_chars(text, text + sizeof text, value).ptr);
}

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
  return text;
}

}  // namespace

void append_fixed(std::string& to, double value, int decimals, std::string_view none) {
  static constexpr std::array<double, 7> powers{1, 10, 100, 1e3, 1e4, 1e5, 1e6};
  const double scaled = value * powers[static_cast<std::size_t>(decimals)];
  if (!std::isfinite(value)) {
    to += none;
    return;
  }
  if (!(std::abs(scaled) < 9e15)) return append_number(to, value);
  auto whole = std::llround(scaled);
  if (whole < 0) {
    to += '-';
    whole = -whole;
  }
  for (; decimals > 0 && whole % 10 == 0; --decimals) whole /= 10;
  char text[32];
  char* const end = std::to_chars(text, text + sizeof text, whole).ptr;
  const auto digits = end - text;
  if (decimals == 0) {
    to.append(text, end);
  } else if (digits > decimals) {
    to.append(text, end - decimals);
    to += '.';
    to.append(end - decimals, end);
  } else {
    to += "0.";
    to.append(static_cast<std::size_t>(decimals - digits), '0');
    to.append(text, end);
  }
}

nuclei_table::nuclei_table(const table& shapes, stain_sums sums, const slide_place& place)
    : rows_(shapes.rows()), place_(place), slide_id_(uuid5(id_space(), place.checksum)) {
  if (rows_ != sums.pixels.size()) throw internal_error("labels of nuclei are not 1 to their number");
  const auto mpp = place.mpp;
  for (const auto& [axis, column, first] :
       {std::tuple{"x", "centroid-1", place.x}, std::tuple{"y", "centroid-0", place.y}}) {
    // Centres of pixels are at halves, as outlines follow their edges.
    add(std::string("centroid_") + axis + "_px", "", doubles(shapes[column]), 3);
    columns_.back().scale = 1 / mpp;
    columns_.back().offset = static_cast<double>(first) + 0.5;
    auto in_um = columns_.back();
    in_um.name = std::string("centroid_") + axis + "_um";
    in_um.scale = 1;
    in_um.offset *= mpp;
    columns_.push_back(std::move(in_um));
  }
  for (const auto& [name, from, first] :
       {std::tuple{"bbox_x_px", "bbox-1", place.x}, std::tuple{"bbox_y_px", "bbox-0", place.y}}) {
    add(name, "", doubles(shapes[from]), 0);
    columns_.back().offset = static_cast<double>(first);
  }
  for (const auto& [name, from, to] :
       {std::tuple{"bbox_width_px", "bbox-1", "bbox-3"}, std::tuple{"bbox_height_px", "bbox-0", "bbox-2"}}) {
    auto sizes = doubles(shapes[to]);
    const auto begin = doubles(shapes[from]);
    for (std::size_t i = 0; i < rows_; ++i) sizes[i] -= begin[i];
    add(name, "", std::move(sizes), 0);
  }
  add("area_px", "", doubles(shapes["num_pixels"]), 0);
  add("area_um2", "Nucleus: Area µm^2", doubles(shapes["area"]));
  add("perimeter_um", "Nucleus: Perimeter µm", doubles(shapes["perimeter"]));
  add("equivalent_diameter_um", "", doubles(shapes["equivalent_diameter_area"]));
  add("major_axis_um", "Nucleus: Major axis µm", doubles(shapes["axis_major_length"]));
  add("minor_axis_um", "Nucleus: Minor axis µm", doubles(shapes["axis_minor_length"]));
  add("circularity", "Nucleus: Circularity", doubles(shapes["circularity"]));
  add("eccentricity", "Nucleus: Eccentricity", doubles(shapes["eccentricity"]));
  add("orientation_rad", "", doubles(shapes["orientation"]));
  pixels_ = std::move(sums.pixels);
  for (const auto& stain : sums.stains) add_stain(stain);
  first_y_ = std::move(sums.first_y);
  first_x_ = std::move(sums.first_x);
}

void nuclei_table::add_stain(const stain_column& stain) {
  std::vector<double> mean(rows_), sum(rows_), deviation(rows_);
  for (std::size_t i = 0; i < rows_; ++i) {
    const double count = pixels_[i], own = static_cast<double>(stain.sum[i]) * stain_column::unit;
    const double square = static_cast<double>(stain.squares[i]) * stain_column::unit * stain_column::unit;
    sum[i] = own;
    mean[i] = own / count;
    deviation[i] = std::sqrt(std::max(square / count - mean[i] * mean[i], 0.0));
  }
  const auto names = lower(stain.name) + "_od_";
  const auto measured = "Nucleus: " + stain.name + " OD ";
  add(names + "mean", measured + "mean", std::move(mean));
  add(names + "sum", measured + "sum", std::move(sum));
  add(names + "std", measured + "std dev", std::move(deviation));
  add(names + "max", measured + "max", {stain.most.begin(), stain.most.end()});
  add(names + "min", measured + "min", {stain.least.begin(), stain.least.end()});
}

void nuclei_table::add_cells(const table& cells) {
  if (cells.rows() != rows_) throw internal_error("there is not one cell for every nucleus");
  auto area = doubles(cells["area"]);
  std::vector<double> ratio(rows_);
  const auto& nuclei = (*this)["area_um2"];
  for (std::size_t i = 0; i < rows_; ++i) ratio[i] = nuclei[i] / area[i];
  add("cell_area_um2", "Cell: Area µm^2", std::move(area));
  add("cell_perimeter_um", "Cell: Perimeter µm", doubles(cells["perimeter"]));
  add("nucleus_cell_area_ratio", "Nucleus/Cell area ratio", std::move(ratio));
}

void nuclei_table::classify(std::string_view column, double above) {
  const auto& means = (*this)[column];
  positive_.resize(rows_);
  for (std::size_t i = 0; i < rows_; ++i) positive_[i] = means[i] > above;
}

void nuclei_table::add(std::string name, std::string measurement, std::vector<double> values, int decimals) {
  columns_.push_back({std::move(name), std::move(measurement), decimals,
                      std::make_shared<const std::vector<double>>(std::move(values))});
}

const nuclei_column& nuclei_table::operator[](std::string_view name) const {
  const auto found = std::ranges::find(columns_, name, &nuclei_column::name);
  if (found == columns_.end()) throw internal_error("nuclei have no column " + std::string(name));
  return *found;
}

uuid nuclei_table::id(std::size_t row) const { return id("nucleus", first_x_[row], first_y_[row]); }

uuid nuclei_table::id(std::string_view what, std::int64_t x, std::int64_t y) const {
  std::string name(what);
  name += ' ';
  append_number(name, place_.x + x);
  name += ',';
  append_number(name, place_.y + y);
  return uuid5(slide_id_, name);
}

std::string nuclei_table::csv_head() const {
  std::string head = "id,label";
  if (classified()) head += ",class";
  for (const auto& column : columns_) head += "," + column.name;
  return head;
}

void nuclei_table::append_csv(std::string& to, std::size_t row) const {
  append(to, id(row));
  to += ',';
  append_number(to, row + 1);
  if (classified()) to += positive(row) ? ",Positive" : ",Negative";
  for (const auto& column : columns_) {
    to += ',';
    append_fixed(to, column[row], column.decimals, "nan");
  }
  to += '\n';
}

void nuclei_table::append_measurements(std::string& to, std::size_t row) const {
  char before = '{';
  for (const auto& column : columns_) {
    if (column.measurement.empty()) continue;
    to += before;
    to += '"';
    to += column.measurement;
    to += "\":";
    append_fixed(to, column[row], column.decimals, "\"NaN\"");
    before = ',';
  }
  to += '}';
}

}  // namespace macareu::slides
