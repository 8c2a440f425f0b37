// Canny, both flavours: the four sizes of paper 5, a hundred images of each, and larger images.
#include <algorithm>
#include <deque>
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

struct canny_case {
  std::string name;
  extents shape;
  dtype type;
  int images;                            // processed in sequence
  int different;                         // distinct images among them
  std::optional<time_limit> limit = {};  // of the itk flavour, on a GPU
  bool from_host = false;                // also from host memory, on a GPU
};

/// Paper 5 uses a hundred photographs of 481 x 321 pixels, repeated 1, 2, 4 and 8 times along both axes. Here
/// they are pieces of tissue. The number of distinct pieces is such that each size has the pixels of the
/// first.
std::vector<canny_case> all_cases(bool quick) {
  std::vector<canny_case> cases;
  for (const std::int64_t times :
       quick ? std::vector<std::int64_t>{1} : std::vector<std::int64_t>{1, 2, 4, 8}) {
    const extents shape{321 * times, 481 * times};
    cases.push_back({"base-" + std::to_string(shape.height()) + "x" + std::to_string(shape.width()), shape,
                     dtype::f32, quick ? 5 : 100, quick ? 5 : static_cast<int>(100 / (times * times))});
  }
  for (const std::int64_t side :
       quick ? std::vector<std::int64_t>{256} : std::vector<std::int64_t>{4096, 8192, 16384}) {
    const auto name = "tissue-" + std::to_string(side);
    const bool first = side <= 4096;
    cases.push_back({name, {side, side}, dtype::f32, 1, 1, {}, first});
    if (first) cases.push_back({name + "-u8", {side, side}, dtype::u8, 1, 1, time_limit{0.45, 0.15}, first});
  }
  return cases;
}

/// f32 images have the values of u8 images, so thresholds of scikit-image are scaled by 255.
arguments arguments_of(std::string_view flavour, dtype type) {
  arguments values{{"flavour", std::string(flavour)}};
  if (flavour == "itk") {
    values.emplace("variance", std::vector<number>{1.96});
    values.emplace("low", number(4));
    values.emplace("high", number(7));
  } else if (type == dtype::f32) {
    values.emplace("low", number(25.5));
    values.emplace("high", number(51));
  }
  return values;
}

/// One case with one flavour at one workplace.
class case_run {
 public:
  case_run(const canny_case& about, const std::string& flavour, workplace& at, recorder& to)
      : about_(about), values_(arguments_of(flavour, about.type)), at_(at), to_(to) {
    done_.operation = operation_.name;
    done_.instance = about.images > 1 ? std::to_string(about.images) + " of tissue" : "tissue";
    done_.shape = about.shape;
    done_.type = about.type;
    done_.neighbours = 8;
    done_.threads = this_machine().threads;
    done_.run = device_run{.device = at.device(), .strategy = "auto"};
    if (at.is_gpu() && flavour == "itk" && !to.chosen().quick) done_.run->limit = about.limit;
  }

  static std::string name_of(const canny_case& about, const std::string& flavour, const std::string& what,
                             const workplace& at) {
    return about.name + "-" + flavour + what + "-" + at.device();
  }

  /// `images`: `about.different` images in host memory.
  void measure(const std::string& name, const std::vector<image>& images) {
    done_.name = name;
    try {
      std::deque<placed_image> placed;
      for (const auto& each : images) placed.emplace_back(at_, mirrored(each, 1));
      placed_image out(at_, dtype::boolean, about_.shape);
      out.clear();
      take(placed, out);
      check(images[static_cast<std::size_t>(about_.images - 1) % images.size()], out.sum());
    } catch (const device_error& failure) {
      done_.run->failure = failure.what();
    }
    to_.keep(std::move(done_));
  }

 private:
  void take(std::deque<placed_image>& placed, placed_image& out) {
    run_report report;
    const context how{.device = at_.device(), .report = &report, .stream = at_.stream(), .wait = false};
    const std::vector<image_view> outputs{out.view()};
    const auto run = [&] {
      for (std::size_t i = 0; i < static_cast<std::size_t>(about_.images); ++i)
        run_operator(operation_, std::vector<const_image_view>{placed[i % placed.size()].view()}, outputs,
                     values_, how);
    };
    at_.take_times(done_, to_.repeat(usual_repeat), most_ms, run);
    done_.run->transfers = !at_.is_gpu() && at_.device() == "cuda";
    done_.run->compute_ms = 1e3 * report.compute_seconds;
    done_.run->transfer_ms = 1e3 * report.transfer_seconds;
  }

  void check(const image& last, const checksum& found) {
    done_.sum = found.sum;
    const bool small = to_.chosen().quick;
    if (at_.device() == "cpu" && !small) return;
    done_.run->hash = found.hash;
    done_.run->checked_by = small ? "serial" : "cpu";
    const auto expected = run_operator(operation_, std::vector<const_image_view>{last}, values_,
                                       {.device = done_.run->checked_by});
    done_.run->equal = found == checksum_of(expected[0]);
  }

  const operator_description& operation_ = *find_operator("canny");
  const canny_case& about_;
  arguments values_;
  workplace& at_;
  recorder& to_;
  result done_;
};

std::vector<image> make_inputs(const canny_case& each, const std::string& name, const options& chosen) {
  std::vector<image> images;
  for (int i = 0; i < each.different; ++i) {
    const bool published = each.images == 1 && each.shape.height() == 4096 && has_published_pair(chosen);
    auto made = published ? published_pair(chosen).mask
                          : generate("tissue", each.shape, {.seed = static_cast<std::uint64_t>(i + 1)}).mask;
    images.push_back(each.type == dtype::u8 ? std::move(made) : converted(made, each.type));
  }
  if (!chosen.save_inputs.empty())
    for (std::size_t i = 0; i < images.size(); ++i)
      write_image(
          chosen.save_inputs / (name + (images.size() > 1 ? "-" + std::to_string(i + 1) : "") + ".npy"),
          images[i]);
  return images;
}

}  // namespace

/// Always on the cpu, and on a GPU if there is one.
void run_canny(recorder& to) {
  const auto here = devices();
  std::vector<workplace> places;
  places.push_back(workplace::on_host("cpu"));
  if (std::ranges::find(here, "cuda") != here.end()) {
    places.push_back(workplace::on_gpu());
    places.push_back(workplace::on_host("cuda"));
  } else {
    to.say("No GPU (" + this_machine().no_gpu + "): the cpu device only.");
  }
  for (const auto& each : all_cases(to.chosen().quick)) {
    std::vector<image> images;
    for (auto& at : places)
      for (const auto* flavour : {"itk", "skimage"}) {
        const bool from_host = !at.is_gpu() && at.device() == "cuda";
        const auto name = case_run::name_of(each, flavour, from_host ? "-from-host" : "", at);
        if ((from_host && !each.from_host) || !to.wants(name)) continue;
        if (images.empty()) images = make_inputs(each, each.name, to.chosen());
        case_run(each, flavour, at, to).measure(name, images);
      }
  }
}

}  // namespace macareu::bench
