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
