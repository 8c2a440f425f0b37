#include "wave_cases.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <macareu/catalogue.hpp>

namespace macareu::bench {
namespace {

using enum wave_strategies;

constexpr std::array coverages{25, 50, 75, 100};

// Acceptance thresholds on one H200: images in its memory, warm, u8 and 4 neighbours.
constexpr time_limit tissue_4k{0.25, 0.12};
constexpr time_limit tissue_16k{1.5, 0.9};
constexpr time_limit slide_100k{80, 45};
constexpr double published_tissue_4k = 8.6, published_tissue_16k = 41.6;

// Factors for other neighbourhoods and types.
constexpr double eight_neighbours = 1.6, sixteen_bits = 2, floats = 4;

std::vector<wave_variant> every_type(wave_strategies of_bytes) {
  return {{dtype::u8, 4, of_bytes}, {dtype::u8, 8}, {dtype::u16, 4}, {dtype::f32, 4}};
}

std::vector<wave_variant> every_type_and_transfers() {
  auto variants = every_type(all);
  variants.push_back({.strategies = automatic, .transfers = true});
  return variants;
}

void add_published(std::vector<wave_instance>& to) {
  to.push_back(
      {"published-50-4k", {"published", 4096}, every_type_and_transfers(), tissue_4k, published_tissue_4k});
  to.push_back({"published-50-16k",
                {.family = "published", .side = 4096, .copies = 4},
                every_type_and_transfers(),
                tissue_16k,
                published_tissue_16k});
}

/// Generating 10^10 pixels would take longer than everything else. From 16384 x 16384 on, tissue of 8192 x
/// 8192 is mirrored. A side of 100,000 uses 10,000 x 10,000, because it is no multiple of 8192.
void add_tissue(std::vector<wave_instance>& to, int coverage, bool stands_for_published) {
  const auto percent = std::to_string(coverage);
  const bool limited = stands_for_published && coverage == 50;
  const auto limit = [&](time_limit most) { return limited ? std::optional(most) : std::nullopt; };
  const auto variants = limited ? every_type_and_transfers() : std::vector{wave_variant{.strategies = all}};
  const auto add = [&](std::string name, std::int64_t side, int copies, std::vector<wave_variant> which,
                       std::optional<time_limit> most, int repeat) {
    to.push_back({.name = std::move(name),
                  .from = {"tissue", side, coverage, copies},
                  .variants = std::move(which),
                  .limit = most,
                  .repeat = repeat});
  };
  add("tissue-" + percent + "-4k", 4096, 1, variants, limit(tissue_4k), 11);
  add("tissue-" + percent + "-16k", 8192, 2, variants, limit(tissue_16k), 11);
  add("slide-32k-" + percent, 8192, 4, {{.strategies = slides}}, {}, 3);
  add("slide-64k-" + percent, 8192, 8, {{}}, {}, 3);
  std::vector<wave_variant> largest{{}};
  if (coverage == 50) largest.push_back({dtype::u8, 8});
  if (coverage == 100) {  // most tiles
    largest.push_back({dtype::u8, 8});
    largest.push_back({dtype::u16, 4});
    largest.push_back({dtype::f32, 4, automatic});  // three images take 120 GB, contraction does not fit
  }
  add("slide-100k-" + percent, 10000, 10, largest, slide_100k, 3);
}

void add_others(std::vector<wave_instance>& to) {
  to.push_back({"random-4k", {"random", 4096}, every_type(all), time_limit{0.09, 0.06}, 1.42});
  to.push_back({"random-8k", {"random", 8192}, {{.strategies = all}}, {}, 4.4});
  to.push_back({"flat-4k", {"flat", 4096}, every_type(all), time_limit{0.40, 0.18}, 13.4});
  to.push_back({"one-seed-4k", {"one-seed", 4096}, every_type(all), time_limit{1.1, 0.5}});
  to.push_back({"percolation-4k", {"percolation", 4096}, {{.strategies = all}, {dtype::u8, 8, all}}});
  // On waves that walk millions of pixels in sequence, the papers' strategies take seconds, and `queue` half
  // a minute.
  to.push_back({"serpentine-1k", {"serpentine", 1024}, {{.strategies = all}}});
  to.push_back({"serpentine-4k", {"serpentine", 4096}, every_type(slides), time_limit{0.45, 0.25}, 8040});
  to.push_back({"spiral-1k", {"spiral", 1024}, {{.strategies = all}}});
  to.push_back({"spiral-4k", {"spiral", 4096}, {{}, {dtype::u8, 8}}});
  to.push_back({.name = "noise-512",
                .from = {.family = "noise", .side = 512, .volume = true},
                .variants = {{dtype::u8, 26, all}, {dtype::u8, 6, all}},
                .limit = time_limit{15}});
}

bool is_of(wave_strategies set, std::string_view strategy) {
  constexpr std::array<std::string_view, 2> of_leading{"tiles", "contraction"};
  constexpr std::array<std::string_view, 4> of_slides{"tiles", "contraction", "megapixel", "diagonal"};
  if (set == all) return true;
  if (set == leading) return std::ranges::find(of_leading, strategy) != of_leading.end();
  if (set == slides) return std::ranges::find(of_slides, strategy) != of_slides.end();
  return false;
}

double factor_of(const wave_variant& variant) {
  return (variant.neighbours == 8 ? eight_neighbours : 1) * (variant.type == dtype::u16   ? sixteen_bits
                                                             : variant.type == dtype::f32 ? floats
                                                                                          : 1);
}

bool is_plain(const wave_variant& variant) {
  return variant.type == dtype::u8 && variant.neighbours == 4 && !variant.transfers;
}

}  // namespace

std::vector<wave_instance> wave_instances(bool published_is_here) {
  std::vector<wave_instance> made;
  if (published_is_here) add_published(made);
  add_others(made);
  for (const int coverage : coverages) add_tissue(made, coverage, !published_is_here);
  return made;
}

std::vector<std::string> strategies_of(const wave_variant& variant, std::string_view device) {
  const bool image = variant.neighbours == 4 || variant.neighbours == 8;
  std::vector<std::string> names;
  for (const auto name : strategies(device, "wave"))
    if (is_of(variant.strategies, name) && (image || name != "diagonal")) names.emplace_back(name);
  names.emplace_back("auto");  // last: it is compared with the others
  return names;
}

std::optional<time_limit> limit_of(const wave_instance& about, const wave_variant& variant,
                                   std::string_view strategy) {
  if (strategy == "megapixel" && published_of(about, variant) > 0) return time_limit{about.published_ms};
  const bool has_one =
      strategy == "auto" && !variant.transfers && (!about.from.volume || variant.neighbours == 26);
  if (!about.limit || !has_one) return std::nullopt;
  const auto factor = factor_of(variant);
  return time_limit{factor * about.limit->must_ms, factor * about.limit->goal_ms};
}

double published_of(const wave_instance& about, const wave_variant& variant) {
  return is_plain(variant) ? about.published_ms : 0;
}

}  // namespace macareu::bench
