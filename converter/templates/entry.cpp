// The entry point through which `macareu run` calls the compiled function.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <vector>

#include "@NAME@_serial.cpp"

@PARALLEL@
namespace {

/// Must match converter/cpu_run.cpp.
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
  int bins, connectivity;
  /// The caller's threads; 0 selects the serial engine. share() calls act(what, thread, unit) for every unit
  /// and returns false to stop.
  int threads;
  bool (*share)(void* engine, long long units, void (*act)(void* what, int thread, long long unit), void* what);
  void* engine;
  char* message;
  int message_size;
};

enum outcome { done, failed, stopped };

struct stop {};

struct callers_threads {
  const call* given;

  int count() const { return given->threads; }

  template <class Act>
  void operator()(long long units, Act act) const {
    const auto one = [](void* what, int thread, long long unit) { (*static_cast<Act*>(what))(thread, unit); };
    if (!given->share(given->engine, units, one, &act)) throw stop();
  }
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
    const callers_threads threads{given};
@ENTRY_CALL@    return done;
  } catch (const stop&) {
    return stopped;
  } catch (const std::exception& e) {
    std::snprintf(given->message, static_cast<std::size_t>(given->message_size), "%s", e.what());
    return failed;
  }
}
