// The watershed from markers: its labels and ITK's are members of one tie zone.
#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <queue>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <macareu/itk/watershed.hpp>

#include "stock.hpp"
#include "support.hpp"

namespace ours = macareu::itk;

namespace {

template <unsigned rank>
using labels_of = image_of<unsigned short, rank>;

/// Few labels, and 0 elsewhere.
template <unsigned rank>
typename labels_of<rank>::Pointer random_markers(unsigned seed, unsigned apart) {
  auto markers = empty_image<labels_of<rank>>(odd_size<labels_of<rank>>());
  std::mt19937 engine(seed);
  auto* pixels = markers->GetBufferPointer();
  for (itk::SizeValueType i = 0; i < markers->GetBufferedRegion().GetNumberOfPixels(); ++i)
    pixels[i] = static_cast<unsigned short>(i == 7 || engine() % apart == 0 ? 1 + engine() % 900 : 0);
  return markers;
}

/// The pass from a marker, and steps since it was reached.
using time = std::pair<double, int>;

/// Neighbours of pixels, in any order.
template <class Image>
class neighbours {
 public:
  neighbours(const Image& image, bool full) : size_(image.GetBufferedRegion().GetSize()), full_(full) {}

  template <class Visit>
  void operator()(std::size_t p, const Visit& visit) const {
    constexpr int rank = Image::ImageDimension;
    std::array<int, 3> at{}, side{1, 1, 1};
    for (int axis = 0; axis < rank; ++axis) {
      side[axis] = static_cast<int>(size_[axis]);
      at[axis] = static_cast<int>(p % size_[axis]);
      p /= size_[axis];
    }
    for (int step = 0; step < 27; ++step) {
      const std::array<int, 3> by{step % 3 - 1, step / 3 % 3 - 1, step / 9 - 1};
      const int axes = (by[0] != 0) + (by[1] != 0) + (by[2] != 0);
      bool inside = axes > 0 && (full_ || axes == 1);
      for (int axis = 0; axis < 3; ++axis)
        inside = inside && at[axis] + by[axis] >= 0 && at[axis] + by[axis] < side[axis];
      if (inside)
        visit(
            static_cast<std::size_t>(((at[2] + by[2]) * side[1] + at[1] + by[1]) * side[0] + at[0] + by[0]));
    }
  }

 private:
  typename Image::SizeType size_;
  bool full_;
};

template <class Image, class Labels>
std::vector<time> times_of(const Image& image, const Labels& markers, const neighbours<Image>& near) {
  const auto count = image.GetBufferedRegion().GetNumberOfPixels();
  const auto* f = image.GetBufferPointer();
  std::vector<time> times(count, {std::numeric_limits<double>::infinity(), 0});
  using item = std::pair<time, std::size_t>;
  std::priority_queue<item, std::vector<item>, std::greater<>> queue;
  for (std::size_t p = 0; p < count; ++p)
    if (markers.GetBufferPointer()[p] != 0) queue.push({times[p] = {static_cast<double>(f[p]), 0}, p});
  while (!queue.empty()) {
    const auto [at, p] = queue.top();
    queue.pop();
    if (at != times[p]) continue;
    near(p, [&, at = at](std::size_t q) {
      const auto offer = std::max(time{at.first, at.second + 1}, time{static_cast<double>(f[q]), 0});
      if (offer < times[q]) queue.push({times[q] = offer, q});
    });
  }
  return times;
}

/// Pixels whose label is that of no neighbour that was flooded first.
template <class Image, class Labels>
int outside_tie_zone(const Labels& found, const Labels& markers, const std::vector<time>& times,
                     const neighbours<Image>& near) {
  const auto *label = found.GetBufferPointer(), *marker = markers.GetBufferPointer();
  int bad = 0;
  for (std::size_t p = 0; p < times.size(); ++p) {
    if (marker[p] != 0) {
      bad += label[p] != marker[p];
      continue;
    }
    auto least = times[p];
    near(p, [&](std::size_t q) { least = std::min(least, times[q]); });
    bool member = false;
    near(p, [&](std::size_t q) { member = member || (times[q] == least && label[q] == label[p]); });
    bad += !member;
  }
  return bad;
}

template <class Image>
class watershed : public testing::Test {};
using grey_images = testing::Types<image_of<unsigned char, 2>, image_of<short, 3>, image_of<float, 2>>;
TYPED_TEST_SUITE(watershed, grey_images);

template <class Image>
struct filters {
  static constexpr unsigned rank = Image::ImageDimension;
  using stock = itk::MorphologicalWatershedFromMarkersImageFilter<Image, labels_of<rank>>;
  using own = ours::MorphologicalWatershedFromMarkersImageFilter<Image, labels_of<rank>>;
};

TYPED_TEST(watershed, labels_are_members_of_the_tie_zone_of_itk) {
  using of = filters<TypeParam>;
  for (unsigned i = 0; i < 12; ++i) {
    const auto image =
        i % 3 == 0 ? generated_image<TypeParam>(i) : random_image<TypeParam>(i, i % 3 == 1 ? 3 : 200);
    const auto markers = random_markers<of::rank>(i, i % 2 ? 20 : 300);
    const neighbours<TypeParam> near(*image, i % 4 < 2);
    const auto times = times_of(*image, *markers, near);
    const auto labels = [&](auto filter) {
      filter->SetInput(image);
      filter->SetMarkerImage(markers);
      filter->SetFullyConnected(i % 4 < 2);
      filter->MarkWatershedLineOff();
      filter->Update();
      return outside_tie_zone(*filter->GetOutput(), *markers, times, near);
    };
    EXPECT_EQ(labels(of::stock::New()), 0) << "ITK's, image " << i;
    EXPECT_EQ(labels(of::own::New()), 0) << "ours, image " << i;
  }
}

TEST(watershed_without_ties, labels_are_those_of_itk) {
  using image_type = image_of<float, 2>;
  auto image = empty_image<image_type>(odd_size<image_type>());
  auto* pixels = image->GetBufferPointer();
  const auto count = image->GetBufferedRegion().GetNumberOfPixels();
  for (std::size_t i = 0; i < count; ++i) pixels[i] = static_cast<float>(i);
  std::shuffle(pixels, pixels + count, std::mt19937(3));
  const auto markers = random_markers<2>(4, 200);
  using of = filters<image_type>;
  for (const bool full : {false, true})
    expect_as_stock<of::own, of::stock>([&](auto& filter) {
      filter.SetInput1(image);
      filter.SetInput2(markers);
      filter.SetFullyConnected(full);
      filter.SetMarkWatershedLine(false);
    });
}

TEST(watershed_lines, separate_basins_and_are_marked_by_default) {
  using image_type = image_of<unsigned char, 2>;
  using of = filters<image_type>;
  const auto image = random_image<image_type>(5, 200);
  auto markers = empty_image<labels_of<2>>(odd_size<labels_of<2>>());
  markers->FillBuffer(0);
  for (unsigned i = 1; i < 20; ++i) markers->GetBufferPointer()[i * 300] = static_cast<unsigned short>(i);
  auto filter = of::own::New();
  EXPECT_TRUE(filter->GetMarkWatershedLine());
  EXPECT_FALSE(filter->GetFullyConnected());
  filter->SetInput(image);
  filter->SetMarkerImage(markers);
  filter->FullyConnectedOn();
  filter->Update();
  const auto* label = filter->GetOutput()->GetBufferPointer();
  const neighbours<image_type> near(*image, true);
  int lines = 0;
  for (std::size_t p = 0; p < image->GetBufferedRegion().GetNumberOfPixels(); ++p) {
    lines += label[p] == 0;
    near(p, [&](std::size_t q) { EXPECT_TRUE(label[p] == 0 || label[q] == 0 || label[p] == label[q]); });
  }
  EXPECT_GT(lines, 0);
}

TEST(watershed_refusals, are_exceptions_of_itk_with_any_device) {
  using image_type = image_of<float, 2>;
  using labels = image_of<short, 2>;
  using filter_type = ours::MorphologicalWatershedFromMarkersImageFilter<image_type, labels>;
  auto image = random_image<image_type>(1, 9);
  auto markers = empty_image<labels>(odd_size<labels>());
  markers->FillBuffer(0);
  const auto message = [&] {
    auto filter = filter_type::New();
    filter->SetInput(image);
    filter->SetMarkerImage(markers);
    try {
      filter->Update();
    } catch (const itk::ExceptionObject& thrown) {
      return std::string(thrown.GetDescription());
    }
    return std::string();
  };
  EXPECT_NE(message().find("markers are 0 everywhere"), std::string::npos) << message();
  markers->GetBufferPointer()[99] = -3;  // row 1, column 2
  EXPECT_NE(message().find("got -3 at row 1, column 2"), std::string::npos) << message();
  markers->GetBufferPointer()[99] = 3;
  EXPECT_EQ(message(), "");
  image->GetBufferPointer()[1] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_NE(message().find("is NaN at row 0, column 1"), std::string::npos) << message();
  image = random_image<image_type>(1, 9);
  markers = empty_image<labels>({{5, 4}});
  EXPECT_NE(message().find("one shape"), std::string::npos) << message();
}

TEST(watershed_factory, does_not_exist) {
  macareu::itk::register_factories();
  const auto stock = filters<image_of<float, 2>>::stock::New();
  EXPECT_FALSE(is_ours(*stock));
}

}  // namespace
