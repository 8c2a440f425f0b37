#include "rule_text.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

#include <macareu/error.hpp>

#include "c_mathematics.hpp"
#include "layout.hpp"
#include "macros.hpp"
#include "templates.hpp"

namespace macareu::converter {
namespace {

constexpr auto blanks = " \t";

/// The rest of a line after a directive such as #include.
std::optional<std::string> after_directive(const std::string& line, std::string_view directive) {
  const auto mark = line.find_first_not_of(blanks);
  if (mark == std::string::npos || line[mark] != '#') return {};
  const auto word = line.find_first_not_of(blanks, mark + 1);
  if (word == std::string::npos || line.compare(word, directive.size(), directive) != 0) return {};
  return line.substr(word + directive.size());
}

/// Includes are guarded from NVRTC, which has no system headers. C's headers come first.
struct parted {
  std::string includes, others;
};

parted parted_definitions(const std::string& definitions, const std::vector<std::string>& needed) {
  parted result;
  std::set<std::pair<bool, std::string>> headers{{true, "<cstdint>"}};
  for (const auto& each : needed) headers.emplace(false, each);
  std::istringstream lines(definitions);
  for (std::string line; std::getline(lines, line);) {
    const auto included = after_directive(line, "include");
    const auto begin = included ? included->find('<') : std::string::npos;
    if (begin == std::string::npos) {
      result.others += line + "\n";
      continue;
    }
    const auto header = included->substr(begin, included->find('>') + 1 - begin);
    headers.emplace(!header.ends_with(".h>"), header);
    // <cmath> need not declare the overloads outside std::, which CUDA has.
    if (header == "<cmath>") headers.emplace(false, "<math.h>");
    if (header == "<cstdlib>") headers.emplace(false, "<stdlib.h>");
  }
  for (const auto& [later, header] : headers) result.includes += "#include " + header + "\n";
  return result;
}

/// Names of macros in order of definition, each once. Feature macros such as _GNU_SOURCE stay defined for
/// system headers.
std::vector<std::string> macros_of(const std::string& definitions) {
  std::vector<std::string> names;
  std::istringstream lines(definitions);
  for (std::string line; std::getline(lines, line);) {
    const auto defined = after_directive(line, "define");
    if (!defined) continue;
    const auto begin = std::ranges::find_if(*defined, is_letter);
    const std::string name(begin, std::find_if_not(begin, defined->end(), is_letter));
    const bool of_headers = name.starts_with('_') && name.ends_with("_SOURCE");
    if (!of_headers && std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return names;
}

/// Undefines the file's macros, because engines may use the same names.
std::string end_of_macros(const std::vector<std::string>& names) {
  std::string text;
  for (const auto& each : names) text += "#undef " + each + "\n";
  return text.empty() ? "" : "// Macros of the marked file are for its functions alone.\n" + text;
}

/// The names that the text uses as std::name, each once.
std::set<std::string> names_in_std(const description& about) {
  constexpr std::string_view space = "std::";
  const auto text = about.definitions + about.helpers + about.body;
  std::set<std::string> names;
  for (auto at = text.find(space); at != std::string::npos; at = text.find(space, at + 1)) {
    const auto begin = text.begin() + static_cast<std::ptrdiff_t>(at + space.size());
    names.emplace(begin, std::find_if_not(begin, text.end(), is_letter));
  }
  return names;
}

/// Declarations that NVRTC lacks without system headers. It provides mathematics in the global namespace.
std::string names_of_system(const description& about) {
  std::string text;
  for (const auto& each : about.system_types) text += "typedef " + each.spelling + " " + each.name + ";\n";
  for (const auto& each : names_in_std(about)) text += "namespace std {\nusing ::" + each + ";\n}\n";
  for (const auto& each : about.system_macros)
    text +=
        "#ifndef " + each.name + "\n#define " + each.name + each.arguments + " " + each.value + "\n#endif\n";
  return text.empty() ? "" : "#else\n" + text;
}

std::string alias(const std::string& name, const std::string& type) {
  return "using " + name + " = " + type + ";\n";
}

std::string constant(const std::string& name, int value) {
  return "constexpr int " + name + " = " + std::to_string(value) + ";\n";
}

/// Numbers as spelled; colours are structs of namespace user.
std::string type_name(const value_type& type) {
  constexpr std::string_view keyword = "struct ";
  if (type.channels == 1) return type.spelling;
  return "user::" +
         (type.spelling.starts_with(keyword) ? type.spelling.substr(keyword.size()) : type.spelling);
}

std::string parameter_argument(const description& about) {
  return std::string("const parameters&") + (about.parameter_struct.empty() ? "" : " given");
}

/// A function of namespace rule that forwards to the user's, with the parameters if it takes them.
std::string forwarding(const description& about, const std::string& result, const std::string& name,
                       std::vector<std::string> arguments, const std::string& called,
                       std::vector<std::string> passed, const std::string& closing = ");") {
  arguments.push_back(parameter_argument(about));
  if (!about.parameter_struct.empty()) passed.emplace_back("given");
  const auto act = result == "void" ? "  " : "  return ";
  return in_brackets("RULE static inline " + result + " " + name + "(", arguments, ") {") + "\n" +
         in_brackets(act + called + "(", passed, closing) + "\n}\n";
}

std::string p2p_names(const description& about) {
  std::vector<std::string> passed;
  for (int k = 0; k < about.inputs; ++k) passed.push_back("pixel[" + std::to_string(k) + "]");
  passed.push_back(std::string("static_cast<") + (about.wide_index ? "long long" : "int") + ">(index)");
  return constant("inputs", about.inputs) + "\n/// One pixel of the result.\n" +
         forwarding(about, "result_type", "apply", {"const pixel_type (&pixel)[inputs]", "long long index"},
                    "user::" + ascii_name(about.function), passed);
}

std::string n2p_names(const description& about, const std::string& border) {
  const bool volume = about.window.size() == 3;
  const auto size = [&](std::size_t from_last) { return about.window[about.window.size() - from_last]; };
  const auto passed = volume ? std::vector<std::string>{"window", "x", "y", "z"}
                             : std::vector<std::string>{"window[0]", "x", "y"};
  return constant("inputs", 1) + constant("window_depth", volume ? size(3) : 1) +
         constant("window_height", size(2)) + constant("window_width", size(1)) + "\n" +
         filled(template_named("border.hpp"), {{"BORDER", border}}) + "/// One pixel of the result.\n" +
         forwarding(about, "result_type", "apply",
                    {"pixel_type (&window)[window_depth][window_height][window_width]", "int x", "int y",
                     volume ? "int z" : "int"},
                    "user::" + ascii_name(about.function), passed);
}

std::string r2s_names(const description& about) {
  const auto called = (about.generic ? "user::reduction<T>::" : "user::") + ascii_name(about.function);
  return "/// Two values become one.\ntemplate <class T>\n" +
         forwarding(about, "T", "join", {"T a", "T b"}, called, {"a", "b"}) + "\n" +
         std::string(template_named("r2s_order.hpp")) + std::string(template_named("r2s_chunk.hpp"));
}

std::string r2v_names(const description& about) {
  return "/// Adds one pixel to the vector.\n" +
         forwarding(about, "void", "count", {"pixel_type pixel", "result_type* vector", "int bins"},
                    "user::" + ascii_name(about.function), {"pixel", "vector", "bins"});
}

std::string iwpp_names(const description& about) {
  return alias("capacity_type", type_name(about.capacity)) +
         "\n/// What a pixel in `state` offers a neighbour that has `capacity`.\n" +
         forwarding(about, "pixel_type", "offer", {"pixel_type state", "capacity_type capacity"},
                    "user::offer", {"state", "capacity"}) +
         "\n/// Whether a pixel prefers state a to state b.\n" +
         forwarding(about, "bool", "better", {"pixel_type a", "pixel_type b"}, "user::better", {"a", "b"},
                    ") != 0;") +
         "\n" + std::string(template_named("iwpp_steps.hpp"));
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

/// The paper's types T and E become parameters of a class template.
std::string functions(const description& about) {
  if (!about.generic) return about.helpers + about.body;
  return "/// T and E as in the function: values are converted to the type of the result.\ntemplate "
         "<class T>\nstruct reduction {\n  using E = T;\n\n" +
         about.helpers + about.body + "};\n";
}

std::string plain_addition(const description& about) {
  if (about.kind != category::r2v) return "";
  const auto& type = about.result.spelling;
  const auto head =
      "[[maybe_unused]] static inline void atomicAdd(" + type + "* address, " + type + " value) {";
  const std::string body = "*address += value;";
  const bool fits = head.size() + body.size() + 3 <= line_width;
  return "#ifndef __CUDACC__\n/// On a CPU every thread has a vector of its own.\n" + head +
         (fits ? " " + body + " }" : "\n  " + body + "\n}") + "\n#endif\n\n";
}

/// Whether the function takes square roots of values cast to float, which are integers as a rule.
bool has_roots_of_converted(const description& about, const std::vector<std::string>& macros) {
  if (std::ranges::find(macros, "sqrtf") != macros.end()) return false;
  auto text = about.helpers + about.body;
  std::erase_if(text, [](unsigned char letter) { return std::isspace(letter) != 0; });
  return text.find("sqrtf((float)") != std::string::npos && text.find("::sqrtf") == std::string::npos;
}

}  // namespace

std::string rule_text(const description& about, const std::string& border) {
  const auto definitions = parted_definitions(about.definitions, headers_of_c_mathematics(about.c_functions));
  auto text = filled(template_named("rule_head.hpp"), {{"SOURCE", about.file},
                                                       {"INCLUDES", definitions.includes},
                                                       {"NAMES_OF_SYSTEM", names_of_system(about)}});
  const auto macros = macros_of(definitions.others);
  const bool roots = has_roots_of_converted(about, macros);
  if (roots) text += template_named("integer_root.hpp");
  // Functions may ignore parameters of their signature, and C initializes a whole struct with {0}.
  text += "#ifdef __GNUC__\n#pragma GCC diagnostic push\n";
  for (const std::string warning : {"unused-parameter", "missing-field-initializers"})
    text += "#pragma GCC diagnostic ignored \"-W" + warning + "\"\n";
  text += "#endif\n";
  text +=
      plain_addition(about) +
      "// What the marked file has: a namespace of its own leaves it every name that engines use.\nnamespace "
      "user {\n\n" +
      c_mathematics(about.c_functions) + "// clang-format off\n" + definitions.others +
      (definitions.others.empty() ? "" : "\n") + functions(about) +
      "// clang-format on\n\n}  // namespace user\n" + end_of_macros(macros) +
      (roots ? "#undef sqrtf\n" : "");
  text +=
      "#ifdef __GNUC__\n#pragma GCC diagnostic pop\n#endif\n\n// What the engines know of it.\nnamespace rule {\n\n";
  text += template_named("rule_common.hpp");
  text += alias("pixel_type", type_name(about.pixel)) + alias("result_type", type_name(about.result));
  text += about.parameter_struct.empty() ? "struct parameters {};\n"
                                         : alias("parameters", "user::" + about.parameter_struct);
  return text + names_for_engines(about, border) + "\n}  // namespace rule\n";
}

}  // namespace macareu::converter
