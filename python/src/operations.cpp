#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <macareu/catalogue.hpp>
#include <macareu/pieces.hpp>
#include <macareu/shapes.hpp>

#include "arguments.hpp"
#include "arrays.hpp"
#include "parts.hpp"
#include "runs.hpp"
#include "sources.hpp"

namespace macareu::python {
namespace {

/// Operators that measure return a table instead of images.
bool gives_table(const operator_description& about) { return !about.table.empty(); }
/// Or polygons.
bool gives_shapes(const operator_description& about) { return !about.shapes.empty(); }

/// A list of dictionaries: the label, and for each part its rings, arrays of x and y.
py::list listed(const std::vector<shape>& shapes) {
  py::list all;
  for (const auto& one : shapes) {
    py::list parts;
    for (const auto& part : one.parts) {
      py::list rings;
      for (const auto& ring : part.rings) {
        py::array_t<std::int64_t> corners({static_cast<py::ssize_t>(ring.size()), py::ssize_t{2}});
        auto* to = corners.mutable_data();
        for (const auto& at : ring) *to++ = at.x, *to++ = at.y;
        rings.append(std::move(corners));
      }
      parts.append(std::move(rings));
    }
    all.append(py::dict(py::arg("label") = one.label, py::arg("polygons") = std::move(parts)));
  }
  return all;
}

/// Cached Python strings for the columns of a table. Creating them takes as long as the work on a small
/// image.
class column_names {
 public:
  /// The names in order, and a dictionary with them as keys. Creating Python objects may run other code that
  /// re-enters this function. So the cache is consistent at all times, and results are copies.
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

/// Optional images that are None are arrays of 0 x 0.
bool is_left_out(std::size_t index, const extents& shape) { return index > 0 && shape == extents{}; }

const_image_view given_or_none(std::size_t index, const image_view& array) {
  return is_left_out(index, array.shape()) ? no_image : const_image_view(array);
}

/// Inputs of a run in pieces.
struct image_sources {
  image_sources(const operator_description& about, const py::tuple& images) {
    for (const auto image : images) kept.push_back(source_from(image, about.takes_colour && kept.empty()));
    for (const auto& source : kept)
      all.push_back(is_left_out(all.size(), source->form().shape) ? nullptr : source.get());
  }

  std::vector<image_form> forms() const {
    std::vector<image_form> found;
    for (const auto* source : all)
      found.push_back(source ? image_form{source->form().type, source->form().shape, source->form().channels}
                             : form_of(no_image));
    return found;
  }

  std::vector<std::unique_ptr<image_source>> kept;
  std::vector<image_source*> all;
};

std::int64_t bytes_of(const source_form& form) {
  return form.shape.pixels() * form.channels * static_cast<std::int64_t>(size_of(form.type));
}

class operation {
 public:
  explicit operation(const operator_description& about) : about_(about) {
    for (const auto& parameter : about.parameters)
      if (!parameter.default_text.empty())
        default_values_.emplace(parameter.name, parse_argument(parameter, parameter.default_text));
  }
  const operator_description& about() const { return about_; }

  /// The default objects that users see. A value that is the same object was not given.
  void set_defaults(py::tuple defaults) { defaults_ = std::move(defaults); }

  /// All parameters. Most calls give none and need no memory; otherwise `room` holds them.
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

  py::dtype result_type(std::size_t output, const py::dtype& input, const std::vector<std::int64_t>& shape,
                        const py::tuple& values) const {
    const auto type = type_from(input.kind(), input.itemsize(), input);
    arguments room;
    return numpy_type(output_type(about_, output, type, extents(shape), complete(values, room)));
  }

  py::tuple result_shape(std::size_t output, const std::vector<std::int64_t>& shape,
                         const py::tuple& values) const {
    arguments room;
    const auto& all = complete(values, room);
    const bool colour = about_.takes_colour && shape.size() == 3;
    const auto axes = std::span(shape).first(shape.size() - (colour ? 1 : 0));
    return py::tuple(
        py::cast(sizes_of_output(output, extents(axes), colour ? static_cast<int>(shape.back()) : 1, all)));
  }

  /// Runs on NumPy arrays, or what converts to them. Returns the array, a tuple of several, a table's
  /// columns, or a list of shapes.
  py::object run(const py::tuple& arrays, const py::tuple& values, const py::object& out, py::handle device,
                 py::handle strategy, py::handle threads, const py::object& progress) const {
    const run_options options(device, strategy, threads, progress);
    arguments room;
    const auto& all = complete(values, room);
    std::vector<py::array> kept;
    std::vector<const_image_view> inputs;
    for (const auto item : arrays) {
      const auto& array = kept.emplace_back(readable(item));
      inputs.push_back(given_or_none(inputs.size(), view_of(array, const_cast<void*>(array.data()))));
    }
    if (about_.takes_colour) inputs[0] = as_colour(inputs[0]);
    check(inputs, all, options);
    const bool watched = inputs[0].shape().pixels() >= pixels_worth_watching;
    if (gives_table(about_)) return measured(options, watched, inputs, all);
    if (gives_shapes(about_)) return outlined(options, watched, inputs, all);
    auto results = room_for_results(inputs[0], all, out);
    std::vector<image_view> outputs;
    const auto& shape = inputs[0].shape();
    for (auto& result : results)
      outputs.push_back(
          result ? output_of(view_of(*result, result->mutable_data()), outputs.size(), inputs[0], all)
                 : image_view(nullptr, dtype::u8, shape, contiguous_strides(shape)));
    run_without_gil(options, watched,
                    [&](const context& how) { run_operator(about_, inputs, outputs, all, how); });
    if (results.size() == 1) return std::move(*results[0]);
    return py::tuple(py::cast(results));
  }

  /// Runs on memory of any device, described as for view_of(). Returns a table's columns, or None.
  py::object run_described(const py::tuple& arrays, const py::tuple& values, const py::tuple& outs,
                           py::handle device, py::handle strategy, py::handle threads,
                           const py::object& progress, std::uintptr_t stream, bool wait) const {
    const run_options options(device, strategy, threads, progress, stream, wait);
    arguments room;
    const auto& all = complete(values, room);
    std::vector<const_image_view> inputs;
    for (const auto item : arrays) inputs.push_back(given_or_none(inputs.size(), view_of(item)));
    if (about_.takes_colour) inputs[0] = as_colour(inputs[0]);
    const bool watched = inputs[0].shape().pixels() >= pixels_worth_watching_on_gpu;
    if (gives_table(about_)) return measured(options, watched, inputs, all);
    if (gives_shapes(about_)) return outlined(options, watched, inputs, all);
    std::vector<image_view> outputs;
    for (const auto item : outs) outputs.push_back(output_of(view_of(item), outputs.size(), inputs[0], all));
    run_without_gil(options, watched,
                    [&](const context& how) { run_operator(about_, inputs, outputs, all, how); });
    return py::none();
  }

  /// Bytes of a call that has its images in memory: inputs, results, and an estimate of an engine's work.
  std::int64_t bytes_in_memory(const py::tuple& images, const py::tuple& values) const {
    constexpr std::int64_t engine_bytes_per_pixel = 4;
    const image_sources inputs(about_, images);
    arguments room;
    const auto& all = complete(values, room);
    validate(about_, inputs.forms(), all);
    std::int64_t bytes = inputs.all[0]->form().shape.pixels() * engine_bytes_per_pixel;
    for (const auto* input : inputs.all) bytes += input ? bytes_of(input->form()) : 0;
    for (std::size_t o = 0; o < about_.outputs.size(); ++o)
      if (!about_.outputs[o].optional) bytes += bytes_of(output_form(about_, o, inputs.all, all));
    return bytes;
  }

  /// Runs in pieces, on images as for source_from(). `places` are as for sink_from(), or None for new arrays.
  /// Returns a table's columns, the new arrays, or None.
  py::object run_pieces(const py::tuple& images, const py::tuple& values, const py::object& places,
                        py::handle device, py::handle strategy, py::handle threads,
                        const py::object& progress, std::int64_t memory,
                        const std::array<std::int64_t, 3>& size, const std::string& scratch) const {
    const run_options options(device, strategy, threads, progress);
    const piece_options limits{.memory = memory, .size = size, .scratch = scratch};
    arguments room;
    const auto& all = complete(values, room);
    const image_sources inputs(about_, images);
    validate(about_, inputs.forms(), all, context_of(options));
    if (gives_table(about_)) {
      table found;
      run_without_gil(options, true, [&](const context& how) {
        found = compute_table_in_pieces(about_, inputs.all, all, how, limits);
      });
      return columns_of(std::move(found));
    }
    if (gives_shapes(about_)) {
      std::vector<shape> found;
      run_without_gil(options, true, [&](const context& how) {
        compute_shapes_in_pieces(
            about_, inputs.all, [&](const shape& one) { found.push_back(one); }, all, how, limits);
      });
      std::ranges::sort(found, {}, &shape::label);
      return listed(found);
    }
    py::list results;
    if (places.is_none()) {
      for (std::size_t o = 0; o < about_.outputs.size() && !about_.outputs[o].optional; ++o) {
        const auto form = output_form(about_, o, inputs.all, all);
        results.append(py::array(numpy_type(form.type), sizes_of(form).cast<std::vector<py::ssize_t>>()));
      }
    } else {
      for (const auto place : places) results.append(place);
    }
    if (results.size() > about_.outputs.size())
      throw py::value_error("out: " + std::string(about_.name) + " gives " +
                            std::to_string(about_.outputs.size()) + " image(s), got room for " +
                            std::to_string(results.size()));
    std::vector<std::unique_ptr<image_sink>> sinks;
    std::vector<image_sink*> outputs;
    for (std::size_t o = 0; o < about_.outputs.size(); ++o) {
      const bool given = o < results.size() && !results[o].is_none();
      if (!given && !about_.outputs[o].optional)
        throw py::value_error("out: there is no room for " + std::string(about_.outputs[o].name));
      if (given)
        sinks.push_back(sink_from(results[o], output_form(about_, o, inputs.all, all), limits.scratch));
      if (o < results.size()) outputs.push_back(given ? sinks.back().get() : nullptr);
    }
    run_without_gil(options, true, [&](const context& how) {
      run_in_pieces(about_, inputs.all, outputs, all, how, limits);
      for (const auto& sink : sinks) sink->commit();
    });
    if (!places.is_none()) return py::none();
    if (results.size() == 1) return results[0];
    return py::tuple(results);
  }

 private:
  /// Refuses what the library would refuse, before results get memory. Results of smaller images take less
  /// time than the checks.
  void check(const std::vector<const_image_view>& inputs, const arguments& all,
             const run_options& options) const {
    constexpr std::int64_t pixels_worth_checking = std::int64_t{1} << 16;
    if (inputs[0].shape().pixels() < pixels_worth_checking) return;
    std::vector<image_form> forms(inputs.size());
    std::ranges::transform(inputs, forms.begin(), &form_of);
    validate(about_, forms, all, context_of(options));
  }

  /// Long columns own the table's memory. Short ones share a block, because an owner costs more than a few
  /// numbers.
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

  py::list outlined(const run_options& options, bool watched, const std::vector<const_image_view>& inputs,
                    const arguments& all) const {
    std::vector<shape> found;
    run_without_gil(options, watched,
                    [&](const context& how) { found = compute_shapes(about_, inputs, all, how); });
    return listed(found);
  }

  /// Sizes of an output's array; channels are the last axis.
  std::vector<py::ssize_t> sizes_of_output(std::size_t output, const extents& input, int channels,
                                           const arguments& all) const {
    const auto shape = output_shape(about_, output, input, all);
    std::vector<py::ssize_t> sizes;
    for (int axis = 0; axis < shape.rank(); ++axis) sizes.push_back(shape[axis]);
    if (const auto own = output_channels(about_, output, channels, all); own > 1) sizes.push_back(own);
    return sizes;
  }

  image_view output_of(const image_view& array, std::size_t output, const const_image_view& input,
                       const arguments& all) const {
    return output < about_.outputs.size() && output_channels(about_, output, input.channels(), all) > 1
               ? as_colour(array)
               : array;
  }

  /// None for an omitted optional output.
  std::vector<std::optional<py::array>> room_for_results(const const_image_view& input, const arguments& all,
                                                         const py::object& out) const {
    std::vector<std::optional<py::array>> results;
    const auto add = [&](py::handle given_array) {
      const auto index = results.size();
      if (given_array.is_none() && index < about_.outputs.size() && about_.outputs[index].optional) {
        results.emplace_back();
        return;
      }
      if (!py::isinstance<py::array>(given_array))
        throw py::type_error("out: expected an array of NumPy, like the input");
      auto array = py::reinterpret_borrow<py::array>(given_array);
      if (!array.writeable()) throw py::value_error("out: the array is read-only");
      if (array.dtype().byteorder() == '>') throw py::value_error("out: expected native byte order");
      results.push_back(std::move(array));
    };
    if (out.is_none()) {
      for (std::size_t o = 0; o < about_.outputs.size() && !about_.outputs[o].optional; ++o)
        results.push_back(new_array(output_type(about_, o, input.type(), input.shape(), all),
                                    sizes_of_output(o, input.shape(), input.channels(), all)));
    } else if (py::isinstance<py::tuple>(out)) {
      for (const auto item : out) add(item);
    } else {
      add(out);
    }
    return results;
  }

  const operator_description& about_;
  py::tuple defaults_;
  arguments default_values_;  // the same, converted for the library
  mutable column_names names_;
};

py::dict described(const operator_description& about) {
  static constexpr std::array kinds{"connectivity", "choice", "flag", "number", "numbers"};
  py::list inputs, outputs, parameters;
  for (const auto& input : about.inputs)
    inputs.append(py::make_tuple(input.name, input.help, input.own_form, input.optional));
  for (const auto& output : about.outputs) {
    if (output.optional) continue;  // not returned by default
    const auto type = output.type == output_description::type_rule::computed  ? output.computed_help
                      : output.type == output_description::type_rule::boolean ? "bool"
                                                                              : "the input's type";
    outputs.append(py::make_tuple(output.name, output.help, type));
  }
  for (const auto& p : about.parameters) {
    const auto kind = static_cast<std::size_t>(p.kind);
    parameters.append(py::make_tuple(p.name, kind < kinds.size() ? kinds[kind] : "text", p.default_text,
                                     help_text(p), p.choices));
  }
  return py::dict(py::arg("name") = about.name, py::arg("verb") = about.verb, py::arg("group") = about.group,
                  py::arg("brief") = about.brief, py::arg("notes") = about.notes,
                  py::arg("formula") = about.formula, py::arg("inputs") = inputs,
                  py::arg("outputs") = outputs, py::arg("table") = about.table,
                  py::arg("shapes") = about.shapes, py::arg("takes_colour") = about.takes_colour,
                  py::arg("parameters") = parameters);
}

}  // namespace

void add_operations(py::module_& module) {
  py::class_<operation>(module, "operation")
      .def_property_readonly("about", [](const operation& self) { return described(self.about()); })
      .def("set_defaults", &operation::set_defaults)
      .def("result_type", &operation::result_type)
      .def("result_shape", &operation::result_shape)
      .def("run", &operation::run)
      .def("run_described", &operation::run_described)
      .def("bytes_in_memory", &operation::bytes_in_memory)
      .def("run_pieces", &operation::run_pieces);
  py::list operations;
  py::dict hidden;
  for (const auto& about : all_operators())
    if (about.hidden)
      hidden[py::str(about.name)] = operation(about);
    else
      operations.append(operation(about));
  module.attr("operations") = operations;
  module.attr("hidden_operations") = hidden;
  module.def("strategies", &strategies);
}

}  // namespace macareu::python
