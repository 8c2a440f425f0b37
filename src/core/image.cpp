#include <macareu/image.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>

#include <macareu/error.hpp>

#include "core/host_memory.hpp"

namespace macareu {
namespace {

struct type_row {
  std::string_view name;
  std::size_t size;
};
constexpr std::array<type_row, 11> types{{{"bool", 1},
                                          {"i8", 1},
                                          {"u8", 1},
                                          {"i16", 2},
                                          {"u16", 2},
                                          {"i32", 4},
                                          {"u32", 4},
                                          {"i64", 8},
                                          {"u64", 8},
                                          {"f32", 4},
                                          {"f64", 8}}};

}  // namespace

std::size_t size_of(dtype type) { return types[static_cast<std::size_t>(type)].size; }

std::string_view name_of(dtype type) { return types[static_cast<std::size_t>(type)].name; }

std::optional<dtype> dtype_named(std::string_view name) {
  const auto found = std::ranges::find(types, name, &type_row::name);
  if (found == types.end()) return std::nullopt;
  return static_cast<dtype>(found - types.begin());
}

extents::extents(std::initializer_list<std::int64_t> sizes)
    : extents(std::span<const std::int64_t>(sizes.begin(), sizes.size())) {}

extents::extents(std::span<const std::int64_t> sizes) : rank_(static_cast<int>(sizes.size())) {
  if (sizes.size() != 2 && sizes.size() != 3)
    throw usage_error("shape: an image has 2 axes and a volume 3, got " + std::to_string(sizes.size()));
  std::ranges::copy(sizes, size_.begin());
  std::int64_t product = 1;
  for (const auto size : sizes) {
    if (size < 0) throw usage_error("shape " + to_string(*this) + ": a size is negative");
    if (size > 0 && product > (std::int64_t{1} << 62) / size)
      throw usage_error("shape " + to_string(*this) + ": more pixels than can be addressed");
    product *= std::max<std::int64_t>(size, 1);
  }
}

std::int64_t extents::pixels() const {
  std::int64_t product = 1;
  for (int axis = 0; axis < rank_; ++axis) product *= size_[axis];
  return product;
}

std::string to_string(const extents& shape) {
  std::string text;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (axis > 0) text += " x ";
    text += std::to_string(shape[axis]);
  }
  return text;
}

strides contiguous_strides(const extents& shape, int channels) {
  strides steps{};
  std::int64_t step = channels;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    steps[axis] = step;
    step *= shape[axis];
  }
  return steps;
}

void image::release::operator()(std::byte* data) const { free_memory()(data); }

image::image(dtype type, extents shape, int channels) : type_(type), channels_(channels), shape_(shape) {
  const auto limit = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  const auto element = static_cast<std::uint64_t>(channels) * size_of(type);
  const auto pixels = static_cast<std::uint64_t>(shape.pixels());
  if (channels < 1)
    throw usage_error("image: at least one channel is needed, got " + std::to_string(channels));
  if (pixels > limit / element)
    throw usage_error("image of " + to_string(shape) + ": more bytes than can be addressed");
  data_.reset(new_memory(bytes()).release());
}

std::size_t image::bytes() const { return count() * size_of(type_); }

void image::require(dtype type) const {
  if (type != type_)
    throw usage_error("image: pixels of type " + std::string(name_of(type_)) + " cannot be accessed as " +
                      std::string(name_of(type)));
}

image copy_of(const const_image_view& view) {
  image copy(view.type(), view.shape(), view.channels());
  const auto& shape = view.shape();
  const auto size = size_of(view.type());
  const auto first = 3 - shape.rank();
  strides step{};
  for (int axis = 0; axis < shape.rank(); ++axis) step[first + axis] = view.steps()[axis];
  const auto bytes = static_cast<std::int64_t>(size);
  const auto row = static_cast<std::size_t>(shape.width()) * static_cast<std::size_t>(view.channels()) * size;
  const bool packed = step[2] == view.channels() && (view.channels() == 1 || view.channel_stride() == 1);
  auto* to = static_cast<std::byte*>(copy.data());
  const auto* from = static_cast<const std::byte*>(view.data());
  for (std::int64_t z = 0; z < shape.depth(); ++z)
    for (std::int64_t y = 0; y < shape.height(); ++y) {
      if (packed) {
        std::memcpy(to, from + (z * step[0] + y * step[1]) * bytes, row);
        to += row;
        continue;
      }
      for (std::int64_t x = 0; x < shape.width(); ++x)
        for (int c = 0; c < view.channels(); ++c, to += size)
          std::memcpy(
              to, from + (z * step[0] + y * step[1] + x * step[2] + c * view.channel_stride()) * bytes, size);
    }
  return copy;
}

}  // namespace macareu
