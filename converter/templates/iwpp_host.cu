namespace cuda {

void run(const job& work) {
  require_gpu();
  const auto& size = work.size;
  const long long count = size.pixels();
  if (count == 0) return;
  device_array<rule::pixel_type> state;
  device_array<rule::capacity_type> capacity;
  state.resize(count);
  state.upload(work.images[0]);
  capacity.resize(count);
  capacity.upload(work.capacity);

  const auto cut = tiling_of(size);
  device_array<int> awake, any;
  const std::vector<int> all(static_cast<std::size_t>(cut.tiles_z) * cut.tiles_y * cut.tiles_x, 1);
  awake.resize(static_cast<long long>(all.size()));
  awake.upload(all.data());
  any.resize(1);

  const dim3 threads(cut.tile_x, cut.tile_y, cut.tile_z);
  const dim3 blocks((cut.tiles_x + 1) / 2, (cut.tiles_y + 1) / 2, (cut.tiles_z + 1) / 2);
  const auto around = rule::neighbours(work.connectivity);
  for (int changed = 1; changed != 0;) {
    any.clear();
    for (int colour = 0; colour < (size.depth == 1 ? 4 : 8); ++colour)
      iwpp_kernel<<<blocks, threads>>>(state.data(), capacity.data(), cut, around, colour, awake.data(),
                                       any.data(), work.given);
    check(cudaGetLastError(), "starting the kernel");
    any.download(&changed);
  }
  state.download(work.result);
}

}  // namespace cuda
