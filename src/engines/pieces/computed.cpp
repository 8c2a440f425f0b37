#include "engines/pieces/computed.hpp"

#include <algorithm>
#include <cstring>

namespace macareu::pieces {
namespace {

std::size_t first_of(const std::vector<node_ptr>& images, std::size_t i) {
  return static_cast<std::size_t>(std::ranges::find(images, images[i]) - images.begin());
}

/// The parts of [first, first + size) that are contiguous in an image which repeats itself.
struct part_of_line {
  std::int64_t from, to, count;  // in the image, and in the box
};
std::vector<part_of_line> wrapped(std::int64_t first, std::int64_t size, std::int64_t all) {
  std::vector<part_of_line> parts;
  for (std::int64_t done = 0; done < size;) {
    const auto from = ((first + done) % all + all) % all;
    const auto count = std::min(size - done, all - from);
    parts.push_back({from, done, count});
    done += count;
  }
  return parts;
}

/// A box that may reach beyond the image.
block read_wrapped(run& of, node& image, const box& where) {
  block result(*of.memory, where, image.pixel_bytes);
  const auto bytes = static_cast<std::int64_t>(image.pixel_bytes);
  for (const auto& z : wrapped(where.first.z, where.size.z, image.whole.depth))
    for (const auto& y : wrapped(where.first.y, where.size.y, image.whole.height))
      for (const auto& x : wrapped(where.first.x, where.size.x, image.whole.width)) {
        const auto part = image.read({{z.from, y.from, x.from}, {z.count, y.count, x.count}});
        for (std::int64_t k = 0; k < z.count; ++k)
          for (std::int64_t j = 0; j < y.count; ++j)
            std::memcpy(result.row(where.first.z + z.to + k, where.first.y + y.to + j) + x.to * bytes,
                        part.row(z.from + k, y.from + j), static_cast<std::size_t>(x.count * bytes));
      }
  return result;
}

}  // namespace

std::vector<block> read_all(const std::vector<node_ptr>& images, const box& where) {
  std::vector<block> blocks;
  for (std::size_t i = 0; i < images.size(); ++i) {
    const auto same = first_of(images, i);
    blocks.push_back(same < i ? blocks[same] : images[i]->read(where));
  }
  return blocks;
}

void expect_all(const std::vector<node_ptr>& images, const box& where) {
  for (std::size_t i = 0; i < images.size(); ++i)
    if (first_of(images, i) == i) images[i]->expect(where);
}

std::int64_t room_of(const std::vector<node_ptr>& images) {
  std::int64_t bytes = 0;
  for (std::size_t i = 0; i < images.size(); ++i)
    if (first_of(images, i) == i) bytes += images[i]->room();
  return bytes;
}

whole_axes axes_of(const std::vector<node_ptr>& images) {
  whole_axes axes;
  for (const auto& image : images) axes = axes | image->axes();
  return axes;
}

surroundings around(const std::vector<node_ptr>& images) {
  surroundings found;
  for (const auto& image : images) {
    const auto halo = image->halo();
    found.halo = {std::max(found.halo.z, halo.z), std::max(found.halo.y, halo.y),
                  std::max(found.halo.x, halo.x)};
    // Those of the first image that has some: several cannot be followed.
    if (found.chunk == site{1, 1, 1}) found.chunk = image->chunk();
  }
  return found;
}

window_radius computed::halo() const {
  const auto halo = pieces::around(inputs_).halo;
  return {halo.z + reach_.z, halo.y + reach_.y, halo.x + reach_.x};
}

box computed::around(const box& where) const {
  auto wanted = where;
  const auto stretch = [](bool all, std::int64_t& first, std::int64_t& size, std::int64_t side) {
    if (all) first = 0, size = side;
  };
  stretch(along_.z, wanted.first.z, wanted.size.z, whole.depth);
  stretch(along_.y, wanted.first.y, wanted.size.y, whole.height);
  stretch(along_.x, wanted.first.x, wanted.size.x, whole.width);
  if (!wraps_) return grown(wanted, reach_, whole);
  const site by{reach_.z, reach_.y, reach_.x};
  return between(wanted.first - by, wanted.end() + by);
}

block computed::read(const box& where) {
  const auto wanted = around(where);
  std::vector<block> from;
  if (wraps_)
    for (const auto& input : inputs_) from.push_back(read_wrapped(run_, *input, wanted));
  else
    from = read_all(inputs_, wanted);
  const block to(*run_.memory, wanted, pixel_bytes);
  compute_(to, from);
  return to.part(where);
}

block resampled::read(const box& where) {
  const block from = input_->read(source_(where)), to(*run_.memory, where, pixel_bytes);
  compute_(to, std::span(&from, 1));
  return to;
}

std::int64_t resampled::room() const {
  // Boxes of the input have rims that are shared with the next.
  const auto input = input_->room();
  return static_cast<std::int64_t>(pixel_bytes) + input +
         ceil_div(input * input_->whole.pixels(), whole.pixels());
}

}  // namespace macareu::pieces
