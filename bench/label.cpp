// Labelling: images at several densities, and the volumes of paper 3.
#include <cstring>
#include <string>
#include <vector>

#include <macareu/catalogue.hpp>
#include <macareu/files.hpp>
#include <macareu/machine.hpp>

#include "pairs.hpp"
#include "suite.hpp"

namespace macareu::bench {
namespace {

/// Pixels above `threshold` are set.
struct label_case {
  std::string name;
  std::string instance;
  std::int64_t side;
  bool volume;
  int threshold;
  std::vector<int> neighbours;
};

std::vector<label_case> all_cases(bool quick) {
  const std::int64_t side = quick ? 256 : 4096;
  std::vector<label_case> cases{{"tissue-above-40", "tissue", side, false, 40, {8, 4}},
                                {"percolation", "percolation", side, false, 0, {8, 4}},
                                {"serpentine", "serpentine", side, false, 100, {4}}};
  for (const int tenths : {1, 2, 3, 4, 5, 6, 7, 8, 9})
    cases.push_back(
        {"random-0." + std::to_string(tenths), "random", side, false, 255 - 256 * tenths / 10, {8, 4}});
  cases.push_back({"random-0.3", "random", quick ? 64 : 512, true, 255 - 77, {26, 6}});
  for (const auto* name : {"chess", "blocks", "spiral", "snake"})
    for (const std::int64_t volume :
         quick ? std::vector<std::int64_t>{64} : std::vector<std::int64_t>{128, 256, 512, 1024})
      cases.push_back({name, name, volume, true, 0, {26, 6}});
  return cases;
}

image make_input(const label_case& each, const options& chosen) {
  const auto shape = each.volume ? extents{each.side, each.side, each.side} : extents{each.side, each.side};
  auto made = each.instance == "tissue" && has_published_pair(chosen) ? published_pair(chosen).mask
                                                                      : generate(each.instance, shape).mask;
  for (auto& pixel : made.pixels<std::uint8_t>()) pixel = pixel > each.threshold;
  return made;
}

void run_case(const label_case& each, int neighbours, const std::string& name, const image& input,
              recorder& to) {
  const auto& operation = *find_operator("label");
  const arguments values{{"connectivity", connectivity(neighbours)}};
  image out(output_type(operation, 0, dtype::u8, input.shape(), values), input.shape());
  std::memset(out.data(), 0, out.bytes());
  result about;
  about.name = name;
  about.operation = operation.name;
  about.instance = each.name;
  about.shape = input.shape();
  about.neighbours = neighbours;
  about.threads = this_machine().threads;
  const std::vector<const_image_view> inputs{input};
  const std::vector<image_view> outputs{out};
  to.time(
      std::move(about), [&] { run_operator(operation, inputs, outputs, values); }, out);
}

}  // namespace

void run_label(recorder& to) {
  for (const auto& each : all_cases(to.chosen().quick)) {
    const auto base = each.name + "-" + std::to_string(each.side);
    image input;
    for (const int neighbours : each.neighbours) {
      const auto name = base + "-" + std::to_string(neighbours);
      if (!to.wants(name)) continue;
      if (input.bytes() == 0) {
        input = make_input(each, to.chosen());
        const auto& directory = to.chosen().save_inputs;
        if (!directory.empty()) write_image(directory / (base + ".npy"), input);
      }
      run_case(each, neighbours, name, input, to);
    }
  }
}

}  // namespace macareu::bench
