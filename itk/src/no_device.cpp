// A build without CUDA.
#include <macareu/error.hpp>

#include "device.hpp"

namespace macareu::itk::device {
namespace {

[[noreturn]] void refuse() { throw device_error("this build has no cuda device"); }

}  // namespace

void* take(std::size_t) { refuse(); }
void give_back(void*) {}
void copy_to_device(void*, const void*, std::size_t) { refuse(); }
void copy_to_host(void*, const void*, std::size_t) { refuse(); }
std::string engine(const std::string&) { refuse(); }
void apply(const pixelwise::work&, std::span<const const_image_view>, const image_view&) { refuse(); }
bool any(const const_image_view&) { refuse(); }
std::vector<std::uint64_t> sizes_of_objects(const const_image_view&) { refuse(); }
void wait() { refuse(); }

}  // namespace macareu::itk::device
