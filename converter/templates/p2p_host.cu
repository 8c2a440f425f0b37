namespace cuda {

/// The images are in GPU memory. The kernel may still run when this returns.
void start(const kernels::images& from, rule::result_type* result, const rule::extent& size,
           const rule::parameters& given) {
  constexpr int threads = 256;
  const long long blocks = (size.pixels() + threads * kernels::across - 1) / (threads * kernels::across);
  kernels::p2p_kernel<<<static_cast<unsigned>(blocks), threads>>>(from, result, size.pixels(), given);
  check(cudaGetLastError(), "starting the kernel");
}

void run(const job& work) {
  require_gpu();
  const long long count = work.size.pixels();
  if (count == 0) return;
  device_array<rule::pixel_type> in[rule::inputs];
  kernels::images from{};
  for (int k = 0; k < rule::inputs; ++k) {
    in[k].resize(count);
    in[k].upload(work.images[k]);
    from.at[k] = in[k].data();
  }
  device_array<rule::result_type> out;
  out.resize(count);
  start(from, out.data(), work.size, work.given);
  check(cudaDeviceSynchronize(), "running the kernel");
  out.download(work.result);
}

}  // namespace cuda
