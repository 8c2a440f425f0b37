// macareu-bench bench SUITE: the benchmarks.
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <memory>

#include <macareu/error.hpp>
#include <macareu/files.hpp>

#include "bench/suite.hpp"
#include "command/other_programs.hpp"
#include "command/outputs.hpp"
#include "command/program.hpp"
#include "command/text.hpp"

namespace macareu::tool {
namespace {

struct benchmark {
  std::string suite;
  std::string json;
  bench::options options;
};

std::filesystem::path default_data() {
  const char* given = std::getenv("MACAREU_DATA");
  return given && *given ? given : "../shared/data";
}

const bench::suite& suite_named(const std::string& name) {
  std::vector<std::string> names;
  for (const auto& suite : bench::suites()) {
    if (suite.name == name) return suite;
    names.emplace_back(suite.name);
  }
  throw usage_error("unknown suite " + in_quotes(name) + "; the suites are " + joined(names, ", ") +
                    did_you_mean(name, names));
}

int run(const benchmark& given, interruption& signals) {
  const auto& suite = suite_named(given.suite);
  if (!given.json.empty()) check_text_output(given.json);
  const auto& directory = given.options.save_inputs;
  if (!directory.empty() && !std::filesystem::is_directory(directory))
    throw io_error(directory.string(), "no such directory");
  bench::recorder recorder(given.options, std::cout);
  suite.run(recorder);
  if (recorder.results().empty())
    throw usage_error("--only " + in_quotes(given.options.only) + " selects no case of " + given.suite);
  const bool differs =
      std::ranges::any_of(recorder.results(), [](const auto& each) { return each.run && !each.run->equal; });
  const auto code = differs ? exit_code::difference : exit_code::done;
  if (given.json.empty()) return code;
  const interruption::careful_section careful(signals);
  output_files files;
  files.add_text(given.json, bench::to_json(suite, recorder));
  signals.check();
  files.commit();
  return code;
}

std::string suites_text() {
  std::string text;
  for (const auto& suite : bench::suites())
    text += (text.empty() ? "" : "; ") + std::string(suite.name) + ": " + std::string(suite.brief);
  return text;
}

void add_options(parser& options, benchmark& given) {
  options.add({.group = "Inputs",
               .names = "SUITE",
               .help = suites_text(),
               .required = true,
               .take = [&](const std::string& text) { given.suite = text; }});
  options.add({.group = "Outputs",
               .names = "--json",
               .value = "FILE",
               .help = "write the report, with commit, machine and compiler",
               .take = [&](const std::string& text) { given.json = text; }});
  options.add({.group = "Outputs",
               .names = "--save-inputs",
               .value = "DIR",
               .help = "keep the images as .npy files, for other programs",
               .take = [&](const std::string& text) { given.options.save_inputs = text; }});
  options.add({.group = "Parameters",
               .names = "--only",
               .value = "PATTERN,...",
               .help = "cases whose name contains one of these parts; * and ? match anything",
               .take = [&](const std::string& text) { given.options.only = text; }});
  options.add({.group = "Parameters",
               .names = "--repeat",
               .value = "N",
               .help =
                   "runs of each case, fewer for slow cases (default: 7; wave, distance and patterns: 11; "
                   "slides: 3)",
               .take = [&](const std::string& text) {
                 given.options.repeat = static_cast<int>(whole_number("--repeat", text, 1, 1'000'000));
               }});
  options.add({.group = "Parameters",
               .names = "--quick",
               .help = "small images: a quick test, not a measurement",
               .take = [&](const std::string&) { given.options.quick = true; }});
  options.add(
      {.group = "Parameters",
       .names = "--data",
       .value = "DIR",
       .help = "folder of the published images; without them tissue is generated (default: the environment "
               "variable MACAREU_DATA, else ../shared/data)",
       .take = [&](const std::string& text) { given.options.data = text; }});
}

verb bench_verb() {
  auto about = bench_outline();
  about.notes =
      "One row per case: name, shape, type, neighbours, threads, runs, median and least time, time per "
      "pixel, and the sum of the output's pixels as a check. Times exclude files. The suites wave and "
      "distance also print counters, the time limit, and whether the result is right: exit code 1 if not.";
  about.prepare = [](parser& options) {
    const auto given = std::make_shared<benchmark>();
    given->options.data = default_data();
    add_options(options, *given);
    return [given](interruption& signals) { return run(*given, signals); };
  };
  return about;
}

std::vector<verb> all_verbs() { return {bench_verb()}; }

}  // namespace
}  // namespace macareu::tool

int main(int count, char** values) {
  return macareu::tool::run_program(macareu::tool::all_verbs, count, values);
}
