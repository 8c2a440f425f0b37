// The same bytes on every machine and on any number of threads.
#include <macareu/generate.hpp>

#include <gtest/gtest.h>
#include <omp.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace macareu {
namespace {

/// FNV-1a of the mask's bytes, then the marker's, then the truth's numbers.
std::uint64_t checksum(const instance& made) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  const auto add = [&](const image& from) {
    for (const auto byte : from.pixels<std::uint8_t>()) hash = (hash ^ byte) * 0x100000001b3u;
  };
  add(made.mask);
  if (made.marker) add(*made.marker);
  if (made.truth)
    for (const auto number : made.truth->pixels<std::uint32_t>()) hash = (hash ^ number) * 0x100000001b3u;
  return hash;
}

const extents image_shape{131, 257}, volume_shape{7, 35, 43};

// Computed with g++ 12 on AArch64; they must never change, since benchmark results are compared across
// versions.
const std::map<std::string_view, std::uint64_t> images{
    {"random", 0x33cd4eb648b53f01u},         {"flat", 0xe41b8bb0e41d2179u},
    {"serpentine", 0x8dcbad2e06ccfb3du},     {"spiral", 0xd019cf4719c18d39u},
    {"percolation", 0x3304ad611a0d2361u},    {"tissue", 0xd2bcb39daebc7b20u},
    {"slide", 0x72113e2bc1f4644au},          {"noise", 0x66066b4fec20bd5u},
    {"sites-1", 0xcf19c5ff9a48e63fu},        {"sites-10", 0x4a20d72fd626b219u},
    {"circles16", 0xcc54126df1f64c94u},      {"big-circle", 0x324d9b510c011c4du},
    {"central-circle", 0x888b3ecb54b52604u}, {"corner-squares", 0x1118173288b0202cu},
    {"diagonal", 0x2661332ae077fdb7u},       {"cross", 0x9578280cf4dd9e17u},
    {"chess", 0xfbff0598206eb154u},          {"blocks", 0xca7e329ae03d95f4u},
    {"snake", 0x942fc947824ad479u},
};
const std::map<std::string_view, std::uint64_t> volumes{
    {"random", 0xb16a9190a4ead533u},      {"flat", 0xd62ccaebe16bce75u},
    {"serpentine", 0x8f540ba7fd0b4f6fu},  {"spiral", 0x55bcdfd2f40b853u},
    {"percolation", 0x5227119630b92726u}, {"noise", 0x753870098fe358bu},
    {"sites-1", 0x9ce22f73468c939eu},     {"sites-10", 0xf4d1e61b2cff3b69u},
    {"chess", 0xe233ba3aed9b91bfu},       {"blocks", 0x7a3628ab1638e640u},
    {"snake", 0xad6954c3f981242du},
};

void expect_bytes(const std::map<std::string_view, std::uint64_t>& known, const extents& shape,
                  bool instance_description::*kind) {
  for (const auto& d : instances()) {
    if (!(d.*kind)) continue;
    const auto found = known.find(d.name);
    const auto made = checksum(generate(d.name, shape, {.seed = 7}));
    EXPECT_TRUE(found != known.end() && found->second == made)
        << "{\"" << d.name << "\", 0x" << std::hex << made << "u},";
  }
}

TEST(Bytes, OfImages) { expect_bytes(images, image_shape, &instance_description::images); }

TEST(Bytes, OfVolumes) { expect_bytes(volumes, volume_shape, &instance_description::volumes); }

TEST(Bytes, DoNotDependOnThreads) {
  const int before = omp_get_max_threads();
  for (const auto& d : instances()) {
    SCOPED_TRACE(std::string(d.name));
    std::map<int, std::uint64_t> seen;
    for (const int threads : {1, 2, 3}) {
      omp_set_num_threads(threads);
      seen[threads] = checksum(generate(d.name, {301, 523}, {.seed = 5}));
      if (d.volumes) seen[threads] ^= 3 * checksum(generate(d.name, {9, 37, 53}, {.seed = 5}));
    }
    EXPECT_EQ(seen[1], seen[2]);
    EXPECT_EQ(seen[1], seen[3]);
  }
  omp_set_num_threads(before);
}

}  // namespace
}  // namespace macareu
