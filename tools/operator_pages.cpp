#include "operator_pages.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <sstream>
#include <utility>

#include <macareu/catalogue.hpp>

#include "catalogue_text.hpp"

namespace macareu::pages {
namespace {

std::string_view type_text(const output_description& output) {
  if (output.type == output_description::type_rule::computed) return output.computed_help;
  return output.type == output_description::type_rule::boolean ? "bool" : "the input's type";
}

struct library {
  std::string_view title;  ///< full name
  std::string_view scope;  ///< prefix of its names
  std::string_view peer_names::*names;
};

constexpr std::array libraries{library{"scikit-image", "skimage.", &peer_names::skimage},
                               library{"SciPy", "scipy.", &peer_names::scipy},
                               library{"ITK", "itk::", &peer_names::itk},
                               library{"MATLAB", "", &peer_names::matlab},
                               library{"OpenCV", "cv::", &peer_names::opencv},
                               library{"DIPlib", "dip::", &peer_names::diplib}};

/// "`skimage.measure.label`"
std::vector<std::string> in_library(const library& where, const operator_description& about) {
  std::vector<std::string> found;
  auto names = about.peers.*where.names;
  while (!names.empty()) {
    const auto comma = names.find(", ");
    found.push_back("`" + std::string(where.scope) + std::string(names.substr(0, comma)) + "`");
    names = comma == names.npos ? std::string_view() : names.substr(comma + 2);
  }
  return found;
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const auto& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

/// One line per part.
std::string formula_lines(std::string_view formula) {
  std::string lines;
  while (true) {
    const auto end = formula.find("; ");
    lines += "    " + std::string(formula.substr(0, end)) + "\n";
    if (end == formula.npos) return lines;
    formula.remove_prefix(end + 2);
  }
}

void write_command(std::ostream& out, const operator_description& about) {
  out << "```bash\n" << command_example(about) << "\n```\n\n";
}

void write_python(std::ostream& out, const operator_description& about) {
  out << "```python\n";
  out << (!about.shapes.empty()  ? "shapes"
          : !about.table.empty() ? "table"
                                 : std::string(about.outputs[0].name))
      << " = macareu." << about.name << '(';
  const char* separator = "";
  for (const auto& input : about.inputs)
    if (!input.optional) out << std::exchange(separator, ", ") << input.name;
  for (const auto& parameter : required(about))
    out << ", " << parameter.name << '=' << example_value(parameter);
  out << ")\n```\n\n";
}

void write_cpp(std::ostream& out, const operator_description& about) {
  out << "```cpp\n"
      << (!about.shapes.empty()  ? "std::vector<macareu::shape> shapes"
          : !about.table.empty() ? "macareu::table rows"
                                 : "macareu::image " + std::string(about.outputs[0].name))
      << " = macareu::" << about.name << '(';
  const char* separator = "";
  for (const auto& input : about.inputs)
    if (!input.optional) out << std::exchange(separator, ", ") << input.name;
  if (const auto needed = required(about); !needed.empty()) {
    separator = ", {";
    for (const auto& parameter : needed)
      out << std::exchange(separator, ", ") << '.' << member_name(parameter) << " = "
          << example_value(parameter);
    out << '}';
  }
  out << ");\n```\n";
}

void write_parameters(std::ostream& out, const operator_description& about) {
  out << "| | name | | default |\n|---|---|---|---|\n";
  for (const auto& input : about.inputs)
    out << "| input | `" << input.name << "` | " << input.help << (input.optional ? " | none |\n" : " | |\n");
  for (const auto& output : about.outputs)
    out << "| output | `" << output.name << "` | " << output.help << ", " << type_text(output)
        << (output.optional ? " | left out |\n" : " | |\n");
  if (!about.table.empty()) out << "| output | table | " << about.table << " | |\n";
  if (!about.shapes.empty()) out << "| output | shapes | " << about.shapes << " | |\n";
  for (const auto& parameter : about.parameters) {
    auto help = help_text(parameter);
    if (parameter.kind == parameter_kind::choice)
      for (const char* separator = ": "; const auto choice : split(parameter.choices))
        help += std::exchange(separator, ", ") + ("`" + std::string(choice) + "`");
    if (member_name(parameter) != parameter.name) help += " (in C++ `" + member_name(parameter) + "`)";
    out << "| parameter | `" << parameter.name << "` | " << help << " | "
        << (parameter.default_text.empty() ? "required" : parameter.default_text) << " |\n";
  }
}

/// On the command line these are options, which the examples omit.
void write_optional_files(std::ostream& out, const operator_description& about) {
  std::vector<std::string> options;
  for (const auto& input : about.inputs)
    if (input.by_option) options.push_back("`" + option(input.name) + " FILE`");
  for (const auto& output : about.outputs)
    if (output.optional) options.push_back("`" + option(output.name) + " FILE`");
  if (std::ranges::any_of(about.outputs, &output_description::optional))
    options.push_back("`--keep NAME,...`");
  if (!options.empty()) out << "\nOn the command line, optional images are " << joined(options) << ".\n";
}

void write_engines(std::ostream& out, const operator_description& about) {
  out << "\n## Engines\n\n`serial`, `cpu` and `cuda`. ";
  if (about.pattern == "general_wave")
    out << "All give the same bits, except with method `propagation`.\n";
  else
    out << "All give the same bits.\n";
  if (about.in_pieces) {
    constexpr const char* times[] = {"once", "at most twice", "at most three times", "at most four times",
                                     "at most five times"};
    out << "[In pieces](../../explanation/pieces.md) every pixel of an input is read "
        << times[about.reads_in_pieces.times - 1] << " with default parameters, plus halos"
        << about.reads_in_pieces.more << ".\n";
  }
  if (about.most_gpu_words > 0)
    out << "A GPU takes at most " << about.most_gpu_words
        << " words of 64 pixels of a row at once. For larger images "
        << (about.in_pieces ? "in host memory `cuda` works in pieces, and " : "") << "`auto` uses `cpu`.\n";
  if (about.pattern == "wave")
    out << "Strategies (`--strategy`): `tiles` and `contraction` on `cpu` and `cuda`; `sweep`, `queue`, `megapixel` and "
           "`diagonal` on `cuda`. The result is the same.\n";
  if (about.group == "objects")
    out << "\nOn the command line `label` and `measure` have more options: tables, overlays, and which objects are "
           "kept. See [object tables](../table-columns.md).\n";
}

/// Caption of the panels that scripts/pictures.sh arranges.
std::string caption_of(const operator_description& about) {
  const std::string order = "From left to right: ";
  if (about.name == "histogram") return "The histogram of a generated slide, 64 bins.";
  if (about.name == "statistics") return "A generated slide, whose statistics are a table.";
  if (about.name == "measure") return order + "intensity, objects outlined and numbered.";
  if (about.name == "evaluate") return order + "true objects, found objects, whose scores are a table.";
  if (about.name == "contours") return order + "labels, their outlines along the edges of pixels.";
  std::vector<std::string> panels;
  for (const auto& input : about.inputs)
    if (!input.own_form && !input.optional) panels.emplace_back(input.name);
  panels.emplace_back(about.outputs[0].name);
  return order + joined(panels) + ".";
}

std::string page_of(const operator_description& about) {
  std::ostringstream out;
  out << "# " << about.name << "\n\n"
      << about.brief << "\n\n![" << about.name << "](pictures/" << about.name << ".png)\n\n"
      << caption_of(about) << "\n\n"
      << formula_lines(about.formula) << "\n"
      << about.notes << (about.each_channel ? " Colour images are processed channel by channel." : "")
      << "\n\n## Parameters\n\n";
  write_parameters(out, about);
  write_optional_files(out, about);
  out << "\n## Names in other libraries\n\n| library | name |\n|---|---|\n";
  for (const auto& each : libraries)
    if (const auto names = in_library(each, about); !names.empty())
      out << "| " << each.title << " | " << joined(names) << " |\n";
  write_engines(out, about);
  out << "\n## Examples\n\n";
  write_command(out, about);
  write_python(out, about);
  write_cpp(out, about);
  return out.str();
}

std::string index_page() {
  std::ostringstream out;
  out << "# Operators\n\nGenerated from the catalogue (`make docs`). Every operator is a verb of `macareu`, a function of "
         "`<macareu/operators.hpp>`, a function of the Python package, and an entry of `macareu::catalogue()`.\n\n"
         "In formulas f is the image, p and q are pixels. R_f(m) is the reconstruction of f from the marker m by "
         "dilation, R*_f(m) by erosion: see [reconstruct](reconstruct.md).\n";
  std::vector<std::string_view> groups;
  for (const auto& about : catalogue())
    if (std::ranges::find(groups, about.group) == groups.end()) groups.push_back(about.group);
  for (const auto group : groups) {
    std::string title(group);
    title[0] = static_cast<char>(title[0] - 'a' + 'A');
    out << "\n## " << title << "\n\n| operator | | |\n|---|---|---|\n";
    for (const auto& about : catalogue())
      if (about.group == group)
        out << "| [" << about.name << "](" << about.name << ".md) | " << about.brief << " | ![" << about.name
            << "](pictures/" << about.name << ".png) |\n";
  }
  return out.str();
}

/// Sorted by the other library's names.
std::string coming_from_page() {
  std::ostringstream out;
  out << "# Coming from scikit-image, SciPy, ITK, MATLAB, OpenCV or DIPlib\n\n"
         "Generated from the catalogue (`make docs`). The tables list the nearest operator for each name; its page "
         "says what differs. Unknown names in the tool and in Python are looked up here too: `macareu imreconstruct` "
         "suggests `reconstruct`.\n\n"
         "In Python, `macareu.skimage` and `macareu.scipy` have the original names and signatures: see "
         "[Python](../python.md). In C++, `macareu::itk` has ITK's classes: see [ITK](../itk.md).\n\n"
         "## Differences\n\n"
         "| topic | here | elsewhere |\n|---|---|---|\n"
         "| neighbours | full (8, 26), but face for fill_holes and hysteresis | SciPy's label, ITK: face by default |\n"
         "| neighbours 4 / 8 / 6 / 18 / 26 | `connectivity` 4 / 8 / 6 / 18 / 26, or `face`, `full` | scikit-image: "
         "connectivity 1 / 2 / 1 / 2 / 3; SciPy: `structure`; ITK: FullyConnected off (4, 6) or on (8, 26); MATLAB: the same "
         "numbers; OpenCV: 4, 8 |\n"
         "| pixel size | `spacing` | SciPy: `sampling`; scikit-image: `spacing`; ITK: the image's spacing |\n"
         "| smoothing | `sigma` | ITK: variance, sigma squared |\n"
         "| h_maxima, h_minima | masks, as in scikit-image; hmax and hmin are the grey images | ITK, MATLAB and DIPlib "
         "use the name for the grey image |\n"
         "| distance | to the nearest zero pixel; `invert` changes that | MATLAB's bwdist: to the nearest pixel that is "
         "not zero; ITK's Maurer filter is signed |\n"
         "| marker above the mask | an error; `clip` clips it | MATLAB clips |\n"
         "| pixel type of reconstruct | that of the input | scikit-image gives float |\n"
         "| constant image | has no regional extrema | MATLAB and ITK mark all of it |\n"
         "| labels | 1..n in raster order of first pixels | as in SciPy and scikit-image |\n"
         "| axes | array order: z, y, x | ITK's spacing is x, y, z |\n"
         "| NaN | refused where pixels are ordered | undefined in most libraries |\n";
  for (const auto& each : libraries) {
    std::map<std::string, std::vector<std::string_view>> operators;
    for (const auto& about : catalogue())
      for (const auto& name : in_library(each, about)) operators[name].push_back(about.name);
    out << "\n## " << each.title << "\n\n| name | operator |\n|---|---|\n";
    for (const auto& [name, found] : operators) {
      out << "| " << name << " |";
      for (const char* separator = " "; const auto one : found)
        out << std::exchange(separator, ", ") << '[' << one << "](" << one << ".md)";
      out << " |\n";
    }
  }
  return out.str();
}

bool write(const std::filesystem::path& path, const std::string& text) {
  std::ofstream out(path);
  out << text;
  return static_cast<bool>(out.flush());
}

}  // namespace

bool write_operator_pages(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  bool written =
      write(folder / "index.md", index_page()) && write(folder / "coming-from.md", coming_from_page());
  for (const auto& about : catalogue())
    written = write(folder / (std::string(about.name) + ".md"), page_of(about)) && written;
  return written;
}

}  // namespace macareu::pages
