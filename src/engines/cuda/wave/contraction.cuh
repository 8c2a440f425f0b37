// Contraction: reconstruction at a cost that does not depend on the length of paths.
//
// An image is a graph: pixels that touch are joined by an edge as wide as the lower of their capacities, and
// the result at a pixel is the widest way from a marker to it. Components of pixels carry one representative
// r, and bottleneck(r, u) >= w holds for every edge of weight w that leaves the component at u. Then
//   if w is the best edge that leaves X, it leads to Y, and it exceeds all markers inside X,
//   then R(r_X) = min(w, R(r_Y)): X hooks on Y;
//   if the best marker inside X is no lower than w, then R(r_X) is that marker: X is final.
// Each round does one of the two to every component, so their number halves at least.
//
// Stages: pixels -> basins -> components of a tile (tile_*.cuh), edges between tiles (cross_edges.cuh),
// rounds on the graph of what tiles left open (graph_contraction.cuh), values back to the pixels
// (write_back.cuh).
#pragma once

#include "engines/cuda/runtime/gpu.cuh"
#include "engines/cuda/wave/problem.cuh"

namespace macareu::cuda {

/// The bottleneck wave, exact. Key is std::uint8_t, 16, 32 or 64; images have any steps. `start` may be
/// `state`: nothing is written before all of it was read, nor where the device's memory does not suffice.
/// Cost: the images are read once and written once, and rounds grow with the logarithm of the number of
/// regional maxima; 4096 x 4096 pixels of 8 bits take 0.2 (flat) to 0.9 ms (noise, one seed) on an H200.
/// Device memory besides the images: 5 (8-bit images) to 50 bytes a pixel (64-bit volumes). Waits for the
/// stream. True if no start was seen beyond its capacity, nor a NaN.
template <class Key>
bool contract(const gpu& on, const bottleneck_problem<Key>& problem);

}  // namespace macareu::cuda
