#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <itkProcessObject.h>

#include <macareu/image.hpp>
#include <macareu/itk/pixelwise.hpp>

namespace macareu::itk::pixelwise {

/// By the filter's threads.
void apply_on_host(::itk::ProcessObject& filter, const work& what, std::span<const const_image_view> from,
                   const image_view& to);
bool any_on_host(const const_image_view& mask);
std::vector<std::uint64_t> sizes_on_host(const const_image_view& labels);

}  // namespace macareu::itk::pixelwise
