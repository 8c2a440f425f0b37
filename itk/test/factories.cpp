// After register_factories the stock classes give our filters, with the same pixels. A program of its own,
// since there is no way back.
#include <typeinfo>

#include <itkCannyEdgeDetectionImageFilter.h>
#include <itkGrayscaleFillholeImageFilter.h>
#include <itkReconstructionByDilationImageFilter.h>

#include <macareu/itk/factories.hpp>
#include <macareu/itk/views.hpp>
#include <macareu/operators.hpp>

#include "support.hpp"

namespace {

template <class Filter>
bool is_ours(const Filter& filter) {
  return std::string(typeid(filter).name()).find("macareu") != std::string::npos;
}

TEST(factories, stock_classes_become_ours) {
  using bytes = image_of<unsigned char, 2>;
  using floats = image_of<float, 3>;
  using wide = image_of<double, 2>;
  EXPECT_FALSE(is_ours(*itk::ReconstructionByDilationImageFilter<bytes, bytes>::New()));
  macareu::itk::register_factories();
  macareu::itk::register_factories();
  EXPECT_TRUE(is_ours(*itk::ReconstructionByDilationImageFilter<bytes, bytes>::New()));
  EXPECT_TRUE(is_ours(*itk::CannyEdgeDetectionImageFilter<floats, floats>::New()));
  EXPECT_FALSE(is_ours(*itk::ReconstructionByDilationImageFilter<wide, wide>::New()));  // not served

  const auto image = generated_image<bytes>(1);
  auto fill = itk::GrayscaleFillholeImageFilter<bytes, bytes>::New();
  fill->SetInput(image);
  fill->Update();
  const auto expected = macareu::fill_holes(macareu::itk::view_of(image.GetPointer()));
  EXPECT_TRUE(std::equal(expected.pixels<std::uint8_t>().begin(), expected.pixels<std::uint8_t>().end(),
                         fill->GetOutput()->GetBufferPointer()));
}

}  // namespace
