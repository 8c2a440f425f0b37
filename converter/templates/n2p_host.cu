namespace cuda {

/// The images are in GPU memory. The kernel may still run when this returns.
void start(const rule::pixel_type* image, rule::result_type* result, const rule::extent& size,
           const rule::parameters& given) {
  const strip_step step{kernels::across, kernels::down, kernels::seen_width, kernels::seen_height,
                        kernels::most_steps};
  const auto launch = launch_of(size, step);
  const dim3 grid(launch.blocks_x, launch.blocks_y, launch.blocks_z),
      threads(n2p_launch::threads_x, n2p_launch::threads_y);
  kernels::n2p_kernel<<<grid, threads>>>(image, result, size, launch.rows, launch.blocks_around, given);
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
