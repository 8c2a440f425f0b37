#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <macareu/error.hpp>
#include <macareu/files.hpp>

#include <cache.hpp>
#include <generate.hpp>

#include "command/other_programs.hpp"
#include "command/outputs.hpp"
#include "command/text.hpp"
#include "function_file.hpp"
#include "verbs.hpp"

namespace macareu::tool {
namespace {

namespace fs = std::filesystem;

struct conversion {
  function_file function;
  std::string output;
  bool overwrite = false;
};

/// Users edit the files, so one that differs from the new text is not overwritten.
void check_kept(const fs::path& directory, const std::map<std::string, std::string>& files) {
  std::vector<std::string> changed;
  for (const auto& [name, text] : files) {
    std::error_code none;
    if (fs::is_regular_file(directory / name, none) && converter::text_of_file(directory / name) != text)
      changed.push_back((directory / name).string());
  }
  if (changed.empty()) return;
  const auto what = changed.size() == 1 ? changed[0] + " is" : joined(changed, ", ") + " are";
  throw usage_error(what +
                    " there already and would change; name another place, or replace with --overwrite");
}

int run(const conversion& asked, interruption& signals) {
  const auto about = asked.function.described();
  const fs::path output = asked.output;
  const interruption::careful_section careful(signals);
  output_files all;
  if (output.extension() == ".json") {
    if (asked.function.border)
      throw usage_error("--border is no part of a description: give it where " + asked.output +
                        " is run or converted");
    check_text_output(output);
    const auto text = converter::to_json(about);
    if (!asked.overwrite) check_kept(output.parent_path(), {{output.filename().string(), text}});
    all.add_text(output, text);
    all.commit();
    return exit_code::done;
  }
  std::error_code failure;
  if (fs::exists(output, failure) && !fs::is_directory(output, failure))
    throw io_error(asked.output,
                   "is a file, expected a directory for the program, or a name that ends with .json");
  const auto files = converter::program(
      about, {.name = asked.function.program_name(), .border = asked.function.border.value_or("nearest")});
  if (!asked.overwrite) check_kept(output, files);
  fs::create_directories(output, failure);
  if (failure) throw io_error(asked.output, "cannot be created: " + failure.message());
  for (const auto& [name, text] : files) all.add_text(output / name, text);
  signals.check();
  all.commit();
  return exit_code::done;
}

}  // namespace

verb convert_verb() {
  auto about = convert_outline();
  about.notes =
      "The function is marked by #P2P_FUNC, #N2P_FUNC, #R2S_FUNC, #R2V_FUNC or #IWPP_FUNC on the line before "
      "it (or #pragma macareu p2p and so on). The program does not need Macareu. The function is not "
      "executed. Example: macareu convert examples/convert/binarise.c -o binarise";
  about.prepare = [](parser& options) {
    const auto asked = std::make_shared<conversion>();
    asked->function.add_to(options);
    options.add({.group = "Outputs",
                 .names = "-o,--output",
                 .value = "DIRECTORY|FILE.json",
                 .help = "directory of the program, created if needed; or a file for the "
                         "description, which machines without a C parser can run",
                 .required = true,
                 .take = [asked](const std::string& text) { asked->output = text; }});
    options.add(
        {.group = "Outputs",
         .names = "--overwrite",
         .help = "replace existing files of the program that differ, such as those that you have edited",
         .take = [asked](const std::string&) { asked->overwrite = true; }});
    return [asked](interruption& signals) { return run(*asked, signals); };
  };
  return about;
}

}  // namespace macareu::tool
