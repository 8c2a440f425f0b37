// Bands of objects that several ranks have. A range of ranks is known to the others by its first and last
// slice: no rank has the pairs of all bands.
#pragma once

#include <cstdint>
#include <vector>

#include "core/host_threads.hpp"
#include "engines/pieces/run.hpp"
#include "patterns/component_rims.hpp"

namespace macareu::pieces {

/// What is known of a band: its residue, and the pairs that it completed in the band before.
struct band_record {
  block_residue residue;
  std::vector<rim_pair> before;
};

/// The numbers of the bands of this rank, and of all objects. Ranks have their bands in their order.
merged_blocks merge_bands(const run& of, std::vector<band_record> own, const host_threads& threads);

}  // namespace macareu::pieces
