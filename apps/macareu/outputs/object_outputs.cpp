#include "outputs/object_outputs.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <utility>

#include <macareu/catalogue.hpp>
#include <macareu/error.hpp>
#include <macareu/text_file.hpp>

#include "command/outputs.hpp"
#include "command/shared_ranks.hpp"
#include "command/text.hpp"
#include "outputs/json_report.hpp"
#include "pictures/object_overlay.hpp"
#include "running/usage_errors.hpp"

namespace macareu::tool {
namespace {

const operator_description& measuring() {
  static const auto& about = *find_operator("measure");
  return about;
}
const operator_description& selecting() {
  static const auto& about = *find_operator("relabel");
  return about;
}

std::string extension_of(const std::string& file) {
  return lower(std::filesystem::path(file).extension().string());
}

std::string value_name(const parameter_description& parameter) {
  if (parameter.kind == parameter_kind::flag) return "";
  if (parameter.kind == parameter_kind::choice) return std::string(parameter.choices);
  if (parameter.kind == parameter_kind::text) return "TEXT";
  return parameter.kind == parameter_kind::numbers ? "NUMBER,..." : "NUMBER";
}

/// Adds an option of another operator than the verb's own.
void add_parameter(parser& options, const parameter_description& parameter, const std::string& help,
                   arguments& to) {
  const bool told = parameter.kind == parameter_kind::numbers || parameter.kind == parameter_kind::choice;
  options.add({.group = "Parameters",
               .names = option_name(parameter.name),
               .value = value_name(parameter),
               .help = help + (told ? " (default: " + std::string(parameter.default_text) + ")" : ""),
               .take = [&to, &parameter](const std::string& text) {
                 to.insert_or_assign(std::string(parameter.name), option_value(parameter, text));
               }});
}

bool has_parameter(const operator_description& about, std::string_view name) {
  return std::ranges::find(about.parameters, name, &parameter_description::name) != about.parameters.end();
}

void check_call(const operator_description& about, const std::vector<image_form>& forms,
                const arguments& given) {
  translate_usage_errors(about, spelling::of_options, [&] { validate(about, forms, given); });
}

/// Adds the rows of ranks after the first, which made the table, each at its place.
void add_to_table(const std::filesystem::path& table, const std::filesystem::path& own_rows,
                  std::int64_t own_bytes) {
  auto& all = *shared_ranks();
  const auto sizes = all.gather(std::to_string(own_bytes));  // after this the first rank's rows are there
  if (!all.is_first()) {
    std::int64_t at = 0;
    for (int rank = 0; rank < all.rank(); ++rank) at += std::stoll(sizes[static_cast<std::size_t>(rank)]);
    errno = 0;
    std::fstream to(table, std::ios::in | std::ios::out | std::ios::binary);
    const auto check = [&] {
      const auto* const why = errno != 0 ? std::strerror(errno) : "cannot be written";
      if (!to) throw unfinished_error(io_error(table.string(), why));
    };
    to.seekp(at);
    check();
    read_text(own_rows, [&](std::string_view text) {
      errno = 0;
      to.write(text.data(), std::ssize(text)).flush();
      check();
    });
    errno = 0;
    to.close();  // NFS may tell it no earlier
    check();
    std::filesystem::remove(own_rows);
  }
  all.meet();
}

}  // namespace

std::string to_json_lines(const table& data) {
  std::string text;
  for (std::size_t row = 0; row < data.rows(); ++row) {
    for (const char* before = "{"; const auto& column : data.columns) {
      const auto value = column[row];
      text += before + ("\"" + column.name + "\": ") +
              (std::isfinite(value.to_double()) ? to_string(value) : "null");
      before = ", ";
    }
    text += "}\n";
  }
  return text;
}

void object_outputs::add_to(parser& options, const std::string& drawn_on, const std::string& columns_in,
                            const operator_description* own) {
  options.add({.group = "Outputs",
               .names = "--table",
               .value = "FILE",
               .help = "one row per object: size, place, shape, intensity; .csv or .jsonl" + columns_in,
               .take = [this](const std::string& text) { table_file = text; }});
  options.add({.group = "Outputs",
               .names = "--overlay",
               .value = "FILE",
               .help = "a picture with the outlines and numbers of the objects on " + drawn_on,
               .take = [this](const std::string& text) { overlay_file = text; }});
  if (!own || std::ranges::find(own->inputs, "intensity", &input_description::name) == own->inputs.end())
    options.add({.group = "Inputs",
                 .names = "--intensity",
                 .value = "FILE",
                 .help = "an image of the same shape, whose values the table summarises per object",
                 .take = [this](const std::string& text) { intensity_file = text; }});
  for (const auto& parameter : measuring().parameters)
    if (!own || !has_parameter(*own, parameter.name))
      add_parameter(options, parameter, std::string(parameter.help) + ", for the table", measured_with_);
}

void object_outputs::use_of(const operator_description& own,
                            const std::vector<std::optional<std::string>>& inputs, const arguments& values) {
  if (table_file.empty()) return;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i] && own.inputs[i].name == "intensity") intensity_file = *inputs[i];
  for (const auto& [name, value] : values)
    if (has_parameter(measuring(), name)) measured_with_.insert_or_assign(name, value);
}

void object_outputs::add_selection_to(parser& options, bool offers_ranges) {
  offers_selection_ = true;
  offers_ranges_ = offers_ranges;
  for (const auto& parameter : selecting().parameters)
    if ((offers_ranges || parameter.kind != parameter_kind::text) &&
        !has_parameter(measuring(), parameter.name))
      add_parameter(options, parameter, std::string(parameter.help) + "; kept objects are renumbered",
                    selection_);
}

arguments object_outputs::selection() const {
  auto all = selection_;
  for (const auto& [name, value] : measured_with_)
    if (has_parameter(selecting(), name)) all.emplace(name, value);
  return all;
}

image object_outputs::selected(const image& labels, const std::optional<image>& intensity,
                               const context& how) const {
  std::vector<const_image_view> inputs{labels};
  if (intensity) inputs.push_back(*intensity);
  return translate_usage_errors(selecting(), spelling::of_options, [&] {
    return std::move(run_operator(selecting(), inputs, selection(), how)[0]);
  });
}

arguments object_outputs::parameters() const {
  arguments all;
  if (offers_selection_) all = with_defaults(selecting(), selection());
  if (!selection_.contains("keep")) all.erase("spacing");
  if (!table_file.empty()) all.merge(measure_parameters());
  return all;
}
arguments object_outputs::measure_parameters() const { return with_defaults(measuring(), measured_with_); }

std::vector<std::string> object_outputs::check_before_reading(bool table_is_printed) const {
  if (drops_objects())
    check_call(selecting(), std::vector<image_form>(intensity_file.empty() ? 1 : 2), selection());
  std::vector<std::string> files;
  if (!table_file.empty()) {
    check_text_output(table_file);
    const auto extension = extension_of(table_file);
    if (extension != ".csv" && extension != ".jsonl")
      throw usage_error(table_file +
                        ": a table is written as .csv, or as .jsonl with one JSON object per line");
    files.push_back(table_file);
  }
  if (!overlay_file.empty()) {
    check_image_output(overlay_file);
    files.push_back(overlay_file);
  }
  if (table_file.empty() && !table_is_printed) {
    const auto refuse_for_keep = [&](const std::string& option) {
      if (selection_.contains("keep")) return;
      throw usage_error(option + (offers_ranges_ ? " is for --table and --keep, which are not given"
                                                 : " is for --table, which is not given"));
    };
    if (!intensity_file.empty()) refuse_for_keep("--intensity");
    for (const auto& [name, value] : measured_with_)
      if (has_parameter(selecting(), name))
        refuse_for_keep(option_name(name));
      else
        throw usage_error(option_name(name) + " is for --table, which is not given");
  }
  if (!measured_with_.empty())
    check_call(measuring(), std::vector<image_form>(intensity_file.empty() ? 1 : 2), measured_with_);
  return files;
}

void object_outputs::check_inputs(const extents& labels, const std::optional<image_form>& intensity,
                                  const extents& under) const {
  if (!overlay_file.empty()) {
    if (labels.rank() != 2)
      throw usage_error("--overlay draws on images; a volume of " + to_string(labels) + " has no picture");
    if (under != labels)
      throw usage_error("--overlay: the image to draw on is " + to_string(under) + ", but the labels are " +
                        to_string(labels) + ": they must have one shape");
  }
  if (intensity && intensity->shape != labels)
    throw usage_error("--intensity is " + to_string(*intensity->shape) + ", but the labels are " +
                      to_string(labels) + ": they must have one shape");
  std::vector<image_form> forms{{.shape = labels}};
  if (intensity) forms.push_back(*intensity);
  if (drops_objects()) check_call(selecting(), forms, selection());
  if (!measured_with_.empty()) check_call(measuring(), forms, measured_with_);
}

std::optional<image> object_outputs::read_intensity(const input_options& reading) const {
  if (intensity_file.empty()) return std::nullopt;
  return std::move(reading.read_grey(intensity_file).pixels);
}

table object_outputs::measure(const image& labels, const std::optional<image>& intensity,
                              const context& how) const {
  std::vector<const_image_view> inputs{labels};
  if (intensity) inputs.push_back(*intensity);
  return translate_usage_errors(measuring(), spelling::of_options,
                                [&] { return compute_table(measuring(), inputs, measured_with_, how); });
}

void object_outputs::select_in_pieces(image_source& labels, image_source* intensity, image_sink& kept,
                                      const context& how, const piece_options& options) const {
  std::vector<image_source*> inputs{&labels};
  if (intensity) inputs.push_back(intensity);
  translate_usage_errors(selecting(), spelling::of_options, [&] {
    run_in_pieces(selecting(), inputs, std::array{&kept}, selection(), how, options);
  });
}

bool object_outputs::ranks_share_table() const {
  return shared_ranks() && overlay_file.empty() && !table_file.empty();
}

table object_outputs::measure_in_pieces(image_source& labels, const context& how,
                                        const piece_options& options) const {
  return translate_usage_errors(measuring(), spelling::of_options, [&] {
    return compute_table_in_pieces(measuring(), std::array{&labels}, measured_with_, how, options);
  });
}

void object_outputs::describe_in_pieces(output_files& all, image_source& labels, image_source* intensity,
                                        image_source& under, const context& how,
                                        const piece_steps& steps) const {
  const auto inside = [&](const std::string& name, const std::string& file) {
    const auto made = steps.folder / name / std::filesystem::path(file).filename();
    std::filesystem::create_directory(made.parent_path());
    return made;
  };
  // Ranks after the first do not know where their rows begin in the table, until all are written.
  const bool shares = ranks_share_table();
  std::filesystem::path own_rows;
  if (!table_file.empty() && is_first_rank())
    own_rows = inside("table", table_file);
  else if (shares)
    own_rows = steps.folder / ("table." + std::to_string(shared_ranks()->rank()));
  const auto out = own_rows.empty() ? nullptr : std::make_unique<text_file>(own_rows);
  const bool is_printed = !wanted() && is_first_rank();
  std::uint64_t greatest = 0;
  std::int64_t own_bytes = 0;
  bool begins = is_first_rank();
  const auto take = [&](const table& rows) {
    if (rows.rows() > 0) greatest = static_cast<std::uint64_t>(rows["label"][rows.rows() - 1].to_double());
    if (out || is_printed)
      write_table(rows, std::exchange(begins, false), [&](std::string_view text) {
        own_bytes += std::ssize(text);
        if (out)
          out->write(text);
        else
          std::cout << text;
      });
  };
  std::vector<image_source*> inputs{&labels};
  if (intensity) inputs.push_back(intensity);
  auto options = steps.of("measurement");
  options.own_rows = shares;
  translate_usage_errors(measuring(), spelling::of_options, [&] {
    compute_table_in_parts(measuring(), inputs, take, measured_with_, how, options);
  });
  if (out) out->commit();
  if (shares)
    add_to_table(steps.folder / "table" / std::filesystem::path(table_file).filename(), own_rows, own_bytes);
  if (out && is_first_rank()) all.add_finished(table_file, own_rows);
  if (overlay_file.empty()) return;
  const auto made = inside("picture", overlay_file);
  const auto picture = created_by_ranks([&] {
    return create_sink(made, {dtype::u8, labels.form().shape, 3}, {.scratch = steps.folder});
  });
  auto drawing = how;
  drawing.report = nullptr;  // the measurement's
  overlay_in_pieces(under, labels, greatest, *picture, drawing, steps);
  all.add_finished(overlay_file, made);
}

void object_outputs::write_table(const table& rows, bool with_names,
                                 const std::function<void(std::string_view)>& write) const {
  if (extension_of(table_file) == ".jsonl")
    write(to_json_lines(rows));
  else
    write_csv(rows, write, with_names);
}

void object_outputs::add(output_files& all, const table& objects, const image& labels,
                         const image& under) const {
  if (!table_file.empty())
    all.add_text(table_file, [&](const auto& write) { write_table(objects, true, write); });
  if (!overlay_file.empty()) all.add(overlay_file, overlay(under, labels, objects));
}

}  // namespace macareu::tool
