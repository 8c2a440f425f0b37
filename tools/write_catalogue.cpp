// Writes the files generated from the catalogue: the C++ functions (header, source) and the pages of
// operators.
#include <algorithm>
#include <fstream>
#include <iostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <macareu/catalogue.hpp>

#include "catalogue_text.hpp"
#include "operator_pages.hpp"

namespace {

using namespace macareu;
using namespace macareu::pages;

std::string choice_type(const operator_description& about, const parameter_description& parameter) {
  return std::string(about.name) + "_" + std::string(parameter.name);
}

/// `bool` is a keyword: pixel types are named as in dtype.
std::string_view enumerator(std::string_view choice) { return choice == "bool" ? "boolean" : choice; }

std::string options_type(const operator_description& about) { return std::string(about.name) + "_options"; }

std::string member(const operator_description& about, const parameter_description& parameter) {
  const std::string name = member_name(parameter), value(parameter.default_text);
  switch (parameter.kind) {
    case parameter_kind::connectivity:
      return "macareu::connectivity " + name + " = macareu::connectivity::" + value;
    case parameter_kind::choice:
      return choice_type(about, parameter) + " " + name + " = " + choice_type(about, parameter) +
             "::" + std::string(enumerator(value));
    case parameter_kind::flag:
      return "bool " + name + " = " + value;
    case parameter_kind::number:
      return "number " + name +
             (value.empty()     ? ""
              : value == "inf"  ? " = std::numeric_limits<double>::infinity()"
              : value == "auto" ? " = std::numeric_limits<double>::quiet_NaN()"
                                : " = " + value);
    case parameter_kind::numbers:
      return "std::vector<number> " + name +
             (value.empty()     ? ""
              : value == "auto" ? " = {std::numeric_limits<double>::quiet_NaN()}"
                                : " = {" + value + "}");
    case parameter_kind::intervals:
      return "std::vector<interval> " + name + " = {}";
    case parameter_kind::text:
      return "std::string " + name + " = \"" + value + "\"";
  }
  return {};
}

bool all_have_defaults(const operator_description& about) {
  for (const auto& parameter : about.parameters)
    if (parameter.default_text.empty()) return false;
  return true;
}

/// The result of a function: returned, or written to memory of the caller.
enum class form { image, into_image, table, shapes };

std::vector<form> forms_of(const operator_description& about) {
  if (!about.shapes.empty()) return {form::shapes};
  return about.table.empty() ? std::vector{form::image, form::into_image} : std::vector{form::table};
}

std::size_t required_inputs(const operator_description& about) {
  return static_cast<std::size_t>(std::ranges::count(about.inputs, false, &input_description::optional));
}

/// Optional inputs are members of the options. A function for a table has a variant with them instead.
std::vector<std::size_t> input_counts(const operator_description& about) {
  const auto least = required_inputs(about), all = about.inputs.size();
  return about.table.empty() || least == all ? std::vector{least} : std::vector{least, all};
}
std::span<const input_description> optional_inputs(const operator_description& about) {
  return about.table.empty() ? about.inputs.subspan(required_inputs(about))
                             : std::span<const input_description>();
}

/// `defaults`: whether to write default arguments, as the declaration does.
std::string signature(const operator_description& about, form kind, std::size_t inputs, bool defaults) {
  const bool into = kind == form::into_image;
  std::string text = (into                   ? "void "
                      : kind == form::table  ? "table "
                      : kind == form::shapes ? "std::vector<shape> "
                                             : "image ") +
                     std::string(about.name) + "(";
  for (const auto& input : about.inputs.first(inputs))
    text += "const const_image_view& " + std::string(input.name) + ", ";
  if (into) text += "const image_view& out, ";
  text +=
      "const " + options_type(about) + "& options" + (defaults && all_have_defaults(about) ? " = {}" : "");
  return text + ", const context& how" + (defaults ? " = {}" : "") + ")";
}

void write_header(std::ostream& out) {
  out << "// Generated from the catalogue: the operators as functions. The form with `out` fills memory of the caller.\n"
         "#pragma once\n\n#include <limits>\n#include <string>\n#include <vector>\n\n#include <macareu/catalogue.hpp>\n#include <macareu/shapes.hpp>\n\nnamespace macareu {\n";
  for (const auto& about : catalogue()) {
    out << '\n';
    for (const auto& parameter : about.parameters) {
      if (parameter.kind != parameter_kind::choice) continue;
      out << "enum class " << choice_type(about, parameter) << " {";
      const char* separator = " ";
      for (const auto choice : split(parameter.choices))
        out << std::exchange(separator, ", ") << enumerator(choice);
      out << " };\n";
    }
    out << "struct " << options_type(about) << " {\n";
    for (const auto& input : optional_inputs(about))
      out << "  const_image_view " << input.name << " = no_image;  ///< " << input.help << '\n';
    for (const auto& parameter : about.parameters)
      out << "  " << member(about, parameter) << ";  ///< " << parameter.help << '\n';
    out << "};\n\n/// " << about.brief << '\n';
    for (const auto inputs : input_counts(about))
      for (const auto kind : forms_of(about)) out << signature(about, kind, inputs, true) << ";\n";
  }
  out << "\n}  // namespace macareu\n";
}

std::string argument_text(const operator_description& about, const parameter_description& parameter) {
  std::string value = "options." + member_name(parameter);
  if (parameter.kind != parameter_kind::choice) return value;
  std::string names;
  for (const auto choice : split(parameter.choices)) names += "\"" + std::string(choice) + "\", ";
  return "choice_name(" + value + ", {" + names + "}, \"" + std::string(about.name) + ": " +
         std::string(parameter.name) + "\")";
}

void write_function(std::ostream& out, const operator_description& about, form kind, std::size_t count) {
  const auto function = signature(about, kind, count, false);
  std::string inputs;
  for (const auto& input : about.inputs.first(count)) inputs += std::string(input.name) + ", ";
  for (const auto& input : optional_inputs(about)) inputs += "options." + std::string(input.name) + ", ";
  count += optional_inputs(about).size();
  const std::string call = "(*find_operator(\"" + std::string(about.name) + "\"), inputs, ";
  out << '\n'
      << function << " {\n  const std::array<const_image_view, " << count << "> inputs{" << inputs << "};\n";
  if (kind == form::image)
    out << "  return std::move(run_operator" << call << "of(options), how).front());\n}\n";
  if (kind == form::table) out << "  return compute_table" << call << "of(options), how);\n}\n";
  if (kind == form::shapes) out << "  return compute_shapes" << call << "of(options), how);\n}\n";
  if (kind == form::into_image)
    out << "  const std::array<image_view, 1> outputs{out};\n  run_operator" << call
        << "outputs, of(options), how);\n}\n";
}

void write_source(std::ostream& out) {
  out << "// Generated from the catalogue.\n#include <macareu/operators.hpp>\n\n#include <array>\n#include <initializer_list>\n\n"
         "#include <macareu/error.hpp>\n\nnamespace macareu {\nnamespace {\n\n"
         "template <class Choice>\nstd::string choice_name(Choice choice, std::initializer_list<const char*> names, const char* what) {\n"
         "  const auto index = static_cast<std::size_t>(choice);\n"
         "  if (index >= names.size()) throw usage_error(std::string(what) + \": no such choice\");\n"
         "  return names.begin()[index];\n}\n";
  for (const auto& about : catalogue()) {
    out << "\narguments of([[maybe_unused]] const " << options_type(about) << "& options) {\n  return {";
    for (const auto& parameter : about.parameters)
      out << "{\"" << parameter.name << "\", " << argument_text(about, parameter) << "}, ";
    out << "};\n}\n";
  }
  out << "\n}  // namespace\n";
  for (const auto& about : catalogue())
    for (const auto count : input_counts(about))
      for (const auto kind : forms_of(about)) write_function(out, about, kind, count);
  out << "\n}  // namespace macareu\n";
}

}  // namespace

int main(int count, char** words) {
  const std::string_view what = count == 3 ? words[1] : "";
  if (what == "operators") return write_operator_pages(words[2]) ? 0 : 3;
  std::ofstream out(count == 3 ? words[2] : "/dev/null");
  if (what == "header")
    write_header(out);
  else if (what == "source")
    write_source(out);
  else {
    std::cerr << "usage: write_catalogue header|source FILE, write_catalogue operators FOLDER\n";
    return 2;
  }
  return out.flush() ? 0 : 3;
}
