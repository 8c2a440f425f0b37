namespace cuda {
namespace {

template <class T, class Value>
void start(const Value* values, T* parts, long long count, const rule::parameters& given) {
  const long long blocks = (count + rule::chunk - 1) / rule::chunk;
  r2s_kernel<<<static_cast<unsigned>(blocks), rule::lanes>>>(values, parts, count, given);
  check(cudaGetLastError(), "starting the kernel");
}

}  // namespace

template <class T>
T run(const job& work) {
  require_gpu();
  long long count = work.size.pixels();
  device_array<rule::pixel_type> in;
  in.resize(count);
  in.upload(work.images[0]);
  device_array<T> parts, next;
  parts.resize((count + rule::chunk - 1) / rule::chunk);
  next.resize(parts.size());
  start(in.data(), parts.data(), count, work.given);
  for (count = parts.size(); count > 1; count = (count + rule::chunk - 1) / rule::chunk) {
    start(static_cast<const T*>(parts.data()), next.data(), count, work.given);
    std::swap(parts, next);
  }
  check(cudaDeviceSynchronize(), "running the kernel");
  T result;
  check(cudaMemcpy(&result, parts.data(), sizeof(T), cudaMemcpyDeviceToHost), "copying from the GPU");
  return result;
}

@INSTANCES@
}  // namespace cuda
