// The rule of this program: the function that was marked, and what it says of images. Edit it here: the
// serial, OpenMP and CUDA engines all compile this file.
// It comes from @SOURCE@.
#pragma once

#ifndef __CUDACC_RTC__
@INCLUDES@#else
typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long long int64_t;
typedef unsigned long long uint64_t;
@CONSTANTS@#endif

#ifdef __CUDACC__
#define RULE __device__
#else
#define RULE [[maybe_unused]]
#endif

