// The class @CLASS@: give it an image, call processa(), and take the result.
#pragma once

#include "@NAME@_rule.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#ifdef WITH_OPENCV
#include <opencv2/core.hpp>
#endif

/// The input of an engine. Images are pixel arrays in row order.
struct job {
  const rule::pixel_type* images[@INPUTS@] = {};
  rule::extent size = {};
  rule::parameters given = {};
@JOB_MEMBERS@};

namespace serial {
@RUN_DECLARATION@}
namespace openmp {
@RUN_DECLARATION@}
namespace cuda {
@RUN_DECLARATION@/// Whether this program can use a GPU on this machine. If not, `why` tells the reason: there is none, or the
/// program has no code for it.
bool available(std::string& why);
/// Number of GPUs, usable or not.
int devices();
}  // namespace cuda

/// Where to compute. `automatic` is a usable GPU if there is one, else OpenMP. The result is the same.
enum class engine { automatic, serial, openmp, cuda };

@MAT_SUPPORT@