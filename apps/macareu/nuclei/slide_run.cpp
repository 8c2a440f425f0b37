#include "nuclei/slide_run.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include <macareu/catalogue.hpp>
#include <macareu/error.hpp>
#include <macareu/ranks.hpp>

#include "command/progress_bar.hpp"
#include "command/text.hpp"
#include "core/coding/coded_file.hpp"
#include "nuclei/region_file.hpp"
#include "running/timing.hpp"
#include "slides/outputs/stain_sums.hpp"
#include "slides/tissue/tissue.hpp"

namespace macareu::tool {
namespace {

/// Beyond the border of what is wanted, so that nuclei are not cut there.
constexpr double margin_um = 50;

}  // namespace

slide_run::slide_run(const nuclei_settings& settings, std::string file, std::filesystem::path work,
                     interruption& signals)
    : settings_(settings),
      file_(std::move(file)),
      work_(std::move(work)),
      signals_(signals),
      recipe_(settings.recipe) {
  open();
}

void slide_run::open() {
  if (!settings_.region_file.empty()) regions_ = read_regions(settings_.region_file);
  auto slide = slides::open_slide(file_, 0, work_);
  const auto& form = slide->form();
  const auto has = "has " + std::to_string(form.channels) + (form.channels == 1 ? " channel" : " channels") +
                   " of " + std::string(name_of(form.type));
  if (form.shape.rank() != 2) throw usage_error(file_, "is a volume; a slide is an image");
  if (form.type != dtype::u8 || form.channels < 3 || form.channels > 4)
    throw usage_error(file_, has + "; a stained slide has red, green and blue of u8");
  if (form.shape.pixels() == 0) throw io_error(file_, "has no pixels");
  whole_ = form;
  set_pixel_size(form);
  wanted_ = wanted_part(form.shape);
  auto part = wanted_;
  const auto margin = is_restricted() ? static_cast<std::int64_t>(std::ceil(margin_um / mpp_)) : 0;
  for (std::size_t axis = 1; axis < 3; ++axis) {
    const auto end = std::min(part.first[axis] + part.size[axis] + margin, whole_of(form.shape).size[axis]);
    part.first[axis] = std::max<std::int64_t>(part.first[axis] - margin, 0);
    part.size[axis] = end - part.first[axis];
  }
  rgb_ = std::make_unique<slides::slide_part>(std::move(slide), part);
}

image_region slide_run::wanted_part(const extents& slide) const {
  auto part = whole_of(slide);
  if (settings_.rectangle) {
    const auto& [x, y, width, height] = *settings_.rectangle;
    if (x + width > slide.width() || y + height > slide.height())
      throw usage_error("--rectangle: " + file_ + " has " + std::to_string(slide.width()) + " x " +
                        std::to_string(slide.height()) + " pixels, which do not contain " +
                        std::to_string(x) + "," + std::to_string(y) + "," + std::to_string(width) + "," +
                        std::to_string(height));
    part = {{0, y, x}, {1, height, width}};
  }
  if (regions_.empty()) return part;
  const auto box = slides::box_of(regions_, slide);
  for (std::size_t axis = 1; axis < 3; ++axis) {
    const auto end = std::min(part.first[axis] + part.size[axis], box.first[axis] + box.size[axis]);
    part.first[axis] = std::max(part.first[axis], box.first[axis]);
    part.size[axis] = end - part.first[axis];
    if (part.size[axis] <= 0)
      throw usage_error("--region: no polygon of " + settings_.region_file + " lies on " + file_ +
                        (settings_.rectangle ? " inside --rectangle" : ""));
  }
  return part;
}

void slide_run::set_pixel_size(const source_form& form) {
  mpp_ = settings_.mpp ? *settings_.mpp : own_pixel_size(form);
  const auto largest = settings_.recipe.max_area;
  if (mpp_ * mpp_ > largest)
    throw usage_error(file_, "a pixel of " + shortest(mpp_) + " x " + shortest(mpp_) +
                                 " um is larger than any nucleus (--max-area " + shortest(largest) +
                                 " um^2): give --mpp in micrometres");
}

double slide_run::own_pixel_size(const source_form& form) const {
  const auto size = slides::pixel_size_um(form);
  if (!size)
    throw usage_error(file_, "the file does not say how large its pixels are: give --mpp, as --mpp 0.25");
  const auto& [width, height] = *size;
  constexpr double most_unequal = 0.02;
  if (std::abs(width - height) > most_unequal * std::min(width, height))
    throw usage_error(file_, "pixels of " + shortest(width) + " x " + shortest(height) +
                                 " um are not square; give --mpp to take them as square");
  return std::round((width + height) / 2 * 1e9) / 1e9;
}

context slide_run::computing() {
  auto how = settings_.running.how;
  how.stop = signals_.token();
  return how;
}

piece_options slide_run::pieces() {
  auto options = settings_.running.pieces;
  if (options.scratch.empty()) options.scratch = work_;
  options.progress = progress_;
  return options;
}

void slide_run::timed(const char* stage, const std::function<void()>& work) {
  signals_.check();
  const stopwatch watch;
  progress_bar bar("nuclei: " + std::filesystem::path(file_).filename().string() + ": " + stage,
                   settings_.running.quiet);
  progress_ = bar.piece_callback();
  work();
  seconds_.emplace_back(stage, watch.seconds());
}

void slide_run::run() {
  const auto write = [&](const char* output, void (slide_run::*work)()) {
    if (settings_.writes(output)) timed(output, [&] { (this->*work)(); });
  };
  auto& work_files = coded_file::all();
  work_files.peak = work_files.now.load();
  timed("look", [&] { look(); });
  timed("nuclei", [&] { find(); });
  timed("measure", [&] { measure(); });
  if (!has_outputs()) return;
  // Compressing labels takes one thread, writing chunks a few, and nothing waits for them.
  if (settings_.writes("labels"))
    labels_written_ = std::async(std::launch::async, [this] {
      const stopwatch watch;
      write_labels();
      return watch.seconds();
    });
  write("table", &slide_run::write_table);
  write("outlines", &slide_run::write_outlines);
  write("tissue", &slide_run::write_tissue);
  write("pictures", &slide_run::write_pictures);
  write_summary();
}

void slide_run::look() {
  const auto& part = rgb_->part();
  const slides::view_limits limits{.memory = settings_.running.pieces.memory,
                                   .scratch = pieces().scratch,
                                   .stop = signals_.token(),
                                   .threads = settings_.running.how.threads};
  // Tissue is found on the whole slide, also where a part of it is wanted.
  slides::slide_part slide(slides::open_slide(file_, 0, work_), whole_of(whole_.shape));
  auto [picture, coarse] = slides::views_of(file_, whole_, slide, slide.part(), mpp_, limits);
  if (!settings_.force)
    if (const auto why = slides::why_no_slide(coarse))
      throw io_error(file_,
                     "is no stained bright-field slide: " + *why + "; --force analyses it all the same");
  tissue_ = slides::find_tissue(coarse, mpp_);
  if (!is_restricted()) {
    picture_ = std::move(picture);
    return;
  }
  picture_ = slides::views_of(file_, whole_, *rgb_, part, mpp_, limits).picture;
  const auto all = std::exchange(tissue_, {});
  const auto reach = margin_um / mpp_ / static_cast<double>(picture_.factor);
  searched_ = slides::inside_regions(all, picture_.factor, part, wanted_, regions_, reach);
  tissue_ = slides::inside_regions(all, picture_.factor, part, wanted_, regions_, 0);
  if (recipe_.white.empty() && has_tissue()) {
    const auto white = find_white(slide, &all, computing(), pieces());
    recipe_.white.assign(white.begin(), white.end());
  }
}

bool slide_run::has_outputs() const {
  const auto* const all = settings_.running.pieces.shared_by;
  return !all || all->is_first();
}

bool slide_run::has_tissue() const {
  const auto mask = tissue_.mask.pixels<bool>();
  return std::ranges::find(mask, true) != mask.end();
}

void slide_run::find() {
  labels_ = new_labels(rgb_->form().info);
  // Glass alone has no densities that a threshold could come from.
  if (!has_tissue()) return;
  auto how = computing();
  run_report ran;
  how.report = &ran;
  const auto& where = is_restricted() ? searched_ : tissue_;
  report_.count = find_nuclei(*rgb_, &where, mpp_, *labels_, recipe_, how, pieces(), &report_);
  device_ = ran.device;
  labels_->share();
}

std::unique_ptr<slides::label_store> slide_run::new_labels(const metadata& info) {
  return std::make_unique<slides::label_store>(rgb_->form().shape, info, pieces().scratch,
                                               settings_.running.how.threads, pieces().shared_by);
}

void slide_run::keep_wanted(const table& shapes) {
  const auto &x = shapes["centroid-1"], &y = shapes["centroid-0"];
  const auto& part = rgb_->part();
  const auto place = [&](const number& um, std::size_t axis) {
    return um.to_double() / mpp_ + 0.5 + static_cast<double>(part.first[axis]);
  };
  const auto inside = [&](double at, std::size_t axis) {
    return at >= static_cast<double>(wanted_.first[axis]) &&
           at < static_cast<double>(wanted_.first[axis] + wanted_.size[axis]);
  };
  std::vector<std::uint32_t> numbers(shapes.rows() + 1);
  std::uint32_t kept = 0;
  for (std::size_t row = 0; row < shapes.rows(); ++row) {
    const slides::point at{place(x[row], 2), place(y[row], 1)};
    const bool wanted = inside(at.x, 2) && inside(at.y, 1) &&
                        (regions_.empty() || std::ranges::any_of(regions_, [&](const slides::region& each) {
                           return each.contains(at);
                         }));
    if (wanted) numbers[row + 1] = ++kept;
  }
  labels_ = labels_->renumbered(numbers, pieces().scratch);
  if (cells_) cells_ = cells_->renumbered(numbers, pieces().scratch);
  report_.count = kept;
}

void slide_run::grow_cells() {
  cells_ = new_labels({});
  run_in_pieces(*find_operator("expand_labels"), std::array<image_source*, 1>{labels_.get()},
                std::array<image_sink*, 1>{cells_.get()},
                {{"spacing", std::vector<number>{mpp_}}, {"max_distance", number(settings_.cells)}},
                computing(), pieces());
  cells_->share();
}

void slide_run::measure() {
  const arguments spacing{{"spacing", std::vector<number>{mpp_}}};
  const auto& about = *find_operator("measure");
  const auto shapes_of = [&](slides::label_store& labels) {
    return compute_table_in_pieces(about, std::array<image_source*, 1>{&labels}, spacing, computing(),
                                   pieces());
  };
  const auto& place = rgb_->part();
  auto shapes = shapes_of(*labels_);
  // Nuclei that are not wanted limit the cells of those that are.
  if (settings_.cells > 0) grow_cells();
  if (is_restricted()) {
    keep_wanted(shapes);
    shapes = shapes_of(*labels_);
  }
  auto stains = slides::sum_stains(*rgb_, *labels_, report_.count, settings_.recipe, report_.white,
                                   computing(), pieces().shared_by);
  if (has_outputs()) {
    rows_.emplace(std::move(shapes), std::move(stains),
                  slides::slide_place{slides::checksum_of(file_), mpp_, place.first[2], place.first[1]});
    if (settings_.positive) rows_->classify("dab_od_mean", *settings_.positive);
  }
  if (settings_.cells == 0) return;
  const auto cells = shapes_of(*cells_);
  if (has_outputs()) rows_->add_cells(cells);
}

}  // namespace macareu::tool
