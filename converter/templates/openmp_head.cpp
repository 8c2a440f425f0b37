// The OpenMP engine, and what the program says of GPUs where it was built without CUDA.
#include "@NAME@.hpp"

#include <omp.h>

#include <algorithm>
#include <vector>

