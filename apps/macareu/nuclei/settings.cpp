#include "nuclei/settings.hpp"

#include <algorithm>
#include <array>
#include <thread>
#include <tuple>
#include <vector>

#include <nlohmann/json.hpp>

#include <macareu/catalogue.hpp>
#include <macareu/error.hpp>

#include "command/text.hpp"
#include "slides/nuclei/parameters.hpp"
#include "slides/outputs/uuid.hpp"

namespace macareu::tool {
namespace {

constexpr double default_positive = 0.2;

/// A number above 0.
double size_from(const std::string& option, const std::string& text) {
  const auto value = real_number(option, text, 0);
  if (!(value > 0)) throw usage_error(option + ": expected a number greater than 0, got " + in_quotes(text));
  return value;
}

std::vector<double> numbers_from(const std::string& option, const std::string& text) {
  std::vector<double> values;
  for (const auto& part : split(text, ',')) values.push_back(real_number(option, part, -1e9));
  return values;
}

std::array<std::int64_t, 4> rectangle_from(const std::string& text) {
  const auto parts = split(text, ',');
  constexpr auto most = std::int64_t{1} << 40;
  if (parts.size() != 4) throw usage_error("--rectangle: expected X,Y,W,H, got " + in_quotes(text));
  std::array<std::int64_t, 4> values;
  for (std::size_t i = 0; i < 4; ++i) values[i] = whole_number("--rectangle", parts[i], i < 2 ? 0 : 1, most);
  return values;
}

}  // namespace

void nuclei_settings::add_to(parser& options) {
  options.add({.group = "Inputs",
               .names = "FILE",
               .help = "slides: whatever libvips reads, OME-Zarr, or .npy with three channels",
               .required = true,
               .several = true,
               .take = [this](const std::string& text) { slides.push_back(text); }});
  options.add({.group = "Inputs",
               .names = "--mpp",
               .value = "UM",
               .help = "micrometres per pixel, instead of the file's; required where the file has none",
               .take = [this](const std::string& text) { mpp = size_from("--mpp", text); }});
  options.add({.group = "Inputs",
               .names = "--region",
               .value = "FILE.geojson",
               .help = "analyse only inside these polygons, in pixels of level 0",
               .take = [this](const std::string& text) { region_file = text; }});
  options.add({.group = "Inputs",
               .names = "--rectangle",
               .value = "X,Y,W,H",
               .help = "analyse only this rectangle, in pixels of level 0",
               .take = [this](const std::string& text) { rectangle = rectangle_from(text); }});
  options.add({.group = "Inputs",
               .names = "--force",
               .help = "analyse images that do not look like a stained bright-field slide too",
               .take = [this](const std::string&) { force = true; }});
  options.add({.group = "Outputs",
               .names = "-o,--output",
               .value = "DIRECTORY",
               .help = "where the files appear; of several slides, in one directory each",
               .required = true,
               .take = [this](const std::string& text) { output = text; }});
  options.add({.group = "Outputs",
               .names = "--cells",
               .value = "UM",
               .help = "add outlines of cells: nuclei grown by this many micrometres, until cells meet",
               .take = [this](const std::string& text) { cells = size_from("--cells", text); }});
  options.add({.group = "Outputs",
               .names = "--labels",
               .value = "tif|zarr",
               .help = "labels.ome.tif, a compressed pyramid, or labels.zarr, which is faster (default: tif)",
               .take = [this](const std::string& text) {
                 zarr_labels = choice_from("--labels", text, "tif|zarr") == "zarr";
               }});
  options.add({.group = "Outputs",
               .names = "--skip",
               .value = "NAME,...",
               .help = "do not write outlines, table, labels, tissue, pictures or page",
               .take = [this](const std::string& text) {
                 for (const auto& name : split(text, ','))
                   skip.push_back(choice_from("--skip", name, "outlines|table|labels|tissue|pictures|page"));
               }});
  options.add({.group = "Stains",
               .names = "--stain-set",
               .value = "h-e|h-dab",
               .help = "haematoxylin with eosin, or with DAB (default: h-e)",
               .take = [this](const std::string& text) {
                 recipe.stain_set = choice_from("--stain-set", text, "h-e|h-dab");
               }});
  options.add({.group = "Stains",
               .names = "--stains",
               .value = "NUMBER,...",
               .help = "optical densities in red, green and blue of two or three stains, the nuclei's first",
               .take = [this](const std::string& text) { recipe.stains = numbers_from("--stains", text); }});
  options.add(
      {.group = "Stains",
       .names = "--white",
       .value = "R,G,B",
       .help = "the glass (default: each channel's 99th percentile over the slide's tissue, at least 220)",
       .take = [this](const std::string& text) { recipe.white = numbers_from("--white", text); }});
  options.add({.group = "Stains",
               .names = "--positive",
               .value = "OD",
               .help = "h-dab: nuclei with a greater mean density of DAB are positive (default: 0.2)",
               .take = [this](const std::string& text) { positive = real_number("--positive", text, 0); }});
  for (const auto& each : slides::nuclei_parameters())
    options.add({.group = "Recipe",
                 .names = option_name(each.name),
                 .value = "NUMBER",
                 .help = std::string(each.help) + " (default: " + shortest(each.default_value()) +
                         (each.unit.empty() ? "" : " " + std::string(each.unit)) + ")",
                 .take = [this, &each](const std::string& text) {
                   recipe.*each.member = real_number(option_name(each.name), text, 0);
                 }});
  running.add_limits_to(options);
  options.add({.group = "Running",
               .names = "--resume",
               .help = "skip slides that an earlier run finished with the same parameters",
               .take = [this](const std::string&) { resume = true; }});
}

void nuclei_settings::check() {
  if (running.how.device == "serial")
    throw usage_error("--device serial: nuclei are measured in pieces, which serial does not do; use cpu");
  const auto& [stains, white] = std::tie(recipe.stains, recipe.white);
  if (!stains.empty() && stains.size() != 6 && stains.size() != 9)
    throw usage_error("--stains: expected 6 or 9 numbers, got " + std::to_string(stains.size()));
  if (!stains.empty()) try {
      validate(*find_operator("unmix"), std::array{image_form{dtype::u8, {}, 3}},
               {{"vectors", std::vector<number>(stains.begin(), stains.end())}});
    } catch (const call_error& e) {
      throw usage_error(e.problem().text([](const error_part& part) {
        return part.is == error_part::role::parameter ? std::string("--stains") : part.text;
      }));
    }
  if (white.size() == 1) recipe.white.assign(3, white[0]);
  if (!white.empty() && white.size() != 3)
    throw usage_error("--white: expected one number or three, got " + std::to_string(white.size()));
  for (const auto value : white)
    if (!(value >= 1 && value <= 255))
      throw usage_error("--white: expected numbers from 1 to 255, got " + shortest(value));
  if (recipe.stain_set != "h-dab") {
    if (positive) throw usage_error("--positive is for --stain-set h-dab");
  } else if (!positive) {
    positive = default_positive;
  }
  if (recipe.min_area > recipe.max_area)
    throw usage_error("--min-area " + shortest(recipe.min_area) + " is above --max-area " +
                      shortest(recipe.max_area));
}

bool nuclei_settings::writes(std::string_view name) const {
  return std::ranges::find(skip, name) == skip.end();
}

int nuclei_settings::threads() const {
  const auto all = static_cast<int>(std::thread::hardware_concurrency());
  return running.how.threads > 0 ? running.how.threads : std::clamp(all, 1, 16);
}

nlohmann::ordered_json nuclei_settings::parameters() const {
  using json = nlohmann::ordered_json;
  json all;
  all["mpp"] = mpp ? json(*mpp) : json(nullptr);
  all["region"] = region_file.empty() ? json(nullptr) : json(region_file);
  all["region_checksum"] = region_file.empty() ? json(nullptr) : json(slides::checksum_of(region_file));
  all["rectangle"] = rectangle ? json(*rectangle) : json(nullptr);
  all["cells_um"] = cells > 0 ? json(cells) : json(nullptr);
  all["stain_set"] = recipe.stain_set;
  all["stains"] = recipe.stains.empty() ? json(nullptr) : json(recipe.stains);
  all["white"] = recipe.white.empty() ? json(nullptr) : json(recipe.white);
  all["positive_od"] = positive ? json(*positive) : json(nullptr);
  all["force"] = force;
  for (const auto& each : slides::nuclei_parameters()) all[std::string(each.name)] = recipe.*each.member;
  return all;
}

}  // namespace macareu::tool
