// Writes edge maps of ITK's Canny filter, as references for our tests. See tests/data/canny/README.md.
//
//   canny_edges IMAGE EDGES.npy VARIANCE LOW HIGH [f32|f64] [MAXIMUM_ERROR] [SPACING] [SMOOTHED.npy]
//
// SPACING is x,y or x,y,z. EDGES is u8, 0 and 1. SMOOTHED is the output of ITK's discrete Gaussian.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include <itkCannyEdgeDetectionImageFilter.h>
#include <itkDiscreteGaussianImageFilter.h>
#include <itkImage.h>

#include <macareu/files.hpp>

namespace {

struct request {
  std::filesystem::path edges, smoothed;
  double variance, low, high, maximum_error;
  std::vector<double> spacing;
};

template <class Pixel, unsigned rank>
typename itk::Image<Pixel, rank>::Pointer to_itk(const macareu::image& from,
                                                 const std::vector<double>& spacing) {
  using image_type = itk::Image<Pixel, rank>;
  auto to = image_type::New();
  typename image_type::SizeType size;
  auto steps = to->GetSpacing();
  for (unsigned axis = 0; axis < rank; ++axis) {
    size[axis] = static_cast<itk::SizeValueType>(from.shape()[static_cast<int>(rank - 1 - axis)]);
    if (axis < spacing.size()) steps[axis] = spacing[axis];
  }
  to->SetRegions(size);
  to->SetSpacing(steps);
  to->Allocate();
  const auto copy = [&](auto pixels) {
    std::transform(pixels.begin(), pixels.end(), to->GetBufferPointer(),
                   [](auto value) { return static_cast<Pixel>(value); });
  };
  if (from.type() == macareu::dtype::u8)
    copy(from.pixels<std::uint8_t>());
  else
    copy(from.pixels<float>());
  return to;
}

template <class Out, class Image>
void write(const std::filesystem::path& file, const Image& from, const macareu::extents& shape) {
  macareu::image to(macareu::dtype_of<Out>, shape);
  std::transform(from.GetBufferPointer(), from.GetBufferPointer() + shape.pixels(), to.pixels<Out>().begin(),
                 [](auto value) { return static_cast<Out>(value); });
  macareu::write_image(file, to);
}

template <class Pixel, unsigned rank>
void run(const macareu::image& image, const request& asked) {
  using image_type = itk::Image<Pixel, rank>;
  const auto input = to_itk<Pixel, rank>(image, asked.spacing);
  auto canny = itk::CannyEdgeDetectionImageFilter<image_type, image_type>::New();
  canny->SetInput(input);
  canny->SetVariance(asked.variance);
  canny->SetMaximumError(asked.maximum_error);
  canny->SetLowerThreshold(static_cast<Pixel>(asked.low));
  canny->SetUpperThreshold(static_cast<Pixel>(asked.high));
  canny->Update();
  write<std::uint8_t>(asked.edges, *canny->GetOutput(), image.shape());
  if (asked.smoothed.empty()) return;
  auto gaussian = itk::DiscreteGaussianImageFilter<image_type, image_type>::New();
  gaussian->SetInput(input);
  gaussian->SetVariance(asked.variance);
  gaussian->SetMaximumError(asked.maximum_error);
  gaussian->Update();
  write<Pixel>(asked.smoothed, *gaussian->GetOutput(), image.shape());
}

std::vector<double> numbers(const std::string& text) {
  std::vector<double> all;
  std::istringstream from(text);
  for (std::string one; std::getline(from, one, ',');) all.push_back(std::stod(one));
  return all;
}

}  // namespace

int main(int count, char** words) try {
  const std::vector<std::string> given(words + 1, words + count);
  if (given.size() < 5) {
    std::cerr << "usage: canny_edges IMAGE EDGES.npy VARIANCE LOW HIGH [f32|f64] [MAXIMUM_ERROR] [SPACING] "
                 "[SMOOTHED.npy]\n";
    return 2;
  }
  const auto word = [&](std::size_t at, const char* otherwise) {
    return at < given.size() ? given[at] : otherwise;
  };
  const request asked{given[1],
                      word(8, ""),
                      std::stod(given[2]),
                      std::stod(given[3]),
                      std::stod(given[4]),
                      std::stod(word(6, "0.01")),
                      numbers(word(7, "1,1,1"))};
  const auto image = macareu::read_image(given[0]).pixels;
  const bool wide = word(5, "f32") == "f64", volume = image.shape().rank() == 3;
  if (wide)
    volume ? run<double, 3>(image, asked) : run<double, 2>(image, asked);
  else
    volume ? run<float, 3>(image, asked) : run<float, 2>(image, asked);
} catch (const std::exception& failure) {
  std::cerr << "canny_edges: " << failure.what() << '\n';
  return 1;
}
