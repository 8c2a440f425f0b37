// The summary of a slide, which also says that it is finished.
#include <algorithm>
#include <filesystem>
#include <utility>

#include <nlohmann/json.hpp>

#include <macareu/error.hpp>
#include <macareu/page.hpp>
#include <macareu/text_file.hpp>
#include <macareu/version.hpp>

#include "core/coding/coded_file.hpp"
#include "files/vips/vips_library.hpp"
#include "nuclei/slide_run.hpp"
#include "slides/tissue/tissue.hpp"

namespace macareu::tool {
namespace {

using ordered = nlohmann::ordered_json;

/// What decides the result.
ordered key_of(const std::string& input, const nuclei_settings& settings) {
  return {{"version", version}, {"input", input}, {"parameters", settings.parameters()}};
}

ordered statistics_of(const slides::nuclei_column& column, std::size_t rows) {
  std::vector<double> values(rows);
  double sum = 0;
  for (std::size_t i = 0; i < rows; ++i) sum += values[i] = column[i];
  std::ranges::sort(values);
  return {{"mean", sum / static_cast<double>(rows)},
          {"median", values[rows / 2]},
          {"least", values.front()},
          {"most", values.back()}};
}

ordered per_mm2(std::size_t count, double um2) {
  return um2 > 0 ? ordered(static_cast<double>(count) / um2 * 1e6) : ordered(nullptr);
}

/// What a page shows of a summary: plain values.
std::string shown(const ordered& summary) {
  ordered plain;
  for (const auto& [name, value] : summary.items())
    if (value.is_primitive() && name != "input" && name != "coordinates") plain[name] = value;
  return plain.dump(-1, ' ', false, ordered::error_handler_t::replace);
}

}  // namespace

std::vector<slide_file::entry> slide_file::all(const nuclei_settings& settings) {
  std::vector<entry> files;
  const auto add = [&](const char* output, const std::string& name, bool possible = true) {
    files.push_back({name, possible && settings.writes(output)});
  };
  add("outlines", outlines);
  add("table", table);
  add("labels", labels_tiff, !settings.zarr_labels);
  add("labels", labels_zarr, settings.zarr_labels);
  add("tissue", tissue);
  add("pictures", overview);
  for (const std::string plot : {area_histogram, stain_histogram, density}) {
    add("pictures", plot + ".png");
    add("pictures", plot + ".svg");
  }
  const bool pages = missing_for_pages().empty();
  add("page", page_folder, pages);
  add("page", page, pages);
  files.push_back({summary, true});
  return files;
}

void slide_file::check_folders(const std::filesystem::path& directory, const nuclei_settings& settings) {
  std::error_code ignored;
  const bool replaces_all = is_summary(directory / summary);
  for (const auto& [name, wanted] : all(settings)) {
    if (!wanted && !replaces_all) continue;
    const auto folder = directory / name;
    if (!std::filesystem::is_directory(folder, ignored)) continue;
    const bool own = name == page_folder
                         ? is_page(folder)
                         : name == labels_zarr && std::filesystem::exists(folder / ".zarray", ignored);
    if (!own)
      throw io_error(folder.string(), "exists and is something else: remove it, or choose another --output");
  }
}

bool slide_file::is_summary(const std::filesystem::path& file) {
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return false;
  std::string text;
  read_text(file, [&](std::string_view part) { text += part; });
  const auto found = ordered::parse(text, nullptr, false);
  return found.is_object() && found.contains("slide") && found.contains("nuclei") &&
         found.contains("version");
}

bool slide_run::is_finished(const std::filesystem::path& directory) const {
  std::error_code ignored;
  for (const auto& [name, wanted] : slide_file::all(settings_))
    if (wanted && !std::filesystem::exists(directory / name, ignored)) return false;
  std::string text;
  read_text(directory / slide_file::summary, [&](std::string_view part) { text += part; });
  const auto found = ordered::parse(text, nullptr, false);
  if (!found.is_object()) return false;
  const auto key = key_of(identity(), settings_);
  for (const auto& [name, value] : key.items())
    if (!found.contains(name) || found[name].dump() != value.dump()) return false;
  return !identity().empty();
}

void slide_run::write_summary() {
  const auto& part = rgb_->part();
  const auto count = rows_->rows();
  double tissue_um2 = 0;
  for (const auto& outline : slides::tissue_outlines(tissue_, rgb_->form().shape))
    tissue_um2 += slides::area_of(outline) * mpp_ * mpp_;
  ordered all;
  all["slide"] = std::filesystem::path(file_).filename().string();
  all.update(key_of(identity(), settings_));
  all["shape"] = {whole_.shape.height(), whole_.shape.width()};
  all["mpp"] = mpp_;
  const auto box_of = [](const image_region& of) {
    return ordered{{"x", of.first[2]}, {"y", of.first[1]}, {"width", of.size[2]}, {"height", of.size[1]}};
  };
  all["analysed_px"] = box_of(wanted_);
  all["labels_px"] = box_of(part);
  all["coordinates"] =
      "pixels of level 0, from the upper left corner of its first pixel; x to the right, y down";
  all["white"] = has_tissue() ? ordered(report_.white) : ordered(nullptr);
  all["threshold"] = has_tissue() ? ordered(report_.threshold) : ordered(nullptr);
  all["nuclei"] = count;
  all["tissue_mm2"] = tissue_um2 / 1e6;
  all["density_per_mm2"] = per_mm2(count, tissue_um2);
  if (rows_->classified()) {
    std::size_t positive = 0;
    for (std::size_t i = 0; i < count; ++i) positive += rows_->positive(i);
    all["positive"] = positive;
    all["negative"] = count - positive;
    all["positive_share"] =
        count > 0 ? ordered(static_cast<double>(positive) / static_cast<double>(count)) : ordered(nullptr);
  }
  if (!regions_.empty()) all["regions"] = ordered::array();
  for (const auto& region : regions_) {
    const auto &x = (*rows_)["centroid_x_px"], &y = (*rows_)["centroid_y_px"];
    std::size_t inside = 0;
    for (std::size_t i = 0; i < count; ++i) inside += region.contains({x[i], y[i]});
    const auto area = region.area() * mpp_ * mpp_;
    all["regions"].push_back({{"name", region.name},
                              {"nuclei", inside},
                              {"area_mm2", area / 1e6},
                              {"density_per_mm2", per_mm2(inside, area)}});
  }
  if (count > 0)
    for (const auto* column : {"area_um2", "hematoxylin_od_mean"})
      all[column] = statistics_of((*rows_)[column], count);
  if (settings_.writes("page")) timed("page", [&] { write_page(shown(all)); });
  if (labels_written_.valid()) seconds_.emplace_back("labels", labels_written_.get());
  ordered seconds;
  for (const auto& [stage, time] : seconds_) seconds[stage] = time;
  for (const auto& [stage, time] : report_.seconds) seconds["nuclei: " + stage] = time;
  ordered libraries = ordered::object();
  for (const auto& [name, loaded] : files::versions_of_loaded()) libraries[name] = loaded;
  // All that may differ from run to run.
  all["run"] = {{"device", device_},
                {"threads", settings_.threads()},
                {"libraries", libraries},
                {"seconds", seconds},
                {"scratch_bytes", coded_file::all().peak.load()}};
  text_file out(work_ / slide_file::summary);
  out.write(all.dump(2, ' ', false, ordered::error_handler_t::replace) + "\n");
  out.commit();
}

}  // namespace macareu::tool
