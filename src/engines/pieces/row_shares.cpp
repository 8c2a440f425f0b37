#include "engines/pieces/row_shares.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <utility>

namespace macareu::pieces {
namespace {

std::string bytes_of(const labelled_rows& from) {
  const std::uint64_t count = from.labels.size();
  std::string to(reinterpret_cast<const char*>(&count), sizeof count);
  to.reserve(sizeof count + count * sizeof count + from.rows.size());
  to.append(reinterpret_cast<const char*>(from.labels.data()), count * sizeof count);
  to.append(reinterpret_cast<const char*>(from.rows.data()), from.rows.size());
  return to;
}

labelled_rows rows_in(const std::string& bytes) {
  std::uint64_t count = 0;
  std::memcpy(&count, bytes.data(), sizeof count);
  labelled_rows to;
  to.labels.resize(count);
  const char* const labels = bytes.data() + sizeof count;
  const char* const rows = labels + count * sizeof count;
  to.rows.resize(static_cast<std::size_t>(bytes.data() + bytes.size() - rows));
  if (count == 0) return to;
  std::memcpy(to.labels.data(), labels, count * sizeof count);
  std::memcpy(to.rows.data(), rows, to.rows.size());
  return to;
}

void append(labelled_rows& to, const labelled_rows& from, std::size_t i, const row_form& form) {
  to.labels.push_back(from.labels[i]);
  const auto* const row = from.rows.data() + i * form.bytes;
  to.rows.insert(to.rows.end(), row, row + form.bytes);
}

labelled_rows merged(const labelled_rows& a, const labelled_rows& b, const row_form& form) {
  labelled_rows to;
  to.labels.reserve(a.labels.size() + b.labels.size());
  to.rows.reserve(a.rows.size() + b.rows.size());
  std::size_t i = 0, j = 0;
  while (i < a.labels.size() || j < b.labels.size()) {
    const bool from_a = j == b.labels.size() || (i < a.labels.size() && a.labels[i] <= b.labels[j]);
    const bool from_both = from_a && j < b.labels.size() && a.labels[i] == b.labels[j];
    append(to, from_a ? a : b, from_a ? i++ : j++, form);
    if (from_both) form.join(to.rows.data() + to.rows.size() - form.bytes, b.rows.data() + j++ * form.bytes);
  }
  return to;
}

/// Those of a share, and the others.
std::pair<labelled_rows, labelled_rows> divided(const labelled_rows& all, const label_share& share,
                                                const row_form& form) {
  std::pair<labelled_rows, labelled_rows> parts;
  for (std::size_t i = 0; i < all.labels.size(); ++i) {
    const bool inside = all.labels[i] > share.before && all.labels[i] - share.before <= share.count;
    append(inside ? parts.first : parts.second, all, i, form);
  }
  return parts;
}

}  // namespace

labelled_rows rows_of_share(ranks& all, std::uint64_t labels, labelled_rows found, const row_form& form) {
  const auto share = [&](int first, int end) { return share_of_labels(labels, all.size(), first, end); };
  std::map<int, labelled_rows> kept;  // rows for a range that this rank joins, by the end of the range
  const auto join = [&](const rank_range& range, const std::string& first, const std::string& second) {
    auto [inside, outside] =
        divided(merged(rows_in(first), rows_in(second), form), share(range.first, range.end), form);
    kept[range.end] = std::move(inside);
    return bytes_of(outside);
  };
  const auto split = [&](const rank_range& range, const std::string& outside) {
    const auto inside = merged(kept[range.end], rows_in(outside), form);
    kept.erase(range.end);
    const auto [first, second] = divided(inside, share(range.first, range.middle), form);
    return std::pair(bytes_of(first), bytes_of(second));
  };
  auto [own, others] = divided(found, share(all.rank(), all.rank() + 1), form);
  found = {};
  const auto arrived = all.exchange(
      bytes_of(others), {join, [](const std::string&) { return bytes_of(labelled_rows()); }, split});
  return merged(own, rows_in(arrived), form);
}

}  // namespace macareu::pieces
