#pragma once

// Rules are compiled by g++ and by nvcc.
#if defined(__CUDACC__)
#define MACAREU_HD __host__ __device__
#else
#define MACAREU_HD
#endif
