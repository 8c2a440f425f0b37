// The size of pieces that fit the limits of memory.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include <macareu/error.hpp>
#include <macareu/ranks.hpp>

#include "core/ceil_div.hpp"
#include "engines/pieces/free_memory.hpp"
#include "engines/pieces/run.hpp"
#include "engines/pieces/tuning.hpp"

namespace macareu::pieces {
namespace {

site smallest_piece(const frame& whole, whole_axes axes) {
  const auto side = [&](std::int64_t all, bool as_whole) {
    return as_whole ? all
                    : std::min<std::int64_t>(all, axes.any()        ? 1
                                                  : whole.depth > 1 ? tuning::least_volume_side
                                                                    : tuning::least_image_side);
  };
  return {side(whole.depth, axes.z), side(whole.height, axes.y), side(whole.width, axes.x)};
}

std::int64_t pixels_of(site size) { return size.z * size.y * size.x; }

site one_piece(const frame& whole, whole_axes axes) {
  return {axes.z ? whole.depth : 1, axes.y ? whole.height : 1, axes.x ? whole.width : 1};
}

/// The largest piece of at most so many pixels.
site largest_piece(const frame& whole, std::int64_t most, site smallest, whole_axes axes) {
  if (most <= pixels_of(smallest)) return smallest;
  auto size = one_piece(whole, axes);
  // Nearly cubic pieces have the least rim. The last axis is the longest in files, so it is rounded up.
  int left = !axes.z * (whole.depth > 1) + !axes.y * (whole.height > 1) + !axes.x * (whole.width > 1);
  const auto extend = [&](std::int64_t& own, std::int64_t all, bool fixed) {
    if (fixed || all == 1) return;
    const auto side = std::pow(static_cast<double>(most / pixels_of(size)), 1.0 / std::max(1, left--));
    own = std::min(all, std::max<std::int64_t>(1, static_cast<std::int64_t>(side)));
  };
  extend(size.z, whole.depth, axes.z);
  extend(size.y, whole.height, axes.y);
  extend(size.x, whole.width, axes.x);
  // A shorter axis leaves room for the others.
  if (!axes.x) size.x = std::min(whole.width, std::max<std::int64_t>(1, most / (size.z * size.y)));
  if (!axes.y) size.y = std::min(whole.height, std::max<std::int64_t>(1, most / (size.z * size.x)));
  if (!axes.z) size.z = std::min(whole.depth, std::max<std::int64_t>(1, most / (size.y * size.x)));
  // Pieces of nearly one size: the last one is not a sliver.
  const auto even = [](std::int64_t own, std::int64_t all) { return ceil_div(all, ceil_div(all, own)); };
  return {even(size.z, whole.depth), even(size.y, whole.height), even(size.x, whole.width)};
}

/// The same, of whole chunks if one fits.
site largest_piece(const frame& whole, std::int64_t most, whole_axes axes, site chunk) {
  chunk = {std::min(chunk.z, whole.depth), std::min(chunk.y, whole.height), std::min(chunk.x, whole.width)};
  const frame chunks{ceil_div(whole.depth, chunk.z),
                     ceil_div(whole.height, chunk.y),
                     ceil_div(whole.width, chunk.x),
                     {0, 0, 0}};
  const auto count = most / pixels_of(chunk);
  if (chunk == site{1, 1, 1} || count < pixels_of(one_piece(chunks, axes)))
    return largest_piece(whole, most, smallest_piece(whole, axes), axes);
  const auto size = largest_piece(chunks, count, one_piece(chunks, axes), axes);
  return {std::min(whole.depth, size.z * chunk.z), std::min(whole.height, size.y * chunk.y),
          std::min(whole.width, size.x * chunk.x)};
}

/// The image, halved along its longest side until it has so many pieces of whole chunks. Ranks are cut alike,
/// so they get the same number. Rows of pieces stay long, which files like; share_of_ranks() halves squares
/// of pieces along x first, so that those of a rank are a square again.
site halved_piece(const frame& whole, std::int64_t pieces, site smallest, whole_axes axes, site chunk) {
  site size{whole.depth, whole.height, whole.width};
  for (std::int64_t count = 1; count < pieces; count *= 2) {
    std::int64_t* longest = nullptr;
    const auto consider = [&](std::int64_t& side, std::int64_t least, bool fixed) {
      if (!fixed && side >= 2 * least && (!longest || side > *longest)) longest = &side;
    };
    consider(size.y, smallest.y, axes.y);
    consider(size.x, smallest.x, axes.x);
    consider(size.z, smallest.z, axes.z);
    if (!longest) break;
    *longest = ceil_div(*longest, 2);
  }
  const auto in_chunks = [](std::int64_t side, std::int64_t unit, std::int64_t all) {
    return std::min(all, ceil_div(side, unit) * unit);
  };
  return {in_chunks(size.z, chunk.z, whole.depth), in_chunks(size.y, chunk.y, whole.height),
          in_chunks(size.x, chunk.x, whole.width)};
}

/// Pixels on the rims of all pieces of one size.
std::int64_t rim_pixels(const frame& whole, site size) {
  const auto cuts = [](std::int64_t all, std::int64_t own) { return 2 * (ceil_div(all, own) - 1); };
  return cuts(whole.depth, size.z) * whole.height * whole.width +
         cuts(whole.height, size.y) * whole.depth * whole.width +
         cuts(whole.width, size.x) * whole.depth * whole.height;
}

/// Bytes of the largest join of two regions of pieces. Those far from the border of the image have others on
/// both ends of each axis that is cut often enough.
std::int64_t largest_join(const frame& whole, site size, const surroundings& beside) {
  const piece_grid grid(whole, size);
  std::int64_t most = 0;
  site ends{0, 0, 0};  // beside other regions, of each axis
  for (box region{{0, 0, 0}, grid.counts()}; region.pixels() > 1;) {
    const auto half = halves_of(region).first;
    const auto side = longest_side(region.size);
    ends.*side = std::min<std::int64_t>(2, ends.*side + 1);
    region = half;
    const auto sides = grid.pixels_of(region).size;
    const site faces{whole.depth > 1 ? sides.y * sides.x : 0, sides.z * sides.x, sides.z * sides.y};
    const auto all = 2 * (faces.z + faces.y + faces.x);
    const auto open = ends.z * faces.z + ends.y * faces.y + ends.x * faces.x;
    most = std::max(most, 2 * (all * beside.region_bytes + open * beside.open_bytes));
  }
  return most;
}

/// What counts of them: some fit beside the limit.
std::int64_t beside_the_limit(std::int64_t bytes_of_rims) {
  return std::max<std::int64_t>(0, bytes_of_rims - tuning::bytes_beside_the_limit);
}

}  // namespace

bool run::spills_rims(const frame& whole, site size, const surroundings& beside) const {
  if (!is_limited() || is_shared() || plans_for_ranks) return false;
  const auto rims = rim_pixels(whole, size);
  return beside.rim_bytes * rims > std::min(tuning::bytes_beside_the_limit, share_of_limit()) ||
         beside_the_limit(beside.join_bytes * rims) > budget_ - held;
}

site run::piece_size(const frame& whole, std::int64_t bytes_per_pixel, whole_axes axes,
                     const surroundings& beside) const {
  const auto forced = [&](std::size_t axis, std::int64_t all, bool as_whole) {
    const auto given = options_.size[axis];
    return as_whole || given == 0 ? all : std::min(all, given);
  };
  if (!is_limited())
    return {forced(0, whole.depth, axes.z), forced(1, whole.height, axes.y), forced(2, whole.width, axes.x)};
  const auto smallest = smallest_piece(whole, axes);
  const auto read = [&](site size) {
    return std::min(whole.depth, size.z + 2 * beside.halo.z) *
           std::min(whole.height, size.y + 2 * beside.halo.y) *
           std::min(whole.width, size.x + 2 * beside.halo.x) * bytes_per_pixel;
  };
  const auto need = [&](site size) {
    if (spills_rims(whole, size, beside))
      return std::max(read(size), beside_the_limit(largest_join(whole, size, beside)));
    const auto rims = rim_pixels(whole, size);
    return std::max(read(size) + beside_the_limit(beside.rim_bytes * rims),
                    beside_the_limit(beside.join_bytes * rims));
  };
  const auto available = budget_ - held;
  const auto on_gpu = gpu_memory > 0 ? gpu_memory / tuning::gpu_bytes_a_byte
                                     : read(site{whole.depth, whole.height, whole.width});
  if (read(smallest) > on_gpu)
    throw usage_error("memory: a piece needs " + with_unit(read(smallest)) +
                      " of the GPU, but the limit is " + with_unit(gpu_memory) + "; raise it");
  const auto size_of = [&](std::int64_t most) { return largest_piece(whole, most, axes, beside.chunk); };
  const auto smaller = [](std::int64_t most) { return most - ceil_div(most, tuning::share_tried_less); };
  // Several for each rank, so that reading and writing overlap with computing, and others can take some.
  if (parts_ > 1)
    if (const auto size = halved_piece(whole, parts_ * beside.of_a_rank, smallest, axes, beside.chunk);
        need(size) <= available && read(size) <= on_gpu)
      return size;
  // Smaller pieces have smaller halos, but longer rims: the first size that fits is taken.
  for (auto most = std::min({available / bytes_per_pixel, on_gpu / bytes_per_pixel, whole.pixels()});
       most > 0; most = smaller(most))
    if (const auto size = size_of(most); need(size) <= available && read(size) <= on_gpu) return size;
  auto needed = need(smallest);
  for (auto most = whole.pixels(); most > 0; most = smaller(most)) {
    const auto size = size_of(most);
    if (read(size) > on_gpu) continue;
    if (need(size) <= available) return size;
    needed = std::min(needed, need(size));
  }
  if (!plans) require_limit(needed + held);
  least = std::max(least, ceil_div((needed + held) * tuning::large_share, tuning::large_share - shares));
  return smallest;
}

}  // namespace macareu::pieces
