// Connected components in bands: pieces of whole rows (whole slices, in volumes), so that the raster order of
// bands is that of their pixels.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/host_threads.hpp"
#include "engines/pieces/files/store.hpp"
#include "patterns/component_rims.hpp"
#include "patterns/tally.hpp"

namespace macareu::pieces {

inline whole_axes band_axes(bool volume) { return {false, volume, true}; }

/// Labels the bands apart, each with the first slice of the next (patterns/component_rims.hpp).
/// The size of bands of components of an image.
site band_size(const run& of, const node& image, std::size_t label_bytes, bool volume);

class component_bands {
 public:
  /// number(labels, image): labels a block with u32, and returns the number of its objects.
  using labelling = std::function<std::uint64_t(const block&, const block&)>;

  component_bands(run& of, bool volume, node_ptr image, labelling number)
      : run_(of), volume_(volume), image_(std::move(image)), number_(std::move(number)) {}

  /// The labels, of 4 or 8 bytes, and the number of objects. A band gets its numbers when it is read.
  std::pair<node_ptr, std::uint64_t> join(std::size_t label_bytes, const file_form& form,
                                          const host_threads& threads) const;

 private:
  run& run_;
  bool volume_;
  node_ptr image_;
  labelling number_;
};

/// Labels of a block, numbered 1.. as they are found; 0 stays 0.
struct local_numbers {
  block numbers;                      // u32
  std::vector<std::uint64_t> labels;  // of each number; labels[0] is 0

  framed<const std::uint32_t> image(const frame& whole, const box& where) const {
    frame here = whole;
    here.origin = where.first;
    return {numbers.image<const std::uint32_t>(whole).pixels(), here};
  }
};
template <class Label>
local_numbers numbers_in_use(block_memory& memory, const framed<const Label>& labels);

/// Room for what objects of a band take beside its pixels: a share of the limit.
class object_room {
 public:
  explicit object_room(run& of);
  ~object_room();
  object_room(const object_room&) = delete;
  object_room& operator=(const object_room&) = delete;

  /// How many objects fit, each with so many bytes of rows.
  std::int64_t objects(std::size_t row_bytes) const;

 private:
  run& run_;
  std::int64_t bytes_;
};

/// Parts of a band, of whole rows (slices, in volumes), each with at most so many objects, or of one row
/// (slice).
template <class Label>
std::vector<box> parts_of_band(const framed<const Label>& labels, const box& band, bool volume,
                               std::int64_t objects);

/// Outlines read two pixels beyond a band.
inline window_radius outline_reach(bool volume) {
  return volume ? window_radius{2, 0, 0} : window_radius{0, 2, 0};
}

/// The rows of a piece in its block, slices in volumes.
inline tally_band band_of(const box& own, const box& around, bool volume) {
  return volume ? tally_band{own.first.z - around.first.z, own.size.z}
                : tally_band{own.first.y - around.first.y, own.size.y};
}

}  // namespace macareu::pieces
