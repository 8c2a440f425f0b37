/// What a window sees outside of a row a b c, in SciPy's words: the nearest pixel (a a | a b c), zeros, the
/// image reflected with its edge pixel (b a | a b c) or mirrored without it (c b | a b c), or the image again
/// (b c | a b c).
enum class border_rule { nearest, constant, reflect, mirror, wrap };
constexpr border_rule border = border_rule::@BORDER@;

/// Where along an axis of `size` pixels the value for place i comes from; -1: it is zero.
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

