namespace cuda {
namespace {

iwpp_launch launch_for(const rule::extent& size) {
  return launch_of(size, sizeof(rule::pixel_type), sizeof(rule::capacity_type));
}

/// `state` holds the marker and receives the result. All memory is on the GPU, with queue_bytes for the
/// queue. The kernels may still run when this returns.
void start(const iwpp_launch& launch, rule::pixel_type* state, const rule::capacity_type* capacity,
           void* memory, const rule::extent& size, int connectivity, const rule::parameters& given) {
  const auto queue = launch.queue_in(memory);
  kernels::iwpp_begin<<<launch.blocks, iwpp_launch::threads>>>(queue, launch.count);
  kernels::iwpp_kernel<<<launch.blocks, iwpp_launch::threads, launch.shared_bytes>>>(
      state, capacity, size, launch.tiles, rule::reach_of(connectivity), queue, given);
  check(cudaGetLastError(), "starting the kernels");
}

}  // namespace

void run(const job& work) {
  require_gpu();
  const auto& size = work.size;
  if (size.pixels() == 0) return;
  const auto launch = launch_for(size);
  if (launch.count > iwpp_launch::most_tiles) throw std::runtime_error("CUDA: the image has too many tiles");
  device_array<rule::pixel_type> state;
  state.resize(size.pixels());
  state.upload(work.images[0]);
  device_array<rule::capacity_type> capacity;
  capacity.resize(size.pixels());
  capacity.upload(work.capacity);
  device_array<char> memory;
  memory.resize(launch.queue_bytes);
  start(launch, state.data(), capacity.data(), memory.data(), size, work.connectivity, work.given);
  check(cudaDeviceSynchronize(), "running the kernels");
  state.download(work.result);
}

}  // namespace cuda
