// Times the kernel of a generated program on images in GPU memory, beside a copy of as many pixels in the
// same run. Compile with nvcc -DPROGRAM='"NAME.cu"' -DPARAMETERS=... for a P2P or N2P program, and with its
// .cpp files, which compute the reference.
#include PROGRAM

#include <cstdio>
#include <cstring>
#include <random>

namespace {

constexpr int runs = 21;

template <class Work>
void print_times(const char* name, const Work& work) {
  cudaEvent_t begin, end;
  cuda::check(cudaEventCreate(&begin), "creating an event");
  cuda::check(cudaEventCreate(&end), "creating an event");
  std::printf("%s", name);
  for (int i = -2; i < runs; ++i) {  // two to warm up
    cuda::check(cudaEventRecord(begin), "recording an event");
    work();
    cuda::check(cudaEventRecord(end), "recording an event");
    cuda::check(cudaEventSynchronize(end), "running the kernel");
    float ms = 0;
    cuda::check(cudaEventElapsedTime(&ms, begin, end), "reading events");
    if (i >= 0) std::printf(" %.6f", static_cast<double>(ms));
  }
  std::printf("\n");
}

template <class Pixel>
std::vector<Pixel> random_pixels(long long count) {
  std::vector<Pixel> pixels(static_cast<std::size_t>(count));
  std::mt19937_64 generator(1);
  auto* bytes = reinterpret_cast<unsigned char*>(pixels.data());
  for (std::size_t at = 0; at < pixels.size() * sizeof(Pixel); at += sizeof(std::uint64_t)) {
    const std::uint64_t word = generator();
    std::memcpy(bytes + at, &word, std::min(sizeof word, pixels.size() * sizeof(Pixel) - at));
  }
  return pixels;
}

}  // namespace

int main(int count, char** texts) {
  const long long side = count > 1 ? std::atoll(texts[1]) : 16384;
  try {
    cuda::require_gpu();
    job work{};
    work.size = {1, side, side};
    work.given = rule::parameters{PARAMETERS};
    const auto pixels = random_pixels<rule::pixel_type>(work.size.pixels());
    std::vector<rule::result_type> right(pixels.size()), got(pixels.size());
    for (auto& each : work.images) each = pixels.data();
    work.result = right.data();
    openmp::run(work);

    cuda::device_array<rule::pixel_type> in, copy;
    in.resize(work.size.pixels());
    in.upload(pixels.data());
    copy.resize(work.size.pixels());
    cuda::device_array<rule::result_type> out;
    out.resize(work.size.pixels());
    const auto bytes = pixels.size() * sizeof(rule::pixel_type);
    print_times("copy", [&] {
      cuda::check(cudaMemcpyAsync(copy.data(), in.data(), bytes, cudaMemcpyDeviceToDevice), "copying");
    });
    print_times("kernel", [&] { cuda::start({in.data()}, out.data(), work.size, work.given); });
    out.download(got.data());
    std::printf("equal %d\n",
                std::memcmp(got.data(), right.data(), got.size() * sizeof(rule::result_type)) == 0);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
