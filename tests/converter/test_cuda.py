"""The CUDA half of generated programs, and the kernels of `run`, compile: with nvcc and NVRTC, where these are."""
import os
import shutil
import unittest
from concurrent.futures import ThreadPoolExecutor

from tool import NAMES, ConverterTest, example

NVCC = shutil.which("nvcc") or shutil.which("nvcc", path="/usr/local/cuda/bin")
ONE_OF_EACH = ["binarise", "sobel", "maximum", "histogram", "reconstruct"]


class Cuda(ConverterTest):
    @unittest.skipUnless(NVCC, "no nvcc")
    def test_programs_compile_without_warnings(self):
        for name in ONE_OF_EACH:
            self.tool("convert", example(name), "-o", name)

        def compiled(name):
            return self.command(NVCC, "-std=c++17", "--fmad=false", "-arch=sm_90", "-Werror", "all-warnings",
                                "-Xcompiler=-Wall,-Wextra,-Werror", "-DWITH_CUDA", "-c", os.path.join(name, name + ".cu"),
                                "-o", os.path.join(name, name + ".o"))
        with ThreadPoolExecutor(2) as workers:
            for name, done in zip(ONE_OF_EACH, workers.map(compiled, ONE_OF_EACH)):
                self.assertEqual((done.returncode, done.stderr), (0, ""), name)

    @unittest.skipUnless(NVCC, "no nvcc")
    def test_roots_of_integers_have_no_branch(self):
        self.tool("convert", example("sobel"), "-o", "roots")
        done = self.command(NVCC, "-std=c++17", "--fmad=false", "-arch=sm_90", "-DWITH_CUDA", "-ptx",
                            os.path.join("roots", "sobel.cu"), "-o", os.path.join("roots", "sobel.ptx"))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        with open(self.path(os.path.join("roots", "sobel.ptx"))) as file:
            kernel = file.read()
        self.assertIn("rsqrt.approx", kernel)
        self.assertNotIn("sqrt.rn", kernel)

    def test_kernels_of_run_compile(self):
        for name in NAMES:
            self.tool("convert", example(name), "-o", name + ".json")
        done = self.command(os.environ.get("COMPILE_KERNELS", "compile_kernels"), "90", *(name + ".json" for name in NAMES))
        if done.returncode == 77:
            self.skipTest(done.stderr)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout.count(" bytes\n"), len(NAMES))


if __name__ == "__main__":
    unittest.main()
