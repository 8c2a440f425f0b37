// What the module is made of: each part adds its functions.
#pragma once

#include <pybind11/pybind11.h>

namespace macareu::python {

/// The catalogue: descriptions, and what runs any operator on any arrays.
void add_operations(pybind11::module_& module);
/// generate, compare, and what is known of the machine.
void add_tools(pybind11::module_& module);
/// Arithmetic of other packages, for the functions under their names.
void add_peers_arithmetic(pybind11::module_& module);
/// Memory of GPUs that other packages have or shall have, and streams.
void add_shared_arrays(pybind11::module_& module);

}  // namespace macareu::python
