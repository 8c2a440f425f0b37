// How `macareu run` calls the compiled function.
#include <omp.h>

#include <cstdio>
#include <exception>

@ENTRY_INCLUDES@
namespace {

/// As in converter/cpu_run.cpp.
union parameter_value {
  long long whole;
  unsigned long long natural;
  double real;
};

struct call {
  const void* const* images;
  void* result;
  long long depth, height, width;
  const parameter_value* values;
  int bins, connectivity, threads, serial;
  char* message;
  int message_size;
};

job job_of(const call* given) {
  job work;
  for (int k = 0; k < @INPUTS@; ++k) work.images[k] = static_cast<const rule::pixel_type*>(given->images[k]);
  work.size = {given->depth, given->height, given->width};
@ENTRY_PARAMETERS@@ENTRY_MEMBERS@  return work;
}

}  // namespace

extern "C" int macareu_call(const call* given) {
  try {
    const job work = job_of(given);
    if (given->threads > 0) omp_set_num_threads(given->threads);
@ENTRY_CALL@    return 0;
  } catch (const std::exception& e) {
    std::snprintf(given->message, static_cast<std::size_t>(given->message_size), "%s", e.what());
    return 1;
  }
}
@ENTRY_PART@