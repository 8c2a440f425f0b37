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
  const auto launch = launch_of(count, work.bins * static_cast<long long>(sizeof(rule::result_type)));
  if (launch.blocks > 0) {
    r2v_kernel<<<launch.blocks, r2v_launch::threads, launch.shared_bytes>>>(
        in.data(), count, out.data(), work.bins, launch.copies, work.given);
    check(cudaGetLastError(), "starting the kernel");
    check(cudaDeviceSynchronize(), "running the kernel");
  }
  out.download(work.result);
}

}  // namespace cuda
