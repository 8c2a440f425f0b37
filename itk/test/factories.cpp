// After register_factories the stock classes return our filters, with the same pixels. A separate program,
// because registration cannot be undone.
#include <algorithm>
#include <sstream>
#include <type_traits>
#include <typeinfo>

#include <itkCannyEdgeDetectionImageFilter.h>
#include <itkConnectedComponentImageFilter.h>
#include <itkDiscreteGaussianImageFilter.h>
#include <itkGrayscaleFillholeImageFilter.h>
#include <itkReconstructionByDilationImageFilter.h>
#include <itkRelabelComponentImageFilter.h>
#include <itkSignedMaurerDistanceMapImageFilter.h>

#include <macareu/itk/distance.hpp>
#include <macareu/itk/edges.hpp>
#include <macareu/itk/views.hpp>
#include <macareu/operators.hpp>

#include "stock.hpp"
#include "support.hpp"

namespace {

TEST(factories, stock_classes_become_ours) {
  using bytes = image_of<unsigned char, 2>;
  using floats = image_of<float, 3>;
  using wide = image_of<double, 2>;
  using whole = image_of<int, 3>;
  using volume = image_of<short, 3>;
  using labels = image_of<unsigned int, 3>;
  using others = image_of<long, 2>;
  EXPECT_FALSE(is_ours(*stock_filter<itk::ReconstructionByDilationImageFilter<bytes, bytes>>()));
  macareu::itk::register_factories();
  macareu::itk::register_factories();
  EXPECT_TRUE(is_ours(*itk::ReconstructionByDilationImageFilter<bytes, bytes>::New()));
  EXPECT_TRUE(is_ours(*itk::CannyEdgeDetectionImageFilter<floats, floats>::New()));
  EXPECT_TRUE(is_ours(*itk::ReconstructionByDilationImageFilter<wide, wide>::New()));
  EXPECT_TRUE(is_ours(*itk::GrayscaleFillholeImageFilter<whole, whole>::New()));
  EXPECT_TRUE(is_ours(*itk::DiscreteGaussianImageFilter<bytes, bytes>::New()));
  EXPECT_TRUE(is_ours(*itk::DiscreteGaussianImageFilter<volume, volume>::New()));
  EXPECT_TRUE(is_ours(*itk::DiscreteGaussianImageFilter<wide, wide>::New()));
  EXPECT_TRUE(is_ours(*itk::ConnectedComponentImageFilter<volume, labels>::New()));
  EXPECT_TRUE(is_ours(*itk::ConnectedComponentImageFilter<whole, labels>::New()));
  EXPECT_FALSE(is_ours(*itk::ReconstructionByDilationImageFilter<others, others>::New()));  // unsupported

  const auto image = generated_image<bytes>(1);
  auto fill = itk::GrayscaleFillholeImageFilter<bytes, bytes>::New();
  fill->SetInput(image);
  fill->Update();
  const auto expected = macareu::fill_holes(macareu::itk::view_of(image.GetPointer()));
  EXPECT_TRUE(std::equal(expected.pixels<std::uint8_t>().begin(), expected.pixels<std::uint8_t>().end(),
                         fill->GetOutput()->GetBufferPointer()));
}

/// FMA options may differ, so the linker must not merge the functions of library and program.
TEST(factories, filters_that_round_as_their_files_are_compiled_are_not_those_of_programs) {
  using bytes = image_of<unsigned char, 2>;
  using floats = image_of<float, 2>;
  const auto apart = []<class Stock, class Ours>(std::type_identity<Stock>, std::type_identity<Ours>) {
    const auto of_factory = Stock::New();
    const auto& made = *of_factory;
    EXPECT_TRUE(is_ours(made));
    EXPECT_NE(typeid(made), typeid(Ours));
  };
  macareu::itk::register_factories();
  apart(std::type_identity<itk::DiscreteGaussianImageFilter<bytes, floats>>{},
        std::type_identity<macareu::itk::DiscreteGaussianImageFilter<bytes, floats>>{});
  apart(std::type_identity<itk::SignedMaurerDistanceMapImageFilter<bytes, floats>>{},
        std::type_identity<macareu::itk::SignedMaurerDistanceMapImageFilter<bytes, floats>>{});
}

/// ITK's functions for sizes are not virtual, so our override fills in the members that they read.
TEST(factories, stock_functions_tell_our_sizes) {
  macareu::itk::register_factories();
  using labels = image_of<unsigned int, 2>;
  const auto image = random_image<labels>(1, 9);
  const auto count = image->GetBufferedRegion().GetNumberOfPixels();
  itk::SizeValueType largest = 0, removed = 0;
  for (unsigned label = 1; label <= 9; ++label) {
    if (label == 4) continue;
    largest = std::max<itk::SizeValueType>(
        largest, std::count(image->GetBufferPointer(), image->GetBufferPointer() + count, label));
  }
  for (itk::SizeValueType i = 0; i < count; ++i) {  // label 4 becomes one pixel
    auto& pixel = image->GetBufferPointer()[i];
    if (pixel == 4 && removed++ > 0) pixel = 0;
  }
  auto filter = itk::RelabelComponentImageFilter<labels, labels>::New();
  ASSERT_TRUE(is_ours(*filter));
  filter->SetInput(image);
  filter->SetMinimumObjectSize(2);
  filter->Update();
  EXPECT_EQ(filter->GetNumberOfObjects(), 8U);
  EXPECT_EQ(filter->GetOriginalNumberOfObjects(), 9U);
  ASSERT_EQ(filter->GetSizeOfObjectsInPixels().size(), 8U);
  ASSERT_EQ(filter->GetSizeOfObjectsInPhysicalUnits().size(), 8U);
  EXPECT_EQ(filter->GetSizeOfObjectInPixels(1), largest);
  const auto unit = static_cast<float>(image->GetSpacing()[0] * image->GetSpacing()[1]);
  EXPECT_FLOAT_EQ(filter->GetSizeOfObjectInPhysicalUnits(1), static_cast<float>(largest) * unit);
  std::ostringstream print;
  filter->Print(print);
  EXPECT_NE(print.str().find("OriginalNumberOfObjects: 9"), std::string::npos);
}

}  // namespace
