// Every filter against ITK's, except those of local.cpp and canny.cpp.
#include <macareu/itk/distance.hpp>
#include <macareu/itk/labels.hpp>
#include <macareu/itk/masks.hpp>
#include <macareu/itk/reconstruction.hpp>

#include "support.hpp"

namespace ours = macareu::itk;

namespace {

/// A marker below (or above) an image.
template <class Image>
typename Image::Pointer shifted(const Image& image, double by) {
  auto marker = empty_image<Image>(image.GetBufferedRegion().GetSize());
  const auto* from = image.GetBufferPointer();
  auto* to = marker->GetBufferPointer();
  for (itk::SizeValueType i = 0; i < image.GetBufferedRegion().GetNumberOfPixels(); ++i)
    to[i] = static_cast<typename Image::PixelType>(
        std::clamp(static_cast<double>(from[i]) + by * (i % 7), 0.0, 255.0));
  return marker;
}

template <class Image>
class grey_filters : public testing::Test {};
using grey_images =
    testing::Types<image_of<unsigned char, 2>, image_of<unsigned short, 2>, image_of<float, 2>,
                   image_of<double, 2>, image_of<short, 3>, image_of<int, 3>, image_of<float, 3>>;
TYPED_TEST_SUITE(grey_filters, grey_images);

template <class Image, class Check>
void for_images(const Check& check) {
  for (const bool full : {false, true}) {
    check(random_image<Image>(1, 5), full);
    check(random_image<Image>(2, 255), full);
    check(generated_image<Image>(3), full);
  }
}

TYPED_TEST(grey_filters, reconstruct_by_dilation) {
  using stock = itk::ReconstructionByDilationImageFilter<TypeParam, TypeParam>;
  for_images<TypeParam>([](auto image, bool full) {
    expect_as_stock<ours::ReconstructionByDilationImageFilter<TypeParam, TypeParam>, stock>(
        [&](auto& filter) {
          filter.SetMaskImage(image);
          filter.SetMarkerImage(shifted(*image, -9));
          filter.SetFullyConnected(full);
        });
  });
}

TYPED_TEST(grey_filters, reconstruct_by_erosion) {
  using stock = itk::ReconstructionByErosionImageFilter<TypeParam, TypeParam>;
  for_images<TypeParam>([](auto image, bool full) {
    expect_as_stock<ours::ReconstructionByErosionImageFilter<TypeParam, TypeParam>, stock>([&](auto& filter) {
      filter.SetMaskImage(image);
      filter.SetMarkerImage(shifted(*image, 9));
      filter.SetFullyConnected(full);
    });
  });
}

TYPED_TEST(grey_filters, fill_holes) {
  using stock = itk::GrayscaleFillholeImageFilter<TypeParam, TypeParam>;
  for_images<TypeParam>([](auto image, bool full) {
    expect_as_stock<ours::GrayscaleFillholeImageFilter<TypeParam, TypeParam>, stock>([&](auto& filter) {
      filter.SetInput(image);
      filter.SetFullyConnected(full);
    });
  });
}

TYPED_TEST(grey_filters, h_extrema) {
  for_images<TypeParam>([](auto image, bool full) {
    const auto set_up = [&](auto& filter) {
      filter.SetInput(image);
      filter.SetHeight(11);
      filter.SetFullyConnected(full);
    };
    expect_as_stock<ours::HMaximaImageFilter<TypeParam, TypeParam>,
                    itk::HMaximaImageFilter<TypeParam, TypeParam>>(set_up);
    expect_as_stock<ours::HMinimaImageFilter<TypeParam, TypeParam>,
                    itk::HMinimaImageFilter<TypeParam, TypeParam>>(set_up);
  });
}

TYPED_TEST(grey_filters, regional_extrema) {
  using mask = image_of<unsigned char, TypeParam::ImageDimension>;
  for_images<TypeParam>([](auto image, bool full) {
    const auto set_up = [&](auto& filter) {
      filter.SetInput(image);
      filter.SetForegroundValue(7);
      filter.SetBackgroundValue(2);
      filter.SetFullyConnected(full);
    };
    expect_as_stock<ours::RegionalMaximaImageFilter<TypeParam, mask>,
                    itk::RegionalMaximaImageFilter<TypeParam, mask>>(set_up);
    expect_as_stock<ours::RegionalMinimaImageFilter<TypeParam, mask>,
                    itk::RegionalMinimaImageFilter<TypeParam, mask>>(set_up);
  });
}

TYPED_TEST(grey_filters, extrema_of_a_flat_image) {
  auto flat = empty_image<TypeParam>(odd_size<TypeParam>());
  flat->FillBuffer(5);
  using maxima = itk::RegionalMaximaImageFilter<TypeParam, TypeParam>;
  for (const bool counts : {false, true})
    expect_as_stock<ours::RegionalMaximaImageFilter<TypeParam, TypeParam>, maxima>([&](auto& filter) {
      filter.SetInput(flat);
      filter.SetFlatIsMaxima(counts);
    });
}

TYPED_TEST(grey_filters, double_threshold) {
  using mask = image_of<unsigned char, TypeParam::ImageDimension>;
  for_images<TypeParam>([](auto image, bool full) {
    expect_as_stock<ours::DoubleThresholdImageFilter<TypeParam, mask>,
                    itk::DoubleThresholdImageFilter<TypeParam, mask>>([&](auto& filter) {
      filter.SetInput(image);
      filter.SetThreshold1(3);
      filter.SetThreshold2(60);
      filter.SetThreshold3(150);
      filter.SetThreshold4(200);
      filter.SetInsideValue(9);
      filter.SetOutsideValue(1);
      filter.SetFullyConnected(full);
    });
  });
}

template <class Image>
class binary_filters : public testing::Test {};
using binary_images =
    testing::Types<image_of<unsigned char, 2>, image_of<int, 2>, image_of<unsigned short, 3>>;
TYPED_TEST_SUITE(binary_filters, binary_images);

template <class Image, class Check>
void for_binary(const Check& check) {
  for (const bool full : {false, true})
    for (const int values : {1, 2, 4}) {  // 1: half of the pixels are set
      auto image = random_image<Image>(static_cast<unsigned>(values), values);
      auto* pixels = image->GetBufferPointer();
      for (itk::SizeValueType i = 0; i < image->GetBufferedRegion().GetNumberOfPixels(); ++i)
        if (values > 1) pixels[i] = pixels[i] == 0 ? 0 : 1;
      check(image, full);
      for (itk::SizeValueType i = 0; i < image->GetBufferedRegion().GetNumberOfPixels(); ++i)
        pixels[i] = !pixels[i];
      check(image, full);
    }
}

TYPED_TEST(binary_filters, fill_holes) {
  for_binary<TypeParam>([](auto image, bool full) {
    expect_as_stock<ours::BinaryFillholeImageFilter<TypeParam>, itk::BinaryFillholeImageFilter<TypeParam>>(
        [&](auto& filter) {
          filter.SetInput(image);
          filter.SetForegroundValue(1);
          filter.SetFullyConnected(full);
        });
  });
}

TYPED_TEST(binary_filters, components) {
  using labels = image_of<unsigned int, TypeParam::ImageDimension>;
  using stock = itk::ConnectedComponentImageFilter<TypeParam, labels>;
  using mine = ours::ConnectedComponentImageFilter<TypeParam, labels>;
  for_binary<TypeParam>([](auto image, bool full) {
    for (const unsigned background : {0U, 3U})
      expect_as_stock<mine, stock>([&](auto& filter) {
        filter.SetInput(image);
        filter.SetFullyConnected(full);
        filter.SetBackgroundValue(background);
      });
    auto theirs = stock::New();
    auto here = mine::New();
    theirs->SetInput(image);
    here->SetInput(image);
    theirs->Update();
    here->Update();
    EXPECT_EQ(theirs->GetObjectCount(), here->GetObjectCount());
  });
}

TYPED_TEST(binary_filters, components_under_a_mask) {
  using labels = image_of<unsigned int, TypeParam::ImageDimension>;
  expect_as_stock<ours::ConnectedComponentImageFilter<TypeParam, labels>,
                  itk::ConnectedComponentImageFilter<TypeParam, labels>>(
      [image = random_image<TypeParam>(5, 2), mask = random_image<TypeParam>(6, 3)](auto& filter) {
        filter.SetInput(image);
        filter.SetMaskImage(mask);
      });
}

TYPED_TEST(binary_filters, relabel) {
  using labels = image_of<unsigned int, TypeParam::ImageDimension>;
  using stock = itk::RelabelComponentImageFilter<labels, labels>;
  using mine = ours::RelabelComponentImageFilter<labels, labels>;
  auto components = itk::ConnectedComponentImageFilter<TypeParam, labels>::New();
  components->SetInput(random_image<TypeParam>(5, 2));
  components->Update();
  for (const bool sorted : {true, false})
    for (const unsigned least : {0U, 4U}) {
      const auto set_up = [&](auto& filter) {
        filter.SetInput(components->GetOutput());
        filter.SetSortByObjectSize(sorted);
        filter.SetMinimumObjectSize(least);
      };
      expect_as_stock<mine, stock>(set_up);
      auto theirs = stock::New();
      auto here = mine::New();
      set_up(*theirs);
      set_up(*here);
      theirs->Update();
      here->Update();
      EXPECT_EQ(theirs->GetNumberOfObjects(), here->GetNumberOfObjects());
      EXPECT_EQ(theirs->GetOriginalNumberOfObjects(), here->GetOriginalNumberOfObjects());
      EXPECT_EQ(theirs->GetSizeOfObjectsInPixels(), here->GetSizeOfObjectsInPixels());
      EXPECT_EQ(theirs->GetSizeOfObjectsInPhysicalUnits(), here->GetSizeOfObjectsInPhysicalUnits());
      EXPECT_GT(here->GetSizeOfObjectInPixels(1), 0U);
      for (unsigned label = 0; label < theirs->GetNumberOfObjects() + 2; ++label) {
        EXPECT_EQ(theirs->GetSizeOfObjectInPixels(label), here->GetSizeOfObjectInPixels(label));
        EXPECT_EQ(theirs->GetSizeOfObjectInPhysicalUnits(label), here->GetSizeOfObjectInPhysicalUnits(label));
      }
    }
}

template <class TypeParam, class Set>
void check_distances(typename TypeParam::Pointer image, const Set& set) {
  using to = image_of<float, TypeParam::ImageDimension>;
  for (const bool squared : {false, true})
    for (const bool spacing : {false, true})
      for (const bool positive : {false, true}) {
        const auto set_up = [&](auto& filter) {
          filter.SetInput(image);
          filter.SetSquaredDistance(squared);
          filter.SetUseImageSpacing(spacing);
          set(filter, positive);
        };
        using mine = ours::SignedMaurerDistanceMapImageFilter<TypeParam, to>;
        using stock = itk::SignedMaurerDistanceMapImageFilter<TypeParam, to>;
        expect_as_stock<mine, stock>(set_up, 0, "auto");
        // ITK rounds to f32 at every step, which is visible if the spacing is not an integer.
        expect_as_stock<mine, stock>(set_up, 1e-6);
      }
}

TYPED_TEST(binary_filters, signed_distance) {
  const auto sign = [](auto& filter, bool positive) { filter.SetInsideIsPositive(positive); };
  check_distances<TypeParam>(random_image<TypeParam>(1, 1), sign);
  check_distances<TypeParam>(random_image<TypeParam>(2, 40), [&](auto& filter, bool positive) {
    sign(filter, positive);
    filter.SetBackgroundValue(3);
  });
  auto sparse = empty_image<TypeParam>(odd_size<TypeParam>());
  sparse->FillBuffer(0);
  check_distances<TypeParam>(sparse, sign);  // no object
  sparse->GetBufferPointer()[500] = 1;
  check_distances<TypeParam>(sparse, sign);
  sparse->FillBuffer(1);
  check_distances<TypeParam>(sparse, sign);  // no background
}

/// Spacing whose squares are inexact in f32. ITK's f64 is accurate; its f32 is off by up to 3.4e-5 of the
/// distance. Without a named device ours is identical, otherwise off by half an ulp.
TYPED_TEST(binary_filters, distance_with_odd_spacing) {
  const auto image = random_image<TypeParam>(1, 1);
  auto spacing = image->GetSpacing();
  for (unsigned axis = 0; axis < TypeParam::ImageDimension; ++axis) spacing[axis] = axis == 1 ? 1.3 : 0.7;
  image->SetSpacing(spacing);
  using narrow = image_of<float, TypeParam::ImageDimension>;
  using wide = image_of<double, TypeParam::ImageDimension>;
  for (const bool squared : {false, true}) {
    const auto set_up = [&](auto& filter) {
      filter.SetInput(image);
      filter.SetSquaredDistance(squared);
      filter.SetUseImageSpacing(true);
    };
    using wide_stock = itk::SignedMaurerDistanceMapImageFilter<TypeParam, wide>;
    using narrow_stock = itk::SignedMaurerDistanceMapImageFilter<TypeParam, narrow>;
    expect_as_stock<ours::SignedMaurerDistanceMapImageFilter<TypeParam, wide>, wide_stock>(set_up, 0, "auto");
    expect_as_stock<ours::SignedMaurerDistanceMapImageFilter<TypeParam, narrow>, narrow_stock>(set_up, 0,
                                                                                               "auto");
    expect_as_stock<ours::SignedMaurerDistanceMapImageFilter<TypeParam, wide>, wide_stock>(set_up, 1e-13);
    expect_as_stock<ours::SignedMaurerDistanceMapImageFilter<TypeParam, narrow>, narrow_stock>(set_up, 5e-5);
    auto right = itk::SignedMaurerDistanceMapImageFilter<TypeParam, wide>::New();
    auto found = ours::SignedMaurerDistanceMapImageFilter<TypeParam, narrow>::New();
    set_up(*right);
    set_up(*found);
    found->SetDevice("cpu");
    right->Update();
    found->Update();
    const auto* expected = right->GetOutput()->GetBufferPointer();
    const auto* rounded = found->GetOutput()->GetBufferPointer();
    for (itk::SizeValueType i = 0; i < image->GetBufferedRegion().GetNumberOfPixels(); ++i)
      ASSERT_NEAR(expected[i], rounded[i], std::abs(expected[i]) * 0x1.001p-24);
  }
}

/// Distances so long that f32 cannot represent integer squares.
TEST(distance, is_itks_where_it_is_long) {
  using bytes = image_of<unsigned char, 2>;
  using floats = image_of<float, 2>;
  for (const double size : {1.0, 0.1}) {
    auto image = empty_image<bytes>({{9000, 70}});
    image->SetSpacing(bytes::SpacingType(size));
    image->FillBuffer(0);
    for (const int place : {20, 9000 * 33 + 7, 9000 * 69 + 211, 9000 * 12 + 8800})
      image->GetBufferPointer()[place] = 1;
    expect_as_stock<ours::SignedMaurerDistanceMapImageFilter<bytes, floats>,
                    itk::SignedMaurerDistanceMapImageFilter<bytes, floats>>(
        [&](auto& filter) {
          filter.SetInput(image);
          filter.SetUseImageSpacing(true);
        },
        0, "auto");
  }
}

TEST(distance, progress_ends_at_one_and_abort_throws) {
  using bytes = image_of<unsigned char, 2>;
  const auto make = [] {
    auto filter = ours::SignedMaurerDistanceMapImageFilter<bytes, image_of<float, 2>>::New();
    filter->SetInput(random_image<bytes>(1, 1));
    return filter;
  };
  expect_progress_to_one(*make());
  expect_abort(*make());
}

TYPED_TEST(binary_filters, unsigned_distance_is_the_outside_of_the_signed_one) {
  using to = image_of<float, TypeParam::ImageDimension>;
  const auto image = random_image<TypeParam>(3, 1);
  auto stock = itk::SignedMaurerDistanceMapImageFilter<TypeParam, to>::New();
  stock->SetInput(image);
  stock->Update();
  auto* pixels = stock->GetOutput()->GetBufferPointer();
  for (itk::SizeValueType i = 0; i < image->GetBufferedRegion().GetNumberOfPixels(); ++i)
    pixels[i] = std::max(pixels[i], 0.0F);
  auto mine = ours::UnsignedMaurerDistanceMapImageFilter<TypeParam, to>::New();
  EXPECT_STREQ(mine->GetNameOfClass(), "UnsignedMaurerDistanceMapImageFilter");
  mine->SetInput(image);
  mine->Update();
  expect_same(*stock->GetOutput(), *mine->GetOutput(), 1e-6);
}

}  // namespace
