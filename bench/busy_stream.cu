#include "busy_stream.hpp"

#include "engines/cuda/runtime/check.hpp"

namespace macareu::bench {
namespace {

__device__ long long nanoseconds() {
  long long time;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(time));
  return time;
}

__global__ void wait_for(long long duration) {
  for (const auto begin = nanoseconds(); nanoseconds() - begin < duration;) __nanosleep(500);
}

}  // namespace

void keep_busy(cudaStream_t stream) {
  constexpr long long duration = 100'000;
  wait_for<<<1, 1, 0, stream>>>(duration);
  cuda::check(cudaGetLastError(), "wait_for");
}

}  // namespace macareu::bench
