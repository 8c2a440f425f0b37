// The library's side of the cuda engine: forwards to macareu_cuda.so, which the first call that may use a GPU
// loads. A program that links the engine's objects defines these functions itself and does without the
// module.
#include <new>

#include <macareu/device_memory.hpp>
#include <macareu/error.hpp>

#include "catalogue/cuda_module.hpp"
#include "core/module.hpp"
#include "cuda_interface.hpp"

namespace macareu::cuda {
namespace {

constexpr const char* module_name = "cuda";
constexpr module_remedy remedy{"install module and program from one build",
                               "install the CUDA toolkit and build Macareu with -DMACAREU_CUDA=ON"};

/// Without the module there are no GPUs, and memory is the host's.
struct absent_module {
  cuda_module table{
      .version = 0,
      .entries = [] { return std::span<const entry>(); },
      .gpus_here = []() -> const gpu_list& { return none(); },
      .current_gpu = [] { return 0; },
      .bus_of = [](int) -> std::string { refuse(); },
      .free_memory = [](int) { return std::int64_t{0}; },
      .load_function = [](job&, const std::string&) -> std::unique_ptr<loaded_function> { refuse(); },
      .gpu_beside = [](const void*) { return -1; },
      .own_stream = [](int) -> void* { return nullptr; },
      .follow = [](int, void*, void*) {},
      .finish = [](int, void*) {},
      .take_shared = [](int, void*, std::size_t bytes) -> shared_block {
        return {-1, ::operator new(bytes)};
      },
      .give_back_shared = [](const shared_block& block, void*) { ::operator delete(block.data); },
      .allocate = [](std::size_t) -> void* { refuse(); },
      .release = [](void*) noexcept {},
      .copy_to_device = [](void*, const void*, std::size_t) { refuse(); },
      .copy_to_host = [](void*, const void*, std::size_t) { refuse(); },
      .wait = [] { refuse(); }};

  static gpu_list& none() {
    static gpu_list list;
    return list;
  }
  [[noreturn]] static void refuse() { throw device_error("cuda: " + none().problem); }
};

const cuda_module& load() {
  static constexpr absent_module absent;
  auto& problem = absent_module::none().problem;
  if (!has_module(module_name)) {
    problem = std::string("this build is without CUDA; ") + remedy.to_build;
    return absent.table;
  }
  try {
    return *static_cast<const cuda_module*>(
        load_module(module_name, "macareu_cuda_module", MACAREU_CUDA_INTERFACE, remedy));
  } catch (const io_error& failure) {
    problem = failure.what();
    return absent.table;
  }
}

const cuda_module& module() {
  static const cuda_module& loaded = load();
  return loaded;
}

}  // namespace

bool is_built() { return has_module(module_name); }

std::span<const entry> entries() { return module().entries(); }
const gpu_list& gpus_here() { return module().gpus_here(); }
int current_gpu() { return module().current_gpu(); }
std::string bus_of(int gpu) { return module().bus_of(gpu); }
std::int64_t free_memory(int gpu) { return module().free_memory(gpu); }

std::unique_ptr<loaded_function> load_function(job& work, const std::string& code) {
  return module().load_function(work, code);
}

int gpu_beside(const void* data) { return module().gpu_beside(data); }
void* own_stream(int gpu) { return module().own_stream(gpu); }
void follow(int gpu, void* stream, void* other) { module().follow(gpu, stream, other); }
void finish(int gpu, void* stream) { module().finish(gpu, stream); }

shared_block take_shared(int gpu, void* stream, std::size_t bytes) {
  return module().take_shared(gpu, stream, bytes);
}
void give_back_shared(const shared_block& block, void* stream) { module().give_back_shared(block, stream); }

}  // namespace macareu::cuda

namespace macareu::device_memory {

int current_gpu() { return cuda::current_gpu(); }
void* allocate(std::size_t bytes) { return cuda::module().allocate(bytes); }
void release(void* data) noexcept { cuda::module().release(data); }
void copy_to_device(void* device, const void* host, std::size_t bytes) {
  cuda::module().copy_to_device(device, host, bytes);
}
void copy_to_host(void* host, const void* device, std::size_t bytes) {
  cuda::module().copy_to_host(host, device, bytes);
}
void wait() { cuda::module().wait(); }

}  // namespace macareu::device_memory
