// Rims of virtual ranks from real tissue: strips of pixels along both sides of the lines between ranks.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>

#include <macareu/image.hpp>

#include "core/neighbourhood.hpp"
#include "engines/pieces/box.hpp"
#include "engines/pieces/component/band_regions.hpp"
#include "engines/pieces/wave/rim_flood.hpp"
#include "engines/pieces/wave/rim_graph.hpp"

namespace macareu::bench {

using key = std::uint8_t;
using summary = pieces::rim_summary<key>;
using pieces::box;

inline const neighbourhood near{2, 2};

struct settings {
  std::int64_t side = 1'000'000, ranks = 1024, strips = 8, width = 64;
  std::string file;
};

/// Pixels beside a line: along it the first axis, across it the second, from -width to width - 1.
struct strip {
  image mask, marker;
  std::int64_t width;
  bool upright;

  strip(const settings& given, std::uint64_t seed, bool is_upright);
  key at(const image& of, std::int64_t along, std::int64_t across) const;
  std::int64_t length() const { return upright ? mask.shape().height() : mask.shape().width(); }
};

/// What a rank knows of the rims of its four strips, and of the rest, where nothing passes.
class squares {
 public:
  explicit squares(const settings& given);

  box whole() const { return grid_.whole(); }
  box pixels_of(int first, int end) const {
    return grid_.pixels_of(
        pieces::share_of_ranks({{0, 0, 0}, grid_.counts()}, static_cast<int>(given_.ranks), first, end));
  }

  pieces::rim_graph<key> graph_of(int rank) const;

 private:
  const summary& side(bool upright, std::int64_t line, std::int64_t part, bool before) const {
    return sides_.at({upright, line % given_.strips, part, before});
  }

  settings given_;
  std::int64_t across_;
  pieces::piece_grid grid_;
  std::map<std::tuple<bool, std::int64_t, std::int64_t, bool>, summary> sides_;
};

/// The bands of a rank on both sides of a line.
struct line_bands {
  pieces::band_record before, after;  // the last band of one rank, and the first of the next

  explicit line_bands(const strip& from);
};

}  // namespace macareu::bench
