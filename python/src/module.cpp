// The catalogue as Python sees it: descriptions, and one function that runs any operator on any arrays. What
// users call is made of it in macareu/*.py.
#include <pybind11/functional.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <climits>
#include <exception>

#include <macareu/catalogue.hpp>
#include <macareu/compare.hpp>
#include <macareu/error.hpp>
#include <macareu/generate.hpp>
#include <macareu/machine.hpp>
#include <macareu/version.hpp>

#include "arguments.hpp"
#include "arrays.hpp"
#include "correlate.hpp"
#include "group_counts.hpp"
#include "rules/filters.hpp"
#include "sites.hpp"
#include "slopes.hpp"
#include "stop_on_interrupt.hpp"

namespace macareu::python {
namespace {

/// Smaller images are done before anybody presses Ctrl-C; and a GPU is faster.
constexpr std::int64_t pixels_worth_watching = std::int64_t{1} << 18;
constexpr std::int64_t pixels_worth_watching_on_gpu = std::int64_t{1} << 26;

std::string word_from(const char* name, py::handle value) {
  if (!PyUnicode_Check(value.ptr())) refuse(name, value);
  return value.cast<std::string>();
}

int whole_from(const char* name, py::handle value) {
  if (!PyIndex_Check(value.ptr()) || PyBool_Check(value.ptr())) refuse(name, value);
  const auto whole = PyNumber_AsSsize_t(value.ptr(), nullptr);
  if (whole == -1 && PyErr_Occurred()) throw py::error_already_set();
  return static_cast<int>(std::clamp<Py_ssize_t>(whole, INT_MIN, INT_MAX));
}

/// How to run, in Python's words.
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
  py::object progress;  // called with the fraction done, or None
  std::uintptr_t stream;
  bool wait;
};

/// Runs `work()` without the GIL, until it is done, fails, or the source stops it: Ctrl-C sets it where it is
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

[[noreturn]] void raise_interrupt() {
  if (PyErr_CheckSignals() == 0) PyErr_SetNone(PyExc_KeyboardInterrupt);
  throw py::error_already_set();
}

/// Runs `work(context)` until it is done, fails, or Ctrl-C or an error in `progress` stops it.
template <class Work>
void run_without_gil(const run_options& options, bool watched, const Work& work) {
  std::stop_source source;
  std::exception_ptr failure_in_progress;
  context how{.device = options.device, .strategy = options.strategy, .threads = options.threads};
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

/// Runs `work(stop token)` on so many pixels of the host until it is done, fails, or Ctrl-C stops it.
template <class Work>
void run_until_interrupted(std::int64_t pixels, const Work& work) {
  std::stop_source source;
  if (stopped_without_gil(source, pixels >= pixels_worth_watching, [&] { work(source.get_token()); }))
    raise_interrupt();
}

/// Operators that measure give a table instead of images.
bool gives_table(const operator_description& about) { return !about.table.empty(); }

/// The names of a table's columns as Python has them, kept from call to call: there are so many that to make
/// them takes as long as the work on a small image.
class column_names {
 public:
  /// The names in order, and a dictionary with them. Wherever Python makes an object it may run code of
  /// others, which may call this: what is kept is complete at every time, and what is given stays as it is.
  std::pair<py::tuple, py::dict> of(const table& data) {
    if (!std::ranges::equal(texts_, data.columns, {}, {}, &table_column::name)) {
      std::vector<std::string> texts;
      py::tuple names(data.columns.size());
      py::dict empty;
      for (const auto& column : data.columns) {
        const py::str name(column.name);
        names[texts.size()] = name;
        empty[name] = py::none();
        texts.push_back(column.name);
      }
      texts_ = std::move(texts);
      std::swap(names_, names);
      std::swap(empty_, empty);
    }
    const auto names = names_;
    auto columns = py::reinterpret_steal<py::dict>(PyDict_Copy(py::dict(empty_).ptr()));
    if (!columns) throw py::error_already_set();
    return {names, columns};
  }

 private:
  std::vector<std::string> texts_;
  py::tuple names_;
  py::dict empty_;
};

class operation {
 public:
  explicit operation(const operator_description& about) : about_(about) {
    for (const auto& parameter : about.parameters)
      if (!parameter.default_text.empty())
        default_values_.emplace(parameter.name, parse_argument(parameter, parameter.default_text));
  }
  const operator_description& about() const { return about_; }

  /// What users see as defaults: where a value is this very object it was not given.
  void set_defaults(py::tuple defaults) { defaults_ = std::move(defaults); }

  /// All parameters. Most calls give none, and need no memory for them; else it is in `room`.
  const arguments& complete(const py::tuple& values, arguments& room) const {
    const arguments* all = &default_values_;
    for (std::size_t p = 0; p < about_.parameters.size(); ++p) {
      const py::handle value = values[p];
      if (p < defaults_.size() && value.is(py::handle(defaults_[p]))) continue;
      if (all != &room) room = default_values_;
      all = &room;
      const auto& parameter = about_.parameters[p];
      room.insert_or_assign(std::string(parameter.name), argument_from(parameter, value));
    }
    return *all;
  }

  std::string result_type(std::size_t output, const std::string& input,
                          const std::vector<std::int64_t>& shape, const py::tuple& values) const {
    const auto type = dtype_named(input);
    if (!type) throw py::type_error("no such pixel type: " + input);
    arguments room;
    return std::string(name_of(output_type(about_, output, *type, extents(shape), complete(values, room))));
  }

  /// On arrays of NumPy, or what can become one. Returns the array, a tuple of several, or a table's columns.
  py::object run(const py::tuple& arrays, const py::tuple& values, const py::object& out, py::handle device,
                 py::handle strategy, py::handle threads, const py::object& progress) const {
    const run_options options(device, strategy, threads, progress);
    arguments room;
    const auto& all = complete(values, room);
    std::vector<py::array> kept;
    std::vector<const_image_view> inputs;
    for (const auto item : arrays) {
      const auto& array = kept.emplace_back(readable(item));
      inputs.push_back(view_of(array, const_cast<void*>(array.data())));
    }
    const bool watched = inputs[0].shape().pixels() >= pixels_worth_watching;
    if (gives_table(about_)) return measured(options, watched, inputs, all);
    auto results = room_for_results(kept[0], inputs[0], all, out);
    std::vector<image_view> outputs;
    for (auto& result : results) outputs.push_back(view_of(result, result.mutable_data()));
    run_without_gil(options, watched,
                    [&](const context& how) { run_operator(about_, inputs, outputs, all, how); });
    if (results.size() == 1) return std::move(results[0]);
    return py::tuple(py::cast(results));
  }

  /// On memory of any device, described as view_of() takes it. Returns a table's columns, or None.
  py::object run_described(const py::tuple& arrays, const py::tuple& values, const py::tuple& outs,
                           py::handle device, py::handle strategy, py::handle threads,
                           const py::object& progress, std::uintptr_t stream, bool wait) const {
    const run_options options(device, strategy, threads, progress, stream, wait);
    arguments room;
    const auto& all = complete(values, room);
    std::vector<const_image_view> inputs;
    for (const auto item : arrays) inputs.push_back(view_of(item));
    const bool watched = inputs[0].shape().pixels() >= pixels_worth_watching_on_gpu;
    if (gives_table(about_)) return measured(options, watched, inputs, all);
    std::vector<image_view> outputs;
    for (const auto item : outs) outputs.push_back(view_of(item));
    run_without_gil(options, watched,
                    [&](const context& how) { run_operator(about_, inputs, outputs, all, how); });
    return py::none();
  }

 private:
  /// Long columns keep the table's memory. Short ones share a block: a few numbers are not worth an owner.
  py::dict columns_of(table&& data) const {
    constexpr std::size_t few = 512;
    py::object block;
    std::uint64_t* room = nullptr;
    if (data.rows() < few) {
      auto memory = new_row(dtype::u64, data.rows() * data.columns.size());
      room = static_cast<std::uint64_t*>(memory.mutable_data());
      block = std::move(memory);
    }
    const auto [names, columns] = names_.of(data);
    for (std::size_t c = 0; c < data.columns.size(); ++c) {
      const auto array = std::visit(
          [&]<class T>(std::vector<T>& values) {
            static_assert(sizeof(T) == sizeof *room);
            constexpr auto type = std::is_same_v<T, double>         ? dtype::f64
                                  : std::is_same_v<T, std::int64_t> ? dtype::i64
                                                                    : dtype::u64;
            const auto rows = values.size();
            if (room) {
              void* const first = room;
              std::ranges::copy(values, static_cast<T*>(first));
              room += rows;
              return new_row(type, rows, first, block);
            }
            void* const first = values.data();
            return new_row(type, rows, first, owner_of(std::move(values)));
          },
          data.columns[c].values);
      if (PyDict_SetItem(columns.ptr(), PyTuple_GET_ITEM(names.ptr(), static_cast<py::ssize_t>(c)),
                         array.ptr()) != 0)
        throw py::error_already_set();
    }
    return columns;
  }

  py::dict measured(const run_options& options, bool watched, const std::vector<const_image_view>& inputs,
                    const arguments& all) const {
    table found;
    run_without_gil(options, watched,
                    [&](const context& how) { found = compute_table(about_, inputs, all, how); });
    return columns_of(std::move(found));
  }

  std::vector<py::array> room_for_results(const py::array& first, const const_image_view& input,
                                          const arguments& all, const py::object& out) const {
    std::vector<py::array> results;
    const auto add = [&](py::handle given_array) {
      if (!py::isinstance<py::array>(given_array))
        throw py::type_error("out: expected an array of NumPy, like the input");
      auto array = py::reinterpret_borrow<py::array>(given_array);
      if (!array.writeable()) throw py::value_error("out: the array is read-only");
      if (array.dtype().byteorder() == '>') throw py::value_error("out: its bytes are swapped");
      results.push_back(std::move(array));
    };
    if (out.is_none()) {
      const std::vector<py::ssize_t> shape(first.shape(), first.shape() + first.ndim());
      for (std::size_t o = 0; o < about_.outputs.size() && !about_.outputs[o].optional; ++o)
        results.push_back(new_array(output_type(about_, o, input.type(), input.shape(), all), shape));
    } else if (py::isinstance<py::tuple>(out)) {
      for (const auto item : out) add(item);
    } else {
      add(out);
    }
    return results;
  }

  const operator_description& about_;
  py::tuple defaults_;
  arguments default_values_;  // the same, as the library takes them
  mutable column_names names_;
};

py::dict described(const operator_description& about) {
  static constexpr std::array kinds{"connectivity", "choice", "flag", "number", "numbers"};
  py::list inputs, outputs, parameters;
  for (const auto& input : about.inputs)
    inputs.append(py::make_tuple(input.name, input.help, input.own_form, input.optional));
  for (const auto& output : about.outputs) {
    if (output.optional) continue;  // those an operator gives by itself
    const auto type = output.type == output_description::type_rule::computed  ? output.computed_help
                      : output.type == output_description::type_rule::boolean ? "bool"
                                                                              : "the input's type";
    outputs.append(py::make_tuple(output.name, output.help, type));
  }
  for (const auto& p : about.parameters) {
    const auto kind = static_cast<std::size_t>(p.kind);
    parameters.append(py::make_tuple(p.name, kind < kinds.size() ? kinds[kind] : "text", p.default_text,
                                     p.help, p.choices));
  }
  return py::dict(py::arg("name") = about.name, py::arg("verb") = about.verb, py::arg("group") = about.group,
                  py::arg("brief") = about.brief, py::arg("notes") = about.notes, py::arg("inputs") = inputs,
                  py::arg("outputs") = outputs, py::arg("table") = about.table,
                  py::arg("parameters") = parameters);
}

py::tuple generated(const std::string& name, const std::vector<std::int64_t>& shape, std::uint64_t seed,
                    int coverage) {
  const extents size(shape);
  std::optional<instance> made;
  run_until_interrupted(size.pixels(), [&](std::stop_token stop) {
    made = generate(name, size, {.seed = seed, .coverage = coverage, .stop = std::move(stop)});
  });
  py::object marker = py::none();
  if (made->marker) marker = array_of(std::move(*made->marker));
  return py::make_tuple(array_of(std::move(made->mask)), marker);
}

py::tuple compared(const py::object& left, const py::object& right) {
  const auto a = readable(left), b = readable(right);
  const const_image_view of_a = view_of(a, const_cast<void*>(a.data())),
                         of_b = view_of(b, const_cast<void*>(b.data()));
  comparison found;
  run_until_interrupted(of_a.shape().pixels(),
                        [&](std::stop_token stop) { found = compare(of_a, of_b, std::move(stop)); });
  py::object first = py::none();
  if (found.different > 0 && a.ndim() == 3)
    first = py::make_tuple(found.first[0], found.first[1], found.first[2]);
  else if (found.different > 0)
    first = py::make_tuple(found.first[1], found.first[2]);
  return py::make_tuple(found.pixels, found.different, found.largest, first, found.left, found.right);
}

/// Of an array of NumPy; out is another. Weights and axis are as correlate() takes them.
void correlated(const py::array& image, py::array out, int axis, const std::vector<double>& half, bool odd,
                const std::string& mode, double outside) {
  const auto in = readable(image);
  const const_image_view from = view_of(in, const_cast<void*>(in.data()));
  const image_view to = view_of(out, out.mutable_data());
  run_until_interrupted(from.shape().pixels(), [&](std::stop_token stop) {
    correlate(from, to, axis, {half, odd}, {border_named(mode), outside}, std::move(stop));
  });
}

/// Of floats, into another array of the same type; taps are (dz, dy, dx, weight).
void sloped(const py::array& image, py::array out,
            const std::vector<std::vector<std::tuple<int, int, int, double>>>& slopes,
            const std::string& mode, double divisor) {
  const auto in = readable(image);
  const const_image_view from = view_of(in, const_cast<void*>(in.data()));
  const image_view to = view_of(out, out.mutable_data());
  std::vector<slope_taps> taps(slopes.size());
  for (std::size_t s = 0; s < slopes.size(); ++s)
    for (const auto& [dz, dy, dx, weight] : slopes[s]) taps[s].push_back({dz, dy, dx, weight});
  run_until_interrupted(from.shape().pixels(), [&](std::stop_token stop) {
    write_slopes(from, to, taps, border_named(mode), divisor, std::move(stop));
  });
}

/// (pixels of every row, their counts in every bin), as count_groups() has them.
py::tuple counted(const py::array& image, const py::array& labels,
                  const py::array_t<std::int32_t, py::array::c_style>& row_of_label, std::int64_t rows,
                  const std::vector<double>& edges) {
  const auto values = readable(image), numbers = readable(labels);
  const const_image_view of = view_of(values, const_cast<void*>(values.data())),
                         by = view_of(numbers, const_cast<void*>(numbers.data()));
  const label_rows known{{row_of_label.data(), static_cast<std::size_t>(row_of_label.size())}, rows};
  group_counts found;
  run_until_interrupted(of.shape().pixels(), [&](std::stop_token stop) {
    found = count_groups(of, by, known, edges, std::move(stop));
  });
  const auto column = [](std::vector<std::int64_t>&& counts) {
    void* const first = counts.data();
    const auto size = counts.size();
    return new_row(dtype::i64, size, first, owner_of(std::move(counts)));
  };
  return py::make_tuple(column(std::move(found.pixels)), column(std::move(found.bins)));
}

using packed_indices = py::array_t<std::int64_t, py::array::c_style>;

/// Coordinates and distances go to arrays without gaps; `distances` may be None.
void split(const packed_indices& nearest, const std::vector<double>& spacing,
           py::array_t<std::int32_t, py::array::c_style> places, const py::object& distances) {
  const std::vector<std::int64_t> sizes(nearest.shape(), nearest.shape() + nearest.ndim());
  double* const far = distances.is_none()
                          ? nullptr
                          : distances.cast<py::array_t<double, py::array::c_style>>().mutable_data();
  std::int32_t* const to = places.mutable_data();
  run_until_interrupted(nearest.size(), [&](std::stop_token stop) {
    split_sites(nearest.data(), sizes, spacing, to, far, std::move(stop));
  });
}

py::dict machine() {
  const auto here = this_machine();
  py::list gpus;
  for (const auto& gpu : here.gpus)
    gpus.append(py::dict(py::arg("name") = gpu.name,
                         py::arg("capability") = py::make_tuple(gpu.major, gpu.minor),
                         py::arg("memory") = gpu.memory, py::arg("usable") = gpu.usable));
  return py::dict(py::arg("version") = version, py::arg("devices") = devices(),
                  py::arg("built_devices") = built_devices(), py::arg("threads") = here.threads,
                  py::arg("instruction_set") = here.instruction_set, py::arg("gpus") = gpus,
                  py::arg("no_gpu") = here.no_gpu);
}

void translate(std::exception_ptr thrown) {
  try {
    if (thrown) std::rethrow_exception(thrown);
  } catch (const usage_error& error) {
    PyErr_SetString(PyExc_ValueError, error.what());
  } catch (const io_error& error) {
    PyErr_SetString(PyExc_OSError, error.what());
  } catch (const error& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
}

}  // namespace

PYBIND11_MODULE(_macareu, module) {
  py::register_exception_translator(&translate);
  py::class_<operation>(module, "operation")
      .def_property_readonly("about", [](const operation& self) { return described(self.about()); })
      .def("set_defaults", &operation::set_defaults)
      .def("result_type", &operation::result_type)
      .def("run", &operation::run)
      .def("run_described", &operation::run_described);
  py::list operations;
  for (const auto& about : catalogue()) operations.append(operation(about));
  module.attr("operations") = operations;
  py::list families;
  for (const auto& about : instances())
    families.append(py::make_tuple(about.name, about.brief, about.marker));
  module.attr("instances") = families;
  module.def("strategies", &strategies);
  module.def("new_array", [](const py::dtype& type, const std::vector<py::ssize_t>& shape) {
    return new_array(type_from(type.kind(), type.itemsize(), type), shape);
  });
  module.def("generate", &generated);
  module.def("compare", &compared);
  module.def("correlate", &correlated);
  module.def("count_groups", &counted);
  module.def("slopes", &sloped);
  module.def("split_sites", &split, py::arg().noconvert(), py::arg(), py::arg().noconvert(), py::arg());
  module.def("machine", &machine);
}

}  // namespace macareu::python
