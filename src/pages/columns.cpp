#include "columns.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include <macareu/error.hpp>

#include "packed.hpp"

namespace macareu::pages {
namespace {

constexpr std::size_t bin_count = 64;

double value_at(const table_column& column, std::size_t row) {
  return std::visit([&](const auto& all) { return static_cast<double>(all[row]); }, column.values);
}

/// Four decimal digits: the mantissa keeps 13 bits, and the others compress to nothing.
std::uint32_t rounded_bits(double value) {
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
  constexpr std::uint32_t dropped = (1u << 10) - 1;
  return std::isfinite(static_cast<float>(value)) ? (bits + dropped / 2 + (bits >> 10 & 1)) & ~dropped : bits;
}

double quantile(std::vector<double>& values, double share) {
  const auto at =
      values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::ranges::nth_element(values, at);
  return *at;
}

}  // namespace

row_index::row_index(const table& objects) : rows_(objects.rows()) {
  const auto label = std::ranges::find(objects.columns, "label", &table_column::name);
  if (label == objects.columns.end())
    throw usage_error("the table has no column 'label', so its rows cannot be found");
  in_order_ = true;
  for (std::size_t r = 0; r < rows_ && in_order_; ++r)
    in_order_ = value_at(*label, r) == static_cast<double>(r + 1);
  if (in_order_) return;
  for (std::size_t r = 0; r < rows_; ++r) {
    const auto value = value_at(*label, r);
    if (!(value >= 1 && value < 0x1p63) || value != std::floor(value))
      throw usage_error("the table's column 'label' has " + number_text(value) + " in row " +
                        std::to_string(r + 1) + ": labels are whole numbers from 1");
    if (!row_of_.emplace(static_cast<std::uint64_t>(value), static_cast<std::uint32_t>(r)).second)
      throw usage_error("the table has two rows with the label " + number_text(value));
  }
}

std::optional<std::uint32_t> row_index::operator[](std::uint64_t label) const {
  if (in_order_ && label >= 1 && label <= rows_) return static_cast<std::uint32_t>(label - 1);
  const auto found = row_of_.find(label);
  return found == row_of_.end() ? std::nullopt : std::optional(found->second);
}

column_files::column_files(const table& objects) : table_(objects) {
  const auto n = objects.rows();
  for (const auto& column : objects.columns) {
    about one{.whole = !std::holds_alternative<std::vector<double>>(column.values)};
    std::vector<double> values;
    values.reserve(n);
    for (std::size_t r = 0; r < n; ++r)
      if (const auto value = value_at(column, r); std::isfinite(value)) values.push_back(value);
    if (!values.empty()) {
      const auto [least, greatest] = std::ranges::minmax(values);
      one.low = least;
      one.high = greatest;
      one.first = quantile(values, 0.005);
      one.last = quantile(values, 0.995);
      if (one.first == one.last) one.first = one.low, one.last = one.high;
    }
    one.whole = one.whole && one.high - one.low < 0x1p32 && std::abs(one.low) < 0x1p52;
    one.bins.resize(bin_count);
    const auto scale = one.last > one.first ? bin_count / (one.last - one.first) : 0;
    for (const auto value : values)
      ++one.bins[static_cast<std::size_t>(std::clamp((value - one.first) * scale, 0.0, bin_count - 1.0))];
    about_.push_back(std::move(one));
  }
}

std::string column_files::description() const {
  std::string text = "[";
  for (std::size_t c = 0; c < about_.size(); ++c) {
    const auto& one = about_[c];
    text += (c > 0 ? ",\n  {\"name\":" : "\n  {\"name\":") + json_string(table_.columns[c].name) +
            ",\"whole\":" + (one.whole ? "true" : "false") + ",\"low\":" + number_text(one.low) +
            ",\"high\":" + number_text(one.high) + ",\"first\":" + number_text(one.first) +
            ",\"last\":" + number_text(one.last) + ",\"bins\":[";
    for (std::size_t b = 0; b < one.bins.size(); ++b)
      text += (b > 0 ? "," : "") + std::to_string(one.bins[b]);
    text += "]}";
  }
  return text + "]";
}

std::string column_files::block(std::size_t column, std::size_t number) const {
  const auto& values = table_.columns[column];
  const auto& one = about_[column];
  const auto first = number * rows_in_block, count = std::min(table_.rows() - first, rows_in_block);
  // A plane for each byte of the numbers: bytes that are alike lie together.
  std::string planes(4 * count, '\0');
  for (std::size_t i = 0; i < count; ++i) {
    const auto value = value_at(values, first + i);
    const auto bits = one.whole ? static_cast<std::uint32_t>(value - one.low) : rounded_bits(value);
    for (std::size_t plane = 0; plane < 4; ++plane)
      planes[plane * count + i] = static_cast<char>(bits >> 8 * plane);
  }
  return deflated(planes);
}

}  // namespace macareu::pages
