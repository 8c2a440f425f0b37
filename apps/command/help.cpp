#include "help.hpp"

#include <algorithm>

#include "text.hpp"

namespace macareu::tool {
namespace {

/// "-o, --output FILE"
std::string left_column(const option& about) {
  auto text = joined(split(about.names, ','), ", ");
  if (about.several) text += "...";
  return about.value.empty() ? text : text + " " + about.value;
}

std::string entry(const std::string& left, const std::string& help, std::size_t column) {
  const auto gap = left.size() + 4 <= column ? std::string(column - left.size() - 2, ' ')
                                             : "\n" + std::string(column, ' ');
  return "  " + left + gap + wrapped(help, column) + "\n";
}

template <class Items, class Group>
std::vector<std::string> groups_of(const Items& items, Group group) {
  std::vector<std::string> groups;
  for (const auto& item : items)
    if (std::ranges::find(groups, item.*group) == groups.end()) groups.push_back(item.*group);
  return groups;
}

}  // namespace

std::string usage_line(const verb& about, const parser& arguments) {
  std::string line = "macareu " + about.name;
  for (const auto& each : arguments.options()) {
    if (!each.is_input()) continue;
    const auto name = each.names + (each.several ? "..." : "");
    line += each.required ? " " + name : " [" + name + "]";
  }
  bool others = false;
  for (const auto& each : arguments.options()) {
    if (each.is_input()) continue;
    others = others || !each.required;
    if (each.required) line += " " + split(each.names, ',')[0] + " " + each.value;
  }
  return line + (others ? " [options]" : "");
}

std::string overview(const std::vector<verb>& verbs) {
  std::string page =
      "macareu: fast image operators: reconstruction, distances, labels, filters\n\n"
      "Usage: macareu VERB INPUT... -o OUTPUT [options]\n"
      "       macareu VERB --help   all about one verb\n"
      "       macareu --version\n";
  for (const auto& group : groups_of(verbs, &verb::group)) {
    page += "\n" + group + ":\n";
    for (const auto& each : verbs)
      if (each.group == group) page += entry(each.name, each.brief, 16);
  }
  return page +
         "\nThe file extension selects the format; `macareu info` lists the formats of this build.\n"
         "Exit codes: 0 done, 1 compare found a difference, or bench a wrong result, 2 usage, 3 file,\n"
         "4 device or memory, 70 internal error, 130 interrupted.\n";
}

std::string usage_of(const verb& about, const parser& arguments) {
  return "Usage: " + usage_line(about, arguments) + "\n" + wrapped(about.brief, 0) + "\nSee macareu " +
         about.name + " --help\n";
}

std::string help_of(const verb& about, const parser& arguments) {
  auto page = "macareu " + about.name + ": " + wrapped(about.brief, 0) +
              "\n\nUsage: " + usage_line(about, arguments) + "\n";
  if (!about.notes.empty()) page += "\n" + wrapped(about.notes, 0) + "\n";
  std::size_t column = 0;
  for (const auto& each : arguments.options())
    column = std::max(column, std::min<std::size_t>(left_column(each).size() + 4, 32));
  for (const auto& group : groups_of(arguments.options(), &option::group)) {
    page += "\n" + group + ":\n";
    for (const auto& each : arguments.options())
      if (each.group == group) page += entry(left_column(each), each.help, column);
  }
  if (!about.example.empty()) page += "\nExample:\n  " + about.example + "\n";
  return page;
}

}  // namespace macareu::tool
