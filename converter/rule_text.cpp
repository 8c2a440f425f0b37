#include "rule_text.hpp"

#include <cctype>
#include <sstream>

#include <macareu/error.hpp>

#include "templates.hpp"

namespace macareu::converter {
namespace {

bool starts_with_include(const std::string& line) {
  const auto mark = line.find_first_not_of(" \t");
  if (mark == std::string::npos || line[mark] != '#') return false;
  const auto word = line.find_first_not_of(" \t", mark + 1);
  return word != std::string::npos && line.compare(word, 7, "include") == 0;
}

/// Includes go where NVRTC, which has no system headers, does not see them.
struct parted {
  std::string includes, others;
};

parted parted_definitions(const std::string& definitions) {
  parted result;
  std::istringstream lines(definitions);
  for (std::string line; std::getline(lines, line);)
    (starts_with_include(line) ? result.includes : result.others) += line + "\n";
  return result;
}

std::string alias(const std::string& name, const std::string& type) {
  return "using " + name + " = " + type + ";\n";
}

std::string constant(const std::string& name, int value) {
  return "constexpr int " + name + " = " + std::to_string(value) + ";\n";
}

/// Numbers are spelled as they are; colours are structs of the user.
std::string type_name(const value_type& type) {
  constexpr std::string_view keyword = "struct ";
  if (type.channels == 1) return type.spelling;
  return "user::" +
         (type.spelling.starts_with(keyword) ? type.spelling.substr(keyword.size()) : type.spelling);
}

/// ", given" where the function takes parameters.
std::string passed(const description& about) { return about.parameter_struct.empty() ? "" : ", given"; }

std::string parameter_argument(const description& about) {
  return std::string("const parameters&") + (about.parameter_struct.empty() ? "" : " given");
}

std::string p2p_names(const description& about) {
  std::string pixels;
  for (int k = 0; k < about.inputs; ++k) pixels += "pixel[" + std::to_string(k) + "], ";
  return constant("inputs", about.inputs) +
         "\n/// One pixel of the result.\nRULE static inline result_type apply(const pixel_type (&pixel)[inputs], long "
         "long index, " +
         parameter_argument(about) + ") {\n  return user::" + about.function + "(" + pixels + "static_cast<" +
         (about.wide_index ? "long long" : "int") + ">(index)" + passed(about) + ");\n}\n";
}

std::string n2p_names(const description& about, const std::string& border) {
  const bool volume = about.window.size() == 3;
  const auto size = [&](std::size_t from_last) { return about.window[about.window.size() - from_last]; };
  return constant("inputs", 1) + constant("window_depth", volume ? size(3) : 1) +
         constant("window_height", size(2)) + constant("window_width", size(1)) + "\n" +
         filled(template_named("border.hpp"), {{"BORDER", border}}) +
         "/// One pixel of the result.\nRULE static inline result_type apply(pixel_type "
         "(&window)[window_depth][window_height][window_width], int x, int y, int " +
         (volume ? "z" : "") + ", " + parameter_argument(about) + ") {\n  return user::" + about.function +
         "(" + (volume ? "window, x, y, z" : "window[0], x, y") + passed(about) + ");\n}\n";
}

std::string r2s_names(const description& about) {
  const auto called = (about.generic ? "user::reduction<T>::" : "user::") + about.function;
  return "/// Two values become one.\ntemplate <class T>\nRULE static inline T join(T a, T b, " +
         parameter_argument(about) + ") {\n  return " + called + "(a, b" + passed(about) + ");\n}\n\n" +
         std::string(template_named("r2s_chunk.hpp"));
}

std::string r2v_names(const description& about) {
  return "/// Adds one pixel to the vector.\nRULE static inline void count(pixel_type pixel, result_type* vector, int "
         "bins, " +
         parameter_argument(about) + ") {\n  user::" + about.function + "(pixel, vector, bins" +
         passed(about) + ");\n}\n";
}

std::string iwpp_names(const description& about) {
  const auto arguments = parameter_argument(about) + ") {\n  return ";
  return alias("capacity_type", type_name(about.capacity)) +
         "\n/// What a pixel in `state` offers a neighbour that has `capacity`.\nRULE static inline pixel_type "
         "offer(pixel_type state, capacity_type capacity, " +
         arguments + "user::offer(state, capacity" + passed(about) +
         ");\n}\n\n/// Whether a pixel prefers state a to state b.\nRULE static inline bool better(pixel_type a, "
         "pixel_type b, " +
         arguments + "user::better(a, b" + passed(about) + ") != 0;\n}\n\n" +
         std::string(template_named("iwpp_steps.hpp"));
}

std::string names_for_engines(const description& about, const std::string& border) {
  switch (about.kind) {
    case category::p2p:
      return p2p_names(about);
    case category::n2p:
      return n2p_names(about, border);
    case category::r2s:
      return r2s_names(about);
    case category::r2v:
      return r2v_names(about);
    case category::iwpp:
      return iwpp_names(about);
  }
  throw internal_error("no such category");
}

/// The paper's types T and E are those of a template that the function does not write.
std::string functions(const description& about) {
  if (!about.generic) return about.helpers + about.body;
  return about.helpers +
         "/// T and E as in the function: values are converted to the type of the result.\ntemplate "
         "<class T>\nstruct reduction {\n  using E = T;\n\n" +
         about.body + "};\n";
}

std::string plain_addition(const description& about) {
  if (about.kind != category::r2v) return "";
  const auto& type = about.result.spelling;
  return "#ifndef __CUDACC__\n/// On a CPU every thread has a vector of its own.\n[[maybe_unused]] static inline void "
         "atomicAdd(" +
         type + "* address, " + type + " value) { *address += value; }\n#endif\n\n";
}

/// Roots of what the function converts to float: of integers, as a rule.
bool has_roots_of_converted(const description& about) {
  auto text = about.helpers + about.body;
  std::erase_if(text, [](unsigned char letter) { return std::isspace(letter) != 0; });
  return text.find("sqrtf((float)") != std::string::npos && text.find("::sqrtf") == std::string::npos;
}

}  // namespace

std::string rule_text(const description& about, const std::string& border) {
  const auto definitions = parted_definitions(about.definitions);
  auto text =
      filled(template_named("rule_head.hpp"), {{"SOURCE", about.file}, {"INCLUDES", definitions.includes}});
  const bool roots = has_roots_of_converted(about);
  if (roots) text += template_named("integer_root.hpp");
  // Not every function needs every parameter that its signature has.
  text +=
      "#ifdef __GNUC__\n#pragma GCC diagnostic push\n#pragma GCC diagnostic ignored \"-Wunused-parameter\"\n#endif\n";
  text +=
      plain_addition(about) +
      "// What the marked file has: a namespace of its own leaves it every name that engines use.\nnamespace "
      "user {\n\n" +
      definitions.others + (definitions.others.empty() ? "" : "\n") + functions(about) +
      "\n}  // namespace user\n" + (roots ? "#undef sqrtf\n" : "");
  text +=
      "#ifdef __GNUC__\n#pragma GCC diagnostic pop\n#endif\n\n// What the engines know of it.\nnamespace rule {\n\n";
  text += template_named("rule_common.hpp");
  text += alias("pixel_type", type_name(about.pixel)) + alias("result_type", type_name(about.result));
  text += about.parameter_struct.empty() ? "struct parameters {};\n"
                                         : alias("parameters", "user::" + about.parameter_struct);
  return text + names_for_engines(about, border) + "\n}  // namespace rule\n";
}

}  // namespace macareu::converter
