// The verbs of all operators, from their descriptions.
#include <algorithm>
#include <memory>
#include <utility>

#include <macareu/catalogue.hpp>
#include <macareu/error.hpp>
#include <macareu/page.hpp>

#include "catalogue_text.hpp"
#include "command/text.hpp"
#include "running/operator_run.hpp"
#include "running/usage_errors.hpp"
#include "verbs/verbs.hpp"

namespace macareu::tool {
namespace {

std::string upper(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return result;
}

argument value_from(const parameter_description& parameter, std::string text) {
  if (parameter.kind == parameter_kind::choice) std::ranges::replace(text, '-', '_');
  return option_value(parameter, text);
}

std::string value_name(const parameter_description& parameter) {
  switch (parameter.kind) {
    case parameter_kind::connectivity:
      return "NEIGHBOURS";
    case parameter_kind::choice:
      return dashed(parameter.choices);
    case parameter_kind::flag:
      return "";
    case parameter_kind::number:
      return "NUMBER";
    case parameter_kind::numbers:
      return "NUMBER,...";
    case parameter_kind::intervals:
      return "LOW:HIGH,...";
    case parameter_kind::text:
      return "TEXT";
  }
  throw internal_error("no such kind of parameter");
}

std::string parameter_help(const parameter_description& parameter) {
  const auto help = help_text(parameter);
  if (parameter.kind == parameter_kind::flag) return help;
  return help + (parameter.default_text.empty() ? " (required)"
                                                : " (default: " + std::string(parameter.default_text) + ")");
}

std::string output_help(const output_description& output, std::string_view first_input) {
  const auto shape = (output.shape ? std::string() : "shape of " + upper(first_input) + "; ") +
                     "the extension selects the format";
  const auto help = std::string(output.help) + "; ";
  switch (output.type) {
    case output_description::type_rule::same_as_input:
      return help + (output.shape ? "type of " + upper(first_input) + "; " : "type and ") + shape;
    case output_description::type_rule::boolean:
      return help + "bool (0 and 255 in pictures), " + shape;
    case output_description::type_rule::computed:
      return help + std::string(output.computed_help) + ", " + shape;
  }
  throw internal_error("no such rule for the type of an output");
}

/// Adds --keep: optional outputs whose names derive from OUTPUT.
void add_keep(parser& options, const operator_description& about, operator_run& run) {
  std::vector<std::string> names;
  for (const auto& output : about.outputs)
    if (output.optional) names.push_back(dashed(output.name));
  if (names.empty()) return;
  options.add({.group = "Outputs",
               .names = "--keep",
               .value = "NAME,...",
               .help = joined(names, ", ") + ": beside OUTPUT, as NAME-" + names[0] +
                       ".EXT beside NAME.EXT; .tif or .npy where .EXT cannot hold it",
               .take = [&about, &run, names](const std::string& text) {
                 for (const auto& name : split(text, ',')) {
                   const auto found = std::ranges::find_if(about.outputs, [&](const auto& output) {
                     return output.optional && dashed(output.name) == name;
                   });
                   if (found == about.outputs.end())
                     throw usage_error("--keep: expected " + joined(names, ", ") + ", got '" + name + "'");
                   run.kept[static_cast<std::size_t>(found - about.outputs.begin())] = true;
                 }
               }});
}

void add_files(parser& options, const operator_description& about, operator_run& run) {
  for (std::size_t i = 0; i < about.inputs.size(); ++i) {
    const auto& input = about.inputs[i];
    options.add({.group = "Inputs",
                 .names = input.by_option ? option_name(input.name) : upper(input.name),
                 .value = input.by_option ? "FILE" : "",
                 .help = std::string(input.help),
                 .required = !input.optional,
                 .take = [&file = run.given[i]](const std::string& text) { file = text; }});
  }
  for (std::size_t o = 0; o < about.outputs.size(); ++o)
    options.add({.group = "Outputs",
                 .names = o == 0 ? "-o,--output" : option_name(about.outputs[o].name),
                 .value = o == 0 ? "OUTPUT" : "FILE",
                 .help = output_help(about.outputs[o], about.inputs[0].name),
                 .required = !about.outputs[o].optional,
                 .take = [&file = run.outputs[o]](const std::string& text) { file = text; }});
  add_keep(options, about, run);
  if (!about.outputs.empty())
    options.add({.group = "Outputs",
                 .names = "--pyramid",
                 .help = "write smaller levels too: .tif and .ome.zarr",
                 .take = [&run](const std::string&) { run.pyramid = true; }});
  if (!about.outputs.empty() && !about.outputs[0].shape)
    options.add({.group = "Outputs",
                 .names = "--page",
                 .value = "FOLDER",
                 .help = "write FOLDER/index.html, which shows the input and the result in a browser",
                 .take = [&run](const std::string& text) {
                   if (const auto missing = missing_for_pages(); !missing.empty()) throw io_error(missing);
                   run.page_folder = text;
                 }});
  if (!about.table.empty()) run.tables.add_to(options, about);
  if (!about.shapes.empty()) run.shapes.add_to(options, about);
}

void add_parameters(parser& options, const operator_description& about, operator_run& run) {
  for (const auto& parameter : about.parameters)
    options.add({.group = "Parameters",
                 .names = option_name(parameter.name),
                 .value = value_name(parameter),
                 .help = parameter_help(parameter),
                 .required = parameter.default_text.empty(),
                 .take = [&run, &parameter](const std::string& text) {
                   run.values.insert_or_assign(std::string(parameter.name), value_from(parameter, text));
                 }});
}

verb verb_of(const operator_description& about) {
  auto heading = std::string(about.group);
  heading[0] = upper(heading.substr(0, 1))[0];
  return {.name = std::string(about.verb),
          .group = heading,
          .brief = std::string(about.brief),
          .notes = notes_of(about),
          .example = pages::command_example(about),
          .on_ranks = true,
          .prepare = [&about](parser& options) {
            const auto run = std::make_shared<operator_run>(about);
            add_files(options, about, *run);
            add_parameters(options, about, *run);
            if (about.gives_labels)
              run->objects.add_to(options, "the input", " (see macareu measure --help)", &about);
            if (about.gives_labels && !about.takes_labels)
              run->objects.add_selection_to(
                  options, std::ranges::none_of(about.outputs, &output_description::optional));
            run->reading.add_channel_to(options);
            run->reading.add_to(options);
            run->running.add_to(options, about.pattern);
            return [run](interruption& signals) {
              const int code = (*run)(signals);
              run->write_page(signals);
              return code;
            };
          }};
}

}  // namespace

std::string notes_of(const operator_description& about) {
  auto text = std::string(about.notes) + " Formula: " + std::string(about.formula) + ".";
  std::vector<std::string> names;
  const auto add = [&](const std::string& library, std::string_view name) {
    if (!name.empty()) names.push_back(library + " " + std::string(name));
  };
  add("scikit-image", about.peers.skimage);
  add("SciPy", about.peers.scipy);
  add("ITK", about.peers.itk);
  add("MATLAB", about.peers.matlab);
  add("OpenCV", about.peers.opencv);
  add("DIPlib", about.peers.diplib);
  return names.empty() ? text : text + " Related: " + joined(names, "; ") + ".";
}

std::vector<verb> operator_verbs() {
  std::vector<verb> verbs;
  for (const auto& about : catalogue()) verbs.push_back(verb_of(about));
  return verbs;
}

}  // namespace macareu::tool
