#include "box.hpp"

#include <cstring>

namespace macareu::files {
namespace {

template <std::size_t bytes>
void copy_line(const box_axis& axis, const std::byte* from, std::byte* to) {
  for (std::int64_t i = 0; i < axis.count; ++i, from += axis.from_step, to += axis.to_step)
    std::memcpy(to, from, bytes);
}

}  // namespace

void copy_box(std::span<const box_axis> axes, std::size_t bytes, const std::byte* from, std::byte* to) {
  const auto& axis = axes.front();
  if (axes.size() > 1) {
    for (std::int64_t i = 0; i < axis.count; ++i, from += axis.from_step, to += axis.to_step)
      copy_box(axes.subspan(1), bytes, from, to);
    return;
  }
  const auto step = static_cast<std::int64_t>(bytes);
  if (axis.from_step == step && axis.to_step == step) {
    std::memcpy(to, from, static_cast<std::size_t>(axis.count) * bytes);
    return;
  }
  const auto line = bytes == 1   ? copy_line<1>
                    : bytes == 2 ? copy_line<2>
                    : bytes == 4 ? copy_line<4>
                                 : copy_line<8>;
  line(axis, from, to);
}

}  // namespace macareu::files
