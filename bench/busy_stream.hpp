// A GPU's time without the host's: what a stream is given while it is busy is there when its turn comes.
#pragma once

#include <cuda_runtime_api.h>

namespace macareu::bench {

/// For 100 us, in which a host has checked a call's arguments and launched its first kernel: short calls took
/// it 6 to 26 us on one machine, as other work let it.
void keep_busy(cudaStream_t stream);

}  // namespace macareu::bench
