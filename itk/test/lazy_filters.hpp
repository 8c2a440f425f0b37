// All our filters, for lazy and for stock images, so that tests can compare both.
#pragma once

#include <string>

#include <macareu/itk/canny.hpp>
#include <macareu/itk/distance.hpp>
#include <macareu/itk/edges.hpp>
#include <macareu/itk/image.hpp>
#include <macareu/itk/labels.hpp>
#include <macareu/itk/masks.hpp>
#include <macareu/itk/reconstruction.hpp>
#include <macareu/itk/watershed.hpp>

#include "support.hpp"

struct stock_images {
  template <class Pixel, unsigned rank>
  using of = itk::Image<Pixel, rank>;
};
struct lazy_images {
  template <class Pixel, unsigned rank>
  using of = macareu::itk::Image<Pixel, rank>;
};

namespace lazy_filters {

namespace ours = macareu::itk;

/// `visit(name, inputs, make)` for every filter, where make(images) gives one with its inputs and settings.
template <unsigned rank, class Visit>
void each(const Visit& visit) {
  const auto grey = [&]<class Images>(Images) {
    return generated_image<typename Images::template of<unsigned char, rank>>(1);
  };
  const auto binary = [&]<class Images>(Images, unsigned seed = 1) {
    return random_image<typename Images::template of<unsigned char, rank>>(seed, 1);
  };

  const auto canny = [&]<class From, class To, class Images>(Images) {
    using from = typename Images::template of<From, rank>;
    auto filter = ours::CannyEdgeDetectionImageFilter<from, typename Images::template of<To, rank>>::New();
    filter->SetInput(generated_image<from>(2));
    filter->SetVariance(0.5);
    filter->SetLowerThreshold(1);
    filter->SetUpperThreshold(2);
    return filter;
  };
  visit("canny", 1, [&](auto images) { return canny.template operator()<float, float>(images); });
  visit("canny of bytes", 1,
        [&](auto images) { return canny.template operator()<unsigned char, float>(images); });
  visit("canny in the output's type", 1,
        [&](auto images) { return canny.template operator()<float, double>(images); });

  visit("sobel", 1, [&]<class Images>(Images images) {
    using to = typename Images::template of<float, rank>;
    auto filter =
        ours::SobelEdgeDetectionImageFilter<typename Images::template of<unsigned char, rank>, to>::New();
    filter->SetInput(grey(images));
    return filter;
  });
  visit("sobel to double", 1, [&]<class Images>(Images images) {
    using to = typename Images::template of<double, rank>;
    auto filter =
        ours::SobelEdgeDetectionImageFilter<typename Images::template of<unsigned char, rank>, to>::New();
    filter->SetInput(grey(images));
    return filter;
  });

  const auto gaussian = [&]<class To, class Images>(Images images) {
    auto filter = ours::DiscreteGaussianImageFilter<typename Images::template of<unsigned char, rank>,
                                                    typename Images::template of<To, rank>>::New();
    filter->SetInput(grey(images));
    filter->SetVariance(1.96);
    return filter;
  };
  visit("gaussian", 1, [&](auto images) { return gaussian.template operator()<float>(images); });
  visit("gaussian of bytes", 1,
        [&](auto images) { return gaussian.template operator()<unsigned char>(images); });
  visit("gaussian to double", 1, [&](auto images) { return gaussian.template operator()<double>(images); });

  const auto rebuilt = [&]<class Filter, class Image>(typename Image::Pointer mask, int by) {
    auto marker = empty_image<Image>(mask->GetBufferedRegion().GetSize());
    const auto* from = mask->GetBufferPointer();
    auto* to = marker->GetBufferPointer();
    for (itk::SizeValueType i = 0; i < mask->GetBufferedRegion().GetNumberOfPixels(); ++i)
      to[i] = static_cast<typename Image::PixelType>(std::clamp(from[i] + by, 0, 255));
    auto filter = Filter::New();
    filter->SetMaskImage(mask);
    filter->SetMarkerImage(marker);
    return filter;
  };
  visit("reconstruction by dilation", 2, [&]<class Images>(Images images) {
    using image = typename Images::template of<unsigned char, rank>;
    return rebuilt.template operator()<ours::ReconstructionByDilationImageFilter<image, image>, image>(
        grey(images), -20);
  });
  visit("reconstruction by erosion", 2, [&]<class Images>(Images images) {
    using image = typename Images::template of<unsigned char, rank>;
    return rebuilt.template operator()<ours::ReconstructionByErosionImageFilter<image, image>, image>(
        grey(images), 20);
  });

  visit("grey holes", 1, [&]<class Images>(Images images) {
    using image = typename Images::template of<unsigned char, rank>;
    auto filter = ours::GrayscaleFillholeImageFilter<image, image>::New();
    filter->SetInput(grey(images));
    return filter;
  });
  visit("h-maxima", 1, [&]<class Images>(Images images) {
    using image = typename Images::template of<unsigned char, rank>;
    auto filter = ours::HMaximaImageFilter<image, image>::New();
    filter->SetInput(grey(images));
    filter->SetHeight(10);
    return filter;
  });
  visit("h-minima", 1, [&]<class Images>(Images images) {
    using image = typename Images::template of<unsigned char, rank>;
    auto filter = ours::HMinimaImageFilter<image, image>::New();
    filter->SetInput(grey(images));
    filter->SetHeight(10);
    return filter;
  });

  visit("binary holes", 1, [&]<class Images>(Images images) {
    using image = typename Images::template of<unsigned char, rank>;
    auto filter = ours::BinaryFillholeImageFilter<image>::New();
    filter->SetInput(random_image<image>(4, 2));  // objects are 1; value 2 is unchanged
    filter->SetForegroundValue(1);
    (void)images;
    return filter;
  });
  visit("maxima", 1, [&]<class Images>(Images images) {
    using image = typename Images::template of<unsigned char, rank>;
    using wide = typename Images::template of<unsigned short, rank>;
    auto filter = ours::RegionalMaximaImageFilter<image, wide>::New();
    filter->SetInput(grey(images));
    filter->SetForegroundValue(700);
    filter->SetBackgroundValue(2);
    return filter;
  });
  for (const bool counts : {false, true})
    visit("minima of a flat image", 1, [&]<class Images>(Images) {
      using image = typename Images::template of<unsigned char, rank>;
      auto flat = empty_image<image>(odd_size<image>());
      flat->FillBuffer(5);
      auto filter = ours::RegionalMinimaImageFilter<image, image>::New();
      filter->SetInput(flat);
      filter->SetFlatIsMinima(counts);
      return filter;
    });
  visit("two thresholds", 1, [&]<class Images>(Images images) {
    using image = typename Images::template of<unsigned char, rank>;
    auto filter = ours::DoubleThresholdImageFilter<image, image>::New();
    filter->SetInput(grey(images));
    filter->SetThreshold1(60);
    filter->SetThreshold2(120);
    filter->SetThreshold3(255);
    filter->SetThreshold4(255);
    return filter;
  });

  for (const bool squared : {false, true}) {
    visit("signed distance", 1, [&]<class Images>(Images images) {
      using to = typename Images::template of<float, rank>;
      auto filter =
          ours::SignedMaurerDistanceMapImageFilter<typename Images::template of<unsigned char, rank>,
                                                   to>::New();
      filter->SetInput(binary(images));
      filter->SetSquaredDistance(squared);
      filter->SetUseImageSpacing(!squared);
      return filter;
    });
    visit("signed distance to nothing", 1, [&]<class Images>(Images) {
      using image = typename Images::template of<unsigned char, rank>;
      using to = typename Images::template of<float, rank>;
      auto full = empty_image<image>(odd_size<image>());
      full->FillBuffer(1);
      auto filter = ours::SignedMaurerDistanceMapImageFilter<image, to>::New();
      filter->SetInput(full);
      filter->SetSquaredDistance(squared);
      return filter;
    });
  }
  visit("unsigned distance", 1, [&]<class Images>(Images images) {
    using to = typename Images::template of<float, rank>;
    auto filter =
        ours::UnsignedMaurerDistanceMapImageFilter<typename Images::template of<unsigned char, rank>,
                                                   to>::New();
    filter->SetInput(binary(images));
    return filter;
  });

  visit("components", 1, [&]<class Images>(Images images) {
    using to = typename Images::template of<unsigned int, rank>;
    auto filter =
        ours::ConnectedComponentImageFilter<typename Images::template of<unsigned char, rank>, to>::New();
    filter->SetInput(binary(images));
    filter->SetBackgroundValue(3);
    return filter;
  });
  visit("components under a mask", 2, [&]<class Images>(Images images) {
    using to = typename Images::template of<unsigned short, rank>;
    auto filter =
        ours::ConnectedComponentImageFilter<typename Images::template of<unsigned char, rank>, to>::New();
    filter->SetInput(binary(images));
    filter->SetMaskImage(binary(images, 7));
    return filter;
  });
  visit("relabel", 1, [&]<class Images>(Images) {
    using labels = typename Images::template of<unsigned int, rank>;
    using to = typename Images::template of<unsigned short, rank>;
    auto filter = ours::RelabelComponentImageFilter<labels, to>::New();
    filter->SetInput(random_image<labels>(3, 1000));
    filter->SetMinimumObjectSize(3);
    return filter;
  });
  visit("watershed", 2, [&]<class Images>(Images images) {
    using labels = typename Images::template of<unsigned short, rank>;
    auto filter =
        ours::MorphologicalWatershedFromMarkersImageFilter<typename Images::template of<unsigned char, rank>,
                                                           labels>::New();
    filter->SetInput(grey(images));
    filter->SetMarkerImage(random_image<labels>(3, 1));
    return filter;
  });
}

template <class Visit>
void each_in_all_ranks(const Visit& visit) {
  each<2>([&](const std::string& name, int inputs, const auto& make) { visit(name, inputs, make); });
  each<3>([&](const std::string& name, int inputs, const auto& make) {
    visit(name + " in a volume", inputs, make);
  });
}

/// Compares a filter on stock images by the cpu with `lazy`, which ran on lazy images.
template <class Make, class Lazy>
void expect_pixels_of_cpu(const Make& make, const Lazy& lazy) {
  auto stock = make(stock_images{});
  stock->SetDevice("cpu");
  stock->Update();
  using image = typename decltype(stock)::ObjectType::OutputImageType;
  expect_same<image>(*stock->GetOutput(), *lazy->GetOutput());
}

/// Nearly all filters in one pipeline. The first runs on `first`, the others on `rest`.
template <class Images>
class chain {
  template <class Pixel>
  using of = typename Images::template of<Pixel, 2>;
  using bytes = of<unsigned char>;
  using floats = of<float>;
  using labels = of<unsigned int>;

 public:
  chain(const char* first, const char* rest) {
    const auto join = [&](auto& filter, auto input) {
      filter.SetInput(input);
      filter.SetDevice(rest);
    };
    holes_->SetInput(generated_image<bytes>(1));
    holes_->SetDevice(first);
    join(*smooth_, holes_->GetOutput());
    smooth_->SetVariance(1);
    join(*gradient_, smooth_->GetOutput());
    join(*steep_, gradient_->GetOutput());
    steep_->SetThreshold1(20);
    steep_->SetThreshold2(60);
    steep_->SetThreshold3(1e6F);
    steep_->SetThreshold4(1e6F);
    steep_->SetInsideValue(1);
    steep_->SetOutsideValue(0);
    join(*filled_, steep_->GetOutput());
    filled_->SetForegroundValue(1);
    join(*objects_, filled_->GetOutput());
    join(*large_, objects_->GetOutput());
    large_->SetMinimumObjectSize(5);
    join(*depth_, large_->GetOutput());
    join(*domes_, depth_->GetOutput());
    domes_->SetHeight(0.5F);
    join(*summits_, domes_->GetOutput());
    join(*away_, summits_->GetOutput());
    join(*edges_, away_->GetOutput());
    edges_->SetVariance(0.5);
  }

  const floats* update() {
    edges_->Update();
    return edges_->GetOutput();
  }

 private:
  typename ours::GrayscaleFillholeImageFilter<bytes, bytes>::Pointer holes_ =
      ours::GrayscaleFillholeImageFilter<bytes, bytes>::New();
  typename ours::DiscreteGaussianImageFilter<bytes, floats>::Pointer smooth_ =
      ours::DiscreteGaussianImageFilter<bytes, floats>::New();
  typename ours::SobelEdgeDetectionImageFilter<floats, floats>::Pointer gradient_ =
      ours::SobelEdgeDetectionImageFilter<floats, floats>::New();
  typename ours::DoubleThresholdImageFilter<floats, bytes>::Pointer steep_ =
      ours::DoubleThresholdImageFilter<floats, bytes>::New();
  typename ours::BinaryFillholeImageFilter<bytes>::Pointer filled_ =
      ours::BinaryFillholeImageFilter<bytes>::New();
  typename ours::ConnectedComponentImageFilter<bytes, labels>::Pointer objects_ =
      ours::ConnectedComponentImageFilter<bytes, labels>::New();
  typename ours::RelabelComponentImageFilter<labels, labels>::Pointer large_ =
      ours::RelabelComponentImageFilter<labels, labels>::New();
  typename ours::SignedMaurerDistanceMapImageFilter<labels, floats>::Pointer depth_ =
      ours::SignedMaurerDistanceMapImageFilter<labels, floats>::New();
  typename ours::HMaximaImageFilter<floats, floats>::Pointer domes_ =
      ours::HMaximaImageFilter<floats, floats>::New();
  typename ours::RegionalMaximaImageFilter<floats, bytes>::Pointer summits_ =
      ours::RegionalMaximaImageFilter<floats, bytes>::New();
  typename ours::UnsignedMaurerDistanceMapImageFilter<bytes, floats>::Pointer away_ =
      ours::UnsignedMaurerDistanceMapImageFilter<bytes, floats>::New();
  typename ours::CannyEdgeDetectionImageFilter<floats, floats>::Pointer edges_ =
      ours::CannyEdgeDetectionImageFilter<floats, floats>::New();
};

}  // namespace lazy_filters
