// The parts of the module. Each adds its functions.
#pragma once

#include <pybind11/pybind11.h>

namespace macareu::python {

/// The catalogue: descriptions, and operators on any arrays.
void add_operations(pybind11::module_& module);
/// generate, compare, and information about the machine.
void add_tools(pybind11::module_& module);
/// Files that are read by regions.
void add_sources(pybind11::module_& module);
/// Nuclei of slides that are read in pieces.
void add_nuclei(pybind11::module_& module);
/// New arrays, GPU memory shared with other packages, and streams.
void add_shared_arrays(pybind11::module_& module);

/// Pages for notebooks.
void add_pages(pybind11::module_& module);

}  // namespace macareu::python
