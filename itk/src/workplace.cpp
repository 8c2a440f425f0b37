#include "macareu/itk/workplace.hpp"

#include <macareu/error.hpp>

#include "device.hpp"
#include "pixelwise_on_host.hpp"

namespace macareu::itk {
namespace {

std::size_t bytes_of(const const_image_view& image) {
  return static_cast<std::size_t>(image.shape().pixels()) * size_of(image.type());
}

void require_no_gaps(const const_image_view& image) {
  if (image.steps() != contiguous_strides(image.shape()))
    throw usage_error("the buffered region is larger than the requested region");
}

}  // namespace

temporary workplace::room_for(dtype type, const extents& shape) const {
  if (!on_gpu_) {
    const auto made = std::make_shared<image>(type, shape);
    return {std::shared_ptr<void>(made, made->data()), type, shape};
  }
  const auto bytes = static_cast<std::size_t>(shape.pixels()) * size_of(type);
  return {std::shared_ptr<void>(device::take(bytes), device::give_back), type, shape};
}

run_report workplace::run(std::string_view name, std::initializer_list<const_image_view> inputs,
                          const image_view& out, const arguments& given, step part) const {
  const std::vector<image_view> outputs{out};
  return itk::run(filter_, on_gpu_ ? device::engine(device_) : device_, name, {inputs.begin(), inputs.size()},
                  outputs, given, part);
}

void workplace::apply(const pixelwise::work& what, std::initializer_list<const_image_view> from,
                      const image_view& to) const {
  for (const auto& image : from) require_no_gaps(image);
  require_no_gaps(to);
  const std::span<const const_image_view> inputs(from.begin(), from.size());
  if (on_gpu_)
    device::apply(what, inputs, to);
  else
    pixelwise::apply_on_host(filter_, what, inputs, to);
}

bool workplace::any(const const_image_view& mask) const {
  return on_gpu_ ? device::any(mask) : pixelwise::any_on_host(mask);
}

std::vector<std::uint64_t> workplace::sizes_of_objects(const const_image_view& labels) const {
  require_no_gaps(labels);
  return on_gpu_ ? device::sizes_of_objects(labels) : pixelwise::sizes_on_host(labels);
}

const_image_view workplace::bring(const const_image_view& host) {
  require_no_gaps(host);
  auto& there = inputs_.emplace_back(room_for(host.type(), host.shape()));
  device::copy_to_device(image_view(there).data(), host.data(), bytes_of(host));
  return there;
}

image_view workplace::bring_back(const image_view& host) {
  require_no_gaps(host);
  return to_host_.emplace_back(room_for(host.type(), host.shape()), host).first;
}

image_view workplace::leave_there(lazy_pixels& output) {
  written_.push_back(&output);
  return output.DeviceOutput();
}

void workplace::finish() {
  if (!on_gpu_) return;
  for (const auto& [there, host] : to_host_)
    device::copy_to_host(host.data(), const_image_view(there).data(), bytes_of(host));
  device::wait();
  for (auto* output : written_) output->DeviceWasWritten();
}

}  // namespace macareu::itk
