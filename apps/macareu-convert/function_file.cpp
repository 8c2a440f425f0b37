#include "function_file.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <string_view>

#include <macareu/error.hpp>
#include <macareu/version.hpp>

#include <cache.hpp>
#include <parse.hpp>
#include <source.hpp>

#include "command/text.hpp"

namespace macareu::tool {
namespace {

namespace fs = std::filesystem;

/// File names that every program uses, and target names that CMake reserves.
constexpr std::array<std::string_view, 14> taken_names{"main",           "pnm",
                                                       "arguments",      "all",
                                                       "clean",          "depend",
                                                       "edit_cache",     "install",
                                                       "help",           "package",
                                                       "package_source", "rebuild_cache",
                                                       "test",           "list_install_components"};

/// The cache key: everything that the description depends on.
std::string content_of(const converter::source& from, const std::string& file) {
  auto content = "description of " + file + " by version " + version + ", format " +
                 std::to_string(converter::format_version) + "\n";
  for (const auto& each : from.directives) content += converter::to_string(each.where) + each.text + "\n";
  return content + from.text;
}

bool is_description(const std::string& text) {
  try {
    converter::from_json(text, "");
    return true;
  } catch (const usage_error&) {
    return false;
  }
}

converter::description described_by(const std::string& file, const std::string& header) {
  if (fs::path(file).extension() == ".json") {
    if (!header.empty())
      throw usage_error("--header belongs to a source file, and " + file + " is a description");
    return converter::from_json(converter::text_of_file(file), file);
  }
  const auto from = converter::read_source(file, header);
  if (!converter::can_parse()) return converter::parse(from, file);
  const auto text = converter::cached_text(
      content_of(from, file), "description.json",
      [&] { return converter::to_json(converter::parse(from, file)); }, is_description);
  return converter::from_json(text, file);
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
       .value = "nearest|constant|reflect|mirror|wrap",
       .help =
           "pixels outside the image, for the window of an N2P function, with SciPy's names: the "
           "nearest pixel, zeros, the image reflected (b a | a b c) or mirrored (c b | a b c), or the image "
           "again (default: nearest)",
       .take = [this](const std::string& text) {
         border = choice_from("--border", text, "nearest|constant|reflect|mirror|wrap");
       }});
}

converter::description function_file::described() const {
  auto about = described_by(file, header);
  if (border) check_option_of("--border", converter::category::n2p, about.kind);
  return about;
}

void check_option_of(const std::string& option, converter::category of, converter::category kind) {
  if (kind == of) return;
  throw usage_error(option + " is for functions of " + std::string(converter::name_of(of)) +
                    ", and this is one of " + std::string(converter::name_of(kind)));
}

std::string function_file::program_name() const {
  auto name = fs::path(file).stem().string();
  std::ranges::replace_if(
      name, [](unsigned char c) { return !std::isalnum(c) && c != '_'; }, '_');
  if (std::ranges::all_of(name, [](char c) { return c == '_'; })) return "filter";
  const bool taken = std::ranges::find(taken_names, name) != taken_names.end();
  if (taken || std::isdigit(static_cast<unsigned char>(name[0]))) name = "filter_" + name;
  return name;
}

}  // namespace macareu::tool
