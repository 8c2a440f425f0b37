// How a call runs: device, strategy and limits. It does not select what is computed.
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>

namespace macareu {

/// Report of a run. Counters that do not apply stay -1.
struct run_report {
  std::string device;
  std::string strategy;
  std::string note;  ///< one line if a fallback replaced the choice of `auto`; else empty
  int threads = 1;
  double compute_seconds = 0;
  double transfer_seconds = 0;  ///< between host and device memory; not part of compute_seconds
  std::int64_t rounds = -1;     ///< synchronous steps of a strategy that has them
  std::int64_t tiles = -1;      ///< tile visits
  std::int64_t passes = -1;     ///< sweeps over tiles or images
  std::int64_t count = -1;      ///< objects found
  /// Bytes of host memory that CUDA took to start in this process; limits of host memory leave them out.
  std::int64_t gpu_start_up = -1;
};

struct context {
  std::string device = "auto";                ///< auto, serial, cpu, cuda (the current GPU), cuda:N, or
                                              ///< several GPUs that share the image: cuda:N,cuda:M
  std::string strategy = "auto";              ///< auto, or a strategy that the device has for the pattern
  int threads = 0;                            ///< 0: what affinity, cgroup and OMP_NUM_THREADS allow
  std::int64_t gpu_memory = 0;                ///< bytes of a GPU: larger images in host memory are computed
                                              ///< in pieces; 0: what is free
  std::function<void(double)> progress = {};  ///< called with the fraction done, by one thread at a time,
                                              ///< and with 1 at the end
  std::stop_token stop = {};                  ///< when it is set, the call throws `interrupted`
  run_report* report = nullptr;               ///< filled in when the call returns
  void* stream = nullptr;                     ///< the cudaStream_t that a cuda device uses; null: the default
  bool wait = true;                           ///< false: if all images are in device memory, the call may
                                              ///< return early. Results are then valid in stream order,
                                              ///< a later call reports errors of kernels, and the
                                              ///< report has host times
};

}  // namespace macareu
