// GPU time without host time: while a stream is busy, the host enqueues the timed call behind the busy work.
#pragma once

#include <cuda_runtime_api.h>

namespace macareu::bench {

/// Keeps the stream busy for 100 us. In that time the host checks a call's arguments and launches its first
/// kernel. For short calls this took 6 to 26 us on one machine.
void keep_busy(cudaStream_t stream);

}  // namespace macareu::bench
