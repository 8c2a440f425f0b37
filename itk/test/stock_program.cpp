// A program of ITK alone, without Macareu: one filter or a chain of them, from file to file.
//
//   stock_program FILTER INPUT.mha OUTPUT.mha [MARKER.mha]
//   stock_program version
//
// Pixels are u8. It prints the seconds that the filters took, or ITK's version.
#include <chrono>
#include <iostream>
#include <string>

#include <itkBinaryFillholeImageFilter.h>
#include <itkCannyEdgeDetectionImageFilter.h>
#include <itkCastImageFilter.h>
#include <itkConnectedComponentImageFilter.h>
#include <itkDiscreteGaussianImageFilter.h>
#include <itkDoubleThresholdImageFilter.h>
#include <itkGrayscaleFillholeImageFilter.h>
#include <itkHMaximaImageFilter.h>
#include <itkHMinimaImageFilter.h>
#include <itkImageFileReader.h>
#include <itkImageFileWriter.h>
#include <itkMetaImageIO.h>
#include <itkReconstructionByDilationImageFilter.h>
#include <itkReconstructionByErosionImageFilter.h>
#include <itkRegionalMaximaImageFilter.h>
#include <itkRegionalMinimaImageFilter.h>
#include <itkRelabelComponentImageFilter.h>
#include <itkSignedMaurerDistanceMapImageFilter.h>
#include <itkSobelEdgeDetectionImageFilter.h>
#include <itkVersion.h>

namespace {

template <class Image>
typename Image::Pointer read(const std::string& file) {
  auto reader = itk::ImageFileReader<Image>::New();
  reader->SetImageIO(itk::MetaImageIO::New());
  reader->SetFileName(file);
  reader->Update();
  return reader->GetOutput();
}

/// With parameters that are not short binary fractions.
template <class Image>
void space_oddly(Image& image) {
  auto spacing = image.GetSpacing();
  for (unsigned axis = 0; axis < Image::ImageDimension; ++axis) spacing[axis] = axis == 1 ? 1.3 : 0.7;
  image.SetSpacing(spacing);
}

template <class Image>
void write(const Image& image, const std::string& file) {
  auto writer = itk::ImageFileWriter<Image>::New();
  writer->SetImageIO(itk::MetaImageIO::New());
  writer->SetInput(&image);
  writer->SetFileName(file);
  writer->Update();
}

template <class Filter>
void run(Filter& filter, const std::string& file) {
  const auto start = std::chrono::steady_clock::now();
  filter->Update();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  std::cout << took.count() << '\n';
  write(*filter->GetOutput(), file);
}

template <class Filter>
void set_up_canny(Filter& filter) {
  filter.SetVariance(1.96);
  filter.SetLowerThreshold(4);
  filter.SetUpperThreshold(7);
}

template <unsigned rank>
int compute(const std::string& name, const std::string& in, const std::string& out,
            const std::string& marker) {
  using bytes = itk::Image<unsigned char, rank>;
  using floats = itk::Image<float, rank>;
  using labels = itk::Image<unsigned int, rank>;
  const auto image = read<bytes>(in);
  const auto with = [&](auto filter, auto... settings) {
    filter->SetInput(image);
    (settings(*filter), ...);
    run(filter, out);
  };
  const auto rebuild = [&](auto filter) {
    filter->SetMaskImage(image);
    filter->SetMarkerImage(read<bytes>(marker));
    run(filter, out);
  };
  if (name == "reconstruction-by-dilation")
    rebuild(itk::ReconstructionByDilationImageFilter<bytes, bytes>::New());
  else if (name == "reconstruction-by-erosion")
    rebuild(itk::ReconstructionByErosionImageFilter<bytes, bytes>::New());
  else if (name == "grayscale-fillhole")
    with(itk::GrayscaleFillholeImageFilter<bytes, bytes>::New());
  else if (name == "binary-fillhole")
    with(itk::BinaryFillholeImageFilter<bytes>::New(), [](auto& filter) { filter.SetForegroundValue(1); });
  else if (name == "maxima")
    with(itk::RegionalMaximaImageFilter<bytes, bytes>::New());
  else if (name == "minima")
    with(itk::RegionalMinimaImageFilter<bytes, bytes>::New());
  else if (name == "h-maxima")
    with(itk::HMaximaImageFilter<bytes, bytes>::New(), [](auto& filter) { filter.SetHeight(10); });
  else if (name == "h-minima")
    with(itk::HMinimaImageFilter<bytes, bytes>::New(), [](auto& filter) { filter.SetHeight(10); });
  else if (name == "double-threshold")
    with(itk::DoubleThresholdImageFilter<bytes, bytes>::New(), [](auto& filter) {
      filter.SetThreshold1(60);
      filter.SetThreshold2(120);
      filter.SetThreshold3(255);
      filter.SetThreshold4(255);
    });
  else if (name == "distance" || name == "distance-spaced") {
    if (name == "distance-spaced") space_oddly(*image);
    with(itk::SignedMaurerDistanceMapImageFilter<bytes, floats>::New());
  } else if (name == "components")
    with(itk::ConnectedComponentImageFilter<bytes, labels>::New());
  else if (name == "sobel")
    with(itk::SobelEdgeDetectionImageFilter<bytes, floats>::New());
  else if (name == "gaussian" || name == "gaussian-spaced") {
    if (name == "gaussian-spaced") space_oddly(*image);
    with(itk::DiscreteGaussianImageFilter<bytes, floats>::New(),
         [](auto& filter) { filter.SetVariance(1.96); });
  } else if (name == "relabel") {
    auto components = itk::ConnectedComponentImageFilter<bytes, labels>::New();
    components->SetInput(image);
    auto relabel = itk::RelabelComponentImageFilter<labels, labels>::New();
    relabel->SetInput(components->GetOutput());
    relabel->SetMinimumObjectSize(5);
    run(relabel, out);
    std::cout << components->GetObjectCount() << ' ' << relabel->GetNumberOfObjects() << ' '
              << relabel->GetSizeOfObjectsInPixels().size() << '\n';
  } else if (name == "canny-of-reconstruction") {
    auto rebuilt = itk::ReconstructionByDilationImageFilter<bytes, bytes>::New();
    rebuilt->SetMaskImage(image);
    rebuilt->SetMarkerImage(read<bytes>(marker));
    auto cast = itk::CastImageFilter<bytes, floats>::New();
    cast->SetInput(rebuilt->GetOutput());
    auto canny = itk::CannyEdgeDetectionImageFilter<floats, floats>::New();
    canny->SetInput(cast->GetOutput());
    set_up_canny(*canny);
    run(canny, out);
  } else if (name == "canny" || name == "suppressed-edges") {
    auto cast = itk::CastImageFilter<bytes, floats>::New();
    cast->SetInput(image);
    cast->Update();
    auto canny = itk::CannyEdgeDetectionImageFilter<floats, floats>::New();
    canny->SetInput(cast->GetOutput());
    set_up_canny(*canny);
    if (name == "canny") {
      run(canny, out);
    } else {
      canny->Update();
      write(*canny->GetNonMaximumSuppressionImage(), out);
      std::cout << "0\n";
    }
  } else
    return 2;
  return 0;
}

}  // namespace

int main(int count, char** words) try {
  if (count == 2 && std::string(words[1]) == "version") {
    std::cout << itk::Version::GetITKVersion() << '\n';
    return 0;
  }
  if (count < 4) return 2;
  auto header = itk::MetaImageIO::New();
  header->SetFileName(words[2]);
  header->ReadImageInformation();
  const std::string marker = count > 4 ? words[4] : "";
  return header->GetNumberOfDimensions() == 2 ? compute<2>(words[1], words[2], words[3], marker)
                                              : compute<3>(words[1], words[2], words[3], marker);
} catch (const std::exception& failure) {
  std::cerr << failure.what() << '\n';
  return 1;
}
