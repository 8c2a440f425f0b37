// Compiles the kernels of described functions as `macareu run --device cuda` does, for GPUs of one compute
// capability: compile_kernels CAPABILITY FILE.json... Needs NVRTC and no GPU. Exit code 77 where there is no
// NVRTC.
#include <cstdio>
#include <cstdlib>

#include <macareu/error.hpp>

#include <cache.hpp>
#include <cuda_run.hpp>
#include <nvrtc.hpp>

int main(int count, char** texts) {
  namespace converter = macareu::converter;
  try {
    converter::nvrtc();
  } catch (const macareu::device_error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 77;
  }
  try {
    for (int i = 2; i < count; ++i) {
      const auto about = converter::from_json(converter::text_of_file(texts[i]), texts[i]);
      const auto code = converter::compiled_kernels(about, {}, std::atoi(texts[1]));
      std::printf("%s: %zu bytes\n", texts[i], code.size());
    }
    return 0;
  } catch (const macareu::error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
