// Distance transforms: the exact one with its options, and propagation on the twelve images of paper 1.
// Tables II and III of the paper have times and largest errors.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <macareu/catalogue.hpp>
#include <macareu/error.hpp>
#include <macareu/files.hpp>
#include <macareu/machine.hpp>

#include "distance_cases.hpp"
#include "suite.hpp"
#include "workers.hpp"
#include "workplace.hpp"

namespace macareu::bench {
namespace {

/// Time budget per case, unless a single run takes longer. Propagation has many slow cases.
constexpr double most_ms = 2000, most_propagation_ms = 600;
constexpr int usual_repeat = 11, usual_propagation_repeat = 5;

/// Errors are computed in f64: in f32, long distances have few fractional digits.
const arguments in_f64{{"type", std::string("f64")}};

struct distance_case {
  std::string name;
  const operator_description* about;
  arguments given = {};
  std::string strategy = "auto";
  int neighbours = 0;  // of propagation
  std::optional<time_limit> limit = {};
  std::optional<memory_limit> extra_limit = {};
};

distance_case propagation(const distance_instance& of, const std::string& strategy, int neighbours) {
  return {.name = "propagation-" + std::to_string(neighbours) + "-" + of.name + "-" + strategy,
          .about = find_operator("distance_transform"),
          .given = {{"method", std::string("propagation")},
                    {"connectivity", connectivity(neighbours)},
                    *in_f64.begin()},
          .strategy = strategy,
          .neighbours = neighbours};
}

std::vector<distance_case> cases_of(const distance_instance& of, const workplace& at, bool propagate) {
  if (of.extra_limit && !at.is_gpu()) return {};  // the limit is for GPU memory
  std::vector<distance_case> all{{.name = "exact-" + of.name,
                                  .about = find_operator("distance_transform"),
                                  .limit = of.limit,
                                  .extra_limit = of.extra_limit}};
  for (const auto& variant : distance_variants())
    if (variant.instance == of.name && (variant.on_cpu || at.is_gpu()))
      all.push_back({.name = variant.name + "-" + of.name,
                     .about = find_operator(variant.operation),
                     .given = variant.given});
  if (!of.of_paper_1 || !propagate) return all;
  for (const int neighbours : {4, 8}) {
    std::vector<std::string> names;
    for (const auto name : strategies(at.device(), "general_wave")) names.emplace_back(name);
    if (names.empty()) names.emplace_back("auto");
    for (const auto& name : names) all.push_back(propagation(of, name, neighbours));
  }
  return all;
}

image computed_on(const std::string& device, const distance_case& about, const image& sites,
                  const std::string& strategy) {
  return std::move(run_operator(*about.about, std::vector<const_image_view>{sites}, about.given,
                                {.device = device, .strategy = strategy})[0]);
}

/// Of f64 images; the exact image must have sites.
double largest_error(const image& approximate, const image& exact) {
  double most = 0;
  const auto a = approximate.pixels<double>(), e = exact.pixels<double>();
#pragma omp parallel for num_threads(workers()) reduction(max : most)
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - e[i]));
  return most;
}

/// The cases of one instance at one workplace, in sequence.
class instance_run {
 public:
  instance_run(const distance_instance& about, const image& sites, workplace& at, recorder& to)
      : about_(about), sites_(sites), at_(at), to_(to), placed_(at, mirrored(sites, 1)) {}

  void measure(const distance_case& each) {
    result done = described(each);
    try {
      placed_image out(at_, output_type(*each.about, 0, dtype::u8, sites_.shape(), each.given),
                       sites_.shape());
      out.clear();
      take(done, each, out);
      check(done, each, out);
    } catch (const device_error& failure) {
      done.run->failure = failure.what();
    }
    to_.keep(std::move(done));
  }

 private:
  result described(const distance_case& each) const {
    result made;
    made.name = each.name + "-" + at_.device();
    made.operation = each.about->name;
    made.instance = about_.name;
    made.shape = sites_.shape();
    made.neighbours = each.neighbours;
    made.threads = this_machine().threads;
    made.run = device_run{.device = at_.device(), .strategy = each.strategy};
    // The limits apply to a GPU and full size.
    if (at_.is_gpu() && !to_.chosen().quick) {
      made.run->limit = each.limit;
      made.run->extra_limit = each.extra_limit;
    }
    return made;
  }

  void take(result& done, const distance_case& each, placed_image& out) {
    run_report report;
    const context how{.device = at_.device(),
                      .strategy = each.strategy,
                      .report = &report,
                      .stream = at_.stream(),
                      .wait = false};
    const std::vector<const_image_view> inputs{placed_.view()};
    const std::vector<image_view> outputs{out.view()};
    const auto run = [&] { run_operator(*each.about, inputs, outputs, each.given, how); };
    const bool exact = each.neighbours == 0;
    at_.take_times(done, to_.repeat(exact ? usual_repeat : usual_propagation_repeat),
                   exact ? most_ms : most_propagation_ms, run);
    done.run->rounds = report.rounds;
    done.run->tiles = report.tiles;
    done.run->passes = report.passes;
    done.run->compute_ms = 1e3 * report.compute_seconds;
    done.run->transfer_ms = 1e3 * report.transfer_seconds;
    if (exact && at_.is_gpu()) done.extra_bytes = peak_device_memory(run);
  }

  /// Compares exact results with those of another device, and approximate results with exact ones.
  void check(result& done, const distance_case& each, placed_image& out) {
    if (each.neighbours > 0) {
      if (exact_.bytes() == 0)
        exact_ = computed_on("cpu", {.name = {}, .about = each.about, .given = in_f64}, sites_, "auto");
      const auto got = out.host_copy();
      done.sum = checksum_of(got).sum;
      done.run->largest_error = largest_error(got, exact_);
      return;
    }
    const auto found = out.sum();
    done.sum = found.sum;
    // The serial engine searches outwards from every pixel, which takes hours if sites are far apart.
    const bool small = to_.chosen().quick;
    if (!at_.is_gpu() && !small) return;
    done.run->hash = found.hash;
    done.run->checked_by = small ? "serial" : "cpu";
    done.run->equal = found == checksum_of(computed_on(done.run->checked_by, each, sites_, "auto"));
  }

  const distance_instance& about_;
  const image& sites_;
  workplace& at_;
  recorder& to_;
  placed_image placed_;
  image exact_;
};

void run_at(const distance_instance& about, workplace& at, bool propagate, recorder& to, image& sites) {
  auto cases = cases_of(about, at, propagate);
  std::erase_if(cases, [&](const auto& each) { return !to.wants(each.name + "-" + at.device()); });
  if (cases.empty()) return;
  if (sites.bytes() == 0) {
    sites = make_sites(about.from, to.chosen());
    if (!to.chosen().save_inputs.empty()) write_image(to.chosen().save_inputs / (about.name + ".npy"), sites);
  }
  instance_run run(about, sites, at, to);
  for (const auto& each : cases) run.measure(each);
}

}  // namespace

/// Always on the cpu, and on a GPU if there is one. Propagation, slow on the cpu, runs on one of them only.
void run_distance(recorder& to) {
  const auto here = devices();
  auto host = workplace::on_host("cpu");
  std::optional<workplace> gpu;
  if (std::ranges::find(here, "cuda") != here.end())
    gpu = workplace::on_gpu();
  else
    to.say("No GPU (" + this_machine().no_gpu + "): the cpu device only.");
  for (const auto& each : distance_instances()) {
    image sites;
    run_at(each, host, !gpu, to, sites);
    if (gpu) run_at(each, *gpu, true, to, sites);
  }
}

}  // namespace macareu::bench
