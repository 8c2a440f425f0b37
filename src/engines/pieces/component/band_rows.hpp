// The tally of labelled images in pieces: rows of the objects in bands of whole rows, joined.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "engines/pieces/component/bands.hpp"
#include "engines/pieces/image.hpp"
#include "engines/pieces/plan.hpp"
#include "engines/pieces/row_shares.hpp"
#include "engines/pieces/run.hpp"
#include "engines/pieces/tallied_rows.hpp"
#include "engines/pieces/typed_blocks.hpp"
#include "patterns/tally_share.hpp"

namespace macareu::pieces {

/// take(label, row) for the objects of each band that this rank visits. most: the rows of a part of a band.
template <class Inner, class Rule, class Take, class Label, class... In>
void over_band_rows(plan& of, run& in_run, const Rule& rule, std::int64_t most, const Take& take,
                    const image<const Label>& labels, const image<const In>&... in) {
  const auto whole = labels.whole();
  const bool volume = whole.depth > 1;
  of.over_shared_bands({&labels, &in...}, [&](const box& band, std::span<const block> all) {
    for (const auto& own : parts_of_band(all[0].template image<const Label>(whole), band, volume, most)) {
      const auto around = common(grown(own, outline_reach(volume), whole), all[0].where);
      std::vector<block> from;
      for (const auto& each : all) from.push_back(each.part(around));
      const auto local = numbers_in_use(*in_run.memory, from[0].template image<const Label>(whole));
      Inner inner(in_run.quiet);
      with_images(
          pixel_types<In...>{}, whole, std::span<const block>(from).subspan(1), [&](const auto&... part) {
            const auto found = inner.tally_band(rule, local.labels.size() - 1, band_of(own, around, volume),
                                                local.image(whole, around), part...);
            const std::span<const typename Rule::row> rows(found);
            for (std::size_t i = 1; i < rows.size(); ++i) take(static_cast<Label>(local.labels[i]), rows[i]);
          });
      inner.finish();
    }
  });
}

/// The rows of all objects, on one rank.
template <class Inner, class Rule, class Label, class... In>
tallied_rows<typename Rule::row> rows_of_all(plan& of, run& in_run, const Rule& rule, std::uint64_t count,
                                             const image<const Label>& labels, const image<const In>&... in) {
  using row = typename Rule::row;
  tallied_rows<row> all(in_run, static_cast<std::size_t>(count) + 1);
  const object_room room(in_run);
  over_band_rows<Inner>(
      of, in_run, rule, room.objects(sizeof(row)),
      [&](Label label, const row& more) { all.join(static_cast<std::size_t>(label), more); }, labels, in...);
  return all;
}

/// The rows of this rank's share of the objects, also where others found them.
template <class Inner, class Rule, class Label, class... In>
tallied<tallied_rows<typename Rule::row>> rows_of_rank(plan& of, run& in_run, const Rule& rule,
                                                       std::uint64_t count, const image<const Label>& labels,
                                                       const image<const In>&... in) {
  using row = typename Rule::row;
  const auto share = of.label_share_of_rank(count);
  tallied_rows<row> own(in_run, static_cast<std::size_t>(share.count) + 1,
                        static_cast<std::size_t>(of.largest_label_share(count)) + 1);
  const object_room room(in_run);
  row_exchange exchange(in_run, count, sizeof(row));
  std::map<Label, row> others;
  const auto leave = [&] {
    labelled_rows found;
    found.labels.reserve(others.size());
    found.rows.reserve(others.size() * sizeof(row));
    for (const auto& [label, each] : others) {
      found.labels.push_back(label);
      const auto* const bytes = reinterpret_cast<const std::byte*>(&each);
      found.rows.insert(found.rows.end(), bytes, bytes + sizeof each);
    }
    others.clear();
    exchange.leave(found);
  };
  // Rows of a part of a band, rows for others, and these as they are left.
  const auto most = room.objects(3 * sizeof(row));
  over_band_rows<Inner>(
      of, in_run, rule, most,
      [&](Label label, const row& more) {
        if (share.contains(label))
          own.join(static_cast<std::size_t>(label - share.before), more);
        else
          others[label].join(more);
        if (static_cast<std::int64_t>(others.size()) >= most) leave();
      },
      labels, in...);
  leave();
  exchange.collect([&](std::uint64_t label, const std::byte* from) {
    row more;
    std::memcpy(&more, from, sizeof more);
    own.join(static_cast<std::size_t>(label - share.before), more);
  });
  return {std::move(own), share.before, share.count};
}

}  // namespace macareu::pieces
