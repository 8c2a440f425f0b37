// One run per channel, whose tables are joined. A file of its own, because modules contain it too.
#include <utility>
#include <variant>
#include <vector>

#include "catalogue/entry.hpp"

namespace macareu {
namespace {

/// Columns of one name hold one kind of number; mixed kinds become f64.
void append(table_column& to, table_column&& more) {
  const auto doubles = [](table_column& column) {
    if (std::holds_alternative<std::vector<double>>(column.values)) return;
    std::vector<double> converted;
    for (std::size_t i = 0; i < column.size(); ++i) converted.push_back(column[i].to_double());
    column.values = std::move(converted);
  };
  if (to.values.index() != more.values.index()) {
    doubles(to);
    doubles(more);
  }
  std::visit(
      [&](auto& all) {
        const auto& added = std::get<std::remove_cvref_t<decltype(all)>>(more.values);
        all.insert(all.end(), added.begin(), added.end());
      },
      to.values);
}

/// Appends the rows of a channel, with its number in the first column.
void add_channel(table& to, int channel, table&& own) {
  own.columns.insert(own.columns.begin(), {"channel", std::vector<std::int64_t>(own.rows(), channel)});
  if (to.columns.empty())
    to = std::move(own);
  else
    for (std::size_t c = 0; c < to.columns.size(); ++c) append(to.columns[c], std::move(own.columns[c]));
}

}  // namespace

void for_each_channel(const call& whole, const std::function<void(const call&)>& visit) {
  const int channels = whole.inputs[0].channels();
  if (channels == 1 || whole.about.takes_colour) return visit(whole);
  for (int c = 0; c < channels; ++c) {
    table own;
    visit(channel_call(whole, c, whole.result ? &own : nullptr));
    if (whole.result) add_channel(*whole.result, c, std::move(own));
  }
}

}  // namespace macareu
