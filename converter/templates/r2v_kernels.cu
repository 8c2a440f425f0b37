/// Blocks count into `copies` vectors in shared memory, which reduces contention, and add them to the result
/// at the end. copies = 0: the vector does not fit, and pixels are counted into the result directly.
extern "C" __global__ void r2v_kernel(const rule::pixel_type* image, long long count,
                                      rule::result_type* result, int bins, int copies,
                                      rule::parameters given) {
  extern __shared__ rule::result_type shared[];
  for (int i = threadIdx.x; i < bins * copies; i += blockDim.x) shared[i] = 0;
  __syncthreads();
  auto* own =
      copies == 0 ? result : shared + static_cast<int>(threadIdx.x / 32 % (copies == 0 ? 1 : copies)) * bins;
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step)
    rule::count(image[i], own, bins, given);
  __syncthreads();
  for (int i = threadIdx.x; i < bins && copies > 0; i += blockDim.x) {
    rule::result_type sum = 0;
    for (int c = 0; c < copies; ++c) sum += shared[c * bins + i];
    if (sum != 0) atomicAdd(&result[i], sum);
  }
}
