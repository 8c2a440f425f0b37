// Objects measured and renumbered on the cuda device: the same bits as on the serial one.
#include <limits>

#include <macareu/error.hpp>
#include <macareu/operators.hpp>

#include "cuda/on_gpu.hpp"
#include "support/same.hpp"
#include "support/strided.hpp"

namespace macareu::test {
namespace {

const std::vector<dtype> label_types{dtype::u8, dtype::i16, dtype::u32, dtype::i64};
const std::vector<dtype> intensity_types{dtype::boolean, dtype::u8,  dtype::i8,  dtype::u16,
                                         dtype::i16,     dtype::i32, dtype::u32, dtype::i64,
                                         dtype::u64,     dtype::f32, dtype::f64};

template <class T>
void fill(image& to, const std::vector<std::int64_t>& values) {
  auto* const pixels = static_cast<T*>(to.data());
  for (std::size_t i = 0; i < values.size(); ++i) pixels[i] = static_cast<T>(values[i]);
}

image image_of(dtype type, const extents& shape, const std::vector<std::int64_t>& values) {
  image made(type, shape);
  switch (size_of(type)) {
    case 1:
      fill<std::uint8_t>(made, values);
      break;
    case 2:
      fill<std::uint16_t>(made, values);
      break;
    case 4:
      type == dtype::f32 ? fill<float>(made, values) : fill<std::uint32_t>(made, values);
      break;
    default:
      type == dtype::f64 ? fill<double>(made, values) : fill<std::uint64_t>(made, values);
  }
  return made;
}

class objects_on_gpu : public on_gpu {
 protected:
  static extents draw_shape(dice& from, std::int64_t longest) {
    if (from.once_in(2)) return {from.between(1, longest), from.between(1, longest)};
    return {from.between(1, 9), from.between(1, longest / 3), from.between(1, longest / 2)};
  }
  /// Noise, blocks, stripes either way, or one object that is everywhere.
  static std::vector<std::int64_t> draw_labels(dice& from, const extents& shape, std::int64_t most) {
    std::vector<std::int64_t> labels;
    const auto kind = from.below(5), side = from.between(1, 40);
    for (std::int64_t i = 0; i < shape.pixels(); ++i) {
      const auto x = i % shape.width(), y = i / shape.width() % shape.height();
      const auto cell = kind == 1 ? y / side * 8 + x / side : kind == 2 ? x / side : y / side;
      labels.push_back(kind == 0 ? from.between(0, most) : kind == 4 ? 1 : cell % (most + 1));
    }
    return labels;
  }
  static std::vector<std::int64_t> draw_values(dice& from, const extents& shape, bool binary) {
    std::vector<std::int64_t> values;
    for (std::int64_t i = 0; i < shape.pixels(); ++i)
      values.push_back(binary ? from.below(2) : from.between(0, 250));
    return values;
  }

  void compare(dice& from, std::int64_t longest) {
    const auto shape = draw_shape(from, longest);
    const auto most = from.pick(std::vector<std::int64_t>{1, 5, 120});
    const auto labels = image_of(from.pick(label_types), shape, draw_labels(from, shape, most));
    measure_options given;
    if (from.once_in(2)) given.spacing = {from.between(1, 3)};
    ASSERT_EQ(to_csv(measure(labels, given, cuda_)), to_csv(measure(labels, given, serial_)))
        << to_string(shape);
    const auto type = from.pick(intensity_types);
    const auto intensity = image_of(type, shape, draw_values(from, shape, type == dtype::boolean));
    for (const auto columns : {measure_columns::all, measure_columns::intensity}) {
      given.columns = columns;
      ASSERT_EQ(to_csv(measure(labels, intensity, given, cuda_)),
                to_csv(measure(labels, intensity, given, serial_)))
          << to_string(shape) << " weighed with " << name_of(type);
    }
    relabel_options wanted;
    if (from.once_in(2)) wanted.min_size = from.between(1, 30);
    if (from.once_in(3)) wanted.max_size = from.between(10, 300);
    if (from.once_in(3)) wanted.largest = from.between(1, 6);
    wanted.clear_border = from.once_in(3);
    ASSERT_TRUE(same_bits(relabel(labels, wanted, cuda_), relabel(labels, wanted, serial_)))
        << to_string(shape);
  }
};

TEST_F(objects_on_gpu, small_images) {
  for (int i = 0; i < scaled(600); ++i) {
    SCOPED_TRACE(i);
    dice from(seed_of("objects_on_gpu", i));
    compare(from, 40);
    if (HasFatalFailure()) return;
  }
}

TEST_F(objects_on_gpu, images_of_many_tiles) {
  for (int i = 0; i < scaled(60); ++i) {
    SCOPED_TRACE(i);
    dice from(seed_of("objects_of_many_tiles", i));
    compare(from, 400);
    if (HasFatalFailure()) return;
  }
}

/// Sums of squares beyond 64 bits, and values below 0, carry from word to word.
TEST_F(objects_on_gpu, sums_of_128_bits) {
  dice from(seed_of("sums_of_128_bits", 1));
  const extents shape{300, 301};
  image labels(dtype::u32, shape), intensity(dtype::i32, shape);
  for (std::int64_t i = 0; i < shape.pixels(); ++i) {
    static_cast<std::uint32_t*>(labels.data())[i] = static_cast<std::uint32_t>(from.between(0, 3));
    static_cast<std::int32_t*>(intensity.data())[i] =
        static_cast<std::int32_t>(from.once_in(2) ? from.between(2'000'000'000, 2'147'483'647)
                                                  : from.between(-2'147'483'647, -2'000'000'000));
  }
  EXPECT_EQ(to_csv(measure(labels, intensity, {}, cuda_)), to_csv(measure(labels, intensity, {}, serial_)));
}

TEST_F(objects_on_gpu, intensities_outside_of_objects_do_not_matter) {
  dice from(seed_of("intensities_outside_of_objects", 1));
  const extents shape{130, 301};
  image labels(dtype::u16, shape), intensity(dtype::f32, shape);
  auto* const numbers = static_cast<std::uint16_t*>(labels.data());
  auto* const values = static_cast<float*>(intensity.data());
  const std::vector<float> outside{-3.4e38F, std::numeric_limits<float>::quiet_NaN(),
                                   std::numeric_limits<float>::infinity()};
  for (std::int64_t i = 0; i < shape.pixels(); ++i) {
    numbers[i] = static_cast<std::uint16_t>(from.between(0, 3));
    values[i] =
        numbers[i] == 0 ? from.pick(outside) : static_cast<float>(from.between(-1'000'000, 1'000'000)) / 7;
  }
  EXPECT_EQ(to_csv(measure(labels, intensity, {}, cuda_)), to_csv(measure(labels, intensity, {}, serial_)));
  numbers[777] = 1;
  values[777] = outside[1];
  EXPECT_THROW(measure(labels, intensity, {}, cuda_), usage_error);
}

TEST_F(objects_on_gpu, labels_of_any_size) {
  for (int i = 0; i < scaled(60); ++i) {
    dice from(seed_of("labels_of_any_size", i));
    const auto shape = draw_shape(from, 90);
    auto numbers = draw_labels(from, shape, 50);
    const auto base = from.between(0, std::int64_t{1} << 61), step = std::int64_t{1} << from.below(50);
    for (auto& number : numbers)
      if (number != 0) number = base + number * step;
    const auto labels = image_of(from.once_in(2) ? dtype::i64 : dtype::u64, shape, numbers);
    for (const auto& wanted : {relabel_options{}, relabel_options{.min_size = 3, .largest = 9}})
      ASSERT_TRUE(same_bits(relabel(labels, wanted, cuda_), relabel(labels, wanted, serial_))) << i;
  }
}

TEST_F(objects_on_gpu, with_any_strides) {
  for (const auto& shape : {extents{211, 137}, extents{1, 5000}, extents{9, 31, 70}})
    for (int i = 0; i < 5; ++i) {
      dice from(seed_of("objects_with_any_strides", shape.pixels(), i));
      const auto drawn = image_of(dtype::u32, shape, draw_labels(from, shape, 9));
      strided_image labels(from, dtype::u32, shape), out(from, dtype::u32, shape);
      labels.assign(drawn);
      EXPECT_EQ(to_csv(measure(labels, {}, cuda_)), to_csv(measure(drawn, {}, serial_)));
      relabel(labels, out.view(), {.min_size = 4}, cuda_);
      EXPECT_TRUE(same_bits(out, relabel(drawn, {.min_size = 4}, serial_)));
      EXPECT_TRUE(out.gaps_untouched());
    }
}

}  // namespace
}  // namespace macareu::test
