/// What a window sees outside the image: the nearest pixel, zeros, the image mirrored about its edge pixels' outer
/// side (b a | a b c), or the image again.
enum class border_rule { nearest, constant, mirror, wrap };
constexpr border_rule border = border_rule::@BORDER@;

/// Where along an axis of `size` pixels the value for place i comes from; -1: it is zero.
#ifdef __CUDACC__
__device__
#else
[[maybe_unused]]
#endif
static inline long long inside(long long i, long long size) {
  if (i >= 0 && i < size) return i;
  if (border == border_rule::constant) return -1;
  if (border == border_rule::nearest) return i < 0 ? 0 : size - 1;
  const long long period = border == border_rule::mirror ? 2 * size : size;
  i = (i % period + period) % period;
  return i < size ? i : period - 1 - i;
}

