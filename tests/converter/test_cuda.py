"""The CUDA half of generated programs, and the kernels of `run`, compile: with nvcc and NVRTC, where these are. Where a GPU is, it
gives what the cpu does."""
import os
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor

import test_mathematics
from test_windows import FUNCTIONS
from tool import COMPILER, COMPILES_FOR_GPUS, NAMES, NO_GPU, NO_NVCC, NVCC, TOOL, WORKERS, ConverterTest, example, function, read_pnm, \
    write_pnm

ONE_OF_EACH = ["binarise", "sobel", "maximum", "histogram", "reconstruct"]


# Integers where C converts them to double, as plain C is written.
INTEGERS = """#include <math.h>
#define HALF 2
#define TWICE(x) ((x) + (x))
static double helper(int a) { return sqrt(a) + fabs(a - 3) + floor(a / HALF) + pow(a, 2) + exp(HALF) + cbrt(TWICE(a)); }
#N2P_FUNC
static unsigned char f(unsigned char pixel[3][3], int x, int y) {
    int gx = pixel[1][2] - pixel[1][0], gy = pixel[2][1] - pixel[0][1];
    float half = 0.5f;
    double all = sqrt(gx*gx + gy*gy) + atan2(gy, gx) + fmax(gx, 0.5) + hypot(gx, /* ), */ gy) + ceil(pixel[0][0]) + round(gx);
    all += fmod(gx, 3) + trunc(x) + rint(y) + fmin(half, 2.0) + pow(half, gx) + fma(gx, half, 1.0) + TWICE(sqrt( gx * gx ));
    all += log(x + 1) + log2(x + 1) + log10(x + 1) + sin(x) + cos(x) + tan(x) + atan(x) + copysign(gx, x) + sqrt(fmax(gx, gy));
    return (unsigned char)(((int)all + (int)helper(gx) + abs(gx)) & 255);
}
"""
MATHEMATICS = """#include <math.h>
#P2P_FUNC
static double f(float p, int i) {
    double all = asin(i) + acos(i) + sinh(i) + cosh(i) + tanh(i) + asinh(i) + acosh(i) + atanh(i) + exp2(i) + expm1(i) + log1p(i) + erf(i);
    all += erfc(i) + tgamma(i) + lgamma(p) + nearbyint(i) + remainder(i, 3) + fdim(p, i) + lround(all) + lrint(p) + llround(i) + llrint(i);
    return all + isnan(all) + isinf(all) + isfinite(p) + signbit(p) + tanhf(p) + lroundf(p);
}
"""
CONSTANTS = """#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#define SMALL (2 * FLT_EPSILON)
#P2P_FUNC
static double f(float p, int i) {
    if (isnan(p) || i == INT_MIN) return NAN;
    return p * M_PI + SMALL + INT_MAX - UCHAR_MAX + UINT32_MAX + INT64_MIN + DBL_MAX + FLT_MAX + (p > UINT64_MAX ? INFINITY : -HUGE_VAL);
}
"""
# Of headers that NVRTC does not have. int64_t is long here, whatever CUDA's own headers say.
SYSTEM = """#include <float.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#undef INT_MAX
#undef UINT16_C
#define INT_MAX 7
#define UINT16_C(c) (c + INT_MAX)
#define HALF UINT16_C(7)
#define BIG (INT64_C(5000000000) + HALF)
typedef uint_least8_t small;
struct pair { intptr_t a; uint_fast16_t b; };
#STRUCT
typedef struct { int_fast32_t shift; bool up; uintmax_t most; } data;
static size_t position(ptrdiff_t d, const uintptr_t n) { return (size_t)d + n; }
#P2P_FUNC
static int64_t f(uint16_t p, int i, data given) {
    struct pair both = {p, (uint_fast16_t)i};
    int_fast16_t sum = (int_fast16_t)(both.a - (intptr_t)both.b);
    small low = (small)(p & UINT8_MAX);
    int64_t whole = sum + (int64_t)given.most;
    long* direct = &whole;
    bool odd = (p & 1) != 0 && given.up;
    if (p > INT8_MAX) return (int64_t)(SIZE_MAX - PTRDIFF_MAX) / CHAR_BIT + DBL_DIG + INT_LEAST16_MIN + (p > INT_FAST8_MAX);
    return BIG + *direct + low + (odd ? INT32_C(1) : UINT8_C(2)) + (int64_t)position(i, 3) + (int64_t)(UINT64_C(3) + UINTMAX_C(4)) +
           given.shift - INT32_MAX + INT_LEAST8_MIN + FLT_MANT_DIG;
}
"""
STANDARD = """#include <cstddef>
#include <cstdint>
#P2P_FUNC
static std::uint32_t f(std::uint8_t p, int i) {
    std::size_t n = static_cast<std::size_t>(i);
    uint64_t whole = UINT64_C(7) * n;
    return p + static_cast<std::uint32_t>(whole);
}
"""
TABLES = """#N2P_FUNC
static float f(unsigned char pixel[3][3], int x, int y) {
    static const float weights[3][3] = {{1, 2, 1}, {2, 4, 2}, {1, 2, 1}};
    float sum = 0;
    for (int b = 0; b < 3; ++b)
        for (int a = 0; a < 3; ++a) sum += weights[b][a] * pixel[b][a];
    return sum / 16;
}
"""
SHARED = """#include <math.h>
#R2V_FUNC
static void f(unsigned char p, int* saida, int bins) {
    saida[(int)sqrt(p)] += (int)floor(p / 2);
    ++saida[(int)fabs(p / 100)];
}
"""
# Types that only the class around the function knows.
HELPERS = """static T larger(E a, E b) { return a > b ? a : b; }
T plus(T a, T b) { T sum = a; sum += (E)b; return larger(sum, a); }
#R2S_FUNC
static T f(E a, E b) { return plus(a, b); }
"""
WORDS = """static int sum(const int* restrict v, _Bool both) { return both ? v[0] + v[1] : v[0]; }
#P2P_FUNC
static int f(int p, int i) {
    int v[2] = {p, i};
    _Bool odd = p & 1;
    return sum(v, odd);
}
"""
STRUCTS = """struct rgb { unsigned char r, g, b; };
struct pair { struct rgb c; int many[3]; };
#P2P_FUNC
static struct rgb f(struct rgb p, int i) {
    struct pair m = {p, {1, 2, 3}};
    struct pair n = m;
    n.c = m.c;
    n.c.r = (unsigned char)(n.c.r + n.many[1]);
    return n.c;
}
"""
LITERALS = """typedef struct { unsigned char r, g, b; } rgb;
struct pair { int a; int many[2]; };
static struct pair both(int v) { return (struct pair){.a = v, .many = {1, 2}}; }
static int sum(const struct pair p) { return p.a + p.many[0] + p.many[1]; }
#P2P_FUNC
static rgb f(rgb p, int i) {
    rgb dark = {.r = 1, .b = 2};
    if (p.r < 10) return dark;
    return p.g < 100 ? (rgb){p.b, p.g, p.r} : ( const rgb ) {(unsigned char)sum(both(i)), (unsigned char)sum((struct pair){1, {2, 3}}), 7};
}
"""
# Not for NVRTC.
IN_MACRO = """typedef struct { unsigned char r, g, b; } rgb;
#define RGB(a, b, c) (rgb){a, b, c}
#P2P_FUNC
static rgb f(rgb p, int i) { return RGB(p.g, p.b, p.r); }
"""
# A machine with a GPU for which the program has no code.
OTHER_GPU = """int cudaGetDeviceCount(int* count) { *count = 1; return 0; }
int cudaFuncGetAttributes(void* attributes, const void* kernel) { return 209; }
"""
INVERT = """#P2P_FUNC
static unsigned char f(unsigned char p, int i) { return 255 - p; }
"""
IN_BOTH_LANGUAGES = {"constants": CONSTANTS, "integers": INTEGERS, "mathematics": MATHEMATICS, "shared": SHARED, "tables": TABLES,
                     "helpers": HELPERS, "structs": STRUCTS, "system": SYSTEM}
FILES = {"%s_%s.%s" % (name, language, language): text for name, text in IN_BOTH_LANGUAGES.items() for language in ("c", "cpp")}
FILES.update({"words_c.c": WORDS, "literals_c.c": LITERALS, "standard_cpp.cpp": STANDARD})
MARKED = {"invert.c": INVERT, "in_macro.c": IN_MACRO, **FILES}


class Cuda(ConverterTest):
    @unittest.skipUnless(NVCC, NO_NVCC)
    def test_functions_compile(self):
        def compiled(file):
            name = os.path.splitext(file)[0]
            done = self.command(TOOL, "convert", self.marked(file, FILES[file]), "-o", name)
            return done if done.returncode != 0 else self.command(
                NVCC, "-std=c++17", "--fmad=false", "-arch=sm_90", "-DWITH_CUDA", "-ptx", os.path.join(name, name + ".cu"), "-o",
                os.path.join(name, name + ".ptx"))
        with ThreadPoolExecutor(WORKERS) as workers:
            for file, done in zip(FILES, workers.map(compiled, FILES)):
                self.assertEqual((done.returncode, done.stderr), (0, ""), file)

    def check_kernels(self, sources):
        """They compile by NVRTC, as `run` does it."""
        def compiled(source):
            file = os.path.basename(source) + ".kernels.json"
            done = self.command(TOOL, "convert", source, "-o", file)
            return done if done.returncode != 0 else self.kernels(file)
        with ThreadPoolExecutor(WORKERS) as workers:
            for source, done in zip(sources, workers.map(compiled, sources)):
                self.assertEqual((done.returncode, done.stderr, done.stdout.count(" bytes\n")), (0, "", 1), source)

    def kernels(self, *files):
        return self.command(os.environ.get("COMPILE_KERNELS", "compile_kernels"), "90", *files)

    def need_nvrtc(self):
        if not COMPILES_FOR_GPUS:
            self.skipTest(NO_GPU)
        done = self.kernels()
        if done.returncode == 77:
            self.skipTest(done.stderr)

    def need_cupy(self):
        if "cuda" not in self.find_devices():
            self.skipTest("no GPU")
        try:
            import cupy
        except ImportError:
            self.skipTest("no CuPy")
        return cupy

    def test_functions_compile_for_run(self):
        self.need_nvrtc()
        self.check_kernels([self.marked(file, text) for file, text in {**FILES, **test_mathematics.MARKED}.items()])

    def test_what_nvrtc_does_not_take_is_quoted(self):
        self.need_nvrtc()
        self.tool("convert", self.marked("in_macro.c", IN_MACRO), "-o", "macro.json")
        done = self.kernels("macro.json")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"^NVRTC failed on in_macro.c: .* error: .*, in 'RULE static rgb f.* return RGB\(p.g, p.b, p.r\); }'\n$")

    def test_functions_run(self):
        """With the same bits, whatever the language is; but for those of mathematics that are not exact."""
        devices = self.find_devices()
        if "cuda" not in devices:
            self.skipTest("no GPU")
        write_pnm(self.path("many.pgm"), (5, 51), range(255))
        write_pnm(self.path("many.ppm"), (5, 17), range(255), channels=3)
        for file, text in FILES.items():
            if file.split("_")[0] in ("integers", "mathematics"):
                continue
            image = "many.ppm" if text in (STRUCTS, LITERALS) else "many.pgm"
            output = [] if text in (SHARED, HELPERS) else ["-o", "gpu.npy"]
            values = ["--param", "shift=3", "--param", "up=1", "--param", "most=5000000000"] if text == SYSTEM else []
            results = set()
            for device in devices:
                printed = self.tool("run", self.marked(file, text), image, *output, *values, "--device", device)
                if output:
                    with open(self.path("gpu.npy"), "rb") as written:
                        printed = written.read()
                results.add(printed)
            self.assertEqual(len(results), 1, file)

    @unittest.skipUnless(NVCC, NO_NVCC)
    def test_programs_compile_without_warnings(self):
        for name in ONE_OF_EACH:
            self.tool("convert", example(name), "-o", name)

        def compiled(name):
            return self.command(NVCC, "-std=c++17", "--fmad=false", "-arch=sm_90", "-Werror", "all-warnings",
                                "-Xcompiler=-Wall,-Wextra,-Werror", "-DWITH_CUDA", "-c", os.path.join(name, name + ".cu"),
                                "-o", os.path.join(name, name + ".o"))
        with ThreadPoolExecutor(WORKERS) as workers:
            for name, done in zip(ONE_OF_EACH, workers.map(compiled, ONE_OF_EACH)):
                self.assertEqual((done.returncode, done.stderr), (0, ""), name)

    @unittest.skipUnless(NVCC, NO_NVCC)
    def test_a_gpu_that_the_program_has_no_code_for(self):
        """Is not used, which is told in one line."""
        self.write("other_gpu.c", OTHER_GPU)
        self.succeed(COMPILER, "-x", "c", "-fPIC", "-shared", "other_gpu.c", "-o", "other_gpu.so")
        libraries = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(NVCC))), "lib64")
        here = {"LD_PRELOAD": self.path("other_gpu.so"), "LD_LIBRARY_PATH": libraries}
        write_pnm(self.path("in.pgm"), (3, 4), range(12))
        for name, output in (("invert", ["out.pgm"]), ("total", [])):
            self.tool("convert", self.marked("invert.c", INVERT) if output else example(name), "-o", name + "-other")
            files = [os.path.join(name + "-other", file) for file in ("main.cpp", name + ".cpp", name + "_serial.cpp", name + ".cu")]
            self.succeed(NVCC, "-std=c++17", "-arch=sm_90", "-cudart", "shared", "-DWITH_CUDA", "-Xcompiler=-fopenmp", *files, "-o",
                         name + "-program")
            program = self.path(name + "-program")
            why = "no GPU can be used: no kernel image is available for execution on the device (CMake's"
            done = self.command(program, "--device", "cuda", "in.pgm", *output, **here)
            self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (1, "", 1))
            self.assertTrue(done.stderr.startswith(name + ": " + why), done.stderr)
            done = self.command(program, "in.pgm", *output, **here)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (0, 1), done.stderr)
            self.assertTrue(done.stderr.startswith("computed by OpenMP: " + why), done.stderr)
            if output:
                self.assertEqual(list(read_pnm(self.path("out.pgm"))), [255 - v for v in range(12)])
            else:
                self.assertEqual(done.stdout, "66\n")

    @unittest.skipUnless(NVCC, NO_NVCC)
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
        self.need_nvrtc()
        self.check_kernels([example(name) for name in NAMES] + [function(name) for name in FUNCTIONS])

    def test_a_gpu_that_is_not_there(self):
        """In the words of operators."""
        write_pnm(self.path("in.pgm"), (3, 4), range(12))
        message = self.fail_with(4, "run", example("maximum"), "in.pgm", "--device", "cuda:99")
        self.assertEqual(message, self.fail_with(4, "reconstruct", "in.pgm", "in.pgm", "-o", "out.pgm", "--device",
                                                 "cuda:99").replace("macareu: reconstruct: ", "macareu: run: "))
        if "cuda" in self.find_devices():
            self.assertRegex(message, "cannot be used: this machine has [0-9]+ GPU")

    def test_auto(self):
        """Tries a GPU from 2^26 pixels on. Where a build with the device finds none, it says why and computes on the cpu."""
        about = [line.split(None, 1) for line in self.tool("info").splitlines()]
        gpus = next(value for name, value in about if name == "GPUs")
        has_gpu = "cuda" in self.find_devices()
        for rows in (8191, 8192):
            large = rows == 8192
            with open(self.path("large.pgm"), "wb") as file:
                file.write(b"P5\n8192 %d\n255\n" % rows + bytes(8192 * rows - 1) + b"\7")
            with tempfile.TemporaryDirectory() as cache:
                done = self.command(TOOL, "run", example("maximum"), "large.pgm", MACAREU_CACHE=cache)
                compiled = {name for _, _, files in os.walk(cache) for name in files}
            os.remove(self.path("large.pgm"))
            self.assertEqual((done.returncode, done.stdout), (0, "7\n"), done.stderr)
            if large and gpus.startswith("none: ") and not gpus.startswith("none: this build is without CUDA"):
                self.assertEqual(done.stderr, "macareu: run: computed on the cpu: cuda: " + gpus[len("none: "):] + "\n")
            elif has_gpu or not large:
                self.assertEqual(done.stderr, "")
                self.assertEqual("function.cubin" in compiled, has_gpu and large, compiled)

    def test_little_memory_of_a_gpu(self):
        """Is an error where a GPU is named; `auto` says so and computes on the cpu."""
        cupy = self.need_cupy()
        side = 32768
        with open(self.path("large.pgm"), "wb") as file:
            file.write(b"P5\n%d %d\n255\n" % (side, side) + bytes(side * side - 1) + b"\7")
        free, _ = cupy.cuda.runtime.memGetInfo()
        occupied = cupy.cuda.Memory(free - 3 * 2**29)  # a context takes half a GiB
        try:
            message = self.fail_with(4, "run", example("sobel"), "large.pgm", "-o", "out.pgm", "--device", "cuda")
            done = self.command(TOOL, "run", example("maximum"), "large.pgm")
        finally:
            del occupied
            os.remove(self.path("large.pgm"))
        self.assertRegex(message, "MiB more are needed on GPU 0")
        self.assertEqual((done.returncode, done.stdout), (0, "7\n"))
        self.assertRegex(done.stderr, "^macareu: run: computed on the cpu: cuda: .* MiB more are needed on GPU 0")


if __name__ == "__main__":
    unittest.main()
