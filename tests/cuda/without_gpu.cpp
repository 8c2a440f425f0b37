// What users are told where no GPU is, and in a build without CUDA.
#include <string>

#include <macareu/error.hpp>
#include <macareu/operators.hpp>

#include "cuda/on_gpu.hpp"
#include "support/same.hpp"

namespace macareu::test {
namespace {

TEST(without_a_gpu, cuda_is_refused_and_auto_does_without) {
  if (has_gpu()) GTEST_SKIP() << "there is a GPU";
  const noise_pair given({40, 50});
  for (const auto* name : {"cuda", "cuda:0", "cuda:3"}) {
    const auto refusal = message_of<device_error>([&] { maxima(given.mask_view(), {}, {.device = name}); });
    EXPECT_NE(refusal.find("'" + std::string(name) + "'"), std::string::npos) << refusal;
  }
  run_report report;
  maxima(given.mask_view(), {}, {.report = &report});
  EXPECT_EQ(report.device, "cpu");
  EXPECT_EQ(report.note, "");  // it is too small for a GPU anyway
  EXPECT_FALSE(this_machine().no_gpu.empty());

  const image large(dtype::u8, {8192, 8192});
  invert(large, {}, {.report = &report});
  EXPECT_EQ(report.device, "cpu");
  if (MACAREU_USES_CUDA)
    EXPECT_EQ(report.note, "cuda: " + this_machine().no_gpu + "; computed on cpu instead");
  else
    EXPECT_EQ(report.note, "");
}

}  // namespace
}  // namespace macareu::test
