// A build without CUDA.
#include <macareu/error.hpp>

#include "device_memory.hpp"

namespace macareu::bench {
namespace {

[[noreturn]] void refuse() { throw device_error("bench: this build has no cuda device"); }

}  // namespace

device_memory::device_memory(std::size_t) : bytes_(0) { refuse(); }
void device_memory::release::operator()(void*) const {}
void device_memory::clear() { refuse(); }
void device_memory::write(std::size_t, std::span<const std::byte>) { refuse(); }
void device_memory::read(std::size_t, std::span<std::byte>) const { refuse(); }

pinned_memory::pinned_memory(std::size_t) : bytes_(0) { refuse(); }
void pinned_memory::release::operator()(std::byte*) const {}

std::int64_t peak_device_memory(const std::function<void()>&) { refuse(); }

device_timer::device_timer() { refuse(); }
void device_timer::release_stream::operator()(void*) const {}
void device_timer::release_event::operator()(void*) const {}
double device_timer::milliseconds(stream_before, const std::function<void()>&) { refuse(); }

}  // namespace macareu::bench
