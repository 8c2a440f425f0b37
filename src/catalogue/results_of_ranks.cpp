#include "catalogue/results_of_ranks.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <macareu/ranks.hpp>

#include "engines/pieces/files/rank_files.hpp"

namespace macareu {
namespace {

/// The columns of a table without their names, one after the other.
std::string bytes_of(const table& from) {
  std::string bytes;
  for (const auto& column : from.columns)
    std::visit(
        [&](const auto& values) {
          bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof values[0]);
        },
        column.values);
  return bytes;
}

/// The rows that each rank has, one after the other.
table with_rows_of_all(pieces::run& of, table own) {
  const auto told = bytes_of(own);
  for (auto& column : own.columns) std::visit([](auto& values) { values.clear(); }, column.values);
  if (own.columns.empty()) return own;
  pieces::gather_in_files(of, told, [&](std::string_view bytes) {
    const auto rows = bytes.size() / (own.columns.size() * sizeof(double));
    for (std::size_t c = 0; c < own.columns.size(); ++c)
      std::visit(
          [&](auto& values) {
            static_assert(sizeof values[0] == sizeof(double));
            values.resize(values.size() + rows);
            if (rows > 0)
              std::memcpy(&*(values.end() - static_cast<std::ptrdiff_t>(rows)),
                          bytes.data() + c * rows * sizeof values[0], rows * sizeof values[0]);
          },
          own.columns[c].values);
  });
  return own;
}

}  // namespace

void add_ranks(const piece_options& options, piece_report& report) {
  if (!options.shared_by) return;
  const auto counters = [](piece_report& of) {
    return std::array{&of.pieces,          &of.bytes_read,   &of.bytes_written, &of.scratch_read,
                      &of.scratch_written, &of.solved_again, &of.found};
  };
  const auto text = [](const piece_report& of) {
    return std::string(reinterpret_cast<const char*>(&of), sizeof of);
  };
  const auto report_in = [](const std::string& from) {
    piece_report to;
    std::memcpy(&to, from.data(), sizeof to);
    return to;
  };
  report = report_in(options.shared_by->exchange(
      text(report), {[&](const rank_range&, const std::string& first, const std::string& second) {
        auto sum = report_in(first), other = report_in(second);
        for (std::size_t i = 0; i < counters(sum).size(); ++i) *counters(sum)[i] += *counters(other)[i];
        return text(sum);
      }}));
}

void finish_table(const piece_options& options, pieces::run& run, table& result, run_report& report) {
  auto& all = *options.shared_by;
  const bool shares_rows = run.shares_rows;
  if (!options.own_rows) {
    if (shares_rows) result = with_rows_of_all(run, std::move(result));
    if (shares_rows) report.count = static_cast<std::int64_t>(result.rows());
  } else if (shares_rows) {
    const auto own = std::exchange(report.count, 0);
    for (const auto& rows : all.gather(std::to_string(own))) report.count += std::stoll(rows);
  } else if (!all.is_first()) {
    for (auto& column : result.columns) std::visit([](auto& values) { values.clear(); }, column.values);
  }
}

}  // namespace macareu
