// One thread and all threads, in turn, beside busy processes: the effect of threads on a shared machine.
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <macareu/catalogue.hpp>
#include <macareu/error.hpp>

#include "checksum.hpp"
#include "pairs.hpp"
#include "suite.hpp"
#include "workers.hpp"

namespace macareu::bench {
namespace {

constexpr int usual_repeat = 31;

/// Processes that only compute, during the lifetime of this object.
class busy_processes {
 public:
  explicit busy_processes(int count) {
    for (int i = 0; i < count; ++i) {
      const pid_t child = fork();
      if (child < 0) throw io_error("a busy process cannot be started");
      if (child == 0) spin();
      children_.push_back(child);
    }
  }
  busy_processes(const busy_processes&) = delete;
  busy_processes& operator=(const busy_processes&) = delete;
  ~busy_processes() {
    for (const pid_t child : children_) {
      kill(child, SIGKILL);
      waitpid(child, nullptr, 0);
    }
  }

 private:
  [[noreturn]] static void spin() {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (std::atomic<std::uint64_t> turns = 0;;) turns.fetch_add(1, std::memory_order_relaxed);
  }
  std::vector<pid_t> children_;
};

struct contention_case {
  std::string name, operation;
  std::vector<const image*> inputs;
  arguments given;
};

/// The time that this share of the runs does not exceed.
double percentile(const std::vector<double>& sorted, double share) {
  return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1) + 0.5)];
}

class case_run {
 public:
  case_run(const contention_case& about, recorder& to)
      : about_(about), operation_(*find_operator(about.operation)), to_(to) {
    for (const auto* each : about.inputs) inputs_.emplace_back(*each);
    const auto& first = *about.inputs[0];
    out_ = image(output_type(operation_, 0, first.type(), first.shape(), about.given), first.shape());
  }

  void measure(int busy) {
    const int all = workers();
    const auto name = about_.name + "-beside-" + std::to_string(busy);
    if (!to_.wants(name)) return;
    std::vector<double> alone, together;
    const busy_processes others(busy);
    for (const int threads : {1, all}) run(threads);
    for (int i = to_.repeat(usual_repeat); i > 0; --i) {
      alone.push_back(run(1));
      together.push_back(run(all));
    }
    keep(name, 1, busy, alone, {});
    keep(name, all, busy, together, alone);
  }

 private:
  double run(int threads) {
    const image_view out = out_;
    return milliseconds([&] {
      run_operator(operation_, inputs_, std::span(&out, 1), about_.given,
                   {.device = "cpu", .threads = threads});
    });
  }

  void keep(const std::string& name, int threads, int busy, std::vector<double>& times,
            const std::vector<double>& of_one) {
    std::ranges::sort(times);
    result done{.name = name,
                .operation = about_.operation,
                .instance = "tissue",
                .shape = about_.inputs[0]->shape(),
                .type = about_.inputs[0]->type(),
                .threads = threads,
                .runs = static_cast<int>(times.size()),
                .median_ms = percentile(times, 0.5),
                .least_ms = times.front(),
                .sum = checksum_of(out_).sum};
    done.shared = shared_machine{.busy = busy, .p90_ms = percentile(times, 0.9)};
    if (!of_one.empty()) {
      done.shared->median_of_one = done.median_ms / percentile(of_one, 0.5);
      done.shared->p90_of_one = done.shared->p90_ms / percentile(of_one, 0.9);
    }
    to_.keep(std::move(done));
  }

  const contention_case& about_;
  const operator_description& operation_;
  recorder& to_;
  std::vector<const_image_view> inputs_;
  image out_;
};

}  // namespace

void run_contention(recorder& to) {
  const std::int64_t side = to.chosen().quick ? 256 : 4096;
  const auto tissue = generated_pair("tissue", extents{side, side});
  image set(dtype::u8, tissue.mask.shape());
  std::ranges::transform(tissue.mask.pixels<std::uint8_t>(), set.pixels<std::uint8_t>().begin(),
                         [](std::uint8_t pixel) { return static_cast<std::uint8_t>(pixel > 40); });
  const std::vector<contention_case> cases{
      {"reconstruct", "reconstruct", {&tissue.marker, &tissue.mask}, {{"connectivity", connectivity(4)}}},
      {"label", "label", {&set}, {}},
      {"distance", "distance_transform", {&set}, {}},
      {"canny",
       "canny",
       {&tissue.mask},
       {{"sigma", std::vector<number>{1.4}}, {"low", number(4)}, {"high", number(7)}}},
      {"threshold", "threshold", {&tissue.mask}, {{"value", number(100)}}}};
  const int n = workers();
  for (const auto& each : cases)
    for (const int busy : {0, 1, n, 2 * n}) case_run(each, to).measure(busy);
}

}  // namespace macareu::bench
