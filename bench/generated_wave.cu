// Times the wave of a generated program on images in GPU memory. Compile with nvcc -DPROGRAM='"NAME.cu"' for
// an IWPP program of bytes, and with its .cpp files, which compute the reference. Arguments: marker and mask
// as PGM files, neighbours, runs.
#include PROGRAM

#include "pnm.hpp"

#include <cstdio>
#include <cstdlib>

namespace {

std::vector<rule::pixel_type> pixels_of(const pnm_image& image) {
  return {image.values.begin(), image.values.end()};
}

}  // namespace

int main(int count, char** texts) {
  if (count != 5) return 2;
  try {
    cuda::require_gpu();
    const auto marker = read_pnm(texts[1]), mask = read_pnm(texts[2]);
    const auto first = pixels_of(marker), limit = pixels_of(mask);
    job work{};
    work.size = {mask.depth, mask.height, mask.width};
    work.connectivity = std::atoi(texts[3]);
    work.images[0] = first.data();
    work.capacity = limit.data();
    std::vector<rule::result_type> right(first.size()), got(first.size());
    work.result = right.data();
    openmp::run(work);

    const long long pixels = work.size.pixels();
    cuda::device_array<rule::pixel_type> start, state;
    cuda::device_array<rule::capacity_type> capacity;
    cuda::device_array<char> memory;
    for (auto* each : {&start, &state}) each->resize(pixels);
    start.upload(first.data());
    capacity.resize(pixels);
    capacity.upload(limit.data());
    const auto launch = cuda::launch_for(work.size);
    memory.resize(launch.queue_bytes);
    cudaEvent_t begin, end;
    cuda::check(cudaEventCreate(&begin), "creating an event");
    cuda::check(cudaEventCreate(&end), "creating an event");
    std::printf("wave");
    for (int i = -2; i < std::atoi(texts[4]); ++i) {  // two to warm up
      cuda::check(cudaMemcpyAsync(state.data(), start.data(), first.size() * sizeof(rule::pixel_type),
                                  cudaMemcpyDeviceToDevice),
                  "copying");
      cuda::check(cudaEventRecord(begin), "recording an event");
      cuda::start(launch, state.data(), capacity.data(), memory.data(), work.size, work.connectivity,
                  work.given);
      cuda::check(cudaEventRecord(end), "recording an event");
      cuda::check(cudaEventSynchronize(end), "running the kernels");
      float ms = 0;
      cuda::check(cudaEventElapsedTime(&ms, begin, end), "reading events");
      if (i >= 0) std::printf(" %.6f", static_cast<double>(ms));
    }
    state.download(got.data());
    std::printf("\nequal %d\n", got == right);
    return got == right ? 0 : 1;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
