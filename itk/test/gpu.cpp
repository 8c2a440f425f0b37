// Lazy images on a GPU: their pixels equal those of the cpu and stay on the device. lazy.cpp counts the
// copies.
#include <algorithm>

#include <macareu/catalogue.hpp>

#include "lazy_filters.hpp"
#include "support.hpp"

namespace {

class gpu : public testing::Test {
 protected:
  void SetUp() override {
    const auto here = macareu::devices();
    if (std::ranges::find(here, "cuda") == here.end()) GTEST_SKIP() << "no GPU";
  }
};

TEST_F(gpu, every_filter_leaves_its_pixels_there) {
  lazy_filters::each_in_all_ranks([](const std::string& name, int, const auto& make) {
    SCOPED_TRACE(name);
    const auto filter = make(lazy_images{});
    filter->SetDevice("cuda");
    filter->Update();
    EXPECT_TRUE(filter->GetOutput()->IsOnDevice());
    lazy_filters::expect_pixels_of_cpu(make, filter);
  });
}

TEST_F(gpu, a_chain_stays_there) {
  lazy_filters::chain<stock_images> on_cpu("cpu", "cpu");
  lazy_filters::chain<lazy_images> lazily("cuda", "auto");
  const auto* found = lazily.update();
  EXPECT_TRUE(found->IsOnDevice());
  expect_same<itk::Image<float, 2>>(*on_cpu.update(), *found);
}

TEST_F(gpu, stock_images_go_there_and_back) {
  lazy_filters::chain<stock_images> on_cpu("cpu", "cpu"), on_gpu("cuda", "cuda");
  expect_same(*on_cpu.update(), *on_gpu.update());
}

/// Labels too large for a table of sizes, and negative ones.
TEST_F(gpu, labels_that_are_refused) {
  using labels = macareu::itk::Image<int, 2>;
  for (const int label : {-1, 1 << 30}) {
    auto image = random_image<labels>(3, 9);
    image->GetBufferPointer()[500] = label;
    auto filter = macareu::itk::RelabelComponentImageFilter<labels, labels>::New();
    filter->SetInput(image);
    filter->SetDevice("cuda");
    EXPECT_THROW(filter->Update(), itk::ExceptionObject);
  }
}

}  // namespace
