// What macareu_cuda.so exports.
#include <macareu/device_memory.hpp>

#include "catalogue/cuda_module.hpp"
#include "cuda_interface.hpp"

extern "C" __attribute__((visibility("default"))) const macareu::cuda_module macareu_cuda_module;
const macareu::cuda_module macareu_cuda_module{.version = MACAREU_CUDA_INTERFACE,
                                               .entries = macareu::cuda::entries,
                                               .gpus_here = macareu::cuda::gpus_here,
                                               .current_gpu = macareu::cuda::current_gpu,
                                               .bus_of = macareu::cuda::bus_of,
                                               .free_memory = macareu::cuda::free_memory,
                                               .load_function = macareu::cuda::load_function,
                                               .gpu_beside = macareu::cuda::gpu_beside,
                                               .own_stream = macareu::cuda::own_stream,
                                               .follow = macareu::cuda::follow,
                                               .finish = macareu::cuda::finish,
                                               .take_shared = macareu::cuda::take_shared,
                                               .give_back_shared = macareu::cuda::give_back_shared,
                                               .allocate = macareu::device_memory::allocate,
                                               .release = macareu::device_memory::release,
                                               .copy_to_device = macareu::device_memory::copy_to_device,
                                               .copy_to_host = macareu::device_memory::copy_to_host,
                                               .wait = macareu::device_memory::wait};
