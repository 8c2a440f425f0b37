#include "bench/rank_joins/tissue_strips.hpp"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include <macareu/catalogue.hpp>
#include <macareu/generate.hpp>

namespace macareu::bench {
namespace {

constexpr key bright = 100;          // of objects, above it
constexpr std::int64_t beside = 32;  // rows beyond a strip, which its opening depends on

image run_one(const char* name, std::vector<const_image_view> inputs) {
  return std::move(run_operator(*find_operator(name), inputs, arguments{}, {.device = "cpu"})[0]);
}

/// The rim of one side's pixels from `begin` to `end` along a line, solved alone. before: those of the side
/// with smaller coordinates.
summary summary_of(const strip& from, bool before, std::int64_t begin, std::int64_t end) {
  const auto length = end - begin, first = before ? -from.width : 0;
  const extents shape = from.upright ? extents{length, from.width} : extents{from.width, length};
  image mask(dtype::u8, shape), marker(dtype::u8, shape);
  const auto place = [&](std::int64_t y, std::int64_t x) {
    return from.upright ? std::pair(begin + y, first + x) : std::pair(begin + x, first + y);
  };
  for (std::int64_t y = 0; y < shape.height(); ++y)
    for (std::int64_t x = 0; x < shape.width(); ++x) {
      const auto [along, across] = place(y, x);
      static_cast<key*>(mask.data())[y * shape.width() + x] = from.at(from.mask, along, across);
      static_cast<key*>(marker.data())[y * shape.width() + x] = from.at(from.marker, along, across);
    }
  const auto solved = run_one("reconstruct", {marker, mask});
  pieces::piece_keys<key> keys;
  keys.reset({{0, 0, 0}, {1, shape.height(), shape.width()}}, false);
  for (std::int64_t y = 0; y < shape.height(); ++y)
    for (std::int64_t x = 0; x < shape.width(); ++x) {
      keys.capacity[keys.at(0, y, x)] = static_cast<const key*>(mask.data())[y * shape.width() + x];
      keys.value[keys.at(0, y, x)] = static_cast<const key*>(solved.data())[y * shape.width() + x];
    }
  // Pixels at the ends of an upright piece belong to other strips: any capacity is an upper bound of theirs.
  const auto outside = [&](site q) -> key {
    if (q.y >= 0 && q.x >= 0 && q.y < shape.height() && q.x < shape.width()) return 0;
    const auto [along, across] = place(q.y, q.x);
    if (across < -from.width || across >= from.width) return 0;
    if (along < begin || along >= end) {
      if (from.upright) return 255;
      if (along < 0 || along >= from.length()) return 0;
    }
    return from.at(from.mask, along, across);
  };
  std::vector<pieces::open_pixel<key>> open;
  pieces::rim_flood<key> flood;
  auto found = flood.find_seeds(near, keys, outside);
  flood.flood(near, keys, static_cast<std::size_t>(shape.pixels()), found, open);
  return found;
}

}  // namespace

strip::strip(const settings& given, std::uint64_t seed, bool is_upright)
    : width(given.width), upright(is_upright) {
  const auto across = 2 * (given.width + beside);
  auto drawn =
      generate("tissue", upright ? extents{given.side, across} : extents{across, given.side}, {.seed = seed});
  mask = std::move(drawn.mask);
  marker = std::move(*drawn.marker);
}

key strip::at(const image& of, std::int64_t along, std::int64_t across) const {
  const auto y = upright ? along : across + width + beside, x = upright ? across + width + beside : along;
  return static_cast<const key*>(of.data())[y * of.shape().width() + x];
}

squares::squares(const settings& given)
    : given_(given),
      across_(static_cast<std::int64_t>(std::lround(std::sqrt(static_cast<double>(given.ranks))))),
      grid_({1, given.side, given.side, {0, 0, 0}}, {1, given.side / across_, given.side / across_}) {
  if (across_ * across_ != given.ranks || given.side % across_ != 0)
    throw std::invalid_argument("ranks must be a square number, and its root divide the side");
  const auto side = grid_.size().x;
  for (std::int64_t k = 0; k < given.strips; ++k)
    for (const bool upright : {false, true}) {
      const strip drawn(given, static_cast<std::uint64_t>(2 * k + upright + 1), upright);
      for (std::int64_t i = 0; i < across_; ++i)
        for (const bool before : {false, true}) {
          const auto margin = upright ? given.width : 0;
          sides_[{upright, k, i, before}] =
              summary_of(drawn, before, i * side + margin, (i + 1) * side - margin);
        }
      std::cerr << "strip " << k << (upright ? ", upright" : "") << "\n";
    }
}

pieces::rim_graph<key> squares::graph_of(int rank) const {
  const auto own = pixels_of(rank, rank + 1);
  const auto width = given_.width, rest = own.size.y - 2 * width;
  const site first = own.first;
  const std::vector<box> boxes{{first, {1, width, own.size.x}},
                               {{0, own.end().y - width, first.x}, {1, width, own.size.x}},
                               {{0, first.y + width, first.x}, {1, rest, width}},
                               {{0, first.y + width, own.end().x - width}, {1, rest, width}},
                               {{0, first.y + width, first.x + width}, {1, rest, rest}}};
  pieces::rim_graph<key> graph(
      whole(), own, boxes,
      [own, width](site p) -> std::size_t {
        const site q = p - own.first;
        if (q.y < width) return 0;
        if (q.y >= own.size.y - width) return 1;
        return q.x < width ? 2 : q.x >= own.size.x - width ? 3 : 4;
      },
      near);
  const auto row = first.y / own.size.y, column = first.x / own.size.x;
  graph.add(0, side(false, row, column, false));
  graph.add(1, side(false, row + 1, column, true));
  graph.add(2, side(true, column, row, false));
  graph.add(3, side(true, column + 1, row, true));
  const std::vector<key> nothing(static_cast<std::size_t>(4 * rest - 4));
  graph.add(4, {nothing, nothing, {}});
  return graph;
}

line_bands::line_bands(const strip& from) {
  const auto length = from.length(), width = from.width;
  const auto labels_of = [&](std::int64_t first, std::int64_t rows) {
    image objects(dtype::u8, {rows, length});
    for (std::int64_t y = 0; y < rows; ++y)
      for (std::int64_t x = 0; x < length; ++x)
        static_cast<key*>(objects.data())[y * length + x] = from.at(from.mask, x, first + y) > bright;
    return run_one("label", {objects});
  };
  const auto row = [&](const image& of, std::int64_t y) {
    return std::span(static_cast<const std::uint32_t*>(of.data()) + y * length,
                     static_cast<std::size_t>(length));
  };
  const auto highest = [&](const image& of, std::int64_t rows) {
    std::uint32_t most = 0;
    for (std::int64_t y = 0; y < rows; ++y) most = std::max(most, std::ranges::max(row(of, y)));
    return most;
  };
  const auto above = labels_of(-width, width + 1), below = labels_of(0, width);
  before.objects = highest(above, width);
  before.in_first = highest(above, 1);
  before.next = pieces::runs_of(row(above, width), {});
  after.objects = highest(below, width);
  after.in_first = highest(below, 1);
  after.first = pieces::runs_of(row(below, 0), {});
}

}  // namespace macareu::bench
