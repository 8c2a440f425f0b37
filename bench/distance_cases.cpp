#include "distance_cases.hpp"

#include <algorithm>
#include <utility>

#include <macareu/generate.hpp>

#include "mirrored.hpp"
#include "pairs.hpp"
#include "workers.hpp"

namespace macareu::bench {
namespace {

constexpr std::uint8_t threshold = 40;

extents shape_of(const distance_origin& from, bool quick) {
  if (!quick) return from.shape;
  const auto small = [&](int axis) {
    return std::max<std::int64_t>(32, from.shape[axis] / (from.shape.rank() == 3 ? 16 : 64));
  };
  return from.shape.rank() == 3 ? extents{small(0), small(1), small(2)} : extents{small(0), small(1)};
}

image tissue_over_40(const extents& shape, const options& chosen) {
  auto tissue = shape.width() == 4096 && has_published_pair(chosen) ? published_pair(chosen).mask
                                                                    : generate("tissue", shape).mask;
  for (auto& pixel : tissue.pixels<std::uint8_t>()) pixel = pixel > threshold ? 255 : 0;
  return tissue;
}

/// A bijective mixer (splitmix64).
constexpr std::uint64_t scrambled(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

image scattered(const extents& shape, std::int64_t one_in) {
  image made(dtype::u8, shape);
  const auto pixels = made.pixels<std::uint8_t>();
#pragma omp parallel for num_threads(workers())
  for (std::size_t i = 0; i < pixels.size(); ++i)
    pixels[i] = one_in > 0 && scrambled(i) % static_cast<std::uint64_t>(one_in) == 0 ? 0 : 255;
  pixels[pixels.size() / 3] = 0;
  return made;
}

}  // namespace

const std::vector<distance_instance>& distance_instances() {
  const extents size_4k{4096, 4096}, size_8k{8192, 8192};
  static const std::vector<distance_instance> all{
      {"tissue-over-40-4k", {"tissue-over-40", size_4k}, false, time_limit{0.07, 0.04}},
      {"tissue-over-40-8k", {"tissue-over-40", size_8k}, false, time_limit{0.24, 0.14}},
      {"tissue-over-40-16k", {"tissue-over-40", size_8k, 0, 2}, false, time_limit{0.9, 0.55}},
      {"one-in-10^4-4k", {"sites", size_4k, 10'000}, false, time_limit{0.10, 0.06}},
      {"one-in-10^6-4k", {"sites", size_4k, 1'000'000}, false, {}},
      {"one-site-4k", {"sites", size_4k}, false, time_limit{0.25, 0.12}},
      {"sites-1-256^3", {"sites-1", {256, 256, 256}}, false, {}},
      {"sites-1-512^3", {"sites-1", {512, 512, 512}}, false, time_limit{4, 1.5}},
      {"one-in-100-2048^2x256", {"sites", {2048, 2048, 256}, 100}, false, {}, memory_limit{8, 4}},
      {"circles16-4k", {"circles16", size_4k}, true, {}},
      {"big-circle-4k", {"big-circle", size_4k}, true, {}},
      {"central-circle-4k", {"central-circle", size_4k}, true, time_limit{0.25, 0.12}},
      {"corner-squares-4k", {"corner-squares", size_4k}, true, {}},
      {"diagonal-4k", {"diagonal", size_4k}, true, time_limit{0.25, 0.12}},
      {"cross-4k", {"cross", size_4k}, true, {}},
      {"sites-1-4k", {"sites-1", size_4k}, true, {}},
      {"sites-10-4k", {"sites-10", size_4k}, true, {}},
      {"sites-1-8k", {"sites-1", size_8k}, true, {}},
      {"sites-10-8k", {"sites-10", size_8k}, true, {}},
      {"big-circle-8k", {"big-circle", size_8k}, true, {}},
      {"circles16-8k", {"circles16", size_8k}, true, {}},
  };
  return all;
}

const std::vector<distance_variant>& distance_variants() {
  const std::pair<const std::string, argument> fractional{"spacing", std::vector<number>{0.7, 1.3}},
      city_block{"metric", std::string("city_block")}, chessboard{"metric", std::string("chessboard")},
      at_most_16{"max_distance", number(16)};
  constexpr auto tissue = "tissue-over-40-4k", dense = "one-in-10^4-4k", sparse = "one-in-10^6-4k",
                 single = "one-site-4k", diagonal = "diagonal-4k", circle = "central-circle-4k";
  static const std::vector<distance_variant> all{
      {"squared", tissue, "distance_transform", {{"squared", true}}},
      {"signed", tissue, "distance_transform", {{"signed", true}}},
      {"max-16", tissue, "distance_transform", {at_most_16}},
      {"max-16", sparse, "distance_transform", {at_most_16}},
      {"spacing", tissue, "distance_transform", {fractional}},
      {"spacing", dense, "distance_transform", {fractional}},
      {"spacing", sparse, "distance_transform", {fractional}},
      {"spacing", single, "distance_transform", {fractional}},
      {"city-block", dense, "distance_transform", {city_block}},
      {"city-block-spacing", dense, "distance_transform", {city_block, fractional}},
      {"chessboard", dense, "distance_transform", {chessboard}},
      {"indices", tissue, "nearest_site", {}},
      {"indices", dense, "nearest_site", {}},
      {"indices", single, "nearest_site", {}},
      {"indices-spacing", tissue, "nearest_site", {fractional}},
      {"indices-spacing", dense, "nearest_site", {fractional}},
      {"indices-spacing", single, "nearest_site", {fractional}},
      {"labels", tissue, "nearest_label", {}},
      {"labels-spacing", tissue, "nearest_label", {fractional}},
      {"indices", diagonal, "nearest_site", {}, false},
      {"indices", circle, "nearest_site", {}, false},
      {"spacing", diagonal, "distance_transform", {fractional}, false},
      {"spacing", circle, "distance_transform", {fractional}, false},
  };
  return all;
}

image make_sites(const distance_origin& from, const options& chosen) {
  const auto shape = shape_of(from, chosen.quick);
  auto base = from.family == "tissue-over-40" ? tissue_over_40(shape, chosen)
              : from.family == "sites"        ? scattered(shape, from.one_in)
                                              : generate(from.family, shape).mask;
  return from.copies == 1 ? std::move(base) : mirrored(base, from.copies).whole();
}

}  // namespace macareu::bench
