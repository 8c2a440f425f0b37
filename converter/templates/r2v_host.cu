namespace cuda {

void run(const job& work) {
  require_gpu();
  const long long count = work.size.pixels();
  device_array<rule::pixel_type> in;
  in.resize(count);
  in.upload(work.images[0]);
  device_array<rule::result_type> out;
  out.resize(work.bins);
  out.clear();
  constexpr int threads = 256;
  constexpr long long shared_memory = 32 * 1024;
  const long long bytes = work.bins * static_cast<long long>(sizeof(rule::result_type));
  const long long copies = std::min<long long>(threads / 32, bytes == 0 ? 0 : shared_memory / bytes);
  const long long blocks = std::min<long long>((count + threads * 16 - 1) / (threads * 16), 2048);
  if (blocks > 0) {
    r2v_kernel<<<static_cast<unsigned>(blocks), threads, static_cast<std::size_t>(copies * bytes)>>>(
        in.data(), count, out.data(), work.bins, static_cast<int>(copies), work.given);
    check(cudaGetLastError(), "starting the kernel");
    check(cudaDeviceSynchronize(), "running the kernel");
  }
  out.download(work.result);
}

}  // namespace cuda
