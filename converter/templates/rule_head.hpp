// The rule of this program: the marked function, and its interface to the engines. Edit it here: the serial,
// OpenMP and CUDA engines all compile this file.
// It comes from @SOURCE@.
#pragma once

#ifndef __CUDACC_RTC__
@INCLUDES@@NAMES_OF_SYSTEM@#endif

#ifdef __CUDACC__
#define RULE __device__
#else
#define RULE [[maybe_unused]]
#endif

