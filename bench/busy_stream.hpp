// A GPU's time without the host's: what a stream is given while it is busy is there when its turn comes.
#pragma once

#include <cuda_runtime_api.h>

namespace macareu::bench {

/// For 100 us, in which a host has checked a call's arguments and launched its first kernel: 6 to 55 us on
/// one machine, as other work lets it.
void keep_busy(cudaStream_t stream);

}  // namespace macareu::bench
