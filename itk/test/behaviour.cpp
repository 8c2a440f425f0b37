// Filter behaviour besides pixels: progress, abort, errors, devices, neighbours.
#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <new>

#include <macareu/itk/image.hpp>
#include <macareu/itk/labels.hpp>
#include <macareu/itk/masks.hpp>
#include <macareu/itk/reconstruction.hpp>
#include <macareu/operators.hpp>

#include "support.hpp"

namespace ours = macareu::itk;

namespace {

using bytes = image_of<unsigned char, 2>;
using floats = image_of<float, 2>;
using volume = image_of<unsigned char, 3>;

TEST(behaviour, progress_ends_at_one) {
  auto filter = ours::HMaximaImageFilter<bytes, bytes>::New();
  filter->SetInput(generated_image<bytes>(1));
  expect_progress_to_one(*filter);
}

/// On the host, lazy images behave as images: filters, grafts, single pixels, imported memory.
TEST(behaviour, lazy_images_are_images) {
  using lazy = ours::Image<unsigned char, 2>;
  auto stock = ours::GrayscaleFillholeImageFilter<bytes, bytes>::New();
  stock->SetInput(generated_image<bytes>(1));
  auto filter = ours::GrayscaleFillholeImageFilter<lazy, lazy>::New();
  filter->SetDevice("cpu");
  filter->SetInput(generated_image<lazy>(1));
  stock->Update();
  filter->Update();
  const auto count = stock->GetOutput()->GetBufferedRegion().GetNumberOfPixels();
  const auto* expected = stock->GetOutput()->GetBufferPointer();
  auto grafted = lazy::New();
  grafted->Graft(filter->GetOutput());
  EXPECT_TRUE(std::equal(expected, expected + count, grafted->GetBufferPointer()));
  EXPECT_FALSE(grafted->IsOnDevice());
  grafted->SetPixel({{3, 2}}, 77);
  EXPECT_EQ(filter->GetOutput()->GetPixel({{3, 2}}), 77) << "grafts share their pixels";
  auto foreign = lazy::New();
  foreign->Graft(stock->GetOutput());
  EXPECT_EQ(foreign->GetBufferPointer(), expected);
}

TEST(behaviour, abort_throws_and_the_filter_can_run_again) {
  auto filter = ours::GrayscaleFillholeImageFilter<bytes, bytes>::New();
  filter->SetInput(generated_image<bytes>(1));
  expect_abort(*filter);
}

TEST(behaviour, labels_without_a_table_are_left_to_itk) {
  const auto check = []<class Image>(typename Image::Pointer image) {
    auto stock = itk::RelabelComponentImageFilter<Image, Image>::New();
    auto filter = ours::RelabelComponentImageFilter<Image, Image>::New();
    stock->SetInput(image);
    filter->SetInput(image);
    stock->Update();
    filter->Update();
    expect_same(*stock->GetOutput(), *filter->GetOutput());
    EXPECT_EQ(stock->GetNumberOfObjects(), filter->GetNumberOfObjects());
    filter->SetDevice("cpu");
    EXPECT_THROW(filter->Update(), itk::ExceptionObject);
  };
  auto fractions = random_image<floats>(1, 3);
  fractions->GetBufferPointer()[50] = 1.5F;
  check.operator()<floats>(fractions);
  using whole = image_of<short, 2>;
  auto negative = random_image<whole>(1, 3);
  negative->GetBufferPointer()[50] = -7;
  check.operator()<whole>(negative);
  using labels = image_of<unsigned int, 2>;
  auto sparse = random_image<labels>(1, 3);
  sparse->GetBufferPointer()[50] = 1U << 30;
  check.operator()<labels>(sparse);
}

TEST(behaviour, an_exception_of_an_observer_reaches_the_caller) {
  auto filter = ours::GrayscaleFillholeImageFilter<bytes, bytes>::New();
  filter->SetInput(generated_image<bytes>(1));
  const auto fail = [] { throw std::logic_error("from the observer"); };
  at_progress(*filter, fail);
  EXPECT_THROW(filter->Update(), std::logic_error);
}

TEST(behaviour, an_exception_of_a_thread_reaches_the_caller) {
  auto filter = ours::HMaximaImageFilter<bytes, bytes>::New();
  const auto fail_at_the_end = [](std::int64_t, std::int64_t last) {
    if (last == 64) throw std::bad_alloc();
  };
  EXPECT_THROW(ours::in_parallel(*filter, 64, fail_at_the_end), std::bad_alloc);
}

TEST(behaviour, errors_are_exceptions_of_itk) {
  for (const char* device : {"auto", "cpu", "serial"}) {
    auto filter = ours::ReconstructionByDilationImageFilter<bytes, bytes>::New();
    auto mask = generated_image<bytes>(1), marker = generated_image<bytes>(1);
    marker->GetBufferPointer()[7] = 255;
    mask->GetBufferPointer()[7] = 0;
    filter->SetMaskImage(mask);
    filter->SetMarkerImage(marker);
    filter->SetDevice(device);
    EXPECT_THROW(filter->Update(), itk::ExceptionObject) << device;
  }
  auto filter = ours::HMaximaImageFilter<bytes, bytes>::New();
  filter->SetInput(generated_image<bytes>(1));
  filter->SetDevice("nowhere");
  EXPECT_THROW(filter->Update(), itk::ExceptionObject);
}

TEST(behaviour, serial_is_one_thread) {
  for (const bool serial : {true, false}) {
    auto filter = ours::HMaximaImageFilter<bytes, bytes>::New();
    filter->SetNumberOfWorkUnits(3);
    filter->GetMultiThreader()->SetMaximumNumberOfThreads(3);
    filter->SetDevice(serial ? "serial" : "cpu");
    std::atomic<int> parts = 0;
    ours::in_parallel(*filter, 100, [&](std::int64_t, std::int64_t) { ++parts; });
    EXPECT_EQ(parts, serial ? 1 : 3);
  }
}

template <class Filter>
void expect_refused_thresholds(const std::array<unsigned char, 4>& all, const char* device) {
  auto filter = Filter::New();
  filter->SetInput(generated_image<bytes>(1));
  filter->SetThreshold1(all[0]);
  filter->SetThreshold2(all[1]);
  filter->SetThreshold3(all[2]);
  filter->SetThreshold4(all[3]);
  if constexpr (requires { filter->SetDevice(device); }) filter->SetDevice(device);
  EXPECT_THROW(filter->Update(), itk::ExceptionObject) << device;
}

TEST(behaviour, thresholds_out_of_order_are_errors_as_in_itk) {
  const std::array<unsigned char, 4> narrow{10, 150, 100, 200}, wide{201, 100, 150, 200},
      outside{120, 100, 150, 200};
  for (const auto& all : {narrow, wide, outside}) {
    expect_refused_thresholds<itk::DoubleThresholdImageFilter<bytes, bytes>>(all, "stock");
    for (const char* device : {"auto", "cpu"})
      expect_refused_thresholds<ours::DoubleThresholdImageFilter<bytes, bytes>>(all, device);
  }
}

TEST(behaviour, what_macareu_refuses_is_left_to_itk) {
  auto image = generated_image<floats>(1);
  image->GetBufferPointer()[100] = std::numeric_limits<float>::quiet_NaN();
  auto filter = ours::HMaximaImageFilter<floats, floats>::New();
  filter->SetInput(image);
  filter->SetHeight(5);
  EXPECT_NO_THROW(filter->Update());
  filter->SetDevice("cpu");
  EXPECT_THROW(filter->Update(), itk::ExceptionObject);
}

TEST(behaviour, eighteen_neighbours) {
  const auto image = random_image<volume>(4, 3);
  using labels = image_of<unsigned int, 3>;
  auto filter = ours::ConnectedComponentImageFilter<volume, labels>::New();
  filter->SetInput(image);
  filter->SetConnectivity(18);
  filter->Update();
  const auto expected = macareu::label(ours::view_of(image.GetPointer()), {.connectivity = 18});
  const auto all = expected.pixels<std::uint32_t>();
  EXPECT_TRUE(std::equal(all.begin(), all.end(), filter->GetOutput()->GetBufferPointer()));
  filter->SetConnectivity(8);
  EXPECT_THROW(filter->Update(), itk::ExceptionObject);
}

}  // namespace
