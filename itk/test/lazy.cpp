// Tracks the two copies of lazy images, with host memory in place of a GPU's.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>

#include <itkCannyEdgeDetectionImageFilter.h>
#include <itkImageBufferRange.h>
#include <itkImageRegionIterator.h>
#include <itkImageRegionRange.h>
#include <itkNeighborhoodIterator.h>
#include <itkUnaryFunctorImageFilter.h>

#include <macareu/itk/factories.hpp>

#include "../src/device.hpp"
#include "lazy_filters.hpp"
#include "support.hpp"

namespace ours = macareu::itk;

namespace {

int copies_to_device = 0, copies_to_host = 0, in_use = 0;

constexpr int never = std::numeric_limits<int>::max();
int calls_before_failure = never;

/// One call of the device functions fails, before it has any effect.
void may_fail() {
  if (calls_before_failure != never && calls_before_failure-- == 0)
    throw macareu::device_error("out of memory");
}

}  // namespace

namespace macareu::itk::device {

void* take(std::size_t bytes) {
  may_fail();
  ++in_use;
  return std::malloc(std::max<std::size_t>(bytes, 1));
}
void give_back(void* data) {
  if (data) --in_use;
  std::free(data);
}
void copy_to_device(void* device, const void* host, std::size_t bytes) {
  may_fail();
  std::memcpy(device, host, bytes);
  ++copies_to_device;
}
void copy_to_host(void* host, const void* device, std::size_t bytes) {
  may_fail();
  std::memcpy(host, device, bytes);
  ++copies_to_host;
}
/// Asked for every operator, which may fail too.
std::string engine(const std::string&) {
  may_fail();
  return "cpu";
}
void wait() { may_fail(); }

}  // namespace macareu::itk::device

namespace {

using lazy = ours::Image<unsigned char, 2>;

unsigned char first_on_device(const lazy& image) {
  return *static_cast<const unsigned char*>(image.DeviceView().data());
}

/// The same pixels on the host and on the device.
lazy::Pointer on_both(unsigned char value) {
  auto image = empty_image<lazy>(odd_size<lazy>());
  image->FillBuffer(value);
  EXPECT_EQ(first_on_device(*image), value);
  return image;
}

TEST(lazy, what_iterators_write_reaches_the_device) {
  auto image = on_both(1);
  itk::ImageRegionIterator<lazy> pixel(image, image->GetBufferedRegion());
  pixel.Set(2);
  EXPECT_EQ(first_on_device(*image), 2);
  itk::NeighborhoodIterator<lazy> around({{1, 1}}, image, image->GetBufferedRegion());
  around.SetCenterPixel(3);
  EXPECT_EQ(first_on_device(*image), 3);
  image->SetPixel(image->GetBufferedRegion().GetIndex(), 4);
  EXPECT_EQ(first_on_device(*image), 4);
}

TEST(lazy, what_a_stock_filter_writes_in_place_reaches_the_device) {
  struct next {
    bool operator==(const next&) const = default;
    unsigned char operator()(unsigned char value) const { return static_cast<unsigned char>(value + 1); }
  };
  auto filter = itk::UnaryFunctorImageFilter<lazy, lazy, next>::New();
  filter->SetInput(on_both(1));
  filter->InPlaceOn();
  filter->Update();
  EXPECT_EQ(first_on_device(*filter->GetOutput()), 2);
}

TEST(lazy, what_is_only_read_is_not_copied_again) {
  const auto image = on_both(1);
  auto filter = ours::HMaximaImageFilter<lazy, lazy>::New();
  filter->SetInput(image);
  filter->SetHeight(5);
  filter->SetDevice("cpu");
  filter->Update();
  const lazy& constant = *image;
  EXPECT_EQ(constant.GetPixel(image->GetBufferedRegion().GetIndex()), 1);
  const int before = copies_to_device;
  first_on_device(*image);
  EXPECT_EQ(copies_to_device, before);
}

TEST(lazy, what_is_on_the_device_only_is_copied_when_it_is_read) {
  auto image = on_both(1);
  std::memset(image->DeviceOutput().data(), 7, image->GetBufferedRegion().GetNumberOfPixels());
  EXPECT_FALSE(image->IsOnDevice());
  image->DeviceWasWritten();
  EXPECT_TRUE(image->IsOnDevice());
  const int before = copies_to_host;
  itk::ImageRegionConstIterator<lazy> pixel(image, image->GetBufferedRegion());
  EXPECT_EQ(pixel.Get(), 7);
  EXPECT_FALSE(image->IsOnDevice());
  EXPECT_EQ(image->PixelsToRead()[1], 7);
  EXPECT_EQ(copies_to_host, before + 1);
}

TEST(lazy, single_pixels_and_ranges_are_those_of_the_device) {
  const auto on_device_only = [] {
    auto image = on_both(1);
    std::memset(image->DeviceOutput().data(), 7, image->GetBufferedRegion().GetNumberOfPixels());
    image->DeviceWasWritten();
    return image;
  };
  const auto first = on_both(1)->GetBufferedRegion().GetIndex();
  const auto expect_seven = [&](const auto& read) { EXPECT_EQ(read(*on_device_only()), 7); };
  expect_seven([&](lazy& image) { return image.GetPixel(first); });
  expect_seven([&](const lazy& image) { return image.GetPixel(first); });
  expect_seven([&](lazy& image) { return image[first]; });
  expect_seven([&](const lazy& image) { return image[first]; });
  expect_seven([](lazy& image) -> unsigned char { return *itk::ImageBufferRange<lazy>(image).begin(); });
  expect_seven(
      [](const lazy& image) -> unsigned char { return *itk::ImageBufferRange<const lazy>(image).begin(); });
  expect_seven([](lazy& image) -> unsigned char {
    return *itk::ImageRegionRange<lazy>(image, image.GetBufferedRegion()).begin();
  });
  // On ::itk::Image these functions do not trigger a copy; call GetBufferPointer() first.
  expect_seven([&](itk::Image<unsigned char, 2>& image) {
    image.GetBufferPointer();
    return image.GetPixel(first);
  });
}

TEST(lazy, a_filter_that_fails_leaves_nothing_on_the_device) {
  auto filter = ours::HMaximaImageFilter<lazy, lazy>::New();
  filter->SetInput(on_both(1));
  filter->SetDevice("cuda");
  filter->SetConnectivity(18);  // valid for volumes only
  EXPECT_THROW(filter->Update(), itk::ExceptionObject);
  EXPECT_FALSE(filter->GetOutput()->IsOnDevice());
}

void start_counting() { copies_to_device = copies_to_host = 0; }

TEST(lazy, every_filter_leaves_its_pixels_on_the_device) {
  lazy_filters::each_in_all_ranks([](const std::string& name, int inputs, const auto& make) {
    SCOPED_TRACE(name);
    const auto filter = make(lazy_images{});
    filter->SetDevice("cuda");
    start_counting();
    filter->Update();
    EXPECT_TRUE(filter->GetOutput()->IsOnDevice());
    EXPECT_EQ(copies_to_device, inputs);
    EXPECT_EQ(copies_to_host, 0);
    lazy_filters::expect_pixels_of_cpu(make, filter);
    EXPECT_EQ(copies_to_host, 1);
    EXPECT_EQ(in_use, inputs + 1) << "but for the images' own copies";
  });
  EXPECT_EQ(in_use, 0);
}

TEST(lazy, a_chain_copies_once_each_way) {
  lazy_filters::chain<stock_images> on_cpu("cpu", "cpu");
  lazy_filters::chain<lazy_images> lazily("cuda", "auto");
  const itk::Image<float, 2>& expected = *on_cpu.update();
  start_counting();
  const auto* found = lazily.update();
  EXPECT_TRUE(found->IsOnDevice());
  EXPECT_EQ(copies_to_host, 0);
  expect_same<itk::Image<float, 2>>(expected, *found);
  EXPECT_EQ(copies_to_device, 1);
  EXPECT_EQ(copies_to_host, 1);
  const auto count = expected.GetBufferedRegion().GetNumberOfPixels();
  const auto edges = std::count(expected.GetBufferPointer(), expected.GetBufferPointer() + count, 1.0F);
  EXPECT_GT(edges, 20) << "the chain says nothing";
}

TEST(lazy, stock_images_among_lazy_ones_are_copied_once) {
  using stock = image_of<unsigned char, 2>;
  auto expected = ours::GrayscaleFillholeImageFilter<stock, stock>::New();
  expected->SetInput(generated_image<stock>(1));
  expected->SetDevice("cpu");
  expected->Update();
  auto from_stock = ours::GrayscaleFillholeImageFilter<stock, lazy>::New();
  from_stock->SetInput(generated_image<stock>(1));
  from_stock->SetDevice("cuda");
  start_counting();
  from_stock->Update();
  EXPECT_TRUE(from_stock->GetOutput()->IsOnDevice());
  EXPECT_EQ(copies_to_device, 1);
  // A filter of stock images takes a lazy one for what it is, and leaves the host's buffer valid.
  auto to_stock = ours::GrayscaleFillholeImageFilter<stock, stock>::New();
  to_stock->SetInput(from_stock->GetOutput());
  to_stock->Update();
  EXPECT_TRUE(from_stock->GetOutput()->IsOnDevice());
  EXPECT_EQ(copies_to_device, 1);
  EXPECT_EQ(copies_to_host, 1);
  expect_same<stock>(*expected->GetOutput(), *to_stock->GetOutput());
}

TEST(lazy, a_filter_in_place_leaves_its_pixels_on_the_device) {
  using labels = ours::Image<unsigned int, 2>;
  const auto relabel = [](bool in_place) {
    auto filter = ours::RelabelComponentImageFilter<labels, labels>::New();
    filter->SetInput(random_image<labels>(3, 1000));
    filter->SetDevice(in_place ? "cuda" : "cpu");
    filter->SetInPlace(in_place);
    filter->Update();
    return filter;
  };
  const auto found = relabel(true);
  EXPECT_TRUE(found->GetOutput()->IsOnDevice());
  expect_same(*relabel(false)->GetOutput(), *found->GetOutput());
}

/// Invalidates the host's copy.
void leave_on_device_only(ours::lazy_pixels& image) {
  const auto there = image.DeviceView();
  const auto bytes = static_cast<std::size_t>(there.shape().pixels()) * macareu::size_of(there.type());
  std::memset(const_cast<void*>(image.HostPixels()), 1, bytes);
  image.DeviceWasWritten();
}

/// `make` as in lazy_filters. Every device call of the filter fails once.
template <class Make, class Check>
void expect_the_host_to_step_in(const Make& make, const Check& check) {
  bool failed = true;
  for (int calls = 0; failed; ++calls) {
    SCOPED_TRACE(calls);
    const auto filter = make(lazy_images{});
    for (const auto& input : filter->GetInputs())
      if (auto* image = ours::as_lazy(input.GetPointer())) leave_on_device_only(*image);
    calls_before_failure = calls;
    EXPECT_NO_THROW(filter->Update());
    failed = calls_before_failure < 0;
    calls_before_failure = never;
    EXPECT_NE(filter->GetOutput()->IsOnDevice(), failed);
    lazy_filters::expect_pixels_of_cpu(make, filter);
    check(*filter);
  }
}

TEST(lazy, where_the_device_fails_the_host_steps_in) {
  lazy_filters::each_in_all_ranks([](const std::string& name, int, const auto& make) {
    SCOPED_TRACE(name);
    expect_the_host_to_step_in(make, [](const auto&) {});
  });
}

/// If it counted objects in its own result, the small ones would be missing.
TEST(lazy, where_the_device_fails_a_filter_in_place_has_its_input_still) {
  const auto make = []<class Images>(Images) {
    using labels = typename Images::template of<unsigned int, 2>;
    auto filter = ours::RelabelComponentImageFilter<labels, labels>::New();
    filter->SetInput(random_image<labels>(3, 1000));
    filter->SetMinimumObjectSize(5);
    filter->InPlaceOn();
    return filter;
  };
  auto expected = make(stock_images{});
  expected->SetDevice("cpu");
  expected->Update();
  ASSERT_LT(expected->GetNumberOfObjects(), expected->GetOriginalNumberOfObjects());
  expect_the_host_to_step_in(make, [&](const auto& filter) {
    EXPECT_EQ(filter.GetOriginalNumberOfObjects(), expected->GetOriginalNumberOfObjects());
    EXPECT_EQ(filter.GetSizeOfObjectsInPixels(), expected->GetSizeOfObjectsInPixels());
  });
}

/// The rounding differs from a named cpu if the spacing is not a short binary fraction.
TEST(lazy, where_the_device_fails_roundings_are_those_of_itk) {
  const auto distances = []<class Images>(Images, const char* device, int calls) {
    using from = typename Images::template of<unsigned char, 2>;
    using to = typename Images::template of<float, 2>;
    auto filter = ours::SignedMaurerDistanceMapImageFilter<from, to>::New();
    auto input = random_image<from>(1, 1);
    auto spacing = input->GetSpacing();
    spacing[0] = 0.7;
    spacing[1] = 1.3;
    input->SetSpacing(spacing);
    if (auto* image = ours::as_lazy(input.GetPointer())) leave_on_device_only(*image);
    filter->SetInput(input);
    filter->SetDevice(device);
    calls_before_failure = calls;
    filter->Update();
    EXPECT_EQ(calls_before_failure < 0, calls == 0) << "of the device";
    calls_before_failure = never;
    return typename itk::Image<float, 2>::Pointer(filter->GetOutput());
  };
  const auto of_itk = distances(stock_images{}, "auto", never);
  expect_same(*of_itk, *distances(lazy_images{}, "auto", 0));
  const auto of_cpu = distances(stock_images{}, "cpu", never);
  EXPECT_FALSE(std::equal(of_itk->GetBufferPointer(),
                          of_itk->GetBufferPointer() + of_itk->GetBufferedRegion().GetNumberOfPixels(),
                          of_cpu->GetBufferPointer()))
      << "roundings do not show";
}

TEST(lazy, a_device_that_is_named_and_fails_throws) {
  auto filter = ours::HMaximaImageFilter<lazy, lazy>::New();
  filter->SetInput(on_both(1));
  filter->SetDevice("cuda");
  calls_before_failure = 0;
  EXPECT_THROW(filter->Update(), itk::ExceptionObject);
  calls_before_failure = never;
}

using lazy_floats = ours::Image<float, 2>;

/// Its input is on the device only, and Macareu refuses it.
ours::HMaximaImageFilter<lazy_floats, lazy_floats>::Pointer filter_of_nan() {
  auto image = generated_image<lazy_floats>(1);
  image->GetBufferPointer()[100] = std::numeric_limits<float>::quiet_NaN();
  image->DeviceView();
  image->DeviceWasWritten();
  auto filter = ours::HMaximaImageFilter<lazy_floats, lazy_floats>::New();
  filter->SetInput(image);
  filter->SetHeight(5);
  return filter;
}

TEST(lazy, what_macareu_refuses_on_the_device_is_left_to_itk) {
  const auto filter = filter_of_nan();
  EXPECT_NO_THROW(filter->Update());
  EXPECT_FALSE(filter->GetOutput()->IsOnDevice());
}

/// What `work` throws if the device fails immediately, or after some calls.
enum class thrown { nothing, of_itk, other };
template <class Work>
thrown thrown_after(int calls, const Work& work) {
  calls_before_failure = calls;
  auto what = thrown::nothing;
  try {
    work();
  } catch (const itk::ExceptionObject&) {
    what = thrown::of_itk;
  } catch (...) {
    what = thrown::other;
  }
  calls_before_failure = never;
  return what;
}

TEST(lazy, where_the_device_fails_whoever_reads_gets_an_exception_of_itk) {
  auto image = on_both(7);
  leave_on_device_only(*image);
  const lazy& constant = *image;
  const auto first = image->GetBufferedRegion().GetIndex();
  EXPECT_EQ(thrown_after(0, [&] { image->GetBufferPointer(); }), thrown::of_itk);
  EXPECT_EQ(thrown_after(0, [&] { constant.GetBufferPointer(); }), thrown::of_itk);
  EXPECT_EQ(thrown_after(0, [&] { image->PixelsToRead(); }), thrown::of_itk);
  EXPECT_EQ(thrown_after(0, [&] { image->GetPixel(first); }), thrown::of_itk);
  EXPECT_EQ(thrown_after(0, [&] { itk::ImageRegionIterator<lazy>(image, image->GetBufferedRegion()); }),
            thrown::of_itk);
  EXPECT_TRUE(image->IsOnDevice()) << "its pixels are not lost";
  EXPECT_EQ(image->GetPixel(first), 7);
}

TEST(lazy, where_the_device_fails_itks_code_that_steps_in_throws_an_exception_of_itk) {
  int failures = 0;
  for (const int calls : {0, 1, 2}) {
    const auto filter = filter_of_nan();
    const auto what = thrown_after(calls, [&] { filter->Update(); });
    EXPECT_NE(what, thrown::other) << calls;
    if (what == thrown::of_itk) ++failures;
  }
  EXPECT_EQ(failures, 1) << "when ITK's code asks for the input; before, the host steps in";
}

TEST(lazy, where_the_device_fails_suppressed_edges_throw_an_exception_of_itk) {
  using image = itk::Image<float, 2>;
  auto input = generated_image<lazy_floats>(1);
  macareu::itk::register_factories();
  auto filter = itk::CannyEdgeDetectionImageFilter<image, image>::New();
  itk::ObjectFactoryBase::UnRegisterAllFactories();
  filter->SetInput(input);
  filter->Update();
  leave_on_device_only(*input);
  auto* const edges = filter->GetNonMaximumSuppressionImage();
  EXPECT_EQ(thrown_after(0, [&] { edges->GetBufferPointer(); }), thrown::of_itk);
  EXPECT_EQ(thrown_after(never, [&] { edges->GetBufferPointer(); }), thrown::nothing);
}

}  // namespace
