/// Each block reduces one chunk. The same kernel reduces the blocks' results until one value is left.
template <class T, class Value>
__device__ static void join_chunk(const Value* values, T* parts, long long count,
                                  const rule::parameters& given) {
  __shared__ T lane[rule::lanes];
  const long long begin = static_cast<long long>(blockIdx.x) * rule::chunk;
  const int here = count - begin < rule::chunk ? static_cast<int>(count - begin) : rule::chunk;
  const int used = here < rule::lanes ? here : rule::lanes;
  const int own = threadIdx.x;
  if (own < used) {
    T value = static_cast<T>(values[begin + own]);
    for (int i = own + rule::lanes; i < here; i += rule::lanes)
      value = rule::join<T>(value, static_cast<T>(values[begin + i]), given);
    lane[own] = value;
  }
  for (int half = rule::lanes / 2; half > 0; half /= 2) {
    __syncthreads();
    if (own < half && own + half < used) lane[own] = rule::join<T>(lane[own], lane[own + half], given);
  }
  if (own == 0) parts[blockIdx.x] = lane[0];
}

template <class T, class Value>
__global__ void r2s_kernel(const Value* values, T* parts, long long count, rule::parameters given) {
  join_chunk<T>(values, parts, count, given);
}
