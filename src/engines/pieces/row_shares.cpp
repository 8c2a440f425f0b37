#include "engines/pieces/row_shares.hpp"

#include <macareu/ranks.hpp>

#include "core/ranks/rank_shares.hpp"

namespace macareu::pieces {

row_exchange::row_exchange(run& of, std::uint64_t labels, std::size_t row_bytes)
    : run_(of), labels_(labels), row_bytes_(row_bytes), files_(of, of.name_of_pass()) {}

void row_exchange::leave(const labelled_rows& found) {
  const int ranks = run_.all_ranks().size();
  std::size_t begin = 0, end = 0;
  for (int reader = 0; reader < ranks; ++reader, begin = end) {
    const auto share = share_of_labels(labels_, ranks, reader, reader + 1);
    while (end < found.labels.size() && share.contains(found.labels[end])) ++end;
    const auto count = end - begin;
    if (count == 0) continue;
    const auto offset = files_.add(found.labels.data() + begin, count * sizeof found.labels[0]);
    files_.add(found.rows.data() + begin * row_bytes_, count * row_bytes_);
    own_.push_back({reader, offset, static_cast<std::int64_t>(count)});
  }
}

void row_exchange::collect(function_ref<void(std::uint64_t, const std::byte*)> take) {
  auto& all = run_.all_ranks();
  const auto told = all.gather(macareu::bytes_of(own_));
  labelled_rows arrived;
  for (int writer = 0; writer < all.size(); ++writer)
    for (const auto& each : macareu::numbers_in<parcel>(told[static_cast<std::size_t>(writer)])) {
      if (each.reader != all.rank()) continue;
      const auto count = static_cast<std::size_t>(each.count), label_bytes = count * sizeof arrived.labels[0];
      arrived.labels.resize(count);
      arrived.rows.resize(count * row_bytes_);
      files_.read(writer, each.offset, arrived.labels.data(), label_bytes);
      files_.read(writer, each.offset + static_cast<std::int64_t>(label_bytes), arrived.rows.data(),
                  arrived.rows.size());
      for (std::size_t i = 0; i < count; ++i) take(arrived.labels[i], arrived.rows.data() + i * row_bytes_);
    }
  files_.remove();
}

}  // namespace macareu::pieces
