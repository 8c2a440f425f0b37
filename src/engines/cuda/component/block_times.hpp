// Time per phase of labelling in blocks, for benchmarks.
#pragma once

namespace macareu::cuda::labels {

/// Seconds during which at least one worker was in the phase. Phases overlap.
struct block_times {
  double transfers = 0, kernels = 0, merging = 0;
};

/// Times of the last image that this thread labelled in blocks on GPUs.
block_times& last_block_times();

}  // namespace macareu::cuda::labels
