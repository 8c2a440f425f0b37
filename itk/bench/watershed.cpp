// Times ITK's watershed from markers and ours in one run, on the same images in memory, and counts pixels
// with another label. Neither has lines; ITK's filter has no mask, so the whole image is flooded.
//
//   itk_bench_watershed [SIDE] [RUNS] [WORK_UNITS]     4096, 3, 2: tissue by formula
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <random>
#include <string>
#include <vector>

#include <macareu/generate.hpp>
#include <macareu/itk/watershed.hpp>
#include <macareu/operators.hpp>

namespace {

using labels_type = itk::Image<unsigned int, 2>;

struct seconds {
  double wall, processor;
};

/// The least of several runs.
template <class Run>
seconds least(int runs, const Run& run) {
  seconds best{1e9, 1e9};
  for (int i = 0; i < runs; ++i) {
    const auto begin = std::clock();
    const auto start = std::chrono::steady_clock::now();
    run();
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
    best.processor = std::min(best.processor, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
    best.wall = std::min(best.wall, passed.count());
  }
  return best;
}

template <class Pixel>
typename itk::Image<Pixel, 2>::Pointer as_itk(const macareu::image& from) {
  auto to = itk::Image<Pixel, 2>::New();
  to->SetRegions(
      typename itk::Image<Pixel, 2>::SizeType{{static_cast<itk::SizeValueType>(from.shape().width()),
                                               static_cast<itk::SizeValueType>(from.shape().height())}});
  to->Allocate();
  const auto pixels = from.pixels<Pixel>();
  std::copy(pixels.begin(), pixels.end(), to->GetBufferPointer());
  return to;
}

template <class Filter, class Image>
seconds time_filter(Filter& filter, const Image* landscape, const labels_type* markers, bool full, int runs) {
  filter.SetInput(landscape);
  filter.SetMarkerImage(markers);
  filter.SetFullyConnected(full);
  filter.MarkWatershedLineOff();
  return least(runs, [&] {
    filter.Modified();
    filter.Update();
  });
}

template <class Pixel>
void compare(const std::string& name, const macareu::image& landscape, const macareu::image& markers,
             int runs) {
  using image_type = itk::Image<Pixel, 2>;
  const auto from = as_itk<Pixel>(landscape);
  const auto seeds = as_itk<unsigned int>(markers);
  for (const bool full : {false, true}) {
    auto stock = itk::MorphologicalWatershedFromMarkersImageFilter<image_type, labels_type>::New();
    auto own = macareu::itk::MorphologicalWatershedFromMarkersImageFilter<image_type, labels_type>::New();
    own->SetDevice("cpu");
    const auto ours = time_filter(*own, from.GetPointer(), seeds.GetPointer(), full, runs);
    const auto theirs = time_filter(*stock, from.GetPointer(), seeds.GetPointer(), full, 1);
    const auto *a = own->GetOutput()->GetBufferPointer(), *b = stock->GetOutput()->GetBufferPointer();
    const auto count = from->GetBufferedRegion().GetNumberOfPixels();
    std::size_t other = 0;
    for (std::size_t i = 0; i < count; ++i) other += a[i] != b[i];
    std::cout << "{\"case\": \"" << name << "\", \"neighbours\": " << (full ? 8 : 4)
              << ", \"itk_s\": " << theirs.wall << ", \"itk_processor_s\": " << theirs.processor
              << ", \"ours_s\": " << ours.wall << ", \"ours_processor_s\": " << ours.processor
              << ", \"other_labels_percent\": "
              << 100.0 * static_cast<double>(other) / static_cast<double>(count) << "}" << std::endl;
  }
}

macareu::image random_seeds(const macareu::extents& shape, int count) {
  macareu::image seeds(macareu::dtype::u32, shape);
  const auto pixels = seeds.pixels<std::uint32_t>();
  std::ranges::fill(pixels, 0U);
  std::mt19937_64 engine(1);
  for (int i = 1; i <= count; ++i) pixels[engine() % pixels.size()] = static_cast<std::uint32_t>(i);
  return seeds;
}

}  // namespace

int main(int count, char** words) {
  const auto number = [&](int at, int otherwise) { return at < count ? std::atoi(words[at]) : otherwise; };
  const int side = number(1, 4096), runs = number(2, 3), work_units = number(3, 2);
  itk::MultiThreaderBase::SetGlobalMaximumNumberOfThreads(static_cast<itk::ThreadIdType>(work_units));
  itk::MultiThreaderBase::SetGlobalDefaultNumberOfThreads(static_cast<itk::ThreadIdType>(work_units));
  const macareu::extents shape{side, side};
  const auto tissue = macareu::generate("tissue", shape).mask;
  const auto distance = macareu::distance_transform(macareu::threshold(tissue, {.value = 40}),
                                                    {.type = macareu::distance_transform_type::f32});
  macareu::image landscape(macareu::dtype::f32, shape);
  std::ranges::transform(distance.pixels<float>(), landscape.pixels<float>().begin(),
                         [](float d) { return -d; });
  const auto tops =
      macareu::label(macareu::h_maxima(distance, {.h = 1}), {.connectivity = macareu::connectivity(8)});
  compare<float>("tissue > 40, -distance, f32; h-maxima of 1", landscape, tops, runs);
  const auto seeds = random_seeds(shape, static_cast<int>(std::int64_t{500} * side * side / (1024 * 1024)));
  compare<unsigned char>("gradient, u8; random pixels", macareu::morphological_gradient(tissue), seeds, runs);
  macareu::image made(macareu::dtype::u8, shape);
  std::ranges::fill(made.pixels<std::uint8_t>(), std::uint8_t{0});
  compare<unsigned char>("flat; the same", made, seeds, runs);
  std::mt19937 engine(2);
  std::ranges::generate(made.pixels<std::uint8_t>(),
                        [&] { return static_cast<std::uint8_t>(engine() >> 24); });
  compare<unsigned char>("noise, u8; the same", made, seeds, runs);
}
