#include <algorithm>
#include <cmath>
#include <iostream>
#include <memory>
#include <set>

#include <macareu/catalogue.hpp>
#include <macareu/files.hpp>
#include <macareu/machine.hpp>
#include <macareu/version.hpp>

#include "command/inputs.hpp"
#include "command/pixels.hpp"
#include "command/text.hpp"
#include "verbs/verbs.hpp"

namespace macareu::tool {
namespace {

void line(const std::string& name, const std::string& value) {
  std::cout << "  " << name << std::string(name.size() < 16 ? 16 - name.size() : 1, ' ') << value << '\n';
}

std::string strategies_text(std::string_view device) {
  std::set<std::string_view> patterns;
  for (const auto& about : catalogue()) patterns.insert(about.pattern);
  std::string text;
  for (const auto pattern : patterns) {
    std::vector<std::string> names;
    for (const auto name : strategies(device, pattern)) names.emplace_back(name);
    if (!names.empty())
      text += (text.empty() ? "" : "; ") + std::string(pattern) + ": " + joined(names, ", ");
  }
  return text.empty() ? "" : " (" + text + ")";
}

std::string text_of_gpu(const gpu_description& gpu) {
  return gpu.name + ", " + std::to_string(gpu.memory >> 30) + " GiB, compute capability " +
         std::to_string(gpu.major) + "." + std::to_string(gpu.minor) +
         (gpu.usable ? "" : " (older than this build has code for)");
}

void describe_gpus(const machine_description& machine) {
  if (machine.gpus.empty()) line("GPUs", "none: " + machine.no_gpu);
  for (std::size_t i = 0; i < machine.gpus.size(); ++i)
    line(i == 0 ? "GPUs" : "", std::to_string(i) + ": " + text_of_gpu(machine.gpus[i]));
}

void describe_build() {
  std::vector<std::string> device_texts;
  for (const auto device : devices()) device_texts.push_back(std::string(device) + strategies_text(device));
  const auto machine = this_machine();
  std::cout << "macareu " << version << '\n';
  line("devices", joined(device_texts, ", "));
  line("threads", std::to_string(machine.threads));
  line("instruction set", std::string(machine.instruction_set));
  describe_gpus(machine);
  line("operators", std::to_string(catalogue().size()));
  const auto readable = readable_extensions();
  const bool libvips = std::ranges::find(readable, ".png") != readable.end();
  line("reads", joined(readable, " ") + (libvips ? " and what else libvips reads" : ""));
  line("writes", joined(writable_extensions(), " "));
}

/// Exact for integers of up to 32 bits, the nearest double otherwise.
template <class T>
using total_of = std::conditional_t<std::is_floating_point_v<T> || sizeof(T) == 8, double,
                                    std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>;

template <class T>
std::string text_of(T value) {
  if constexpr (std::is_floating_point_v<T>)
    return shortest(value);
  else
    return std::to_string(value);
}

template <class T>
void describe_values(std::span<const T> values) {
  total_of<T> sum = 0;
  std::size_t numbers = 0;
  T lowest{}, highest{};
  for (const T value : values) {
    if (value != value) continue;
    if (numbers == 0) lowest = highest = value;
    lowest = std::min(lowest, value);
    highest = std::max(highest, value);
    sum += static_cast<total_of<T>>(value);
    ++numbers;
  }
  if (numbers < values.size()) line("NaN", std::to_string(values.size() - numbers));
  if (numbers == 0) return;
  line("min", text_of(lowest));
  line("max", text_of(highest));
  line("sum", text_of(sum));
  line("mean", shortest(static_cast<double>(sum) / static_cast<double>(numbers)));
}

void describe_file(const std::string& file, const image_file& read) {
  const auto& pixels = read.pixels;
  const int rank = pixels.shape().rank();
  std::cout << file << '\n';
  line("shape", to_string(pixels.shape()) + (rank == 3 ? " (slices, rows, columns)" : " (rows, columns)"));
  line("type", std::string(name_of(pixels.type())));
  line("channels", std::to_string(pixels.channels()));
  if (read.info.spacing) {
    std::string sizes;
    for (int axis = 0; axis < rank; ++axis)
      sizes += (axis > 0 ? ", " : "") + shortest((*read.info.spacing)[static_cast<std::size_t>(axis)]);
    line("spacing", sizes);
  }
  with_pixels(pixels, [](const auto values) { describe_values(values); });
}

struct information {
  std::vector<std::string> files;
  input_options reading;
};

int run(const information& asked) {
  asked.reading.check(asked.files);
  if (asked.files.empty()) describe_build();
  for (const auto& file : asked.files) describe_file(file, asked.reading.read(file));
  return exit_code::done;
}

}  // namespace

verb info_verb() {
  return {
      .name = "info",
      .group = "Tools",
      .brief = "Describes image files; without one, this build: devices, strategies, threads, formats.",
      .notes =
          "For a file: shape, pixel type, channels, spacing if the header has it, least and greatest value, "
          "sum and mean over all channels. NaN are counted and left out.",
      .works_alone = true,
      .prepare = [](parser& options) {
        const auto asked = std::make_shared<information>();
        options.add({.group = "Inputs",
                     .names = "FILE",
                     .help = "images to describe",
                     .several = true,
                     .take = [asked](const std::string& text) { asked->files.push_back(text); }});
        asked->reading.add_to(options);
        return [asked](interruption&) { return run(*asked); };
      }};
}

}  // namespace macareu::tool
