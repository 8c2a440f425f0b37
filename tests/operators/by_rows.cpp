// Searches and sums that the cpu engine makes by rows are those of the definition.
#include <cstdint>
#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include <macareu/catalogue.hpp>

#include "support/dice.hpp"

namespace macareu::test {
namespace {

void expect_same(std::string_view name, std::initializer_list<const_image_view> inputs,
                 const arguments& given, std::vector<std::size_t> wanted = {0}) {
  const auto& about = *find_operator(name);
  const std::vector<const_image_view> views(inputs);
  const auto run = [&](const char* device) {
    std::vector<image> images;
    std::vector<image_view> outputs(wanted.back() + 1, image_view(nullptr, dtype::u8, extents{}, strides{}));
    for (const auto output : wanted)
      images.emplace_back(output_type(about, output, views[0].type(), views[0].shape(), given),
                          output_shape(about, output, views[0].shape(), given));
    for (std::size_t i = 0; i < wanted.size(); ++i) outputs[wanted[i]] = images[i];
    run_operator(about, views, outputs, given, {.device = device, .threads = 2});
    return images;
  };
  const auto expected = run("serial"), found = run("cpu");
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const auto bytes = static_cast<std::size_t>(found[i].shape().pixels()) * size_of(found[i].type());
    EXPECT_EQ(std::memcmp(found[i].data(), expected[i].data(), bytes), 0) << name << " " << wanted[i];
  }
}

image objects(dice& from, const extents& shape) {
  image labels(dtype::u32, shape);
  const auto pixels = labels.pixels<std::uint32_t>();
  for (std::size_t i = 0; i < pixels.size(); ++i)
    pixels[i] = from.once_in(60)            ? static_cast<std::uint32_t>(from.below(9))
                : i > 0 && !from.once_in(4) ? pixels[i - 1]
                                            : 0;
  return labels;
}

TEST(by_rows, near_objects) {
  dice from(7);
  for (const extents& shape : {extents{1, 1}, extents{3, 300}, extents{300, 3}, extents{150, 211}}) {
    const auto labels = objects(from, shape);
    for (const double reach : {0.5, 1.0, 2.5, 8.0, 11.0, 12.0})
      expect_same("distance_transform", {labels}, {{"invert", true}, {"max_distance", number(reach)}},
                  {0, 2});
  }
}

TEST(by_rows, scaling) {
  dice from(8);
  for (const extents& shape : {extents{1, 1}, extents{1, 37}, extents{67, 131}}) {
    image f(dtype::u16, shape);
    for (auto& value : f.pixels<std::uint16_t>()) value = static_cast<std::uint16_t>(from.below(65536));
    for (const std::int64_t factor : {2, 3, 4, 7}) {
      expect_same("reduce", {f}, {{"factor", std::vector<number>{factor}}});
      expect_same("enlarge", {f},
                  {{"size", std::vector<number>{factor * shape.height() + 1, factor * shape.width()}}});
    }
  }
}

TEST(by_rows, relabelled_runs) {
  dice from(9);
  for (const extents& shape : {extents{1, 5}, extents{2, 2}, extents{90, 130}}) {
    const auto labels = objects(from, shape);
    expect_same("relabel", {labels}, {{"min_size", number(3)}});
    expect_same("relabel", {labels}, {{"clear_border", true}});
  }
}

TEST(by_rows, merged_by_threads) {
  dice from(10);
  const auto labels = objects(from, {400, 300});
  image density(dtype::u16, {400, 300});
  for (auto& value : density.pixels<std::uint16_t>()) value = static_cast<std::uint16_t>(from.below(60000));
  expect_same("merge_regions", {labels, density}, {});
}

}  // namespace
}  // namespace macareu::test
