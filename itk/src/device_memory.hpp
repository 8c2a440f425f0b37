// The GPU's memory, apart from device_buffer so that what it knows of copies can be tested without a GPU.
#pragma once

#include <cstddef>

/// All but give_back throw device_error.
namespace macareu::itk::device_memory {

void* take(std::size_t bytes);
void give_back(void* data);
void copy_to_device(void* device, const void* host, std::size_t bytes);
void copy_to_host(void* host, const void* device, std::size_t bytes);

}  // namespace macareu::itk::device_memory
