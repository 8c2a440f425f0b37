// What labelling in blocks spent its time on, for benchmarks.
#pragma once

namespace macareu::cuda::labels {

/// Seconds in which at least one worker was at it. They overlap.
struct block_times {
  double transfers = 0, kernels = 0, merging = 0;
};

/// Of the last image that this thread has labelled in blocks on GPUs.
block_times& last_block_times();

}  // namespace macareu::cuda::labels
