namespace cuda {

void run(const job& work) {
  require_gpu();
  const auto& size = work.size;
  if (size.pixels() == 0) return;
  device_array<rule::pixel_type> in;
  in.resize(size.pixels());
  in.upload(work.images[0]);
  device_array<rule::result_type> out;
  out.resize(size.pixels());
  const long long columns = (size.width + tile_width - 1) / tile_width;
  const long long tiles = (size.height + tile_height - 1) / tile_height * size.depth;
  const dim3 blocks(static_cast<unsigned>(columns), static_cast<unsigned>(tiles < 65535 ? tiles : 65535));
  n2p_kernel<<<blocks, dim3(32, tile_height)>>>(in.data(), out.data(), size, work.given);
  check(cudaGetLastError(), "starting the kernel");
  check(cudaDeviceSynchronize(), "running the kernel");
  out.download(work.result);
}

}  // namespace cuda
