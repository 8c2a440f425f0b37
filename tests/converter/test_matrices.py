"""The generated classes with matrices of OpenCV, played by as much of it as they use."""
import os
import unittest

from tool import COMPILER, DESCRIPTIONS, PLAIN_OPTIONS, ConverterTest, precompile

# As much of OpenCV as the generated header uses.
OPENCV = """#pragma once
enum { CV_8U, CV_8S, CV_16U, CV_16S, CV_32S, CV_32F, CV_64F };
namespace cv {
struct Mat {
  int dims = 0, rows = 0, cols = 0, depth_ = 0, channels_ = 0;
  unsigned char* data = nullptr;
  int depth() const { return depth_; }
  int channels() const { return channels_; }
  unsigned long elemSize() const { return (depth_ <= CV_8S ? 1u : depth_ <= CV_16S ? 2u : depth_ == CV_64F ? 8u : 4u) * channels_; }
  bool isContinuous() const { return true; }
  Mat clone() const { return *this; }
};
}
"""
MATS = """#include <cstdio>
#include "%s.hpp"
static int values[4] = {1, 2, 3, 4};
[[maybe_unused]] static cv::Mat mat(int rows, int cols, int depth = CV_32S, int channels = 1, int dims = 2) {
  return {dims, rows, cols, depth, channels, reinterpret_cast<unsigned char*>(values)};
}
template <class Make>
static void attempt(Make make) {
  try {
    auto filter = make();
    filter.processa(engine::serial);
    std::printf("%%d\\n", filter.imagemResultante.back());
  } catch (const std::invalid_argument& e) {
    std::printf("%%s\\n", e.what());
  }
}
int main() {
%s}
"""


@unittest.skipIf(DESCRIPTIONS, "functions of its own")
class Matrices(ConverterTest):
    def results(self, name, source, calls):
        os.makedirs(self.path("include/opencv2"), exist_ok=True)
        self.write("include/opencv2/core.hpp", OPENCV)
        self.write(name + ".c", source)
        self.tool("convert", name + ".c", "-o", name)
        self.write(name + "/mats.cpp", MATS % (name, "".join("  attempt([] { return %s; });\n" % call for call in calls)))
        files = [name + "/" + file for file in ("mats.cpp", name + ".cpp", name + "_serial.cpp")]
        self.succeed(COMPILER, *precompile(self.compiled, PLAIN_OPTIONS), "-DWITH_OPENCV", "-Iinclude", *files, "-o", name + "/mats")
        return self.succeed(self.path(name + "/mats")).splitlines()

    def test_what_a_matrix_must_be(self):
        lines = self.results("add", "#P2P_FUNC\nstatic int add(int a, int b, int i) { return a + b; }\n", [
            "P2P(mat(2, 2), mat(2, 2))", "P2P(mat(2, 2, CV_32F), mat(2, 2))", "P2P(mat(2, 2), mat(2, 2, CV_32F))",
            "P2P(mat(2, 1, CV_16S, 2), mat(2, 1))", "P2P(mat(2, 2), mat(1, 2))", "P2P(mat(2, 2), mat(2, 1))",
            "P2P(mat(-1, -1, CV_32S, 1, 3), mat(2, 2))"])
        another = "a cv::Mat of depth 5 with 1 channels, expected depth 4 with 1"
        self.assertEqual(lines, ["8", another, another, "a cv::Mat of depth 3 with 2 channels, expected depth 4 with 1",
                                 "the cv::Mats differ in size", "the cv::Mats differ in size", "a cv::Mat of 3 axes, expected 2"])

    def test_waves(self):
        lines = self.results("wave", "#IWPP_FUNC\nstatic int offer(int s, int c) { return s < c ? s : c; }\n"
                             "#IWPP_FUNC\nstatic int better(int a, int b) { return a > b; }\n",
                             ["IWPP(mat(2, 2), mat(2, 2))", "IWPP(mat(2, 2), mat(2, 1))"])
        self.assertEqual(lines, ["4", "the cv::Mats differ in size"])

    def test_types_that_matrices_cannot_hold(self):
        self.assertEqual(self.results("natural", "#P2P_FUNC\nstatic int f(unsigned int a, int i) { return a; }\n", []), [])
        with open(self.path("natural/natural.hpp")) as header:
            self.assertNotIn("const cv::Mat&", header.read())


if __name__ == "__main__":
    unittest.main()
