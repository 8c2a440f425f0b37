// Reconstruction by every wave strategy of a GPU, on images in its memory: the tables of papers 1 and 2, and
// the acceptance thresholds.
#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <macareu/catalogue.hpp>
#include <macareu/error.hpp>
#include <macareu/machine.hpp>

#include "pairs.hpp"
#include "suite.hpp"
#include "wave_cases.hpp"
#include "workplace.hpp"

namespace macareu::bench {
namespace {

/// Time budget per case, unless a single run takes longer. Enough for three runs of contraction on a slide.
constexpr double most_ms = 1500;

const operator_description& reconstruct() {
  static const auto& about = *find_operator("reconstruct");
  return about;
}

void run_reconstruction(const const_image_view& marker, const const_image_view& mask, const image_view& out,
                        int neighbours, const context& how) {
  run_operator(reconstruct(), std::vector{marker, mask}, std::vector{out},
               {{"connectivity", connectivity(neighbours)}}, how);
}

std::int64_t base_side(const wave_origin& from, bool quick) {
  return quick ? std::max<std::int64_t>(32, from.side / 64) : from.side;
}

pair one_seed(const extents& shape) {
  auto made = generated_pair("random", shape);
  const auto marker = made.marker.pixels<std::uint8_t>();
  std::ranges::fill(marker, std::uint8_t{0});
  marker[0] = made.mask.pixels<std::uint8_t>()[0];
  return made;
}

pair make_base(const wave_origin& from, const options& chosen) {
  if (from.family == "published") return published_pair(chosen);
  const auto side = base_side(from, chosen.quick);
  if (from.family == "one-seed") return one_seed({side, side});
  return generated_pair(from.family, from.volume ? extents{side, side, side} : extents{side, side},
                        {.coverage = from.coverage});
}

/// Images of one type at one workplace, created once for all cases that use them.
struct placed_pair {
  placed_pair(const workplace& at, const pair& base, int copies)
      : marker(at, mirrored(base.marker, copies)),
        mask(at, mirrored(base.mask, copies)),
        out(at, base.mask.type(), mirrored(base.mask, copies).shape()) {}

  placed_image marker, mask, out;
};

/// The checksum of the reference result, from a device that does not use GPU memory.
class reference {
 public:
  explicit reference(bool quick) : device_(quick ? "serial" : "cpu") {}

  const std::string& device() const { return device_; }

  checksum of(const pair& base, const wave_origin& from, int neighbours) const {
    if (from.whole_side() <= largest_computed_twice) {
      const mirrored marker(base.marker, from.copies), mask(base.mask, from.copies);
      return checksum_of(result_of(marker.whole(), mask.whole(), neighbours));
    }
    // Mirroring and reconstruction commute. A path in the large image folds to a path in the base with the
    // same values. Each path in the base unfolds to one in the large image, from every copy of its first
    // pixel.
    const auto small = result_of(base.marker, base.mask, neighbours);
    return checksum_of_rows(mirrored(small, from.copies));
  }

 private:
  image result_of(const image& marker, const image& mask, int neighbours) const {
    image out(mask.type(), mask.shape());
    run_reconstruction(marker, mask, out, neighbours, {.device = device_});
    return out;
  }

  static checksum checksum_of_rows(const mirrored& rows) {
    constexpr std::int64_t at_once = 512;
    std::vector<std::byte> piece(at_once * rows.row_bytes());
    checksum total;
    for (std::int64_t first = 0; first < rows.rows(); first += at_once) {
      const auto last = std::min(rows.rows(), first + at_once);
      rows.write_rows(first, last, piece.data());
      const std::span made(piece.data(), static_cast<std::size_t>(last - first) * rows.row_bytes());
      total += checksum_of(made, rows.type(), rows.shape().width(), first);
    }
    return total;
  }

  std::string device_;
};

std::string case_name(const wave_instance& about, const wave_variant& variant, const std::string& strategy) {
  return about.name + "-" + std::string(name_of(variant.type)) + "-" + std::to_string(variant.neighbours) +
         "-" + strategy + (variant.transfers ? "-host" : "");
}

/// The selected cases of one variant.
std::vector<std::string> wanted(const wave_instance& about, const wave_variant& variant, const workplace& at,
                                const recorder& to) {
  auto names = strategies_of(variant, at.device());
  std::erase_if(names, [&](const auto& name) { return !to.wants(case_name(about, variant, name)); });
  return names;
}

/// Measures the strategies of one variant in sequence.
class variant_run {
 public:
  variant_run(const wave_instance& about, const wave_variant& variant, workplace& at, placed_pair& images,
              checksum right, const reference& by, recorder& to)
      : about_(about), variant_(variant), at_(at), images_(images), right_(right), by_(by), to_(to) {}

  void measure(const std::string& strategy) {
    auto done = described(strategy);
    try {
      take(done);
      check(done);
      times_[strategy] = done.median_ms;
      if (strategy == "auto") compare(*done.run, done.median_ms);
    } catch (const device_error& failure) {
      done.run->failure = failure.what();
    } catch (const usage_error& failure) {
      done.run->failure = failure.what();
    }
    to_.keep(std::move(done));
  }

 private:
  result described(const std::string& strategy) const {
    result about;
    about.name = case_name(about_, variant_, strategy);
    about.operation = reconstruct().name;
    about.instance = about_.name;
    about.shape = images_.out.shape();
    about.type = variant_.type;
    about.neighbours = variant_.neighbours;
    about.threads = this_machine().threads;
    about.run = device_run{.device = at_.device(), .strategy = strategy};
    about.run->transfers = variant_.transfers;
    // Both limits apply to a GPU at full size.
    if (at_.device() == "cuda" && !to_.chosen().quick) {
      about.run->published_ms = published_of(about_, variant_);
      about.run->limit = limit_of(about_, variant_, strategy);
    }
    return about;
  }

  void run(const std::string& strategy, run_report& report) {
    const context how{.device = at_.device(),
                      .strategy = strategy,
                      .report = &report,
                      .stream = at_.stream(),
                      .wait = false};
    run_reconstruction(images_.marker.view(), images_.mask.view(), images_.out.view(), variant_.neighbours,
                       how);
  }

  void take(result& done) {
    run_report report;
    at_.take_times(done, to_.repeat(about_.repeat), most_ms, [&] { run(done.run->strategy, report); });
    auto& told = *done.run;
    if (report.strategy != told.strategy) told.ran = report.strategy;
    told.rounds = report.rounds;
    told.tiles = report.tiles;
    told.passes = report.passes;
    told.compute_ms = 1e3 * report.compute_seconds;
    told.transfer_ms = 1e3 * report.transfer_seconds;
  }

  /// Clears the output and runs again, so that earlier results cannot hide pixels that a run omits.
  void check(result& done) {
    run_report report;
    images_.out.clear();
    at_.milliseconds([&] { run(done.run->strategy, report); });
    const auto found = images_.out.sum();
    done.sum = found.sum;
    done.run->hash = found.hash;
    done.run->checked_by = by_.device();
    done.run->equal = found == right_;
  }

  void compare(device_run& automatic, double ms) const {
    const auto tiles = times_.find("tiles"), contraction = times_.find("contraction");
    if (tiles != times_.end() && contraction != times_.end())
      automatic.of_better = ms / std::min(tiles->second, contraction->second);
  }

  const wave_instance& about_;
  const wave_variant& variant_;
  workplace& at_;
  placed_pair& images_;
  checksum right_;
  const reference& by_;
  recorder& to_;
  std::map<std::string, double> times_;
};

/// Creates the images of the cases, and frees them before it creates the next.
class wave_suite {
 public:
  wave_suite(workplace& at, recorder& to) : at_(at), to_(to), by_(to.chosen().quick) {}

  void run(const wave_instance& about) {
    for (const auto& variant : about.variants) {
      const auto names = wanted(about, variant, at_, to_);
      if (names.empty()) continue;
      try {
        run(about, variant, names);
      } catch (const device_error& failure) {  // most likely out of memory: other cases are smaller
        to_.say(case_name(about, variant, "*") + ": left out: " + failure.what());
      }
    }
    images_.reset();
  }

 private:
  void run(const wave_instance& about, const wave_variant& variant, const std::vector<std::string>& names) {
    provide_base(about.from);
    auto& at = variant.transfers ? host_ : at_;
    const pair* from = &base_;
    pair other;
    if (variant.type != dtype::u8) {
      other = {converted(base_.marker, variant.type), converted(base_.mask, variant.type)};
      from = &other;
    }
    if (!images_ || type_ != variant.type || place_ != &at) {
      images_.reset();
      images_.emplace(at, *from, about.from.copies);
      type_ = variant.type;
      place_ = &at;
    }
    variant_run strategies(about, variant, at, *images_, by_.of(*from, about.from, variant.neighbours), by_,
                           to_);
    for (const auto& name : names) strategies.measure(name);
  }

  void provide_base(const wave_origin& from) {
    if (made_ && made_->same_base(from)) return;
    base_ = {};
    base_ = make_base(from, to_.chosen());
    made_ = from;
  }

  workplace& at_;
  workplace host_ = workplace::on_host("cuda");
  recorder& to_;
  reference by_;
  pair base_;
  std::optional<wave_origin> made_;
  std::optional<placed_pair> images_;
  dtype type_ = dtype::u8;
  const workplace* place_ = nullptr;
};

/// The GPU if there is one, else the cpu device.
workplace choose_workplace(recorder& to) {
  const auto here = devices();
  if (std::ranges::find(here, "cuda") != here.end()) return workplace::on_gpu();
  to.say("No GPU (" + this_machine().no_gpu + "): the cpu device, images in host memory" +
         (to.chosen().quick ? "." : ", slides up to 32k."));
  return workplace::on_host("cpu");
}

/// Without a GPU there are no transfers. The largest slides would need 30 GB of host memory and minutes.
void leave_out_for_host(std::vector<wave_instance>& instances, bool quick) {
  for (auto& each : instances)
    std::erase_if(each.variants, [](const auto& variant) { return variant.transfers; });
  if (quick) return;
  std::erase_if(instances, [](const auto& each) { return each.from.whole_side() > largest_computed_twice; });
}

void conclude(recorder& to) {
  int musts = 0;
  double most = 0;
  std::string missed, different;
  for (const auto& each : to.results()) {
    const auto& run = *each.run;
    if (!run.equal) different += " " + each.name;
    if (run.of_better) most = std::max(most, *run.of_better);
    if (!run.limit) continue;
    ++musts;
    if (!run.failure.empty() || each.median_ms > run.limit->must_ms) missed += " " + each.name;
  }
  if (musts > 0)
    to.say("Musts: " + std::to_string(musts) + (missed.empty() ? ", all hold." : "; missed:" + missed));
  if (most > 0) {
    std::array<char, 96> text;
    std::snprintf(text.data(), text.size(),
                  "auto, at worst: %.2f times the better of tiles and contraction (must: %.1f).", most,
                  most_of_better);
    to.say(text.data());
  }
  if (!different.empty()) to.say("Results that differ:" + different);
}

}  // namespace

void run_wave(recorder& to) {
  if (!to.chosen().save_inputs.empty())
    throw usage_error("--save-inputs: the suite wave keeps none; `macareu generate` makes them");
  auto at = choose_workplace(to);
  auto instances = wave_instances(has_published_pair(to.chosen()));
  if (!at.is_gpu()) leave_out_for_host(instances, to.chosen().quick);
  wave_suite suite(at, to);
  for (const auto& each : instances) suite.run(each);
  conclude(to);
}

}  // namespace macareu::bench
