// What ranks know of ranges is joined in any order: ((a, b), c) and (a, (b, c)) give the same answers.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <macareu/catalogue.hpp>
#include <macareu/image.hpp>
#include <macareu/ranks.hpp>

#include "engines/pieces/component/band_regions.hpp"
#include "engines/pieces/wave/rank_rims.hpp"
#include "support/dice.hpp"

namespace macareu::test {
namespace {

using three_texts = std::array<std::string, 3>;

/// The two trees of three ranks: ranges in the order of their joins.
const std::array<std::array<rank_range, 2>, 2> trees{{{{{0, 1, 2}, {0, 2, 3}}}, {{{1, 2, 3}, {0, 1, 3}}}}};

/// What all three tell, along a tree; of(rank): the exchange of the rank that joins.
template <class Of>
std::string told_along(const std::array<rank_range, 2>& tree, three_texts told, const Of& of) {
  for (const auto& range : tree) {
    auto& first = told[static_cast<std::size_t>(range.first)];
    first = of(range.first).join(range, first, told[static_cast<std::size_t>(range.middle)]);
  }
  return told[0];
}

/// The answers for each of them.
template <class Of>
three_texts answers_along(const std::array<rank_range, 2>& tree, const std::string& answer, const Of& of) {
  three_texts answers;
  answers[0] = answer;
  for (const auto& range : {tree[1], tree[0]})
    std::tie(answers[static_cast<std::size_t>(range.first)],
             answers[static_cast<std::size_t>(range.middle)]) =
        of(range.first).split(range, answers[static_cast<std::size_t>(range.first)]);
  return answers;
}

/// The capacities and starts of a wave on a small image.
template <class Key>
struct small_wave {
  frame whole;
  neighbourhood near;
  std::vector<Key> capacity, start;

  pieces::box all() const { return pieces::whole_box(whole); }
  std::size_t at(site p) const {
    return static_cast<std::size_t>((p.z * whole.height + p.y) * whole.width + p.x);
  }
  template <class Visit>
  static void over(const pieces::box& where, const Visit& visit) {
    const site end = where.end();
    for (auto z = where.first.z; z < end.z; ++z)
      for (auto y = where.first.y; y < end.y; ++y)
        for (auto x = where.first.x; x < end.x; ++x) visit(site{z, y, x});
  }
};

template <class Key>
small_wave<Key> drawn_wave(dice& from) {
  const int rank = from.once_in(3) ? 3 : 2;
  small_wave<Key> wave{
      {rank == 3 ? from.between(3, 8) : 1, from.between(6, 16), from.between(6, 16), {0, 0, 0}},
      neighbourhood{rank, static_cast<int>(from.between(1, rank))},
      {},
      {}};
  const auto levels = from.once_in(2) ? 4 : 200;  // few levels have many ties
  for (std::int64_t i = 0; i < wave.all().pixels(); ++i) {
    wave.capacity.push_back(static_cast<Key>(from.below(levels)));
    wave.start.push_back(from.once_in(20) ? wave.capacity.back() : Key{0});
  }
  return wave;
}

/// Boxes of three ranks beside each other. Others have what is around them, if something is.
struct three_ranks {
  std::array<pieces::box, 3> own;

  pieces::box pixels_of(int first, int end) const {
    return pieces::between(own[static_cast<std::size_t>(first)].first,
                           own[static_cast<std::size_t>(end - 1)].end());
  }
};

three_ranks drawn_ranks(dice& from, const frame& whole) {
  const bool along_y = from.once_in(2);
  const auto part = [&](std::int64_t count) {
    const auto first = from.below(count);
    return std::pair(first, from.between(first + 1, count));
  };
  const auto [z, end_z] = part(whole.depth);
  const auto [other, end_other] = part(along_y ? whole.width : whole.height);
  const auto side = along_y ? whole.height : whole.width;
  three_ranks all;
  auto at = from.between(0, side - 3);
  for (std::size_t rank = 0; rank < 3; ++rank) {
    const auto end = from.between(at + 1, side - 2 + static_cast<std::int64_t>(rank));
    all.own[rank] = along_y ? pieces::between({z, at, other}, {end_z, end, end_other})
                            : pieces::between({z, other, at}, {end_z, end_other, end});
    at = end;
  }
  return all;
}

/// The graph of a rank whose pieces are its pixels.
template <class Key>
pieces::rim_graph<Key> graph_of(const small_wave<Key>& wave, const pieces::box& own) {
  std::vector<pieces::box> pixels;
  wave.over(own, [&](site p) { pixels.push_back({p, {1, 1, 1}}); });
  const auto number = [own](site p) {
    const site q = p - own.first;
    return static_cast<std::size_t>((q.z * own.size.y + q.y) * own.size.x + q.x);
  };
  pieces::rim_graph<Key> graph(wave.all(), own, pixels, number, wave.near);
  wave.over(own, [&](site p) {
    graph.add(number(p), {{wave.capacity[wave.at(p)]}, {wave.start[wave.at(p)]}, {}});
  });
  return graph;
}

/// Values that may come from outside to the rim of a box, in the order of its pixels.
template <class Key>
std::vector<Key> drawn_outside(dice& from, const small_wave<Key>& wave, const pieces::box& inside) {
  std::vector<Key> values;
  pieces::for_each_on_rim(inside, wave.near.rank == 3, [&](std::int64_t z, std::int64_t y, std::int64_t x) {
    const site p = inside.first + site{z, y, x};
    Key most = 0;
    wave.near.for_each(p, [&](site q) {
      if (!inside.contains(q) && wave.all().contains(q)) most = std::max(most, wave.capacity[wave.at(q)]);
    });
    most = std::min(most, wave.capacity[wave.at(p)]);
    values.push_back(from.once_in(3) ? static_cast<Key>(from.below(most + 1)) : Key{0});
  });
  return values;
}

/// The wave inside a box, by its definition, with these values on the rim.
template <class Key>
std::vector<Key> solved(const small_wave<Key>& wave, const pieces::box& inside,
                        const std::vector<Key>& outside) {
  auto value = wave.start;
  std::size_t number = 0;
  pieces::for_each_on_rim(inside, wave.near.rank == 3, [&](std::int64_t z, std::int64_t y, std::int64_t x) {
    auto& on_rim = value[wave.at(inside.first + site{z, y, x})];
    on_rim = std::max(on_rim, outside[number++]);
  });
  for (bool changes = true; std::exchange(changes, false);)
    wave.over(inside, [&](site p) {
      wave.near.for_each(p, [&](site q) {
        if (!inside.contains(q)) return;
        const auto offer = std::min(wave.capacity[wave.at(p)], value[wave.at(q)]);
        changes = changes || offer > value[wave.at(p)];
        value[wave.at(p)] = std::max(value[wave.at(p)], offer);
      });
    });
  return value;
}

template <class Key>
void compare_waves(dice& from) {
  const auto wave = drawn_wave<Key>(from);
  const auto all = drawn_ranks(from, wave.whole);
  const auto inside = all.pixels_of(0, 3);
  const bool is_whole = inside == wave.all();
  const auto outside = drawn_outside(from, wave, inside);
  const auto expected = solved(wave, inside, outside);
  for (const auto& tree : trees) {
    std::vector<pieces::rim_graph<Key>> graphs;
    three_texts told;
    for (std::size_t rank = 0; rank < 3; ++rank) {
      graphs.push_back(graph_of(wave, all.own[rank]));
      told[rank] = graphs.back().contract().bytes();
    }
    std::map<int, pieces::rank_rims<Key>> joining;
    const auto of = [&](int rank) {
      return joining
          .try_emplace(rank, wave.all(), wave.near,
                       [&all](int first, int end) { return all.pixels_of(first, end); })
          .first->second.exchange();
    };
    EXPECT_EQ(told_along(tree, told, of).empty(), is_whole);
    const std::string answer(reinterpret_cast<const char*>(outside.data()), outside.size() * sizeof(Key));
    const auto answers = answers_along(tree, is_whole ? std::string() : answer, of);
    for (std::size_t rank = 0; rank < 3; ++rank) {
      pieces::rank_rims<Key>::solve(graphs[rank], answers[rank]);
      std::size_t i = 0;
      wave.over(all.own[rank], [&](site p) {
        ASSERT_EQ(graphs[rank].value(i++)[0], expected[wave.at(p)]) << p.z << ", " << p.y << ", " << p.x;
      });
    }
  }
}

TEST(joins, rims_of_waves_are_joined_in_any_order) {
  for (std::int64_t i = 0; i < scaled(1000); ++i) {
    SCOPED_TRACE(i);
    dice from(seed_of("joins", 1, i));
    from.once_in(2) ? compare_waves<std::uint8_t>(from) : compare_waves<std::uint64_t>(from);
    if (HasFailure()) return;
  }
}

/// A band of slices, labelled with the slice behind it.
struct labelled_band {
  std::vector<std::uint32_t> numbers;  // of its own pixels
  pieces::band_record known;
};

labelled_band labelled(const image& pixels, std::int64_t slices, std::int64_t first, std::int64_t end) {
  const auto& shape = pixels.shape();
  const auto slice = shape.pixels() / slices, behind = std::min(end + 1, slices);
  image part(dtype::u8, shape.rank() == 3 ? extents{behind - first, shape.height(), shape.width()}
                                          : extents{behind - first, shape.width()});
  std::memcpy(part.data(), pixels.pixels<std::uint8_t>().data() + first * slice, part.bytes());
  const auto labels = run_operator(*find_operator("label"), std::array<const_image_view, 1>{part});
  const auto numbers = labels[0].pixels<std::uint32_t>();
  const auto some = [&](std::int64_t from, std::int64_t to) {
    return numbers.subspan(static_cast<std::size_t>((from - first) * slice),
                           static_cast<std::size_t>((to - from) * slice));
  };
  const auto own = some(first, end);
  labelled_band band{{own.begin(), own.end()}, {}};
  band.known.objects = std::ranges::max(own);
  if (first > 0) {
    band.known.first = pieces::runs_of(some(first, first + 1), {});
    band.known.in_first = std::ranges::max(some(first, first + 1));
  }
  if (behind > end) band.known.next = pieces::runs_of(some(end, behind), {});
  return band;
}

image drawn_objects(dice& from) {
  image pixels(dtype::u8, from.once_in(3)
                              ? extents{from.between(3, 12), from.between(1, 6), from.between(1, 6)}
                              : extents{from.between(3, 16), from.between(1, 16)});
  const auto density = from.between(3, 9);
  for (auto& pixel : pixels.pixels<std::uint8_t>()) pixel = from.below(10) < density;
  return pixels;
}

void compare_bands(dice& from) {
  const auto pixels = drawn_objects(from);
  const auto slices = pixels.shape().rank() == 3 ? pixels.shape().depth() : pixels.shape().height();
  const auto whole = run_operator(*find_operator("label"), std::array<const_image_view, 1>{pixels});
  const auto labels = whole[0].pixels<std::uint32_t>();
  std::vector<labelled_band> bands;
  for (std::int64_t first = 0, end = 0; first < slices; first = end) {
    end = from.between(first + 1, slices);
    bands.push_back(labelled(pixels, slices, first, end));
  }
  std::array<std::size_t, 4> cuts{0, 0, 0, bands.size()};  // a rank may have none
  for (const auto rank : {1u, 2u}) cuts[rank] = static_cast<std::size_t>(from.between(0, std::ssize(bands)));
  std::ranges::sort(cuts);
  std::array<std::string, 2> of_all;
  for (std::size_t way = 0; way < 2; ++way) {
    std::deque<pieces::rank_bands> own;
    three_texts told;
    for (std::size_t rank = 0; rank < 3; ++rank) {
      std::vector<pieces::band_record> records;
      for (auto b = cuts[rank]; b < cuts[rank + 1]; ++b) records.push_back(bands[b].known);
      told[rank] = own.emplace_back(std::move(records), host_threads{}).told();
    }
    const auto of = [&](int rank) { return own[static_cast<std::size_t>(rank)].exchange(); };
    of_all[way] = told_along(trees[way], told, of);
    const auto answers = answers_along(trees[way], of(0).answer(of_all[way]), of);
    auto expected = labels.begin();
    for (std::size_t rank = 0; rank < 3; ++rank) {
      const auto merged = std::move(own[rank]).numbered(answers[rank]);
      EXPECT_EQ(merged.count, std::ranges::max(labels));
      for (auto b = cuts[rank]; b < cuts[rank + 1]; ++b) {
        const auto number = numbers_of<std::uint32_t>(merged.blocks[b - cuts[rank]], bands[b].known.objects);
        for (const auto one : bands[b].numbers) ASSERT_EQ(number[one], *expected++) << "band " << b;
      }
    }
  }
  EXPECT_TRUE(of_all[0] == of_all[1]);
}

TEST(joins, bands_of_objects_are_joined_in_any_order) {
  for (std::int64_t i = 0; i < scaled(1000); ++i) {
    SCOPED_TRACE(i);
    dice from(seed_of("joins", 2, i));
    compare_bands(from);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace macareu::test
