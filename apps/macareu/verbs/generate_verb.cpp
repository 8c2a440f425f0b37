#include <algorithm>
#include <iostream>
#include <limits>
#include <memory>
#include <new>
#include <optional>

#include <macareu/error.hpp>
#include <macareu/files.hpp>
#include <macareu/generate.hpp>

#include "command/outputs.hpp"
#include "command/text.hpp"
#include "verbs/verbs.hpp"

namespace macareu::tool {
namespace {

struct generation {
  std::string name;
  std::optional<extents> shape;
  generate_options options;
  std::string mask, marker;
};

std::string dimensions(const instance_description& about) {
  return about.images && about.volumes ? "2-D, 3-D" : about.images ? "2-D" : "3-D";
}

void list_instances() {
  std::cout << "Instances of macareu generate NAME --shape ROWS,COLUMNS -o mask.npy [--marker marker.npy]:\n";
  for (const auto& about : instances()) {
    const std::string name(about.name);
    std::cout << "  " << name << std::string(name.size() < 16 ? 16 - name.size() : 1, ' ')
              << wrapped(std::string(about.brief) + " (" + dimensions(about) + ")", 18) << '\n';
  }
}

void check(const generation& given) {
  if (!given.shape) throw usage_error("--shape is required; see macareu generate --help");
  if (given.mask.empty()) throw usage_error("--output is required; see macareu generate --help");
  check_image_output(given.mask);
  check_image_fits(given.mask, dtype::u8, *given.shape, 1);
  if (given.marker.empty()) return;
  check_image_output(given.marker);
  check_image_fits(given.marker, dtype::u8, *given.shape, 1);
  check_distinct({given.mask, given.marker});
  const auto all = instances();
  const auto found = std::ranges::find(all, given.name, &instance_description::name);
  if (found != all.end() && !found->marker)
    throw usage_error(given.name + " has no marker: leave out --marker");
}

instance make(const generation& given) {
  try {
    return generate(given.name, *given.shape, given.options);
  } catch (const std::bad_alloc&) {
    throw device_error("not enough memory for " + to_string(*given.shape));
  }
}

int run(const generation& given, interruption& signals) {
  if (given.name.empty()) {
    if (given.shape || !given.mask.empty())
      throw usage_error("NAME is required: `macareu generate` lists the instances");
    list_instances();
    return exit_code::done;
  }
  check(given);
  const auto made = make(given);
  const interruption::careful_section careful(signals);
  output_files all;
  all.add(given.mask, made.mask);
  signals.check();
  if (!given.marker.empty()) all.add(given.marker, made.marker.value());
  signals.check();
  all.commit();
  return exit_code::done;
}

void add_options(parser& options, generation& given) {
  options.add({.group = "Inputs",
               .names = "NAME",
               .help = "which instance; without it, all are listed",
               .take = [&](const std::string& text) { given.name = text; }});
  options.add({.group = "Outputs",
               .names = "-o,--output",
               .value = "FILE",
               .help = "the mask; the extension selects the format",
               .take = [&](const std::string& text) { given.mask = text; }});
  options.add({.group = "Outputs",
               .names = "--marker",
               .value = "FILE",
               .help = "the marker, where the instance has one",
               .take = [&](const std::string& text) { given.marker = text; }});
  options.add({.group = "Parameters",
               .names = "--shape",
               .value = "Z,Y,X",
               .help = "ROWS,COLUMNS or SLICES,ROWS,COLUMNS (required)",
               .take = [&](const std::string& text) { given.shape = shape_from("--shape", text); }});
  options.add({.group = "Parameters",
               .names = "--seed",
               .value = "N",
               .help = "seed; another value gives another image of the same kind (default: 1)",
               .take = [&](const std::string& text) {
                 given.options.seed = static_cast<std::uint64_t>(
                     whole_number("--seed", text, 0, std::numeric_limits<std::int64_t>::max()));
               }});
  options.add({.group = "Parameters",
               .names = "--coverage",
               .value = "25|50|75|100",
               .help = "tissue: per cent of the slide that is covered (default: 50)",
               .take = [&](const std::string& text) {
                 given.options.coverage = std::stoi(choice_from("--coverage", text, "25|50|75|100"));
               }});
}

}  // namespace

verb generate_verb() {
  return {
      .name = "generate",
      .group = "Tools",
      .brief = "Makes a test image by formula, the same bytes on every machine.",
      .notes =
          "Without NAME it lists the instances. Pixels are u8. Example: macareu generate tissue --shape 4096,4096 "
          "-o mask.npy --marker marker.npy",
      .works_alone = true,
      .prepare = [](parser& options) {
        const auto given = std::make_shared<generation>();
        add_options(options, *given);
        return [given](interruption& signals) { return run(*given, signals); };
      }};
}

}  // namespace macareu::tool
