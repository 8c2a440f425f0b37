// A build without CUDA.
#include <macareu/error.hpp>

#include "macareu/itk/device_buffer.hpp"

namespace macareu::itk {
namespace {

[[noreturn]] void refuse() { throw device_error("this build has no cuda device"); }

}  // namespace

void device_buffer::release::operator()(void*) const {}
void* device_buffer::memory(std::size_t) { refuse(); }
void device_buffer::to_host(void*, std::size_t) {
  if (on_device_only()) refuse();
}
const void* device_buffer::to_device(const void*, std::size_t) { refuse(); }
void* device_buffer::for_writing(std::size_t) { refuse(); }

}  // namespace macareu::itk
