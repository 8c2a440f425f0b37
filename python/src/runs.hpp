// Runs calls without the GIL, until they finish, fail, or are stopped by Ctrl-C.
#pragma once

#include <pybind11/pybind11.h>

#include <algorithm>
#include <climits>
#include <cstdint>
#include <exception>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include <macareu/context.hpp>
#include <macareu/error.hpp>

#include "arguments.hpp"
#include "stop_on_interrupt.hpp"

namespace macareu::python {

/// Smaller images finish too fast for Ctrl-C to matter, and so do GPUs.
constexpr std::int64_t pixels_worth_watching = std::int64_t{1} << 18;
constexpr std::int64_t pixels_worth_watching_on_gpu = std::int64_t{1} << 26;

inline std::string word_from(const char* name, py::handle value) {
  if (!PyUnicode_Check(value.ptr())) refuse(name, value);
  return value.cast<std::string>();
}

inline int whole_from(const char* name, py::handle value) {
  if (!PyIndex_Check(value.ptr()) || PyBool_Check(value.ptr())) refuse(name, value);
  const auto whole = PyNumber_AsSsize_t(value.ptr(), nullptr);
  if (whole == -1 && PyErr_Occurred()) throw py::error_already_set();
  return static_cast<int>(std::clamp<Py_ssize_t>(whole, INT_MIN, INT_MAX));
}

/// The options of a run, as Python objects.
struct run_options {
  run_options(py::handle device_name, py::handle strategy_name, py::handle thread_count, py::object told,
              std::uintptr_t on_stream = 0, bool until_done = true)
      : device(word_from("device", device_name)),
        strategy(word_from("strategy", strategy_name)),
        threads(whole_from("threads", thread_count)),
        progress(std::move(told)),
        stream(on_stream),
        wait(until_done) {}

  std::string device, strategy;
  int threads;
  py::object progress;  // callback for the fraction done, or None
  std::uintptr_t stream;
  bool wait;
};

inline context context_of(const run_options& options) {
  return {.device = options.device, .strategy = options.strategy, .threads = options.threads};
}

/// Runs `work()` without the GIL until it finishes, fails, or is stopped. Ctrl-C sets the source if it is
/// watched. Returns whether it was stopped.
template <class Work>
bool stopped_without_gil(std::stop_source& source, bool watched, const Work& work) {
  const py::gil_scoped_release no_gil;
  std::optional<stop_on_interrupt> watch;
  if (watched) watch.emplace(source);
  try {
    work();
  } catch (const interrupted&) {
    return true;
  }
  return false;
}

[[noreturn]] inline void raise_interrupt() {
  if (PyErr_CheckSignals() == 0) PyErr_SetNone(PyExc_KeyboardInterrupt);
  throw py::error_already_set();
}

/// Runs `work(context)` until it finishes, fails, or is stopped by Ctrl-C or an error in `progress`.
template <class Work>
void run_without_gil(const run_options& options, bool watched, const Work& work) {
  std::stop_source source;
  std::exception_ptr failure_in_progress;
  auto how = context_of(options);
  how.stop = source.get_token();
  how.stream = reinterpret_cast<void*>(options.stream);
  how.wait = options.wait;
  if (!options.progress.is_none())
    how.progress = [&](double done) {
      const py::gil_scoped_acquire gil;
      try {
        if (!failure_in_progress) options.progress(done);
      } catch (...) {
        failure_in_progress = std::current_exception();
        source.request_stop();
      }
    };
  const bool stopped = stopped_without_gil(source, watched, [&] { work(how); });
  if (failure_in_progress) std::rethrow_exception(failure_in_progress);
  if (stopped) raise_interrupt();
}

/// Runs `work(stop token)` on this many pixels of the host until it finishes, fails, or is stopped by Ctrl-C.
template <class Work>
void run_until_interrupted(std::int64_t pixels, const Work& work) {
  std::stop_source source;
  if (stopped_without_gil(source, pixels >= pixels_worth_watching, [&] { work(source.get_token()); }))
    raise_interrupt();
}

}  // namespace macareu::python
