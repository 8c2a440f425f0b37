// What the module itself does on a GPU, apart so that all that is known of copies can be tested without one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <macareu/image.hpp>
#include <macareu/itk/pixelwise.hpp>

/// All but give_back throw device_error. Work is in the order of the default stream.
namespace macareu::itk::device {

/// Memory of the GPU that is current.
void* take(std::size_t bytes);
void give_back(void* data);
void copy_to_device(void* device, const void* host, std::size_t bytes);
void copy_to_host(void* host, const void* device, std::size_t bytes);

/// The device for operators on images in this memory, where a filter's is `asked`.
std::string engine(const std::string& asked);

/// Images without gaps.
void apply(const pixelwise::work& what, std::span<const const_image_view> from, const image_view& to);
/// Whether a pixel of a mask is set.
bool any(const const_image_view& mask);
/// By label, 0 for the background's. Throws usage_error for labels that no table is kept for.
std::vector<std::uint64_t> sizes_of_objects(const const_image_view& labels);

/// Until all work is done.
void wait();

}  // namespace macareu::itk::device
