/// Border rules, with SciPy's names. For a row a b c: nearest (a a | a b c), constant (zeros), reflect with
/// the edge pixel (b a | a b c), mirror without it (c b | a b c), and wrap (b c | a b c).
enum class border_rule { nearest, constant, reflect, mirror, wrap };
constexpr border_rule border = border_rule::@BORDER@;

/// Index along an axis of `size` pixels that the border rule maps i to; -1 for zero.
RULE static inline long long inside(long long i, long long size) {
  if (i >= 0 && i < size) return i;
  if (border == border_rule::constant) return -1;
  if (border == border_rule::nearest || size == 1) return i < 0 ? 0 : size - 1;
  const long long period = border == border_rule::wrap      ? size
                           : border == border_rule::reflect ? 2 * size
                                                            : 2 * size - 2;
  i = (i % period + period) % period;
  if (i < size) return i;
  return border == border_rule::mirror ? period - i : period - 1 - i;
}

