// Converts Python values to arguments of an operator.
#pragma once

#include <pybind11/pybind11.h>

#include <cmath>
#include <string>
#include <vector>

#include <macareu/catalogue.hpp>

namespace macareu::python {

namespace py = pybind11;

[[noreturn]] inline void refuse(std::string_view parameter, py::handle value) {
  throw py::type_error(std::string(parameter) + ": cannot be " + std::string(py::repr(value)));
}
[[noreturn]] inline void refuse(const parameter_description& parameter, py::handle value) {
  refuse(parameter.name, value);
}

/// In the library NaN stands for an argument not given, so Python callers must not pass it.
inline number real_from(const parameter_description& parameter, double value) {
  if (std::isnan(value)) throw py::value_error(std::string(parameter.name) + ": cannot be NaN");
  return value;
}

/// A zero-dimensional array of any package is a number.
inline bool is_array_without_axes(py::handle value) {
  return py::hasattr(value, "ndim") && py::int_(0).equal(value.attr("ndim"));
}

/// Exact: integers stay integers.
inline number number_from(const parameter_description& parameter, py::handle value) {
  if (PyBool_Check(value.ptr())) refuse(parameter, value);
  if (PyFloat_Check(value.ptr())) return real_from(parameter, PyFloat_AS_DOUBLE(value.ptr()));
  if (!PyLong_Check(value.ptr()) && is_array_without_axes(value)) {
    const py::object item = value.attr("item")();
    if (!item.get_type().is(value.get_type())) return number_from(parameter, item);
  }
  if (PyIndex_Check(value.ptr())) {
    const auto whole = py::reinterpret_steal<py::object>(PyNumber_Index(value.ptr()));
    if (!whole) throw py::error_already_set();
    int overflow = 0;
    const long long small = PyLong_AsLongLongAndOverflow(whole.ptr(), &overflow);
    if (overflow == 0) return small;
    const unsigned long long large = PyLong_AsUnsignedLongLong(whole.ptr());
    if (!PyErr_Occurred()) return large;
    PyErr_Clear();
  }
  const double real = PyFloat_AsDouble(value.ptr());
  if (PyErr_Occurred()) {
    PyErr_Clear();
    refuse(parameter, value);
  }
  return real_from(parameter, real);
}

inline bool is_list(py::handle value) {
  return (py::isinstance<py::sequence>(value) || py::hasattr(value, "__len__")) &&
         !is_array_without_axes(value);
}

/// They have elements, but are not meant as lists.
inline bool is_bytes_or_mapping(py::handle value) {
  return PyBytes_Check(value.ptr()) || PyByteArray_Check(value.ptr()) || PyDict_Check(value.ptr());
}

/// In the syntax of the command line: lists with commas, pairs with a colon.
inline std::string text_of(py::handle value, const char* separator = ",") {
  if (value.is_none()) return "none";
  if (!is_list(value) || py::isinstance<py::str>(value)) return py::str(value);
  std::string text;
  for (const auto item : value) text += (text.empty() ? "" : separator) + text_of(item, ":");
  return text.empty() ? "none" : text;
}

inline argument argument_from(const parameter_description& parameter, py::handle value) {
  if (py::isinstance<py::str>(value)) return parse_argument(parameter, value.cast<std::string>());
  if (is_bytes_or_mapping(value)) refuse(parameter, value);
  switch (parameter.kind) {
    case parameter_kind::flag:
      if (!PyBool_Check(value.ptr()) && std::string(Py_TYPE(value.ptr())->tp_name) != "numpy.bool_")
        refuse(parameter, value);
      return PyObject_IsTrue(value.ptr()) == 1;
    case parameter_kind::number:
      return number_from(parameter, value);
    case parameter_kind::numbers: {
      std::vector<number> all;
      if (!is_list(value)) return all.push_back(number_from(parameter, value)), all;
      const auto add = [&](py::handle item) { all.push_back(number_from(parameter, item)); };
      for (const auto item : value) {
        // Vectors may be rows.
        if (!is_list(item) || py::isinstance<py::str>(item) || is_bytes_or_mapping(item))
          add(item);
        else
          for (const auto inner : item) add(inner);
      }
      return all;
    }
    case parameter_kind::connectivity:
      if (!PyIndex_Check(value.ptr()) || PyBool_Check(value.ptr())) refuse(parameter, value);
      return parse_argument(parameter, std::string(py::str(value)));
    case parameter_kind::choice:
      refuse(parameter, value);
    default:
      return parse_argument(parameter, text_of(value));
  }
}

}  // namespace macareu::python
