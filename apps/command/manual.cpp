#include "manual.hpp"

#include <algorithm>
#include <cctype>
#include <fstream>

#include <macareu/error.hpp>
#include <macareu/version.hpp>

#include "help.hpp"
#include "text.hpp"

namespace macareu::tool {
namespace {

/// Escapes text for roff: no escapes, no requests, hyphens that can be copied.
std::string roff(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\')
      result += "\\e";
    else if (c == '-')
      result += "\\-";
    else
      result += c;
  }
  if (result.starts_with('.') || result.starts_with('\'')) result.insert(0, "\\&");
  return result;
}

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

/// Programs that list pages expect the sentence without its full stop.
std::string header(const std::string& name, std::string brief) {
  if (brief.ends_with('.')) brief.pop_back();
  return ".TH " + upper(roff(name)) + " 1 \"\" \"macareu " + version + "\" \"User Commands\"\n.SH NAME\n" +
         roff(name) + " \\- " + roff(brief) + "\n";
}

std::string item(const option& about) {
  std::string names;
  for (const auto& name : split(about.names, ','))
    names += (names.empty() ? "" : ", ") + ("\\fB" + roff(name) + "\\fR");
  if (about.several) names += "...";
  if (!about.value.empty()) names += " \\fI" + roff(about.value) + "\\fR";
  return ".TP\n" + names + "\n" + roff(about.help) + "\n";
}

std::string verb_page(const verb& about, const parser& arguments) {
  auto page = header("macareu-" + about.name, about.brief) + ".SH SYNOPSIS\n" +
              roff(usage_line(about, arguments)) + "\n.SH DESCRIPTION\n" + roff(about.brief) + "\n";
  if (!about.notes.empty()) page += ".PP\n" + roff(about.notes) + "\n";
  std::string group;
  for (const auto& each : arguments.options())
    if (each.group != group) {
      group = each.group;
      page += ".SH " + upper(group) + "\n";
      for (const auto& one : arguments.options())
        if (one.group == group) page += item(one);
    }
  if (!about.example.empty()) page += ".SH EXAMPLES\n.EX\n" + roff(about.example) + "\n.EE\n";
  return page + ".SH SEE ALSO\n.BR macareu (1)\n";
}

std::string main_page(const std::vector<verb>& verbs) {
  auto page =
      header("macareu", "fast image operators: reconstruction, distances, labels, filters") +
      ".SH SYNOPSIS\nmacareu \\fIVERB INPUT\\fR... \\-o \\fIOUTPUT\\fR [options]\n.br\nmacareu "
      "\\fIVERB\\fR \\-\\-help\n.br\nmacareu \\-\\-version\n.SH DESCRIPTION\nThe file extension "
      "selects the format; macareu info lists the formats of this build. macareu\\-VERB(1) describes one "
      "verb.\n";
  std::string group;
  for (const auto& each : verbs)
    if (each.group != group) {
      group = each.group;
      page += ".SH " + upper(group) + "\n";
      for (const auto& one : verbs)
        if (one.group == group) page += ".TP\n\\fB" + roff(one.name) + "\\fR\n" + roff(one.brief) + "\n";
    }
  return page +
         ".SH EXIT STATUS\n0 done, 1 compare found a difference, or bench a wrong result, 2 usage, 3 file, "
         "4 device or memory, 70 internal error, 130 interrupted.\n.SH ENVIRONMENT\n.TP\n"
         "\\fBOMP_NUM_THREADS\\fR\nthreads, if \\-\\-threads is not given\n.TP\n\\fBMACAREU_CACHE\\fR\nwhere "
         "macareu run keeps compiled functions\n.TP\n\\fBMACAREU_DATA\\fR\nthe images for macareu bench\n";
}

void write(const std::filesystem::path& path, const std::string& text) {
  std::ofstream out(path);
  out << text;
  if (!out.flush()) throw io_error(path.string(), "cannot be written");
}

}  // namespace

std::string verb_lines(const std::vector<verb>& verbs) {
  std::string lines;
  for (const auto& each : verbs) lines += each.name + "\t" + one_line(each.brief) + "\n";
  return lines;
}

std::string option_lines(const parser& arguments) {
  std::string lines;
  for (const auto& each : arguments.options())
    for (const auto& name : split(each.names, ','))
      lines += name + "\t" + each.value + "\t" + one_line(each.help) + "\n";
  return lines;
}

void write_manual(const std::vector<verb>& verbs, const std::filesystem::path& directory) {
  std::filesystem::create_directories(directory);
  const auto elsewhere = [](const verb& each) { return !each.prepare; };
  if (std::ranges::any_of(verbs, elsewhere)) write(directory / "macareu.1", main_page(verbs));
  for (const auto& each : verbs) {
    if (elsewhere(each)) continue;
    parser options;
    each.prepare(options);
    write(directory / ("macareu-" + each.name + ".1"), verb_page(each, options));
  }
}

}  // namespace macareu::tool
