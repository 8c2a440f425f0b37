#include "function_file.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include <macareu/error.hpp>

#include <cache.hpp>
#include <parse.hpp>
#include <source.hpp>

#include "text.hpp"

namespace macareu::tool {
namespace {

namespace fs = std::filesystem;

/// All that the description depends on.
std::string content_of(const converter::source& from, const std::string& file) {
  auto content = "description of " + file + "\n";
  for (const auto& each : from.directives) content += converter::to_string(each.where) + each.text + "\n";
  return content + from.text;
}

}  // namespace

void function_file::add_to(parser& options) {
  options.add({.group = "Inputs",
               .names = "FUNCTION",
               .help = "a C or C++ file with a marked function, or its description (.json)",
               .required = true,
               .take = [this](const std::string& text) { file = text; }});
  options.add({.group = "Parameters",
               .names = "--header",
               .value = "FILE.h",
               .help = "a header with what the function uses, where the file does not include it",
               .take = [this](const std::string& text) { header = text; }});
  options.add(
      {.group = "Parameters",
       .names = "--border",
       .value = "nearest|constant|mirror|wrap",
       .help =
           "what the window of an N2P function sees outside the image: the nearest pixel, zeros, the image "
           "mirrored (b a | a b c), or the image again (default: nearest)",
       .take = [this](const std::string& text) {
         border = choice_from("--border", text, "nearest|constant|mirror|wrap");
       }});
}

converter::description function_file::described() const {
  if (fs::path(file).extension() == ".json") {
    if (!header.empty())
      throw usage_error("--header belongs to a source file, and " + file + " is a description");
    return converter::from_json(converter::text_of_file(file), file);
  }
  const auto from = converter::read_source(file, header);
  if (!converter::can_parse()) return converter::parse(from, file);
  const auto kept =
      converter::cached(content_of(from, file), "description.json", [&](const fs::path& directory) {
        converter::write_text(directory / "description.json",
                              converter::to_json(converter::parse(from, file)));
      });
  return converter::from_json(converter::text_of_file(kept), kept.string());
}

std::string function_file::program_name() const {
  auto name = fs::path(file).stem().string();
  std::ranges::replace_if(
      name, [](unsigned char c) { return !std::isalnum(c) && c != '_'; }, '_');
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0]))) name = "filter_" + name;
  return name;
}

}  // namespace macareu::tool
