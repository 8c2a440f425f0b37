// Labelling of bit rows by runs, the same for every pixel type.
//
// Rows are bits, 64 pixels to a word. A line is one row. With full connectivity and one class, a line is two
// rows (2 x 2 in volumes): set pixels in adjacent columns of a line are neighbours. The runs of the ORed rows
// are therefore connected, and there are fewer of them. Runs are the nodes of a union-find. Labels follow the
// raster order of first pixels, and every label is written once.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "core/call.hpp"
#include "core/ceil_div.hpp"
#include "core/neighbourhood.hpp"
#include "engines/cpu/runtime/bit_rows.hpp"

namespace macareu::cpu {

/// How rows are bundled to lines.
struct line_shape {
  std::int64_t depth, height, width;
  int gather_z = 1, gather_y = 1;  // rows of a line along each axis

  std::int64_t words() const { return ceil_div(width, word_bits); }
  std::int64_t lines_z() const { return ceil_div(depth, gather_z); }
  std::int64_t lines_y() const { return ceil_div(height, gather_y); }
  std::int64_t lines() const { return lines_z() * lines_y(); }
};

/// For images of several classes. Of the `count` places x in a row, keeps those whose pixel has the class of
/// pixel x + shift in the other row. Returns how many remain. Rows are counted z * height + y.
using match_classes = std::function<std::int64_t(std::int64_t row, std::int64_t other, int shift,
                                                 std::int64_t* places, std::int64_t count)>;

template <class T>
std::unique_ptr<T[]> room_for(std::int64_t count) {
  return std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(count));
}

struct bit_lines {
  explicit bit_lines(const line_shape& of)
      : shape(of),
        bits(room_for<bit_word>(of.depth * of.height * of.words())),
        heads(room_for<bit_word>(of.lines() * of.words())),
        earlier(room_for<std::uint32_t>(of.lines() * of.words())),
        first(room_for<std::uint64_t>(of.lines() + 1)) {}

  line_shape shape;
  std::unique_ptr<bit_word[]> bits;          // per row: the pixels inside
  std::unique_ptr<bit_word[]> heads;         // per line: first pixels of runs
  std::unique_ptr<std::uint32_t[]> earlier;  // per word of a line: runs that begin in earlier words
  std::unique_ptr<std::uint64_t[]> first;    // per line: runs; after sum_up, the index of its first run

  bit_word* row(std::int64_t z, std::int64_t y) const {
    return bits.get() + (z * shape.height + y) * shape.words();
  }
  bit_word* heads_of(std::int64_t line) const { return heads.get() + line * shape.words(); }
};

/// Numbers the objects of packed rows (bits and heads are set) and writes their labels. `matches` is empty
/// for one class. Returns the number of objects.
template <class Label>
std::uint64_t label_lines(const job& work, int threads, const neighbourhood& near, const bit_lines& lines,
                          const match_classes& matches, const view<Label>& labels);

}  // namespace macareu::cpu
