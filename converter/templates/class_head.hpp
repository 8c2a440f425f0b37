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

/// What an engine gets. Images are pixel arrays in row order.
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
@RUN_DECLARATION@/// Whether this program can use a GPU on this machine, and why not: none is there, or the program has no code
/// for it.
bool available(std::string& why);
/// GPUs that are there, whether it can use them or not.
int devices();
}  // namespace cuda

/// Where to compute; automatic is a GPU where one can be used, else OpenMP. The result is the same.
enum class engine { automatic, serial, openmp, cuda };

@MAT_SUPPORT@