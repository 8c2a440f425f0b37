// What lazy images know of their two copies, with memory of the host in the place of a GPU's.
#include <cstdlib>
#include <cstring>

#include <itkImageRegionIterator.h>
#include <itkNeighborhoodIterator.h>
#include <itkUnaryFunctorImageFilter.h>

#include <macareu/itk/image.hpp>
#include <macareu/itk/reconstruction.hpp>

#include "../src/device_memory.hpp"
#include "support.hpp"

namespace ours = macareu::itk;

namespace {

int copies_to_device = 0, copies_to_host = 0;

}  // namespace

namespace macareu::itk::device_memory {

void* take(std::size_t bytes) { return std::malloc(bytes); }
void give_back(void* data) { std::free(data); }
void copy_to_device(void* device, const void* host, std::size_t bytes) {
  std::memcpy(device, host, bytes);
  ++copies_to_device;
}
void copy_to_host(void* host, const void* device, std::size_t bytes) {
  std::memcpy(host, device, bytes);
  ++copies_to_host;
}

}  // namespace macareu::itk::device_memory

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

TEST(lazy, a_filter_that_fails_leaves_nothing_on_the_device) {
  auto filter = ours::HMaximaImageFilter<lazy, lazy>::New();
  filter->SetInput(on_both(1));
  filter->SetDevice("cuda");
  filter->SetConnectivity(18);  // of volumes: refused, with a GPU and without
  EXPECT_THROW(filter->Update(), itk::ExceptionObject);
  EXPECT_FALSE(filter->GetOutput()->IsOnDevice());
}

}  // namespace
