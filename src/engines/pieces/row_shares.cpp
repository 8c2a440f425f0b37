#include "engines/pieces/row_shares.hpp"

#include <macareu/ranks.hpp>

#include "core/rank_shares.hpp"
#include "engines/pieces/rank_files.hpp"

namespace macareu::pieces {
namespace {

/// Rows for one rank: their labels and then themselves, in the file of the rank that found them.
struct parcel {
  std::int64_t reader, offset, count;
};

}  // namespace

void share_rows(run& of, std::uint64_t labels, const labelled_rows& found, std::size_t row_bytes,
                function_ref<void(std::uint64_t, const std::byte*)> take) {
  auto& all = of.all_ranks();
  rank_files files(of, of.name_of_pass());
  std::vector<parcel> own;
  std::size_t begin = 0, end = 0;
  for (int reader = 0; reader < all.size(); ++reader, begin = end) {
    const auto share = share_of_labels(labels, all.size(), reader, reader + 1);
    while (end < found.labels.size() && share.contains(found.labels[end])) ++end;
    const auto count = end - begin;
    if (count == 0) continue;
    const auto offset = files.add(found.labels.data() + begin, count * sizeof found.labels[0]);
    files.add(found.rows.data() + begin * row_bytes, count * row_bytes);
    own.push_back({reader, offset, static_cast<std::int64_t>(count)});
  }
  const auto told = all.gather(macareu::bytes_of(own));
  labelled_rows arrived;
  for (int writer = 0; writer < all.size(); ++writer)
    for (const auto& each : macareu::numbers_in<parcel>(told[static_cast<std::size_t>(writer)])) {
      if (each.reader != all.rank()) continue;
      const auto count = static_cast<std::size_t>(each.count), label_bytes = count * sizeof arrived.labels[0];
      arrived.labels.resize(count);
      arrived.rows.resize(count * row_bytes);
      files.read(writer, each.offset, arrived.labels.data(), label_bytes);
      files.read(writer, each.offset + static_cast<std::int64_t>(label_bytes), arrived.rows.data(),
                 arrived.rows.size());
      for (std::size_t i = 0; i < count; ++i) take(arrived.labels[i], arrived.rows.data() + i * row_bytes);
    }
  files.remove();
}

}  // namespace macareu::pieces
