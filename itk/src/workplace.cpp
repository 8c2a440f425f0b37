#include "macareu/itk/workplace.hpp"

#include <cmath>
#include <limits>

#include <macareu/error.hpp>

#include "device.hpp"

namespace macareu::itk {
namespace {

std::size_t bytes_of(const const_image_view& image) {
  return static_cast<std::size_t>(image.shape().pixels()) * size_of(image.type());
}

void require_no_gaps(const const_image_view& image) {
  if (image.steps() != contiguous_strides(image.shape()))
    throw usage_error("the buffered region is larger than the requested region");
}

/// A bound that no pixel can pass is left out; NaN would be taken for one.
void add_bound(arguments& given, const char* name, const number& value, double none) {
  if (std::isnan(value.to_double())) throw usage_error("a threshold is NaN");
  if (value.to_double() != none) given.emplace(name, value);
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

void workplace::apply(std::string_view name, std::initializer_list<const_image_view> inputs,
                      const image_view& out, const arguments& given) const {
  const std::vector<image_view> outputs{out};
  itk::run(filter_, device_of_steps(), name, {inputs.begin(), inputs.size()}, outputs, given, {0, 0});
}

table workplace::tabulate(std::string_view name, const const_image_view& input,
                          const arguments& given) const {
  return itk::tabulate(filter_, device_of_steps(), name, {&input, 1}, given);
}

void workplace::convert(const const_image_view& from, const image_view& to) const {
  apply("cast", {from}, to, {{"type", std::string(name_of(to.type()))}, {"overflow", std::string("wrap")}});
}

temporary workplace::between(const const_image_view& image, const number& low, const number& high,
                             bool others) const {
  arguments given{{"inside", number(others ? 0 : 1)}, {"outside", number(others ? 1 : 0)}};
  add_bound(given, "low", low, -std::numeric_limits<double>::infinity());
  add_bound(given, "high", high, std::numeric_limits<double>::infinity());
  auto mask = room_for(dtype::boolean, image.shape());
  apply("binary_threshold", {image}, mask, given);
  return mask;
}

void workplace::choose(const const_image_view& mask, const number& inside, const number& outside,
                       const image_view& to) const {
  apply("binary_threshold", {mask}, to,
        {{"low", number(1)},
         {"inside", inside},
         {"outside", outside},
         {"type", std::string(name_of(to.type()))}});
}

/// Not on a GPU that is handed the host's memory: the copies would take longer than the step.
std::string workplace::device_of_steps() const {
  if (on_gpu_) return device::engine(device_);
  return device_ == "serial" ? device_ : "cpu";
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
