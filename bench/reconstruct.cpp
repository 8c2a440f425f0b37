// Reconstruction and operators built on it, with the images, types and sizes of the acceptance thresholds.
#include <array>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include <macareu/catalogue.hpp>
#include <macareu/files.hpp>
#include <macareu/machine.hpp>

#include "mirrored.hpp"
#include "pairs.hpp"
#include "suite.hpp"

namespace macareu::bench {
namespace {

struct bench_case {
  std::string_view instance;
  int neighbours;
  dtype type = dtype::u8;
  std::string_view operation = "reconstruct";
  int threads = 0;
  bool memory = false;
};

// Cases of one instance are adjacent, so that one pair is in memory at a time.
constexpr auto cases = std::to_array<bench_case>({
    {"tissue", 4},
    {"tissue", 8},
    {"tissue", 8, dtype::u16},
    {"tissue", 8, dtype::f32},
    {.instance = "tissue", .neighbours = 8, .threads = 1},
    {.instance = "tissue", .neighbours = 8, .threads = 2},
    {.instance = "tissue", .neighbours = 4, .operation = "fill_holes"},
    {.instance = "tissue", .neighbours = 8, .operation = "h_maxima"},
    {.instance = "tissue", .neighbours = 8, .memory = true},
    {"tissue-mirrored", 4},
    {"tissue-mirrored", 8},
    {"serpentine", 4},
    {"serpentine", 8},
    {"serpentine-transposed", 4},
    {"serpentine-transposed", 8},
    {"random", 8},
    {"flat", 8},
    {"percolation", 8},
    {"spiral", 4},
    {"spiral", 8},
    {"noise", 26},
});

constexpr double height = 10;  // of the h-maxima

/// The published pair if it is available.
pair tissue(const options& chosen) {
  const std::int64_t side = chosen.quick ? 256 : 4096;
  return has_published_pair(chosen) ? published_pair(chosen) : generated_pair("tissue", {side, side});
}

/// The transposed image.
image transposed(const image& from) {
  const auto height_px = from.shape().height(), width = from.shape().width();
  image to(dtype::u8, {width, height_px});
  const auto in = from.pixels<std::uint8_t>();
  const auto out = to.pixels<std::uint8_t>();
  for (std::int64_t y = 0; y < height_px; ++y)
    for (std::int64_t x = 0; x < width; ++x)
      out[static_cast<std::size_t>(x * height_px + y)] = in[static_cast<std::size_t>(y * width + x)];
  return to;
}

pair make_instance(std::string_view name, const options& chosen) {
  if (name == "tissue") return tissue(chosen);
  if (name == "tissue-mirrored") {
    const auto base = tissue(chosen);
    return {mirrored(base.marker, 4).whole(), mirrored(base.mask, 4).whole()};
  }
  if (name == "noise") {
    const std::int64_t side = chosen.quick ? 32 : 256;
    return generated_pair(name, {side, side, side});
  }
  const std::int64_t side = chosen.quick ? 256 : 4096;
  if (name == "serpentine-transposed") {
    const auto base = generated_pair("serpentine", {side, side});
    return {transposed(base.marker), transposed(base.mask)};
  }
  return generated_pair(name, {side, side});
}

std::string instance_name(std::string_view instance, const options& chosen) {
  std::string name(instance);
  if (name.starts_with("tissue") && has_published_pair(chosen))
    name.insert(std::string_view("tissue").size(), "-50");
  return name;
}

result described(const bench_case& each, const options& chosen) {
  result about;
  about.operation = each.operation;
  about.instance = instance_name(each.instance, chosen);
  about.type = each.type;
  about.neighbours = each.neighbours;
  about.threads = each.threads > 0 ? each.threads : this_machine().threads;
  about.name = (each.memory                       ? "memory-"
                : each.operation == "reconstruct" ? ""
                                                  : about.operation + "-") +
               about.instance + "-" + std::string(name_of(each.type)) + "-" +
               std::to_string(each.neighbours) +
               (each.threads > 0 ? "-threads-" + std::to_string(each.threads) : "");
  return about;
}

void run_case(const bench_case& each, result about, const pair& base, recorder& to) {
  const bool convert = each.type != dtype::u8;
  const image marker = convert ? converted(base.marker, each.type) : image();
  const image mask = convert ? converted(base.mask, each.type) : image();
  std::vector<const_image_view> inputs{convert ? mask : base.mask};
  if (each.operation == "reconstruct") inputs.insert(inputs.begin(), convert ? marker : base.marker);
  arguments values{{"connectivity", connectivity(each.neighbours)}};
  if (each.operation == "h_maxima") values.emplace("h", number(height));
  const auto& operation = *find_operator(each.operation);
  image out(output_type(operation, 0, each.type, base.mask.shape(), values), base.mask.shape());
  std::memset(out.data(), 0, out.bytes());

  about.shape = base.mask.shape();
  const std::vector<image_view> outputs{out};
  const auto run = [&] { run_operator(operation, inputs, outputs, values, {.threads = each.threads}); };
  if (each.memory)
    to.measure_memory(std::move(about), run, out);
  else
    to.time(std::move(about), run, out);
}

void save(const pair& both, const std::string& name, const std::filesystem::path& directory) {
  output_files files;
  files.add(directory / (name + "-marker.npy"), both.marker);
  files.add(directory / (name + "-mask.npy"), both.mask);
  files.commit();
}

}  // namespace

void run_reconstruct(recorder& to) {
  pair current;
  std::string_view made;
  for (const auto& each : cases) {
    auto about = described(each, to.chosen());
    if (!to.wants(about.name)) continue;
    if (made != each.instance) {
      current = {};  // frees it before the next is created
      current = make_instance(each.instance, to.chosen());
      made = each.instance;
      // The mirrored pair is large, and easily created from the other.
      if (!to.chosen().save_inputs.empty() && made != "tissue-mirrored")
        save(current, about.instance, to.chosen().save_inputs);
    }
    run_case(each, std::move(about), current, to);
  }
}

}  // namespace macareu::bench
