// Filters with a finite window: against ITK's, and in pieces.
#include <algorithm>
#include <cstring>
#include <limits>
#include <sstream>

#include <itkCastImageFilter.h>

#include <macareu/itk/edges.hpp>
#include <macareu/itk/masks.hpp>

#include "support.hpp"

namespace ours = macareu::itk;

namespace {

template <class Image>
class local_filters : public testing::Test {};
using images =
    testing::Types<image_of<unsigned char, 2>, image_of<unsigned short, 2>, image_of<float, 2>,
                   image_of<double, 2>, image_of<unsigned char, 3>, image_of<short, 3>, image_of<float, 3>>;
TYPED_TEST_SUITE(local_filters, images);

/// Each step is rounded to f32, as in ITK.
TYPED_TEST(local_filters, sobel) {
  using to = image_of<float, TypeParam::ImageDimension>;
  for (const bool legacy : {true, false})
    for (const auto& image : {generated_image<TypeParam>(1), wide_image<TypeParam>(1)})
      expect_as_stock<ours::SobelEdgeDetectionImageFilter<TypeParam, to>,
                      itk::SobelEdgeDetectionImageFilter<TypeParam, to>>([&](auto& filter) {
        filter.SetInput(image);
        if constexpr (requires { filter.SetUseLegacyOperatorCoefficients(legacy); })  // ITK 6
          filter.SetUseLegacyOperatorCoefficients(legacy);
      });
}

TYPED_TEST(local_filters, sobel_in_f64) {
  using to = image_of<double, TypeParam::ImageDimension>;
  expect_as_stock<ours::SobelEdgeDetectionImageFilter<TypeParam, to>,
                  itk::SobelEdgeDetectionImageFilter<TypeParam, to>>(
      [image = wide_image<TypeParam>(2)](auto& filter) { filter.SetInput(image); });
}

/// ITK's products of infinity and zero weights are NaN.
TEST(sobel, leaves_infinity_to_itk) {
  using floats = image_of<float, 2>;
  auto image = generated_image<floats>(1);
  image->GetBufferPointer()[300] = std::numeric_limits<float>::infinity();
  auto stock = itk::SobelEdgeDetectionImageFilter<floats, floats>::New();
  auto filter = ours::SobelEdgeDetectionImageFilter<floats, floats>::New();
  stock->SetInput(image);
  filter->SetInput(image);
  stock->Update();
  filter->Update();
  const auto count = image->GetBufferedRegion().GetNumberOfPixels() * sizeof(float);
  EXPECT_EQ(
      std::memcmp(stock->GetOutput()->GetBufferPointer(), filter->GetOutput()->GetBufferPointer(), count), 0);
  filter->SetDevice("cpu");
  EXPECT_THROW(filter->Update(), itk::ExceptionObject);
}

/// Bit-identical: sums in f64, each axis converted to the output's type.
template <class From, class To>
void check_gaussian() {
  for (const bool spacing : {false, true})
    for (const double variance : {0.3, 1.96, 40.0})
      for (const auto& image : {random_image<From>(1, 255), generated_image<From>(1)})
        for (const char* device : {"cpu", "auto"})
          expect_as_stock<ours::DiscreteGaussianImageFilter<From, To>,
                          itk::DiscreteGaussianImageFilter<From, To>>(
              [&](auto& filter) {
                filter.SetInput(image);
                filter.SetVariance(variance);
                filter.SetUseImageSpacing(spacing);
              },
              0, device);
}

TYPED_TEST(local_filters, gaussian_of_the_same_type) { check_gaussian<TypeParam, TypeParam>(); }

TEST(gaussian, of_bytes_to_float) {
  check_gaussian<image_of<unsigned char, 2>, image_of<float, 2>>();
  check_gaussian<image_of<unsigned char, 3>, image_of<float, 3>>();
}

/// The most rows (of the slowest axis) that the filter requests when its output is requested in pieces.
template <class Filter, class SetUp>
itk::SizeValueType most_rows_of_a_piece(const SetUp& set_up) {
  using from = typename Filter::InputImageType;
  using to = typename Filter::OutputImageType;
  auto before = itk::CastImageFilter<from, from>::New();
  before->InPlaceOff();
  before->SetInput(random_image<from>(1, 255));
  auto filter = Filter::New();
  set_up(*filter);
  filter->SetDevice("cpu");
  filter->SetInput(before->GetOutput());
  itk::SizeValueType most = 0;
  const auto note = [&] {
    const auto& region = before->GetOutput()->GetBufferedRegion();
    most = std::max(most, region.GetSize(from::ImageDimension - 1));
  };
  at_progress(*filter, note);
  auto pieces = itk::StreamingImageFilter<to, to>::New();
  pieces->SetInput(filter->GetOutput());
  pieces->SetNumberOfStreamDivisions(odd_size<from>()[from::ImageDimension - 1]);
  pieces->Update();
  auto whole = Filter::New();
  set_up(*whole);
  whole->SetDevice("cpu");
  whole->SetInput(random_image<from>(1, 255));
  whole->Update();
  expect_same(*whole->GetOutput(), *pieces->GetOutput());
  return most;
}

TYPED_TEST(local_filters, are_streamed) {
  using to = image_of<float, TypeParam::ImageDimension>;
  using sobel = ours::SobelEdgeDetectionImageFilter<TypeParam, to>;
  EXPECT_EQ(most_rows_of_a_piece<sobel>([](auto&) {}), 3U);
  using gaussian = ours::DiscreteGaussianImageFilter<TypeParam, TypeParam>;
  unsigned radius = 0;
  const auto rows = most_rows_of_a_piece<gaussian>([&](auto& filter) {
    filter.SetVariance(0.5);
    filter.SetUseImageSpacing(false);
    itk::GaussianOperator<double, TypeParam::ImageDimension> kernel;
    kernel.SetVariance(0.5);
    kernel.SetMaximumError(filter.GetMaximumError()[0]);
    kernel.CreateDirectional();
    radius = static_cast<unsigned>(kernel.Size() / 2);
  });
  EXPECT_EQ(rows, 2 * radius + 1);
}

/// A piece away from all borders, of an input that is buffered as a whole.
template <class Filter, class SetUp>
void expect_piece_as_whole(const SetUp& set_up) {
  using to = typename Filter::OutputImageType;
  for (const char* device : {"cpu", "auto"}) {
    const auto make = [&] {
      auto filter = Filter::New();
      filter->SetInput(random_image<typename Filter::InputImageType>(1, 255));
      filter->SetDevice(device);
      set_up(*filter);
      return filter;
    };
    auto whole = make(), part = make();
    whole->Update();
    auto region = whole->GetOutput()->GetLargestPossibleRegion();
    for (unsigned axis = 0; axis < to::ImageDimension; ++axis) {
      region.SetIndex(axis, region.GetIndex(axis) + 7);
      region.SetSize(axis, 2 + axis);
    }
    part->GetOutput()->SetRequestedRegion(region);
    part->Update();
    ASSERT_EQ(part->GetOutput()->GetBufferedRegion(), region);
    itk::ImageRegionConstIterator<to> expected(whole->GetOutput(), region), found(part->GetOutput(), region);
    for (; !expected.IsAtEnd(); ++expected, ++found)
      ASSERT_EQ(expected.Get(), found.Get()) << expected.GetIndex();
  }
}

TYPED_TEST(local_filters, compute_the_piece_that_is_asked_for) {
  for (const bool spacing : {false, true})
    expect_piece_as_whole<ours::DiscreteGaussianImageFilter<TypeParam, TypeParam>>([=](auto& filter) {
      filter.SetVariance(2);
      filter.SetUseImageSpacing(spacing);
    });
  using to = image_of<float, TypeParam::ImageDimension>;
  expect_piece_as_whole<ours::SobelEdgeDetectionImageFilter<TypeParam, to>>([](auto&) {});
}

TEST(local, progress_ends_at_one_and_abort_throws) {
  using bytes = image_of<unsigned char, 2>;
  using floats = image_of<float, 2>;
  const auto check = [](const auto& make) {
    expect_progress_to_one(*make());
    expect_abort(*make());
  };
  for (const char* device : {"cpu", "auto"}) {
    check([&] {
      auto filter = ours::DiscreteGaussianImageFilter<bytes, floats>::New();
      filter->SetInput(generated_image<bytes>(1));
      filter->SetVariance(2);
      filter->SetDevice(device);
      return filter;
    });
    check([&] {
      auto filter = ours::SobelEdgeDetectionImageFilter<bytes, floats>::New();
      filter->SetInput(generated_image<bytes>(1));
      filter->SetDevice(device);
      return filter;
    });
  }
}

TEST(local, a_wave_before_them_is_run_once_as_a_whole) {
  using image = image_of<unsigned char, 2>;
  auto wave = ours::RegionalMaximaImageFilter<image, image>::New();
  wave->SetInput(random_image<image>(1, 255));
  int runs = 0;
  const auto count = [&] { ++runs; };
  at_event(*wave, itk::StartEvent(), count);
  auto filter = ours::DiscreteGaussianImageFilter<image, image>::New();
  filter->SetInput(wave->GetOutput());
  filter->SetVariance(1);
  auto pieces = itk::StreamingImageFilter<image, image>::New();
  pieces->SetInput(filter->GetOutput());
  pieces->SetNumberOfStreamDivisions(8);
  pieces->Update();
  EXPECT_EQ(runs, 1);
  filter->UpdateLargestPossibleRegion();
  expect_same(*filter->GetOutput(), *pieces->GetOutput());
}

TEST(local, settings_are_printed) {
  using image = image_of<unsigned char, 2>;
  auto sobel = ours::SobelEdgeDetectionImageFilter<image, image_of<float, 2>>::New();
  sobel->SetDevice("serial");
  auto maxima = ours::RegionalMaximaImageFilter<image, image>::New();
  maxima->SetConnectivity(8);
  std::ostringstream first, second;
  sobel->Print(first);
  maxima->Print(second);
  EXPECT_NE(first.str().find("Device: serial"), std::string::npos) << first.str();
  EXPECT_NE(second.str().find("Device: auto"), std::string::npos);
  EXPECT_NE(second.str().find("Connectivity: 8"), std::string::npos);
}

}  // namespace
