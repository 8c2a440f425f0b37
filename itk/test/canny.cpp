// Canny against ITK's own: edges may differ in one of 10,000, since the roundings of ITK's templates depend
// on the compiler.
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
    const auto both = macareu::compare_edges(macareu::itk::view_of(expected), macareu::itk::view_of(found));
    EXPECT_GT(both.expected, 50);
    EXPECT_GE(both.correct(), 0.9999) << variance << ' ' << low << ' ' << high;
  }
}

TYPED_TEST(canny, edges_are_those_of_itk) {
  const double strength = TypeParam::ImageDimension == 2 ? 1 : 0.25;  // generated volumes are smoother
  for (const double variance : {0.0, 0.2, 0.5})
    check<TypeParam>(generated_image<TypeParam>(2), variance, 4 * strength, 7 * strength);
  check<TypeParam>(random_image<TypeParam>(2, 255), 0.5, 10, 30);
}

}  // namespace
