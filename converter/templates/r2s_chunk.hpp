/// Pixels are joined in one fixed order, so that every engine gives the same bits, for floating point too: of
/// each 4096 pixels, pixel i joins lane i mod 256 in turn, then the lanes join in halves; the chunks' values
/// are then joined the same way, until one is left. There is no identity: a lane begins with its first pixel.
constexpr int lanes = 256;
constexpr int chunk = 4096;

#ifndef __CUDACC__
template <class T, class Value>
static T join_chunk(const Value* values, long long count, const parameters& given) {
  T lane[lanes];
  const int used = count < lanes ? static_cast<int>(count) : lanes;
  for (int i = 0; i < used; ++i) lane[i] = static_cast<T>(values[i]);
  for (long long begin = lanes; begin < count; begin += lanes) {
    const int here = count - begin < lanes ? static_cast<int>(count - begin) : lanes;
    for (int i = 0; i < here; ++i) lane[i] = join<T>(lane[i], static_cast<T>(values[begin + i]), given);
  }
  for (int half = lanes / 2; half > 0; half /= 2)
    for (int i = 0; i < half && i + half < used; ++i) lane[i] = join<T>(lane[i], lane[i + half], given);
  return lane[0];
}
#endif
