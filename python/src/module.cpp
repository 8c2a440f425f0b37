// The extension module. The public functions are built on it in macareu/*.py.
#include <pybind11/pybind11.h>

#include <exception>
#include <string>

#include <macareu/error.hpp>

#include "engines/cuda/runtime/too_large.hpp"
#include "parts.hpp"

namespace macareu::python {
namespace {

/// Outputs of a call are its argument `out`.
std::string worded(const call_error& error) {
  const std::string about(error.about());
  return (about.empty() ? about : about + ": ") + error.problem().text([](const error_part& part) {
    return part.text + (part.is == error_part::role::output ? " (out)" : "");
  });
}

void translate(std::exception_ptr thrown) {
  try {
    if (thrown) std::rethrow_exception(thrown);
  } catch (const call_error& error) {
    PyErr_SetString(PyExc_ValueError, worded(error).c_str());
  } catch (const usage_error& error) {
    PyErr_SetString(PyExc_ValueError, error.what());
  } catch (const io_error& error) {
    PyErr_SetString(PyExc_OSError, error.what());
  } catch (const cuda::too_large& error) {
    PyErr_SetString(PyExc_MemoryError, error.what());
  } catch (const error& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
}

}  // namespace

PYBIND11_MODULE(_macareu, module) {
  pybind11::register_exception_translator(&translate);
  add_operations(module);
  add_tools(module);
  add_sources(module);
  add_nuclei(module);
  add_shared_arrays(module);
  add_pages(module);
}

}  // namespace macareu::python
