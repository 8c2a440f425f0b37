// Pixels of stock classes with and without our factory, for pixel types that test_autoload.py does not cover.
// Compiled with the library's options, because the compiler decides about FMA contraction.
#include <algorithm>
#include <array>
#include <limits>
#include <thread>
#include <vector>

#include <itkCannyEdgeDetectionImageFilter.h>
#include <itkCastImageFilter.h>
#include <itkConnectedComponentImageFilter.h>
#include <itkDiscreteGaussianImageFilter.h>
#include <itkDoubleThresholdImageFilter.h>
#include <itkGrayscaleFillholeImageFilter.h>
#include <itkHMinimaImageFilter.h>
#include <itkReconstructionByErosionImageFilter.h>
#include <itkRegionalMaximaImageFilter.h>
#include <itkRelabelComponentImageFilter.h>
#include <itkSignedMaurerDistanceMapImageFilter.h>
#include <itkSobelEdgeDetectionImageFilter.h>

#include <macareu/compare.hpp>
#include <macareu/itk/views.hpp>

#include "stock.hpp"
#include "support.hpp"

namespace {

/// `set_up` gives a filter its inputs and settings.
template <class Filter, class SetUp>
void expect_pixels_of_stock(const SetUp& set_up) {
  auto stock = stock_filter<Filter>();
  auto ours = Filter::New();
  ASSERT_FALSE(is_ours(*stock));
  ASSERT_TRUE(is_ours(*ours));
  set_up(*stock);
  set_up(*ours);
  stock->Update();
  ours->Update();
  expect_same(*stock->GetOutput(), *ours->GetOutput());
}

template <class Image>
class of_grey : public testing::Test {};
using grey = testing::Types<image_of<int, 3>, image_of<double, 2>, image_of<unsigned short, 3>>;
TYPED_TEST_SUITE(of_grey, grey);

TYPED_TEST(of_grey, waves) {
  const auto image = generated_image<TypeParam>(1);
  expect_pixels_of_stock<itk::GrayscaleFillholeImageFilter<TypeParam, TypeParam>>(
      [&](auto& filter) { filter.SetInput(image); });
  expect_pixels_of_stock<itk::HMinimaImageFilter<TypeParam, TypeParam>>([&](auto& filter) {
    filter.SetInput(image);
    filter.SetHeight(9);
  });
  expect_pixels_of_stock<itk::ReconstructionByErosionImageFilter<TypeParam, TypeParam>>([&](auto& filter) {
    auto marker = generated_image<TypeParam>(1);
    for (itk::SizeValueType i = 0; i < marker->GetBufferedRegion().GetNumberOfPixels(); ++i)
      marker->GetBufferPointer()[i] += i % 30;
    filter.SetMaskImage(image);
    filter.SetMarkerImage(marker);
  });
}

template <class Image>
class of_levels : public testing::Test {};
using levels = testing::Types<image_of<short, 2>, image_of<unsigned short, 3>, image_of<float, 3>>;
TYPED_TEST_SUITE(of_levels, levels);

TYPED_TEST(of_levels, masks) {
  const auto image = generated_image<TypeParam>(1);
  expect_pixels_of_stock<itk::RegionalMaximaImageFilter<TypeParam, TypeParam>>(
      [&](auto& filter) { filter.SetInput(image); });
  expect_pixels_of_stock<itk::DoubleThresholdImageFilter<TypeParam, TypeParam>>([&](auto& filter) {
    filter.SetInput(image);
    filter.SetThreshold1(60);
    filter.SetThreshold2(120);
    filter.SetThreshold3(200);
    filter.SetThreshold4(230);
  });
}

/// With spacing that is not a short binary fraction.
template <class Image>
typename Image::Pointer oddly_spaced(typename Image::Pointer image) {
  auto spacing = image->GetSpacing();
  for (unsigned axis = 0; axis < Image::ImageDimension; ++axis) spacing[axis] = axis == 1 ? 1.3 : 0.7;
  image->SetSpacing(spacing);
  return image;
}

TYPED_TEST(of_levels, distances) {
  using floats = image_of<float, TypeParam::ImageDimension>;
  const auto image = oddly_spaced<TypeParam>(random_image<TypeParam>(1, 1));
  for (const bool squared : {false, true})
    expect_pixels_of_stock<itk::SignedMaurerDistanceMapImageFilter<TypeParam, floats>>([&](auto& filter) {
      filter.SetInput(image);
      filter.SetSquaredDistance(squared);
    });
}

TYPED_TEST(of_levels, gradients_and_smoothing) {
  using floats = image_of<float, TypeParam::ImageDimension>;
  const auto image = oddly_spaced<TypeParam>(wide_image<TypeParam>(1));
  expect_pixels_of_stock<itk::SobelEdgeDetectionImageFilter<TypeParam, floats>>(
      [&](auto& filter) { filter.SetInput(image); });
  const auto smooth = [&](auto& filter) {
    filter.SetInput(image);
    filter.SetVariance(1.7);
  };
  expect_pixels_of_stock<itk::DiscreteGaussianImageFilter<TypeParam, floats>>(smooth);
  expect_pixels_of_stock<itk::DiscreteGaussianImageFilter<TypeParam, TypeParam>>(smooth);
}

TEST(of_doubles, smoothing) {
  using doubles = image_of<double, 3>;
  expect_pixels_of_stock<itk::DiscreteGaussianImageFilter<doubles, doubles>>([](auto& filter) {
    filter.SetInput(oddly_spaced<doubles>(wide_image<doubles>(1)));
    filter.SetVariance(1.7);
  });
}

/// Equal up to rounding.
template <class Image>
void check_edges() {
  using filter_type = itk::CannyEdgeDetectionImageFilter<Image, Image>;
  auto stock = stock_filter<filter_type>();
  auto ours = filter_type::New();
  ASSERT_FALSE(is_ours(*stock));
  ASSERT_TRUE(is_ours(*ours));
  for (auto* filter : {stock.GetPointer(), ours.GetPointer()}) {
    filter->SetInput(generated_image<Image>(2));
    filter->SetVariance(0.5);
    filter->SetLowerThreshold(1);
    filter->SetUpperThreshold(2);
    filter->Update();
  }
  const Image* expected = stock->GetOutput();
  const Image* found = ours->GetOutput();
  const auto both = macareu::compare_edges(macareu::itk::view_of(expected), macareu::itk::view_of(found));
  EXPECT_GT(both.expected, 50);
  EXPECT_GE(both.correct(), 0.9999);
}

TEST(of_doubles, edges) {
  check_edges<image_of<double, 2>>();
  check_edges<image_of<double, 3>>();
}

template <class Binary, class Labels>
void check_components() {
  using filter_type = itk::ConnectedComponentImageFilter<Binary, Labels>;
  auto components = filter_type::New();
  for (const bool full : {false, true}) {
    const auto set_up = [&, image = random_image<Binary>(1, 2)](auto& filter) {
      filter.SetInput(image);
      filter.SetFullyConnected(full);
    };
    expect_pixels_of_stock<filter_type>(set_up);
    set_up(*components);
  }
  components->Update();
  expect_pixels_of_stock<itk::RelabelComponentImageFilter<Labels, Labels>>([&](auto& filter) {
    filter.SetInput(components->GetOutput());
    filter.SetMinimumObjectSize(3);
  });
}

TEST(of_labels, components) {
  check_components<image_of<short, 3>, image_of<unsigned int, 3>>();
  check_components<image_of<int, 2>, image_of<unsigned long, 2>>();
  check_components<image_of<unsigned short, 3>, image_of<unsigned short, 3>>();
}

template <class Image>
class suppressed_edges : public testing::Test {
 protected:
  using Filter = itk::CannyEdgeDetectionImageFilter<Image, Image>;

  void SetUp() override {
    stock_ = stock_filter<Filter>();
    ours_ = Filter::New();
    ASSERT_FALSE(is_ours(*stock_));
    ASSERT_TRUE(is_ours(*ours_));
    Run(generated_image<Image>(2), 0.5);
  }

  void Run(typename Image::Pointer input, double variance) {
    for (auto* filter : {stock_.GetPointer(), ours_.GetPointer()}) {
      filter->SetInput(input);
      filter->SetVariance(variance);
      filter->SetLowerThreshold(1);
      filter->SetUpperThreshold(2);
      filter->Update();
    }
  }

  void ExpectStock() const {
    const auto& expected = *stock_->GetNonMaximumSuppressionImage();
    expect_same<Image>(expected, *ours_->GetNonMaximumSuppressionImage());
    const auto* pixels = expected.GetBufferPointer();
    const auto count = expected.GetBufferedRegion().GetNumberOfPixels();
    const auto none = static_cast<std::size_t>(std::count(pixels, pixels + count, 0));
    EXPECT_GT(none, count / 4);
    EXPECT_LT(none, count - count / 100);
  }

  typename Filter::Pointer stock_, ours_;
};
using images_of_edges =
    testing::Types<image_of<float, 2>, image_of<double, 2>, image_of<float, 3>, image_of<double, 3>>;
TYPED_TEST_SUITE(suppressed_edges, images_of_edges);

TYPED_TEST(suppressed_edges, are_computed_when_they_are_read) {
  EXPECT_EQ(this->ours_->GetNonMaximumSuppressionImage()->GetPixelContainer()->Size(), 0U)
      << "before anybody asks";
  this->ExpectStock();
}

TYPED_TEST(suppressed_edges, follow_the_next_run) {
  auto* const before = this->ours_->GetNonMaximumSuppressionImage();
  this->ExpectStock();
  this->Run(random_image<TypeParam>(3, 255), 1.5);
  EXPECT_EQ(this->ours_->GetNonMaximumSuppressionImage(), before);
  this->ExpectStock();
}

TYPED_TEST(suppressed_edges, can_be_updated_and_filtered) {
  using cast = itk::CastImageFilter<TypeParam, image_of<double, TypeParam::ImageDimension>>;
  typename cast::Pointer casts[2];
  for (const int which : {0, 1}) {
    auto* image = (which == 0 ? this->stock_ : this->ours_)->GetNonMaximumSuppressionImage();
    casts[which] = cast::New();
    casts[which]->SetInput(image);
    casts[which]->InPlaceOff();
    casts[which]->Update();
  }
  expect_same(*casts[0]->GetOutput(), *casts[1]->GetOutput());
  this->Run(random_image<TypeParam>(3, 255), 1.5);
  auto* expected = this->stock_->GetNonMaximumSuppressionImage();
  auto* found = this->ours_->GetNonMaximumSuppressionImage();
  found->Update();
  const auto index = found->GetBufferedRegion().GetUpperIndex();
  EXPECT_EQ(expected->GetPixel(index), found->GetPixel(index));  // GetPixel does not trigger computation
  for (const auto& one : casts) one->Update();
  expect_same(*casts[0]->GetOutput(), *casts[1]->GetOutput());
  found->ReleaseData();
  found->Update();
  EXPECT_FALSE(found->GetDataReleased());
  this->ExpectStock();
}

TYPED_TEST(suppressed_edges, are_computed_once_for_all_threads) {
  const TypeParam& image = *this->ours_->GetNonMaximumSuppressionImage();
  std::array<const typename TypeParam::PixelType*, 4> found{};
  {
    std::vector<std::jthread> threads;
    for (auto& pixels : found) threads.emplace_back([&] { pixels = image.GetBufferPointer(); });
  }
  EXPECT_EQ(std::count(found.begin(), found.end(), found[0]), 4);
  this->ExpectStock();
}

/// ITK's does not: its next run smooths into the memory of the disconnected image.
TYPED_TEST(suppressed_edges, stay_in_an_image_that_is_disconnected) {
  const auto& stock = *this->stock_->GetNonMaximumSuppressionImage();
  const auto count = stock.GetBufferedRegion().GetNumberOfPixels();
  const std::vector<typename TypeParam::PixelType> expected(stock.GetBufferPointer(),
                                                            stock.GetBufferPointer() + count);
  typename TypeParam::Pointer image = this->ours_->GetNonMaximumSuppressionImage();
  image->DisconnectPipeline();
  const auto index = image->GetBufferedRegion().GetUpperIndex();
  EXPECT_EQ(image->GetPixel(index), expected.back());  // GetPixel does not trigger computation
  auto* const next = this->ours_->GetNonMaximumSuppressionImage();
  EXPECT_NE(next, image);
  this->Run(random_image<TypeParam>(3, 255), 1.5);
  EXPECT_EQ(this->ours_->GetNonMaximumSuppressionImage(), next);
  this->ExpectStock();
  image->Update();
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), image->GetBufferPointer()));
  EXPECT_FALSE(std::equal(expected.begin(), expected.end(), next->GetBufferPointer()))
      << "the runs do not differ";
}

TYPED_TEST(suppressed_edges, outlive_their_filter) {
  typename TypeParam::Pointer image = this->ours_->GetNonMaximumSuppressionImage();
  this->ours_ = nullptr;
  image->Update();
  expect_same<TypeParam>(*this->stock_->GetNonMaximumSuppressionImage(), *image);
}

TYPED_TEST(suppressed_edges, keep_their_input_no_longer_than_they_need_it) {
  auto first = random_image<TypeParam>(3, 255), second = random_image<TypeParam>(4, 255);
  for (const bool asks : {true, false}) {
    this->Run(first, 1);
    if (asks) this->ExpectStock();
    this->Run(second, 1);
    EXPECT_EQ(first->GetReferenceCount(), 1) << asks;
    const auto held = second->GetReferenceCount();
    this->ExpectStock();
    EXPECT_EQ(second->GetReferenceCount(), held - 1);
  }
}

TYPED_TEST(suppressed_edges, are_not_those_of_an_input_that_has_changed) {
  auto input = random_image<TypeParam>(3, 255);
  this->Run(input, 1);
  input->FillBuffer(0);
  input->Modified();
  EXPECT_THROW(this->ours_->GetNonMaximumSuppressionImage()->Update(), itk::ExceptionObject);
  this->ours_->Update();
  EXPECT_NO_THROW(this->ours_->GetNonMaximumSuppressionImage()->Update());
}

TYPED_TEST(suppressed_edges, are_those_of_itk_where_its_code_steps_in) {
  auto input = generated_image<TypeParam>(2);
  input->GetBufferPointer()[300] = std::numeric_limits<typename TypeParam::PixelType>::quiet_NaN();
  this->Run(input, 0.5);
  auto* image = this->ours_->GetNonMaximumSuppressionImage();
  const auto* pixels = image->GetBufferPointer();
  EXPECT_EQ(image->GetPixelContainer()->GetBufferPointer(), pixels);
  EXPECT_TRUE(std::any_of(pixels, pixels + image->GetBufferedRegion().GetNumberOfPixels(),
                          [](auto pixel) { return pixel != pixel; }));
  this->Run(generated_image<TypeParam>(2), 0.5);
  this->ExpectStock();
}

TEST(suppressed_edges_before_a_run, have_no_pixels) {
  using image = image_of<float, 2>;
  macareu::itk::register_factories();
  auto filter = itk::CannyEdgeDetectionImageFilter<image, image>::New();
  EXPECT_THROW(filter->GetNonMaximumSuppressionImage()->Update(), itk::ExceptionObject);
}

}  // namespace
