// Outlines of the verbs that are separate programs, for the list of verbs. Those programs add the options.
#pragma once

#include "verb.hpp"

namespace macareu::tool {

inline verb bench_outline() {
  return {.name = "bench",
          .group = "Tools",
          .brief = "Measures the operators: median and least time of every case, in warm memory.",
          .program = "macareu-bench"};
}

inline verb convert_outline() {
  return {.name = "convert",
          .group = "Your own functions",
          .brief = "Turns a marked C function into a parallel program: CUDA, OpenMP and serial source.",
          .program = "macareu-convert"};
}

inline verb run_outline() {
  return {.name = "run",
          .group = "Your own functions",
          .brief = "Compiles a marked C function and runs it on images, on the CPU or a GPU.",
          .program = "macareu-convert"};
}

inline verb view_outline() {
  return {.name = "view",
          .group = "Tools",
          .brief = "Shows images, label images and tables in a browser, without converting them.",
          .program = "macareu-view"};
}

}  // namespace macareu::tool
