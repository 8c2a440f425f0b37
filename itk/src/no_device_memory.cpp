// A build without CUDA.
#include <macareu/error.hpp>

#include "device_memory.hpp"

namespace macareu::itk::device_memory {
namespace {

[[noreturn]] void refuse() { throw device_error("this build has no cuda device"); }

}  // namespace

void* take(std::size_t) { refuse(); }
void give_back(void*) {}
void copy_to_device(void*, const void*, std::size_t) { refuse(); }
void copy_to_host(void*, const void*, std::size_t) { refuse(); }

}  // namespace macareu::itk::device_memory
