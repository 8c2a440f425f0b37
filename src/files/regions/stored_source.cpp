#include "stored_source.hpp"

#include <algorithm>
#include <utility>

#include <macareu/error.hpp>

#include "box.hpp"
#include "runs.hpp"

namespace macareu::files {
namespace {

/// Reads a run whose items are not neighbours in memory.
void read_scattered(const random_file& file, const run& part, std::byte* to) {
  std::array<std::byte, 1 << 16> buffer;
  // An item is one value, of 8 bytes at most.
  const auto at_once = buffer.size() / part.item_bytes;
  auto offset = part.file_offset;
  for (std::size_t done = 0; done < part.count;) {
    const auto now = std::min(at_once, part.count - done);
    const auto bytes = std::span(buffer).first(now * part.item_bytes);
    file.read(offset, bytes);
    const box_axis line{static_cast<std::int64_t>(now), static_cast<std::int64_t>(part.item_bytes),
                        static_cast<std::int64_t>(part.step)};
    copy_box({&line, 1}, part.item_bytes, bytes.data(), to + done * part.step);
    done += now;
    offset += bytes.size();
  }
}

}  // namespace

void require_inside(const image_region& region, const extents& shape) {
  const std::array whole{shape.depth(), shape.height(), shape.width()};
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (region.first[axis] < 0 || region.size[axis] < 0 || region.first[axis] > whole[axis] ||
        region.size[axis] > whole[axis] - region.first[axis])
      throw usage_error("a region of " + std::to_string(region.size[axis]) + " from " +
                        std::to_string(region.first[axis]) + " on axis " + std::to_string(axis) +
                        " is not in an image of " + to_string(shape));
}

stored_source::stored_source(random_file pixels, std::uint64_t offset, const pixel_layout& layout,
                             const metadata& info, std::vector<random_file> named_by)
    : pixels_(std::move(pixels)),
      offset_(offset),
      layout_(layout),
      form_{layout.type, layout.shape, layout.channels, info},
      named_by_(std::move(named_by)) {
  if (pixels_.size() < offset_ + layout_.bytes())
    throw io_error(pixels_.name(),
                   "the file has " + std::to_string(pixels_.size()) + " bytes, but its pixels need " +
                       std::to_string(offset_ + layout_.bytes()) + ": it changed while it was opened");
}

void stored_source::read(const image_region& from, void* to) {
  require_inside(from, form_.shape);
  pixels_.require_unchanged();
  auto* memory = static_cast<std::byte*>(to);
  for_each_run(axes_of(layout_, from), size_of(layout_.type), offset_, [&](const run& part) {
    if (part.count == 1)
      pixels_.read(part.file_offset, {memory + part.memory_offset, part.item_bytes});
    else
      read_scattered(pixels_, part, memory + part.memory_offset);
  });
  const auto values = static_cast<std::size_t>(from.pixels()) * static_cast<std::size_t>(layout_.channels);
  to_native({memory, values * size_of(layout_.type)}, layout_.type, layout_.order);
}

std::string stored_source::identity() const {
  std::string text;
  if (named_by_.empty()) return text;
  for (const auto& file : named_by_) text += file.identity() + "; ";
  return text + std::string(name_of(form_.type)) + " " + to_string(form_.shape) + " x " +
         std::to_string(form_.channels) + " from byte " + std::to_string(offset_) +
         (layout_.order == std::endian::big ? ", big endian" : "");
}

}  // namespace macareu::files
