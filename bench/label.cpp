// Labelling of images at several densities and of the volumes of paper 3, and measuring the objects.
#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <macareu/catalogue.hpp>
#include <macareu/error.hpp>
#include <macareu/files.hpp>
#include <macareu/machine.hpp>

#include "pairs.hpp"
#include "suite.hpp"
#include "workplace.hpp"

namespace macareu::bench {
namespace {

/// Time budget per case, unless a single run takes longer.
constexpr double most_ms = 2000;
constexpr int usual_repeat = 11;

/// Pixels above `threshold` are set. Limits apply to a GPU.
struct labelled {
  int neighbours;
  std::optional<time_limit> limit = {}, measured = {};
};
struct label_case {
  std::string name;
  std::string instance;
  std::int64_t side;
  bool volume;
  int threshold;
  std::vector<labelled> ways;
  bool gpu_alone = false;
  bool from_host = false;  // also in pieces within 4 GiB
};

std::vector<label_case> random_images(std::int64_t side) {
  std::vector<label_case> cases;
  const time_limit full{0.18, 0.10}, face{0.25, 0.12};
  for (const int percent : {10, 20, 30, 40, 41, 50, 60, 70, 80, 90}) {
    const auto name = "random-0." + std::to_string(percent % 10 == 0 ? percent / 10 : percent);
    const int threshold = 255 - (256 * percent + 50) / 100;
    std::vector<labelled> ways{{8}, {4}};
    if (percent == 50 || percent == 41) ways = {{8, full}, {4, face}};
    cases.push_back({name, "random", side, false, threshold, std::move(ways)});
  }
  return cases;
}

std::vector<label_case> all_cases(bool quick) {
  const std::int64_t side = quick ? 256 : 4096, volume = quick ? 64 : 512;
  std::vector<label_case> cases{
      {"tissue-above-40",
       "tissue",
       side,
       false,
       40,
       {{8, time_limit{0.09, 0.05}, time_limit{1.0, 0.4}}, {4}}},
      {"tissue-above-40", "tissue", 4 * side, false, 40, {{8, time_limit{0.85, 0.55}}}, true},
      {"percolation", "percolation", side, false, 0, {{8}, {4}}},
      {"serpentine", "serpentine", side, false, 100, {{4}}}};
  std::ranges::move(random_images(side), std::back_inserter(cases));
  cases.push_back({"random-0.3", "random", volume, true, 255 - 77, {{26, time_limit{2, 0.8}}, {6}}});
  cases.push_back(
      {"random-0.3", "random", 2 * volume, true, 255 - 77, {{26, time_limit{15, 5}}}, true, true});
  for (const auto* name : {"chess", "blocks", "spiral", "snake"})
    for (const std::int64_t each :
         quick ? std::vector<std::int64_t>{64} : std::vector<std::int64_t>{128, 256, 512, 1024})
      cases.push_back({name, name, each, true, 0, {{26}, {6}}, false, true});
  // Cases with limits come first, for short sessions.
  const auto promised = [](const label_case& each) {
    return std::ranges::any_of(each.ways, [](const labelled& way) { return way.limit.has_value(); });
  };
  std::vector<label_case> ordered;
  std::ranges::copy_if(cases, std::back_inserter(ordered), promised);
  std::ranges::copy_if(cases, std::back_inserter(ordered), std::not_fn(promised));
  return ordered;
}

image grey_input(const label_case& each, const options& chosen) {
  const auto shape = each.volume ? extents{each.side, each.side, each.side} : extents{each.side, each.side};
  if (each.instance != "tissue") return generate(each.instance, shape).mask;
  const std::int64_t base = chosen.quick ? 256 : 4096;
  const auto one =
      has_published_pair(chosen) ? published_pair(chosen).mask : generate("tissue", extents{base, base}).mask;
  return mirrored(one, static_cast<int>(each.side / base)).whole();
}

image above(const image& grey, int threshold) {
  image set(dtype::u8, grey.shape());
  std::ranges::transform(grey.pixels<std::uint8_t>(), set.pixels<std::uint8_t>().begin(),
                         [=](std::uint8_t pixel) { return static_cast<std::uint8_t>(pixel > threshold); });
  return set;
}

/// The cases of one image at one workplace.
class image_run {
 public:
  image_run(const label_case& about, const image& grey, const image& set, workplace& at, recorder& to)
      : about_(about), grey_(grey), set_(set), at_(at), to_(to) {}

  static std::string name_of(const label_case& about, const labelled& way, const std::string& what,
                             const workplace& at) {
    return about.name + "-" + std::to_string(about.side) + "-" + std::to_string(way.neighbours) + what + "-" +
           at.device();
  }

  void measure(const labelled& way) {
    if (wants(way, "")) run(way, "", way.limit, at_, placed(), 0);
    if (way.measured && wants(way, "-measured")) run_measured(way);
    if (at_.is_gpu() && about_.from_host && wants(way, "-from-host")) {
      auto host = workplace::on_host("cuda");
      placed_image there(host, mirrored(set_, 1));
      run(way, "-from-host", {}, host, there, std::int64_t{4} << 30);
    }
  }

 private:
  bool wants(const labelled& way, const std::string& what) const {
    return to_.wants(name_of(about_, way, what, at_));
  }
  placed_image& placed() {
    if (!placed_) placed_.emplace(at_, mirrored(set_, 1));
    return *placed_;
  }

  result described(const labelled& way, const std::string& what, std::optional<time_limit> limit) const {
    result made;
    made.name = name_of(about_, way, what, at_);
    made.operation = what == "-measured" ? "label, measure" : "label";
    made.instance = about_.name;
    made.shape = set_.shape();
    made.neighbours = way.neighbours;
    made.threads = this_machine().threads;
    made.run = device_run{.device = at_.device(), .strategy = "auto"};
    if (at_.is_gpu() && !to_.chosen().quick) made.run->limit = limit;
    return made;
  }
  static arguments values_of(const labelled& way) { return {{"connectivity", connectivity(way.neighbours)}}; }

  /// `memory`: images lie in host memory, and the GPU may use this many bytes.
  void run(const labelled& way, const std::string& what, std::optional<time_limit> limit, workplace& at,
           placed_image& from, std::int64_t memory) {
    result done = described(way, what, limit);
    try {
      const auto& label = *find_operator("label");
      const auto values = values_of(way);
      placed_image out(at, output_type(label, 0, dtype::u8, set_.shape(), values), set_.shape());
      out.clear();
      run_report report;
      const context how{
          .device = at.device(), .gpu_memory = memory, .report = &report, .stream = at.stream()};
      const std::vector<const_image_view> inputs{from.view()};
      const std::vector<image_view> outputs{out.view()};
      std::vector<parts_of_run> told;
      take_times(done, to_.repeat(usual_repeat), most_ms, [&] {
        const double taken = at.milliseconds([&] { run_operator(label, inputs, outputs, values, how); });
        told.push_back({taken, report});
        return taken;
      });
      done.run->transfers = memory > 0;
      tell_parts(*done.run, *std::ranges::min_element(told, {}, [&](const parts_of_run& one) {
        return std::abs(one.taken - done.median_ms);
      }));
      check(done, out.sum(), values);
    } catch (const device_error& failure) {
      done.run->failure = failure.what();
    }
    to_.keep(std::move(done));
  }

  struct parts_of_run {
    double taken;
    run_report report;
  };
  static void tell_parts(device_run& run, const parts_of_run& told) {
    run.compute_ms = 1e3 * told.report.compute_seconds;
    run.transfer_ms = 1e3 * told.report.transfer_seconds;
  }

  void check(result& done, const checksum& found, const arguments& values) {
    done.sum = found.sum;
    const bool small = to_.chosen().quick;
    if (!at_.is_gpu() && !small) return;
    done.run->hash = found.hash;
    done.run->checked_by = small ? "serial" : "cpu";
    const auto expected = run_operator(*find_operator("label"), std::vector<const_image_view>{set_}, values,
                                       {.device = done.run->checked_by});
    done.run->equal = found == checksum_of(expected[0]);
  }

  void check_table(result& done, const table& found, const arguments& values) {
    const bool small = to_.chosen().quick;
    if (!at_.is_gpu() && !small) return;
    done.run->checked_by = small ? "serial" : "cpu";
    const context how{.device = done.run->checked_by};
    const auto labels =
        run_operator(*find_operator("label"), std::vector<const_image_view>{set_}, values, how);
    const std::vector<const_image_view> inputs{labels[0], grey_};
    done.run->equal = to_csv(found) == to_csv(compute_table(*find_operator("measure"), inputs, {}, how));
  }

  /// Labels, then measures all columns with the grey image as intensity. The time ends when the table is in
  /// host memory. The previous table is freed before the clock starts.
  void run_measured(const labelled& way) {
    result done = described(way, "-measured", way.measured);
    try {
      const auto &label = *find_operator("label"), &measure = *find_operator("measure");
      const auto values = values_of(way);
      placed_image weights(at_, mirrored(grey_, 1));
      placed_image out(at_, dtype::u32, set_.shape());
      run_report report;
      const context how{.device = at_.device(), .report = &report, .stream = at_.stream()};
      const std::vector<const_image_view> inputs{placed().view()};
      const std::vector<image_view> labels{out.view()};
      const std::vector<const_image_view> measured{out.view(), weights.view()};
      table objects;
      take_times(done, to_.repeat(usual_repeat), most_ms, [&] {
        objects = {};
        return at_.milliseconds([&] {
          run_operator(label, inputs, labels, values, how);
          objects = compute_table(measure, measured, {}, how);
        });
      });
      done.run->compute_ms = 1e3 * report.compute_seconds;
      done.sum = static_cast<std::int64_t>(objects.rows());
      check_table(done, objects, values);
    } catch (const device_error& failure) {
      done.run->failure = failure.what();
    }
    to_.keep(std::move(done));
  }

  const label_case& about_;
  const image &grey_, &set_;
  workplace& at_;
  recorder& to_;
  std::optional<placed_image> placed_;
};

bool wants_any(const label_case& about, const workplace& at, const recorder& to) {
  return std::ranges::any_of(about.ways, [&](const labelled& way) {
    return std::ranges::any_of(
        std::vector<std::string>{"", "-measured", "-from-host"},
        [&](const auto& what) { return to.wants(image_run::name_of(about, way, what, at)); });
  });
}

}  // namespace

/// Always on the cpu, and on a GPU if there is one.
void run_label(recorder& to) {
  const auto here = devices();
  std::vector<workplace> places;
  places.push_back(workplace::on_host("cpu"));
  if (std::ranges::find(here, "cuda") != here.end())
    places.push_back(workplace::on_gpu());
  else
    to.say("No GPU (" + this_machine().no_gpu + "): the cpu device only.");
  for (const auto& each : all_cases(to.chosen().quick)) {
    image grey, set;
    for (auto& at : places) {
      if ((each.gpu_alone && !at.is_gpu()) || !wants_any(each, at, to)) continue;
      if (grey.bytes() == 0) {
        grey = grey_input(each, to.chosen());
        set = above(grey, each.threshold);
        const auto& directory = to.chosen().save_inputs;
        if (!directory.empty())
          write_image(directory / (each.name + "-" + std::to_string(each.side) + ".npy"), set);
      }
      image_run run(each, grey, set, at, to);
      for (const auto& way : each.ways) run.measure(way);
    }
  }
}

}  // namespace macareu::bench
