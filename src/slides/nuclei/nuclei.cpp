#include <macareu/nuclei.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <macareu/error.hpp>
#include <macareu/fixed_point.hpp>
#include <macareu/ranks.hpp>

#include "catalogue/device_choice.hpp"
#include "catalogue/lend_threads.hpp"
#include "core/ceil_div.hpp"
#include "core/coding/coded_file.hpp"
#include "core/free_list_allowance.hpp"
#include "core/ranks/rank_shares.hpp"
#include "engines/cuda/runtime/presence.hpp"
#include "slides/nuclei/nuclei_recipe.hpp"
#include "slides/steps/step_runner.hpp"
#include "slides/tissue/tissue_parts.hpp"
#include "slides/tissue/tissue_source.hpp"

namespace macareu {
namespace {

using slides::step_runner;

void check(const source_form& rgb) {
  if (rgb.type != dtype::u8 || rgb.channels != 3 || rgb.shape.rank() != 2)
    throw usage_error("nuclei", "expected an image of u8 with three channels, got " +
                                    std::to_string(rgb.channels) + " of " + std::string(name_of(rgb.type)));
}

void check(const source_form& rgb, double mpp, const nuclei_options& options) {
  check(rgb);
  if (!(mpp > 0) || !std::isfinite(mpp))
    throw usage_error("nuclei",
                      "the size of a pixel must be above 0 micrometres, got " + to_string(number(mpp)));
  if (mpp * mpp > options.max_area)
    throw usage_error("nuclei", "a pixel of " + to_string(number(mpp)) + " x " + to_string(number(mpp)) +
                                    " um is larger than any nucleus (max_area " +
                                    to_string(number(options.max_area)) + " um^2)");
  if (options.stain_set != "h-e" && options.stain_set != "h-dab")
    throw usage_error("nuclei", "stain_set must be h-e or h-dab, got " + options.stain_set);
  if (!options.white.empty() && options.white.size() != 3)
    throw usage_error("nuclei", "white must be 3 numbers, got " + std::to_string(options.white.size()));
}

/// A rectangle of the slide.
struct slide_part {
  image_region where;
  std::uint64_t outside = 0;  // pixels that are not tissue
  std::shared_ptr<step_runner> on;
  picture rgb = {}, filled = {}, labels = {};
};

/// Adds how many pixels have each value, by channels, without `outside` pixels of the value `painted`: as
/// many as there are, because a smoothed image has other values beside the tissue.
void add_counts(std::vector<value_counts>& to, step_runner& on, const picture& of, std::uint64_t outside,
                std::size_t painted) {
  const auto values = to[0].size();
  auto counts = on.counts(of);
  for (std::size_t channel = 0; channel < to.size(); ++channel) {
    auto& own = counts[channel];
    own[painted] -= std::min(own[painted], outside);
    for (std::size_t value = 0; value < values; ++value) to[channel][value] += own[value];
  }
}

std::array<double, 3> white_of(std::vector<slide_part>& parts) {
  constexpr double least = 220;
  std::vector<value_counts> counts(3, value_counts(256));
  for (auto& part : parts) add_counts(counts, *part.on, part.rgb, part.outside, 255);
  std::array<double, 3> white{};
  for (std::size_t channel = 0; channel < 3; ++channel)
    white[channel] = std::max(percentile(counts[channel], 99), least);
  return white;
}

class stage_clock {
 public:
  explicit stage_clock(nuclei_report& report) : report_(report) {}
  void tell(std::string stage) {
    const auto now = std::chrono::steady_clock::now();
    report_.seconds.emplace_back(std::move(stage), std::chrono::duration<double>(now - last_).count());
    last_ = now;
  }

 private:
  nuclei_report& report_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

/// Bytes of a GPU for one pixel: images that wait until all parts have them, and those of the part that is
/// computed, with what operators take.
constexpr std::int64_t waiting_on_gpu = 8, computing_on_gpu = 48;

/// Lets all steps stay on a GPU, if all parts are computed in memory and have room there.
void stay_on_gpu(std::vector<slide_part>& parts, const context& how) {
  std::int64_t pixels = 0, most = 0;
  for (const auto& part : parts) {
    if (part.on->in_pieces()) return;
    pixels += part.where.pixels();
    most = std::max(most, part.where.pixels());
  }
  const bool automatic = how.device == "auto" && auto_tries_gpu(most);
  const bool named = how.device.starts_with("cuda") && cuda::gpus_named(how.device).size() < 2;
  if (!cuda::is_built() || !(automatic || named)) return;
  try {
    const int gpu = gpu_for_function(how);
    auto room = cuda::free_memory(gpu);
    if (how.gpu_memory > 0) room = std::min(room, how.gpu_memory);
    if (pixels * waiting_on_gpu + most * computing_on_gpu > room) return;
    for (const auto& part : parts) part.on->stay_on(gpu);
  } catch (const device_error&) {  // operators say why, or `auto` takes the cpu
  }
}

/// Labels of all parts. `store`: results between passes over the parts go to work files.
void label_parts(std::vector<slide_part>& parts, double mpp, const nuclei_options& options, bool store,
                 nuclei_report& report) {
  stage_clock clock(report);
  for (auto& part : parts)  // two steps read them
    if (part.on->stays_on_gpu() && !store) part.rgb = part.on->reuse(part.rgb);
  report.white = options.white.empty() ? white_of(parts)
                                       : std::array{options.white[0], options.white[1], options.white[2]};
  clock.tell("white");
  const auto kept = [&](slide_part& part, const picture& result) {
    return store ? part.on->stored(result) : result;
  };
  std::vector<value_counts> counts(1, value_counts(65536));
  std::vector<picture> densities;
  for (auto& part : parts) {
    slides::nuclei_recipe recipe(steps(part.on), options, mpp);
    const auto density = recipe.density(part.rgb, report.white);
    densities.push_back(store ? density : part.on->reuse(density));
    const auto filled = recipe.filled_density(store ? part.on->reuse(density) : densities.back());
    add_counts(counts, *part.on, filled, part.outside, 0);
    part.filled = kept(part, filled);
    part.rgb = {};
  }
  const auto slide = slides::numbers_of(counts[0]);
  report.threshold = slide.threshold / steps_per_density;
  clock.tell("density");
  for (std::size_t i = 0; i < parts.size(); ++i) {
    auto& part = parts[i];
    slides::nuclei_recipe recipe(steps(part.on), options, mpp);
    auto density = part.on->reuse(std::exchange(densities[i], {}));
    const auto filled = part.on->reuse(std::exchange(part.filled, {}));
    part.labels = kept(part, recipe.labels(std::move(density), filled, slide));
    if (part.labels.form().type != dtype::u32)
      throw internal_error("nuclei",
                           "expected labels of u32, got " + std::string(name_of(part.labels.form().type)));
    report.boxes += part.on->boxes();
  }
  clock.tell("nuclei");
}

/// The same on a GPU that has room for all images. If its memory does not suffice, they are kept on the host.
void label_parts_beside_gpu(std::vector<slide_part>& parts, double mpp, const nuclei_options& options,
                            const context& how, bool store, nuclei_report& report) {
  stay_on_gpu(parts, how);
  std::vector<picture> colours;
  for (const auto& part : parts) colours.push_back(part.rgb);
  try {
    label_parts(parts, mpp, options, store, report);
  } catch (const device_error& failure) {
    if (std::ranges::none_of(parts, [](const slide_part& part) { return part.on->stays_on_gpu(); })) throw;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      parts[i].on->stay_on(-1);
      parts[i].rgb = colours[i];
      parts[i].filled = parts[i].labels = {};
    }
    report = {};
    label_parts(parts, mpp, options, store, report);
    if (how.report)
      how.report->note = std::string(failure.what()) + "; images were kept in host memory instead";
  }
}

/// Rows of a part's labels that are in memory.
struct label_rows {
  const slide_part* of;
  slides::block pixels;

  /// Null where the part has no such row of the slide.
  const std::uint32_t* row(std::int64_t y) const {
    const auto own = y - of->where.first[1] - pixels.where.first[1];
    if (!pixels.pixels.data() || own < 0 || own >= pixels.where.size[1]) return nullptr;
    return static_cast<const std::uint32_t*>(pixels.pixels.data()) + own * pixels.pixels.steps()[0];
  }
};

/// Labels of all parts, numbered in raster order of first pixels. Parts number theirs so too, and lie side by
/// side in the order of their left sides: in a row, new labels of a part follow each other.
class joined_labels {
 public:
  joined_labels(const std::vector<slide_part>& parts, const extents& shape, int threads)
      : parts_(parts), shape_(shape), threads_(threads), numbers_(parts.size(), {0}) {}

  /// Rows of the slide.
  struct band {
    std::int64_t first, end;
    std::vector<label_rows> parts;
  };
  band read(std::int64_t first, std::int64_t end) const {
    band rows{first, end, {}};
    for (const auto& part : parts_) {
      const auto& where = part.where;
      const auto top = std::max(first, where.first[1]),
                 bottom = std::min(end, where.first[1] + where.size[1]);
      rows.parts.push_back({&part, {}});
      if (top < bottom)
        rows.parts.back().pixels = part.on->read(
            {&part.labels, 1}, {{0, top - where.first[1], 0}, {1, bottom - top, where.size[2]}})[0];
    }
    return rows;
  }

  /// The highest label of each part in each row.
  std::vector<std::uint32_t> highest(const band& in) const {
    std::vector<std::uint32_t> found(static_cast<std::size_t>(in.end - in.first) * parts_.size());
    over_rows(in, [&](std::size_t y, std::size_t i, const std::uint32_t* from) {
      found[y * parts_.size() + i] = *std::max_element(from, from + parts_[i].where.size[2]);
    });
    return found;
  }

  /// Numbers the labels of the next rows.
  void number(const std::vector<std::uint32_t>& highest) {
    for (std::size_t k = 0; k < highest.size(); ++k)
      for (auto& own = numbers_[k % parts_.size()]; own.size() <= highest[k];) own.push_back(++count_);
  }

  void write(const band& rows, image_sink& to) {
    pixels_.assign(static_cast<std::size_t>((rows.end - rows.first) * shape_.width()), 0);
    over_rows(rows, [&](std::size_t y, std::size_t i, const std::uint32_t* from) {
      auto* const out =
          pixels_.data() + static_cast<std::int64_t>(y) * shape_.width() + parts_[i].where.first[2];
      for (std::int64_t x = 0; x < parts_[i].where.size[2]; ++x)
        if (from[x] != 0) out[x] = numbers_[i][from[x]];
    });
    to.write({{0, rows.first, 0}, {1, rows.end - rows.first, shape_.width()}}, pixels_.data());
  }

  std::uint32_t count() const { return count_; }

 private:
  /// visit(row of the band, part, its first pixel), with all parts of a row on one thread, because they
  /// overlap.
  template <class Visit>
  void over_rows(const band& in, const Visit& visit) const {
    const auto height = in.end - in.first;
    lend_threads(height * shape_.width(), threads_)
        .for_each(static_cast<std::size_t>(height), [&](std::size_t y) {
          for (std::size_t i = 0; i < parts_.size(); ++i)
            if (const auto* const from = in.parts[i].row(in.first + static_cast<std::int64_t>(y)))
              visit(y, i, from);
        });
  }

  const std::vector<slide_part>& parts_;
  extents shape_;
  int threads_;
  std::vector<std::vector<std::uint32_t>> numbers_;  // by parts and their labels
  std::uint32_t count_ = 0;
  std::vector<std::uint32_t> pixels_;
};

/// Writes the labels of all parts in bands of `rows`, multiples of `unit`. Returns how many there are.
std::uint64_t write_labels(joined_labels labels, const extents& shape, std::int64_t rows, std::int64_t unit,
                           ranks* shared_by, image_sink& to) {
  const auto own = share_of(shared_by, ceil_div(shape.height(), unit));
  const auto over_bands = [&](const auto& visit) {
    const auto end = std::min(own.end * unit, shape.height());
    for (auto y = own.first * unit; y < end; y += rows) visit(labels.read(y, std::min(y + rows, end)));
  };
  if (shared_by) {
    // A rank can write its rows when it knows how many labels begin in those before.
    std::vector<std::uint32_t> highest;
    over_bands([&](const joined_labels::band& band) {
      const auto found = labels.highest(band);
      highest.insert(highest.end(), found.begin(), found.end());
    });
    for (const auto& rank : shared_by->gather(bytes_of(highest)))
      labels.number(numbers_in<std::uint32_t>(rank));
  }
  over_bands([&](const joined_labels::band& band) {
    if (!shared_by) labels.number(labels.highest(band));
    labels.write(band, to);
  });
  return labels.count();
}

/// Of images in memory, for one pixel: the images between two steps.
constexpr std::int64_t bytes_per_pixel = 36;

}  // namespace

image find_nuclei(const const_image_view& rgb, double mpp, const nuclei_options& options, const context& how,
                  nuclei_report* report) {
  check({rgb.type(), rgb.shape(), rgb.channels()}, mpp, options);
  image result(dtype::u32, rgb.shape());
  nuclei_report own;
  if (rgb.shape().pixels() > 0) {
    slides::require_host_memory("nuclei", rgb);
    std::vector<slide_part> parts(1);
    parts[0].where = whole_of(rgb.shape());
    parts[0].on = std::make_shared<step_runner>(how);
    parts[0].rgb = parts[0].on->picture_of(rgb);
    label_parts_beside_gpu(parts, mpp, options, how, false, own);
    own.count = parts[0].on->count();
    parts[0].on->write(parts[0].labels, *sink_to(result));
  }
  if (report) *report = own;
  return result;
}

std::array<double, 3> find_white(image_source& rgb, const tissue_mask* tissue, const context& how,
                                 const piece_options& pieces) {
  check(rgb.form());
  std::vector<slide_part> parts;
  for (const auto& where : slides::tissue_parts(rgb.form().shape, tissue, 0, 1)) {
    if (where.pixels() == 0) continue;
    const auto source = std::make_shared<slides::tissue_source>(rgb, tissue, where);
    slide_part part{where, source->outside(),
                    std::make_shared<step_runner>(how, slides::limits_of_steps(pieces), true, 0)};
    part.rgb = part.on->picture_of(source);
    parts.push_back(std::move(part));
  }
  return white_of(parts);
}

std::uint64_t find_nuclei(image_source& rgb, const tissue_mask* tissue, double mpp, image_sink& labels,
                          const nuclei_options& options, const context& how, const piece_options& pieces,
                          nuclei_report* report) {
  check(rgb.form(), mpp, options);
  const auto& shape = rgb.form().shape;
  auto limits = slides::limits_of_steps(pieces);
  auto* const shared_by = pieces.shared_by;
  const auto divided = slides::memory_of_steps(pieces);
  const auto memory = divided.all;
  limits.memory = divided.pieces;
  const free_list_allowance temporaries(static_cast<std::size_t>(memory / 16));
  coded_file::all().peak = coded_file::all().now.load();
  // Beyond the reach of the local means no step sees the other side of a part.
  const auto halo = static_cast<std::int64_t>(5 * options.local / mpp) + 64;
  constexpr std::int64_t unit = 4;
  std::vector<slide_part> parts;
  std::int64_t pixels = 0;
  for (const auto& where : slides::tissue_parts(shape, tissue, halo, unit)) {
    if (where.pixels() == 0) continue;
    const auto source = std::make_shared<slides::tissue_source>(rgb, tissue, where);
    const bool fits = !shared_by && pieces.size == std::array<std::int64_t, 3>{} &&
                      where.pixels() * bytes_per_pixel <= memory;
    slide_part part{where, source->outside(),
                    std::make_shared<step_runner>(how, limits, !fits, divided.blocks)};
    part.rgb = part.on->picture_of(source);
    pixels += where.pixels();
    parts.push_back(std::move(part));
  }
  nuclei_report own;
  label_parts_beside_gpu(parts, mpp, options, how, shared_by || pixels * bytes_per_pixel > memory, own);
  auto rows = std::clamp<std::int64_t>(memory / (16 * std::max<std::int64_t>(shape.width(), 1)), 1, 1024);
  const auto chunk = std::max<std::int64_t>(labels.chunk()[1], 1);
  rows = std::max(chunk, rows / chunk * chunk);
  own.count = write_labels({parts, shape, how.threads}, shape, rows, chunk, shared_by, labels);
  if (shared_by) shared_by->meet();
  if (!shared_by || shared_by->is_first()) labels.commit();
  own.scratch_bytes = coded_file::all().peak;
  if (report) *report = own;
  return own.count;
}

}  // namespace macareu
