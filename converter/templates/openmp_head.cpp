// The OpenMP engine, and the stub of the CUDA engine for builds without CUDA.
#include "@NAME@.hpp"

#include <omp.h>

#include <algorithm>
#include <vector>

