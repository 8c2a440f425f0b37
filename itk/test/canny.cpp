// Canny against ITK's: one edge pixel in 10,000 may differ, since the rounding of ITK's templates depends on
// the compiler.
#include <itkCannyEdgeDetectionImageFilter.h>

#include <macareu/compare.hpp>
#include <macareu/itk/canny.hpp>

#include "support.hpp"

namespace {

template <class Image>
class canny : public testing::Test {};
using images =
    testing::Types<image_of<float, 2>, image_of<double, 2>, image_of<float, 3>, image_of<double, 3>>;
TYPED_TEST_SUITE(canny, images);

template <class Image>
double share_of_edges_of_itk(const Image* expected, const Image* found) {
  const auto both = macareu::compare_edges(macareu::itk::view_of(expected), macareu::itk::view_of(found));
  EXPECT_GT(both.expected, 50);
  return both.correct();
}

template <class Image>
void check(typename Image::Pointer image, double variance, double low, double high) {
  const auto set_up = [&](auto& filter) {
    filter.SetInput(image);
    filter.SetVariance(variance);
    filter.SetLowerThreshold(low);
    filter.SetUpperThreshold(high);
  };
  auto stock = itk::CannyEdgeDetectionImageFilter<Image, Image>::New();
  set_up(*stock);
  stock->Update();
  for (const unsigned work_units : {1U, 2U, 5U}) {
    auto ours = macareu::itk::CannyEdgeDetectionImageFilter<Image, Image>::New();
    set_up(*ours);
    ours->SetNumberOfWorkUnits(work_units);
    auto pieces = itk::StreamingImageFilter<Image, Image>::New();
    pieces->SetInput(ours->GetOutput());
    pieces->SetNumberOfStreamDivisions(work_units);
    pieces->Update();
    const Image* expected = stock->GetOutput();
    const Image* found = pieces->GetOutput();
    EXPECT_EQ(expected->GetBufferedRegion(), found->GetBufferedRegion());
    EXPECT_EQ(expected->GetSpacing(), found->GetSpacing());
    EXPECT_EQ(expected->GetDirection(), found->GetDirection());
    EXPECT_GE(share_of_edges_of_itk(expected, found), 0.9999) << variance << ' ' << low << ' ' << high;
  }
}

TYPED_TEST(canny, edges_are_those_of_itk) {
  const double strength = TypeParam::ImageDimension == 2 ? 1 : 0.25;  // generated volumes are smoother
  for (const double variance : {0.0, 0.2, 0.5})
    check<TypeParam>(generated_image<TypeParam>(2), variance, 4 * strength, 7 * strength);
  check<TypeParam>(random_image<TypeParam>(2, 255), 0.5, 10, 30);
}

/// Each axis has its own error bound. ITK has one type for both images, which represents numbers of `From`
/// exactly.
template <class From, class To>
void check_on_named_devices() {
  const auto set_up = [](auto& filter, auto image, double first, double others) {
    itk::FixedArray<double, To::ImageDimension> errors(others);
    errors[0] = first;
    filter.SetInput(image);
    filter.SetVariance(1);
    filter.SetMaximumError(errors);
    filter.SetLowerThreshold(1);
    filter.SetUpperThreshold(2);
  };
  auto stock = itk::CannyEdgeDetectionImageFilter<To, To>::New();
  set_up(*stock, generated_image<To>(2), 0.001, 0.4);
  stock->Update();
  const auto found = [&](const char* device, double first, double others) {
    auto ours = macareu::itk::CannyEdgeDetectionImageFilter<From, To>::New();
    set_up(*ours, generated_image<From>(2), first, others);
    ours->SetDevice(device);
    ours->Update();
    return share_of_edges_of_itk<To>(stock->GetOutput(), ours->GetOutput());
  };
  for (const char* device : {"serial", "cpu"}) {
    EXPECT_GE(found(device, 0.001, 0.4), 0.9999) << device;
    EXPECT_LT(found(device, 0.4, 0.001), 0.9999) << device << ": the order of axes does not show";
  }
}

TEST(canny_on_named_devices, edges_are_those_of_itk) {
  check_on_named_devices<image_of<float, 2>, image_of<float, 2>>();
  check_on_named_devices<image_of<double, 3>, image_of<double, 3>>();
  check_on_named_devices<image_of<short, 2>, image_of<float, 2>>();
  check_on_named_devices<image_of<short, 3>, image_of<float, 3>>();
}

template <class From, class To>
typename To::Pointer edges_of(typename From::Pointer image) {
  auto filter = macareu::itk::CannyEdgeDetectionImageFilter<From, To>::New();
  filter->SetInput(image);
  filter->SetVariance(0.5);
  filter->SetLowerThreshold(4);
  filter->SetUpperThreshold(7);
  filter->Update();
  return filter->GetOutput();
}

/// Values so large that f32 has few fraction bits, which reveals the type of each computation.
template <class Image>
typename Image::Pointer high_image() {
  auto image = generated_image<Image>(2);
  auto* const pixels = image->GetBufferPointer();
  for (itk::SizeValueType i = 0; i < image->GetBufferedRegion().GetNumberOfPixels(); ++i)
    pixels[i] += 1 << 22;
  return image;
}

TEST(canny_behaviour, progress_ends_at_one_and_abort_throws) {
  using image = image_of<float, 2>;
  const auto filter = [] {
    auto made = macareu::itk::CannyEdgeDetectionImageFilter<image, image>::New();
    made->SetInput(generated_image<image>(1));
    return made;
  };
  expect_progress_to_one(*filter());
  expect_abort(*filter());
}

TEST(canny_types, computes_in_the_type_of_the_output) {
  using floats = image_of<float, 2>;
  using doubles = image_of<double, 2>;
  const auto narrow = edges_of<floats, floats>(high_image<floats>());
  const auto wide = edges_of<doubles, doubles>(high_image<doubles>());
  expect_same(*narrow, *edges_of<doubles, floats>(high_image<doubles>()));
  expect_same(*wide, *edges_of<floats, doubles>(high_image<floats>()));
  const auto count = narrow->GetBufferedRegion().GetNumberOfPixels();
  EXPECT_FALSE(
      std::equal(narrow->GetBufferPointer(), narrow->GetBufferPointer() + count, wide->GetBufferPointer()))
      << "the type does not show";
}

TEST(canny_runs, can_be_aborted_on_the_way) {
  using floats = image_of<float, 2>;
  auto filter = macareu::itk::CannyEdgeDetectionImageFilter<floats, floats>::New();
  auto image = empty_image<floats>({{700, 600}});
  image->FillBuffer(0);
  filter->SetInput(image);
  filter->SetNumberOfWorkUnits(1);
  filter->SetDevice("cpu");
  float reached = 1;
  const auto abort = [&] {
    reached = filter->GetProgress();
    filter->AbortGenerateDataOn();
  };
  at_progress(*filter, abort);
  EXPECT_THROW(filter->Update(), itk::ProcessAborted);
  EXPECT_LT(reached, 0.5);
}

}  // namespace
