namespace cuda {

/// Images in the GPU's memory. The kernel may still run when this returns.
void start(const rule::pixel_type* image, rule::result_type* result, const rule::extent& size,
           const rule::parameters& given) {
  const dim3 threads(32, 8);
  const auto blocks = [](long long pixels, long long of_a_block, long long most) {
    return static_cast<unsigned>(std::min((pixels + of_a_block - 1) / of_a_block, most));
  };
  const dim3 grid(blocks(size.width, threads.x * kernels::across, 2147483647),
                  blocks(size.height, threads.y * kernels::down, 65535), blocks(size.depth, 1, 65535));
  kernels::n2p_kernel<<<grid, threads>>>(image, result, size, given);
  check(cudaGetLastError(), "starting the kernel");
}

void run(const job& work) {
  require_gpu();
  if (work.size.pixels() == 0) return;
  device_array<rule::pixel_type> in;
  in.resize(work.size.pixels());
  in.upload(work.images[0]);
  device_array<rule::result_type> out;
  out.resize(work.size.pixels());
  start(in.data(), out.data(), work.size, work.given);
  check(cudaDeviceSynchronize(), "running the kernel");
  out.download(work.result);
}

}  // namespace cuda
