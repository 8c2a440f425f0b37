// Contraction: reconstruction at a cost that does not depend on path length.
//
// The image is a graph. An edge joins adjacent pixels; its weight is the lower of their capacities. The
// result at a pixel is the widest path from a marker to it. A component of pixels has one representative r.
// Invariant: bottleneck(r, u) >= w for every edge of weight w that leaves the component at u. Then
//   if w is the best edge that leaves X, it leads to Y, and it exceeds all markers inside X,
//   then R(r_X) = min(w, R(r_Y)): X hooks on Y;
//   if the best marker inside X is no lower than w, then R(r_X) is that marker: X is final.
// Each round does one of the two to every component, so their number at least halves.
//
// Stages: pixels -> basins -> components of a tile (tile_*.cuh), edges between tiles (cross_edges.cuh),
// rounds on the graph of open components (graph_contraction.cuh), values back to the pixels (write_back.cuh).
#pragma once

#include "engines/cuda/runtime/gpu.cuh"
#include "engines/cuda/wave/problem.cuh"

namespace macareu::cuda {

/// The exact bottleneck wave. Key is an unsigned integer of 8, 16, 32 or 64 bits; images have any strides.
/// `start` may be `state`: nothing is written before all of it is read, nor if device memory runs out.
/// Cost: the images are read once and written once. Rounds grow with the logarithm of the number of regional
/// maxima. 4096 x 4096 pixels of 8 bits take 0.2 (flat) to 0.9 ms (noise, one seed) on an H200.
/// Device memory besides the images: 5 (8-bit images) to 50 bytes a pixel (64-bit volumes). Waits for the
/// stream. True if no start was seen beyond its capacity, nor a NaN.
template <class Key>
bool contract(const gpu& on, const bottleneck_problem<Key>& problem);

}  // namespace macareu::cuda
