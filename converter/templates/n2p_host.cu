namespace cuda {

/// Images in the GPU's memory. The kernel may still run when this returns.
void start(const rule::pixel_type* image, rule::result_type* result, const rule::extent& size,
           const rule::parameters& given) {
  const dim3 threads(32, 4);
  const auto parts = [](long long all, long long each) { return (all + each - 1) / each; };
  // Large images: a thread goes down many rows, and shares more of what it reads. Small ones: there are more
  // threads.
  const long long steps = parts(size.width, kernels::across) * parts(size.height, kernels::down) * size.depth;
  const long long taken = std::clamp(steps >> 19, 1LL, kernels::most_steps);
  const long long most_blocks = 32768;  // along y, for strips and for what is around them
  const int rows =
      static_cast<int>(std::max(kernels::down * taken, parts(size.height, most_blocks * threads.y)));
  const long long blocks_across = parts(size.width, threads.x * kernels::across);
  const long long pixels_around =
      size.width * kernels::seen_height + size.height * (kernels::seen_width + kernels::across);
  const long long blocks_around = std::min(parts(pixels_around, 512 * blocks_across), most_blocks - 1);
  const dim3 grid(static_cast<unsigned>(blocks_across),
                  static_cast<unsigned>(blocks_around + parts(size.height, threads.y * rows)),
                  static_cast<unsigned>(std::min(size.depth, 65535LL)));
  kernels::n2p_kernel<<<grid, threads>>>(image, result, size, rows, static_cast<int>(blocks_around), given);
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
