namespace cuda {

void run(const job& work) {
  require_gpu();
  const long long count = work.size.pixels();
  if (count == 0) return;
  device_array<rule::pixel_type> in[rule::inputs];
  images from{};
  for (int k = 0; k < rule::inputs; ++k) {
    in[k].resize(count);
    in[k].upload(work.images[k]);
    from.at[k] = in[k].data();
  }
  device_array<rule::result_type> out;
  out.resize(count);
  constexpr int threads = 256;
  const long long blocks = (count + threads * group - 1) / (threads * group);
  p2p_kernel<<<static_cast<unsigned>(blocks), threads>>>(from, out.data(), count, work.given);
  check(cudaGetLastError(), "starting the kernel");
  check(cudaDeviceSynchronize(), "running the kernel");
  out.download(work.result);
}

}  // namespace cuda
