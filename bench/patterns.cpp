// The regular patterns: figure 5 of paper 4 as a table, with its sizes, and the acceptance thresholds.
#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <macareu/catalogue.hpp>
#include <macareu/error.hpp>
#include <macareu/generate.hpp>
#include <macareu/machine.hpp>

#include "pairs.hpp"
#include "pattern_peers.hpp"
#include "suite.hpp"
#include "workplace.hpp"

namespace macareu::bench {
namespace {

/// Time budget per case, unless a single run takes longer.
constexpr double most_ms = 3000;
constexpr int usual_repeat = 11;

struct operation {
  std::string name;  // of the case
  std::string operator_name;
  arguments values;
  std::string pattern;  // its name in the papers
};

arguments sigma(double value) { return {{"sigma", std::vector<number>{value}}}; }
arguments threshold_value() { return {{"value", number(127)}}; }

/// One operation per pattern, as in figure 5.
std::vector<operation> figure_5() {
  return {{"threshold", "threshold", threshold_value(), "P2P"},
          {"sobel", "sobel", {}, "N2P"},
          {"statistics", "statistics", {}, "R2S"},
          {"histogram", "histogram", {}, "R2V"}};
}

image random_image(const extents& shape) { return generated_pair("random", shape).mask; }

image constant_image(const extents& shape) {
  image made(dtype::u8, shape);
  std::memset(made.data(), 100, made.bytes());
  return made;
}

/// Runs one operation on images of a workplace and records its time.
class pattern_run {
 public:
  pattern_run(workplace& at, recorder& to) : at_(at), to_(to) {}

  void time(const std::string& group, const operation& what, const std::string& instance,
            const image& input) {
    const auto device = at_.device();
    const auto name = group + "-" + what.name + "-" + instance + "-" + device;
    if (!to_.wants(name)) return;
    placed_image in(at_, mirrored(input, 1));
    measure(described(name, what, instance, input.shape(), device), what, input, in.view(),
            [&](const auto& run) { return at_.milliseconds(run); });
  }

  /// From host memory and back to it.
  void time_with_transfers(const std::string& group, const operation& what, const std::string& instance,
                           const image& input) {
    const auto name = group + "-" + what.name + "-" + instance + "-" + at_.device() + "-host";
    if (!to_.wants(name)) return;
    auto about = described(name, what, instance, input.shape(), at_.device());
    about.run->transfers = true;
    image copy = copy_of(input);
    measure(std::move(about), what, input, image_view(copy),
            [](const auto& run) { return milliseconds(run); });
  }

 private:
  static result described(const std::string& name, const operation& what, const std::string& instance,
                          const extents& shape, const std::string& device) {
    result about;
    about.name = name;
    about.operation = what.operator_name;
    about.instance = instance;
    about.shape = shape;
    about.threads = device == "cpu" ? this_machine().threads : 1;
    about.run.emplace();
    about.run->device = device;
    about.run->strategy = what.pattern;
    about.run->checked_by = "cpu, 1 thread";
    return about;
  }

  template <class Clock>
  void measure(result about, const operation& what, const image& input, const image_view& in,
               const Clock& clock) {
    const auto& operation = *find_operator(what.operator_name);
    run_report report;
    const context how{.device = at_.device(), .report = &report, .stream = at_.stream(), .wait = false};
    const std::array<const_image_view, 1> inputs{in};
    table measured;
    std::function<void()> run = [&] { measured = compute_table(operation, inputs, what.values, how); };
    std::unique_ptr<placed_image> out;
    image host;
    std::vector<image_view> outputs;
    if (operation.table.empty()) {
      const auto type = output_type(operation, 0, in.type(), in.shape(), what.values);
      if (about.run->transfers) {
        host = image(type, in.shape());
        outputs.emplace_back(host);
      } else {
        out = std::make_unique<placed_image>(at_, type, in.shape());
        outputs.push_back(out->view());
      }
      run = [&] { run_operator(operation, inputs, outputs, what.values, how); };
    }
    try {
      take_times(about, to_.repeat(usual_repeat), most_ms, [&] { return clock(run); });
      about.run->compute_ms = 1e3 * report.compute_seconds;
      about.run->transfer_ms = 1e3 * report.transfer_seconds;
    } catch (const device_error& failure) {
      about.run->failure = failure.what();
    }
    if (about.run->failure.empty()) {
      const auto right = checksum_on_cpu(operation, what.values, input);
      const auto got = !operation.table.empty() ? checksum_of_text(to_csv(measured))
                       : out                    ? out->sum()
                                                : checksum_of(host);
      about.run->hash = got.hash;
      about.run->equal = got == right;
    }
    to_.keep(std::move(about));
  }

  static checksum checksum_of_text(const std::string& text) {
    return checksum_of(std::as_bytes(std::span(text)), dtype::u8, std::ssize(text), 0);
  }

  /// The reference result, from one thread.
  static checksum checksum_on_cpu(const operator_description& about, const arguments& values,
                                  const image& input) {
    const context how{.device = "cpu", .threads = 1};
    const std::array<const_image_view, 1> inputs{input};
    if (!about.table.empty()) return checksum_of_text(to_csv(compute_table(about, inputs, values, how)));
    return checksum_of(run_operator(about, inputs, values, how)[0]);
  }

  workplace& at_;
  recorder& to_;
};

/// Reference times that are not those of an operator.
void time_other(recorder& to, const std::string& name, const std::string& device, const extents& shape,
                const std::function<double()>& run) {
  if (!to.wants(name)) return;
  result about;
  about.name = name;
  about.operation = "peer";
  about.instance = "random";
  about.shape = shape;
  about.threads = device == "cpu" ? this_machine().threads : 1;
  about.run.emplace();
  about.run->device = device;
  about.run->checked_by = "nothing";
  take_times(about, to.repeat(usual_repeat), most_ms, run);
  to.keep(std::move(about));
}

void run_figure_5(recorder& to, workplace& host, workplace* gpu) {
  const bool quick = to.chosen().quick;
  for (const auto& [name, shape] :
       {std::pair{"1080p", extents{1080, 1920}}, {"4k", extents{2160, 3840}}, {"8k", extents{4320, 7680}}}) {
    const auto input = random_image(quick ? extents{shape[0] / 20, shape[1] / 20} : shape);
    for (const auto& what : figure_5()) {
      pattern_run(host, to).time("figure5", what, name, input);
      if (!gpu) continue;
      pattern_run(*gpu, to).time("figure5", what, name, input);
      pattern_run(*gpu, to).time_with_transfers("figure5", what, name, input);
    }
  }
}

/// Acceptance thresholds on two cores. patterns_peers.py measures SciPy.
void run_cpu_musts(recorder& to, workplace& host) {
  const std::int64_t side = to.chosen().quick ? 256 : 4096;
  const extents shape{side, side};
  const auto input = random_image(shape);
  image copy(dtype::u8, shape);
  time_other(to, "must-copy-random-cpu", "cpu", shape,
             [&] { return milliseconds([&] { std::memcpy(copy.data(), input.data(), input.bytes()); }); });
  pattern_run run(host, to);
  run.time("must", {"threshold", "threshold", threshold_value(), "P2P"}, "random", input);
  run.time("must", {"histogram", "histogram", {}, "R2V"}, "random", input);
  run.time("must", {"histogram", "histogram", {}, "R2V"}, "constant", constant_image(shape));
  run.time("must", {"gaussian", "gaussian", sigma(1.4), "N2P"}, "random", input);
  run.time("must", {"median5", "median", {{"size", number(5)}}, "N2P"}, "random", input);
}

void run_gpu_musts(recorder& to, workplace& gpu) {
  const std::int64_t side = to.chosen().quick ? 1024 : 16384;
  const extents shape{side, side};
  const auto input = random_image(shape);
  if (const auto peers = make_pattern_peers(input, gpu.stream()))
    for (const auto& peer : *peers)
      time_other(to, "must-" + peer.name + "-random-cuda", "cuda", shape,
                 [&] { return gpu.milliseconds(peer.run); });
  pattern_run run(gpu, to);
  run.time("must", {"threshold", "threshold", threshold_value(), "P2P"}, "random", input);
  run.time("must", {"sobel", "sobel", {}, "N2P"}, "random", input);
  run.time("must", {"gaussian", "gaussian", sigma(1.4), "N2P"}, "random", input);
  run.time("must", {"statistics", "statistics", {}, "R2S"}, "random", input);
  run.time("must", {"histogram", "histogram", {}, "R2V"}, "random", input);
  run.time("must", {"histogram", "histogram", {}, "R2V"}, "constant", constant_image(shape));
}

}  // namespace

void run_patterns(recorder& to) {
  auto host = workplace::on_host("cpu");
  const auto here = devices();
  std::unique_ptr<workplace> gpu;
  if (std::ranges::find(here, "cuda") != here.end())
    gpu = std::make_unique<workplace>(workplace::on_gpu());
  else
    to.say("no GPU here: the cpu alone");
  run_figure_5(to, host, gpu.get());
  run_cpu_musts(to, host);
  if (gpu) run_gpu_musts(to, *gpu);
}

}  // namespace macareu::bench
