#include <algorithm>
#include <iostream>
#include <limits>
#include <memory>
#include <new>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include <macareu/error.hpp>
#include <macareu/generate.hpp>
#include <macareu/sources.hpp>

#include "command/outputs.hpp"
#include "command/text.hpp"
#include "tuning.hpp"
#include "verbs/verbs.hpp"

namespace macareu::tool {
namespace {

struct generation {
  std::string name;
  std::optional<extents> shape;
  generate_options options;
  std::string mask, marker, truth;
  std::optional<std::int64_t> memory;
};

std::string dimensions(const instance_description& about) {
  return about.images && about.volumes ? "2-D, 3-D" : about.images ? "2-D" : "3-D";
}

void list_instances() {
  std::cout
      << "Instances of macareu generate NAME --shape ROWS,COLUMNS -o FILE [--marker FILE] [--truth FILE]:\n";
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
  std::vector<std::string> files{given.mask};
  for (const auto& beside : {given.marker, given.truth}) {
    if (beside.empty()) continue;
    check_image_output(beside);
    files.push_back(beside);
  }
  check_distinct(files);
  const auto all = instances();
  const auto found = std::ranges::find(all, given.name, &instance_description::name);
  if (found == all.end()) return;  // refused by the generator
  if (!given.marker.empty() && !found->marker)
    throw usage_error(given.name + " has no marker: leave out --marker");
  if (!given.truth.empty() && !found->truth)
    throw usage_error(given.name + " has no truth: leave out --truth");
}

/// The outputs, as files that are written by bands.
struct outputs {
  struct output {
    std::unique_ptr<image_sink> sink = {};
    dtype type = dtype::u8;
    int channels = 1;
    image band = {};

    std::int64_t pixel_bytes() const { return channels * static_cast<std::int64_t>(size_of(type)); }
  };
  output mask, marker, truth;

  outputs(const generation& given, const instance_description& about)
      : mask{.channels = about.channels}, truth{.type = dtype::u32} {
    metadata info;
    if (about.pixel_size > 0) info.spacing = {about.pixel_size, about.pixel_size, about.pixel_size};
    const auto create = [&](output& to, const std::string& file) {
      if (file.empty()) return;
      to.sink = create_sink(file, {to.type, *given.shape, to.channels, info});
    };
    create(mask, given.mask);
    create(marker, given.marker);
    create(truth, given.truth);
  }

  /// Calls visit(output) for those that are wanted.
  template <class Visit>
  void for_each(const Visit& visit) {
    for (auto* each : {&mask, &marker, &truth})
      if (each->sink) visit(*each);
  }
  std::int64_t pixel_bytes() {
    std::int64_t sum = 0;
    for_each([&](const output& each) { sum += each.pixel_bytes(); });
    return sum;
  }
  /// Bands are multiples of this along an axis.
  std::int64_t step(std::size_t axis) {
    std::int64_t step = 1;
    for_each([&](const output& each) {
      step = std::lcm(step, std::max<std::int64_t>(each.sink->chunk()[axis], 1));
    });
    return step;
  }
};

/// The pixels of an output's band, or null.
template <class T>
T* pixels_of(outputs::output& from) {
  return from.sink ? from.band.pixels<T>().data() : nullptr;
}

/// Sizes of the bands: whole slices where some fit the limit, else rows of as few slices as files allow.
struct band_sizes {
  std::int64_t slices, rows;

  band_sizes(const generation& given, outputs& files, std::int64_t work_memory) {
    const auto& shape = *given.shape;
    slices = std::min(files.step(0), shape.depth());
    rows = std::min(files.step(1), shape.height());
    const auto row_bytes = shape.width() * files.pixel_bytes();
    const auto least = work_memory + slices * rows * row_bytes;
    if (given.memory && *given.memory < least)
      throw usage_error("--memory: " + given.name + " of " + to_string(shape) + " needs at least " +
                        std::to_string(least) + " bytes, got " + std::to_string(*given.memory));
    if (slices * rows * row_bytes == 0) return;
    const auto limit =
        given.memory ? *given.memory - work_memory : std::max(tuning::generated_bytes, least - work_memory);
    rows = std::min(limit / (slices * row_bytes) / rows * rows, shape.height());
    if (rows == shape.height())
      slices = std::min(limit / (rows * row_bytes) / slices * slices, shape.depth());
  }
};

void write_bands(const generation& given, const instance_generator& generator, outputs& files) {
  const auto& shape = *given.shape;
  const band_sizes band(given, files, generator.work_memory());
  if (shape.pixels() == 0) return;
  const extents most{band.slices, band.rows, shape.width()};
  files.for_each([&](auto& each) { each.band = image(each.type, most, each.channels); });
  for (std::int64_t z = 0; z < shape.depth(); z += band.slices)
    for (std::int64_t y = 0; y < shape.height(); y += band.rows) {
      const image_region rows{.first = {z, y, 0},
                              .size = {std::min(band.slices, shape.depth() - z),
                                       std::min(band.rows, shape.height() - y), shape.width()}};
      generator.draw(rows, pixels_of<std::uint8_t>(files.mask), pixels_of<std::uint8_t>(files.marker),
                     pixels_of<std::uint32_t>(files.truth));
      files.for_each([&](auto& each) { each.sink->write(rows, each.band.data()); });
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
  auto how = given.options;
  how.stop = signals.token();
  const instance_generator generator(given.name, *given.shape, how);
  const interruption::careful_section careful(signals);
  outputs files(given, generator.description());
  try {
    write_bands(given, generator, files);
  } catch (const std::bad_alloc&) {
    throw device_error("not enough memory for bands of " + to_string(*given.shape) + "; lower --memory");
  }
  signals.check();
  files.for_each([](auto& each) { each.sink->commit(); });
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
  options.add({.group = "Outputs",
               .names = "--truth",
               .value = "FILE",
               .help = "slide: a label image of the nuclei, numbered in raster order",
               .take = [&](const std::string& text) { given.truth = text; }});
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
               .help = "tissue and slide: per cent of the slide that is covered (default: 50)",
               .take = [&](const std::string& text) {
                 given.options.coverage = std::stoi(choice_from("--coverage", text, "25|50|75|100"));
               }});
  options.add(
      {.group = "Running",
       .names = "--memory",
       .value = "SIZE",
       .help = "memory for pixels, such as 2G; larger images are written in bands of rows (default: 64M)",
       .take = [&](const std::string& text) { given.memory = memory_size("--memory", text); }});
}

}  // namespace

verb generate_verb() {
  return {
      .name = "generate",
      .group = "Tools",
      .brief = "Makes a test image by formula, the same bytes on every machine.",
      .notes =
          "Without NAME it lists the instances. Pixels are u8; slide has three channels. Example: macareu generate tissue --shape 4096,4096 "
          "-o mask.npy --marker marker.npy",
      .works_alone = true,
      .prepare = [](parser& options) {
        const auto given = std::make_shared<generation>();
        add_options(options, *given);
        return [given](interruption& signals) { return run(*given, signals); };
      }};
}

}  // namespace macareu::tool
