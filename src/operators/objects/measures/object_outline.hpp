// Contributions of border pixels to the perimeter or surface of an object, and to its Euler number.
#pragma once

#include <array>
#include <cstdint>

#include "patterns/tally.hpp"

namespace macareu {

/// The directions of lines that cross the surface of a voxel object, one of each pair of opposites.
inline constexpr int crossing_directions = 13;
MACAREU_HD constexpr std::array<int, 3> crossing_direction(int i) {
  const int n = i + 14;  // of the 27 steps, those after the middle
  return {n / 9 - 1, n / 3 % 3 - 1, n % 3 - 1};
}

/// Contributions of pixels to the Euler number and to the three lengths of the perimeter, one bit each.
template <class Word>
struct image_outline {
  Word more, less;  // Euler number
  Word straight, slanted, mixed;
  MACAREU_HD bool any() const { return (more | less | straight | slanted | mixed) != 0; }
};

/// The number of set bits among four, as three words.
template <class Word>
struct count_of_four {
  Word ones, twos, four;
  MACAREU_HD count_of_four(Word a, Word b, Word c, Word d)
      : ones(a ^ b ^ c ^ d), twos((a & b) ^ (c & d) ^ ((a ^ b) & (c ^ d))), four(a & b & c & d) {}
};

/// The Euler number is vertices - edges + faces of the object as closed squares. The first pixel of the
/// object in raster order counts each of them. Most cancel: the upper corners less the upper edge remain.
///
/// A pixel with one of its 4 neighbours outside the object is on its border. Border pixels are weighted by
/// their border neighbours, s of 4 straight and d of 4 diagonal: 1, the root of 2, or half of both together
/// (scikit-image's perimeter).
template <class Word>
MACAREU_HD image_outline<Word> outline_of(const beside<Word>& same, const beside<Word>& border) {
  const count_of_four<Word> s(same.n & border.n, same.w & border.w, same.e & border.e, same.s & border.s),
      d(same.nw & border.nw, same.ne & border.ne, same.sw & border.sw, same.se & border.se);
  const Word on_border = ~(same.n & same.w & same.e & same.s);
  const Word none = ~(s.ones | s.twos | s.four), one = s.ones & ~s.twos;
  return {.more = ~(same.n | same.nw | same.w | same.ne),
          .less = ~same.n & (same.nw | same.w) & same.ne,
          .straight = on_border & s.twos & ~d.four & ~(d.ones & d.twos),
          .slanted = on_border & d.twos & ((none & ~d.ones) | (one & d.ones)),
          .mixed = on_border & one & (d.ones ^ d.twos)};
}

/// The Euler number is vertices - edges + faces - voxels of the object as closed cubes. The first pixel of
/// the object in raster order counts each of them: p does if no earlier pixel shares it.
MACAREU_HD inline int cells_of_its_own(const bool* near) {
  int sum = 0;
  for (int cell = 0; cell < 27; ++cell) {
    const int ez = cell / 9 - 1, ey = cell / 3 % 3 - 1, ex = cell % 3 - 1;
    bool own = true;
    for (int dz = ez < 0 ? ez : 0; dz <= (ez > 0 ? ez : 0); ++dz)
      for (int dy = ey < 0 ? ey : 0; dy <= (ey > 0 ? ey : 0); ++dy)
        for (int dx = ex < 0 ? ex : 0; dx <= (ex > 0 ? ex : 0); ++dx) {
          const int there = dz * 9 + dy * 3 + dx;
          if (there < 0 && near[13 + there]) own = false;
        }
    const int sides = ez * ez + ey * ey + ex * ex;
    if (own) sum += (3 - sides) % 2 == 0 ? 1 : -1;
  }
  return sum;
}

/// The eight neighbours from nine flags, row by row.
MACAREU_HD inline beside<unsigned> bits_beside(const bool* nine) {
  return {nine[0], nine[1], nine[2], nine[3], nine[5], nine[6], nine[7], nine[8]};
}

/// Empty if p is not on the border itself, since it does not matter then.
template <class Label>
MACAREU_HD beside<unsigned> border_beside(const labels_beside<Label>& labels, const bool* near) {
  if (near[10] && near[12] && near[14] && near[16]) return {};
  unsigned object[5];  // rows from two up to two down, a bit for each pixel from two left to two right
  labels.template look_around<2>(2, [&](auto&& is_same) {
    for (int y = 0; y < 5; ++y) {
      object[y] = 0;
      for (int x = 0; x < 5; ++x) object[y] |= static_cast<unsigned>(is_same(0, y - 2, x - 2)) << x;
    }
  });
  bool border[9];
  for (int y = 0; y < 3; ++y) {
    const unsigned own = object[y + 1];
    const unsigned row = own & ~(own << 1 & own >> 1 & object[y] & object[y + 2]);
    for (int x = 0; x < 3; ++x) border[3 * y + x] = row >> (x + 1) & 1;
  }
  return bits_beside(border);
}

}  // namespace macareu
