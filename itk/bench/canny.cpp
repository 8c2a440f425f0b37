// Times ITK's Canny filter and ours in one run, on the same image in memory, f32 in and out. With a GPU it
// also times the filter there, and plain copies of the image and the edges.
//
//   itk_bench_canny [SIDE] [RUNS] [WORK_UNITS]     4096, 5, 2: tissue by formula
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include <itkCannyEdgeDetectionImageFilter.h>

#include <macareu/catalogue.hpp>
#include <macareu/generate.hpp>
#include <macareu/itk/canny.hpp>
#include <macareu/itk/device_buffer.hpp>

namespace {

using image_type = itk::Image<float, 2>;

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

template <class Run>
double median_ms(int runs, const Run& run) {
  std::vector<double> times;
  for (int i = 0; i < runs; ++i) {
    const auto start = std::chrono::steady_clock::now();
    run();
    times.push_back(
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  }
  return median(times);
}

image_type::Pointer tissue(int side) {
  const auto made = macareu::generate("tissue", {side, side}).mask;
  auto image = image_type::New();
  image->SetRegions(
      image_type::SizeType{{static_cast<itk::SizeValueType>(side), static_cast<itk::SizeValueType>(side)}});
  image->Allocate();
  const auto pixels = made.pixels<std::uint8_t>();
  std::copy(pixels.begin(), pixels.end(), image->GetBufferPointer());
  return image;
}

template <class Filter>
double time_filter(Filter& filter, image_type* image, unsigned work_units, int runs) {
  filter.SetInput(image);
  filter.SetVariance(1.96);
  filter.SetLowerThreshold(4);
  filter.SetUpperThreshold(7);
  filter.SetNumberOfWorkUnits(work_units);
  filter.GetMultiThreader()->SetMaximumNumberOfThreads(work_units);
  return median_ms(runs, [&] {
    filter.Modified();
    filter.Update();
  });
}

/// The library without ITK, from the image's buffer to a mask.
macareu::run_report run_without_itk(const image_type* image, macareu::image& mask, const std::string& device,
                                    int threads) {
  const std::vector<macareu::const_image_view> inputs{macareu::itk::view_of(image)};
  const std::vector<macareu::image_view> outputs{mask};
  macareu::run_report report;
  macareu::run_operator(*macareu::find_operator("canny"), inputs, outputs,
                        {{"variance", std::vector<macareu::number>{1.96}},
                         {"low", macareu::number(4)},
                         {"high", macareu::number(7)}},
                        {.device = device, .threads = threads, .report = &report});
  return report;
}

void time_on_gpu(image_type* image, macareu::image& mask, unsigned work_units, int runs) {
  auto filter = macareu::itk::CannyEdgeDetectionImageFilter<image_type, image_type>::New();
  filter->SetDevice("cuda");
  time_filter(*filter, image, work_units, 2);  // warm-up: allocates GPU memory
  const double whole = time_filter(*filter, image, work_units, runs);
  float* const edges = filter->GetOutput()->GetBufferPointer();
  const std::size_t bytes = image->GetBufferedRegion().GetNumberOfPixels() * sizeof(float);
  macareu::itk::device_buffer there;
  there.for_writing(bytes);
  const double up = median_ms(runs, [&] {
    there.host_was_written();
    there.to_device(image->GetBufferPointer(), bytes);
  });
  const double down = median_ms(runs, [&] {
    there.device_was_written();
    there.to_host(edges, bytes);
  });
  std::vector<double> transfers;
  for (int i = 0; i < runs; ++i)
    transfers.push_back(run_without_itk(image, mask, "cuda", static_cast<int>(work_units)).transfer_seconds);
  std::cout << "on the GPU           " << whole << " ms, " << whole / (up + down)
            << " times plain copies of image and edges: " << up << " and " << down
            << " ms; the library's own transfers of image and mask take " << median(transfers) * 1e3
            << " ms\n";
}

}  // namespace

int main(int count, char** words) {
  const auto number = [&](int at, int otherwise) { return at < count ? std::atoi(words[at]) : otherwise; };
  const int side = number(1, 4096), runs = number(2, 5), work_units = number(3, 2);
  itk::MultiThreaderBase::SetGlobalMaximumNumberOfThreads(static_cast<itk::ThreadIdType>(work_units));
  itk::MultiThreaderBase::SetGlobalDefaultNumberOfThreads(static_cast<itk::ThreadIdType>(work_units));
  const auto image = tissue(side);
  auto stock = itk::CannyEdgeDetectionImageFilter<image_type, image_type>::New();
  const double theirs = time_filter(*stock, image, static_cast<unsigned>(work_units), runs);
  std::cout << "ITK's filter         " << theirs << " ms\n";
  if (!macareu::find_operator("canny")) return 0;
  auto filter = macareu::itk::CannyEdgeDetectionImageFilter<image_type, image_type>::New();
  filter->SetDevice("cpu");
  const double ours = time_filter(*filter, image, static_cast<unsigned>(work_units), runs);
  std::cout << "ours, through ITK    " << ours << " ms, " << theirs / ours << " times faster\n";
  macareu::image mask(macareu::dtype::boolean, {side, side});
  const double plain = median_ms(runs, [&] { run_without_itk(image, mask, "cpu", work_units); });
  std::cout << "ours, without ITK    " << plain << " ms, " << theirs / plain << " times faster\n";
  const auto here = macareu::devices();
  if (std::ranges::find(here, "cuda") != here.end())
    time_on_gpu(image, mask, static_cast<unsigned>(work_units), runs);
}
