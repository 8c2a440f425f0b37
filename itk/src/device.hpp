// What the module takes of a GPU, apart so that tests can put the host's memory in its place.
#pragma once

#include <cstddef>
#include <string>

/// <macareu/device_memory.hpp>: all but give_back throw device_error.
namespace macareu::itk::device {

void* take(std::size_t bytes);
void give_back(void* data);
void copy_to_device(void* device, const void* host, std::size_t bytes);
void copy_to_host(void* host, const void* device, std::size_t bytes);
void wait();

/// The device for operators on images in this memory, where a filter's is `asked`.
std::string engine(const std::string& asked);

}  // namespace macareu::itk::device
