// Nuclei on the cuda device: the labels, the table and the outlines of the cpu.
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <macareu/generate.hpp>
#include <macareu/nuclei.hpp>
#include <macareu/shapes.hpp>

#include "cuda/device_memory.hpp"
#include "cuda/on_gpu.hpp"
#include "slides/outputs/label_store.hpp"
#include "slides/outputs/nuclei_table.hpp"
#include "slides/outputs/outline_text.hpp"
#include "slides/outputs/stain_sums.hpp"
#include "support/same.hpp"

namespace macareu::test {
namespace {

constexpr double mpp = 0.25;

/// What the command writes of a slide.
struct slide_files {
  image labels;
  std::string table, outlines;
  nuclei_report report;
  std::string device;
};

slide_files files_of(const image& rgb, const tissue_mask* tissue, context how, const piece_options& pieces,
                     const nuclei_options& options = {}) {
  slide_files made{
      .labels = image(dtype::u32, rgb.shape()), .table = {}, .outlines = {}, .report = {}, .device = {}};
  const auto from = source_of(rgb);
  slides::label_store labels(rgb.shape(), {}, {});
  run_report ran;
  how.report = &ran;
  find_nuclei(*from, tissue, mpp, labels, options, how, pieces, &made.report);
  made.device = ran.device;
  labels.read(whole_of(rgb.shape()), made.labels.data());
  auto shapes = compute_table_in_pieces(*find_operator("measure"), std::array<image_source*, 1>{&labels},
                                        {{"spacing", std::vector<number>{mpp}}}, how, pieces);
  auto stains = slides::sum_stains(*from, labels, made.report.count, options, made.report.white, how);
  const slides::nuclei_table rows(shapes, std::move(stains), {"slide", mpp, 0, 0});
  made.table = rows.csv_head();
  for (std::size_t row = 0; row < rows.rows(); ++row) rows.append_csv(made.table, row);
  slides::outline_text text;
  text.begin(made.outlines);
  compute_shapes_in_pieces(
      *find_operator("contours"), std::array<image_source*, 1>{&labels},
      [&](const shape& nucleus) { text.add(made.outlines, rows, nucleus); }, {}, how, pieces);
  text.end(made.outlines);
  return made;
}

class nuclei_on_gpu : public on_gpu {
 protected:
  static const image& slide() {
    static const image rgb = generate("slide", {900, 1100}, {.seed = 3, .coverage = 75}).mask;
    return rgb;
  }
  static void expect_same(const slide_files& found, const slide_files& expected) {
    EXPECT_TRUE(same_bits(found.labels, expected.labels));
    EXPECT_EQ(found.table, expected.table);
    EXPECT_EQ(found.outlines, expected.outlines);
    EXPECT_EQ(found.report.count, expected.report.count);
    EXPECT_EQ(found.report.white, expected.report.white);
    EXPECT_EQ(found.report.threshold, expected.report.threshold);
    EXPECT_NE(found.device.find("cuda"), std::string::npos) << found.device;
  }

  const context cpu_{.device = "cpu"};
};

TEST_F(nuclei_on_gpu, in_memory) {
  for (const auto* stains : {"h-e", "h-dab"}) {
    nuclei_options options;
    options.stain_set = stains;
    nuclei_report report, expected;
    const auto found = find_nuclei(slide(), mpp, options, cuda_, &report);
    EXPECT_TRUE(same_bits(found, find_nuclei(slide(), mpp, options, cpu_, &expected))) << stains;
    EXPECT_GT(report.count, 100U);
    EXPECT_EQ(report.threshold, expected.threshold);
  }
}

TEST_F(nuclei_on_gpu, files_of_a_slide) {
  const auto expected = files_of(slide(), nullptr, cpu_, {});
  EXPECT_GT(expected.report.count, 100U);
  expect_same(files_of(slide(), nullptr, cuda_, {}), expected);
  for (const auto& size : {std::array<std::int64_t, 3>{0, 256, 300}, {0, 900, 411}}) {
    piece_options pieces;
    pieces.size = size;
    expect_same(files_of(slide(), nullptr, cuda_, pieces), expected);
  }
  piece_options pieces;
  pieces.memory = 20 << 20;
  expect_same(files_of(slide(), nullptr, cuda_, pieces), expected);
}

/// Two parts, of which the rest of the slide is not read.
TEST_F(nuclei_on_gpu, files_of_tissue) {
  tissue_mask tissue{image(dtype::boolean, {29, 35}), 32};
  auto mask = tissue.mask.pixels<bool>();
  for (std::size_t i = 0; i < mask.size(); ++i) mask[i] = i % 35 < 12 || i % 35 >= 25;
  nuclei_options options;
  options.local = 4;  // a halo that keeps the parts apart
  const auto expected = files_of(slide(), &tissue, cpu_, {}, options);
  EXPECT_GT(expected.report.count, 50U);
  expect_same(files_of(slide(), &tissue, cuda_, {}, options), expected);
  piece_options pieces;
  pieces.size = {0, 200, 250};
  expect_same(files_of(slide(), &tissue, cuda_, pieces, options), expected);
}

TEST_F(nuclei_on_gpu, none_on_glass) {
  image glass(dtype::u8, {200, 300}, 3);
  std::ranges::fill(glass.pixels<std::uint8_t>(), std::uint8_t{240});
  expect_same(files_of(glass, nullptr, cuda_, {}), files_of(glass, nullptr, cpu_, {}));
}

TEST_F(nuclei_on_gpu, images_in_gpu_memory_are_refused) {
  const auto& rgb = slide();
  const device_memory<std::uint8_t> there(static_cast<std::int64_t>(rgb.bytes()));
  cuda::check(cudaMemcpy(there.data(), rgb.data(), rgb.bytes(), cudaMemcpyDefault), "cudaMemcpy");
  const const_image_view view(there.data(), dtype::u8, rgb.shape(), contiguous_strides(rgb.shape(), 3), 3);
  for (const auto* device : {"auto", "cuda", "cpu"}) {
    const auto refusal = message_of<usage_error>([&] { find_nuclei(view, mpp, {}, {.device = device}); });
    EXPECT_NE(refusal.find("in the memory of a GPU"), std::string::npos) << refusal;
  }
}

}  // namespace
}  // namespace macareu::test
