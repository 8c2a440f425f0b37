#include "distance_cases.hpp"

#include <algorithm>

#include <macareu/generate.hpp>

#include "mirrored.hpp"
#include "pairs.hpp"

namespace macareu::bench {
namespace {

constexpr std::uint8_t threshold = 40;

extents shape_of(const distance_origin& from, bool quick) {
  const auto side = quick ? std::max<std::int64_t>(32, from.side / (from.rank == 3 ? 16 : 64)) : from.side;
  return from.rank == 3 ? extents{side, side, side} : extents{side, side};
}

image tissue_over_40(const extents& shape, const options& chosen) {
  auto tissue = shape.width() == 4096 && has_published_pair(chosen) ? published_pair(chosen).mask
                                                                    : generate("tissue", shape).mask;
  for (auto& pixel : tissue.pixels<std::uint8_t>()) pixel = pixel > threshold ? 255 : 0;
  return tissue;
}

/// One to one, and far from the identity (splitmix64).
constexpr std::uint64_t scrambled(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

image scattered(const extents& shape, std::int64_t one_in) {
  image made(dtype::u8, shape);
  const auto pixels = made.pixels<std::uint8_t>();
  for (std::size_t i = 0; i < pixels.size(); ++i)
    pixels[i] = one_in > 0 && scrambled(i) % static_cast<std::uint64_t>(one_in) == 0 ? 0 : 255;
  pixels[pixels.size() / 3] = 0;
  return made;
}

}  // namespace

const std::vector<distance_instance>& distance_instances() {
  static const std::vector<distance_instance> all{
      {"tissue-over-40-4k", {"tissue-over-40", 4096}, false, time_limit{0.07, 0.04}},
      {"tissue-over-40-8k", {"tissue-over-40", 8192}, false, time_limit{0.24, 0.14}},
      {"tissue-over-40-16k", {"tissue-over-40", 8192, 2, 0, 2}, false, time_limit{0.9, 0.55}},
      {"one-in-10^4-4k", {"sites", 4096, 2, 10'000}, false, time_limit{0.10, 0.06}},
      {"one-in-10^6-4k", {"sites", 4096, 2, 1'000'000}, false, {}},
      {"one-site-4k", {"sites", 4096}, false, time_limit{0.25, 0.12}},
      {"sites-1-256^3", {"sites-1", 256, 3}, false, {}},
      {"sites-1-512^3", {"sites-1", 512, 3}, false, time_limit{4, 1.5}},
      {"circles16-4k", {"circles16", 4096}, true, {}},
      {"big-circle-4k", {"big-circle", 4096}, true, {}},
      {"central-circle-4k", {"central-circle", 4096}, true, time_limit{0.25, 0.12}},
      {"corner-squares-4k", {"corner-squares", 4096}, true, {}},
      {"diagonal-4k", {"diagonal", 4096}, true, time_limit{0.25, 0.12}},
      {"cross-4k", {"cross", 4096}, true, {}},
      {"sites-1-4k", {"sites-1", 4096}, true, {}},
      {"sites-10-4k", {"sites-10", 4096}, true, {}},
      {"sites-1-8k", {"sites-1", 8192}, true, {}},
      {"sites-10-8k", {"sites-10", 8192}, true, {}},
      {"big-circle-8k", {"big-circle", 8192}, true, {}},
      {"circles16-8k", {"circles16", 8192}, true, {}},
  };
  return all;
}

const std::vector<distance_variant>& distance_variants() {
  const std::vector<number> fractional{0.7, 1.3};
  static const std::vector<distance_variant> all{
      {"squared", "tissue-over-40-4k", "distance_transform", {{"squared", true}}},
      {"spacing", "tissue-over-40-4k", "distance_transform", {{"spacing", fractional}}},
      {"signed", "tissue-over-40-4k", "distance_transform", {{"signed", true}}},
      {"indices", "tissue-over-40-4k", "nearest_site", {}},
      {"spacing", "one-in-10^4-4k", "distance_transform", {{"spacing", fractional}}},
      {"indices", "one-in-10^4-4k", "nearest_site", {}},
      {"spacing", "one-in-10^6-4k", "distance_transform", {{"spacing", fractional}}},
      {"max-16", "one-in-10^6-4k", "distance_transform", {{"max_distance", number(16)}}},
      {"spacing", "one-site-4k", "distance_transform", {{"spacing", fractional}}},
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
