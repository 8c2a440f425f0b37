"""Functions of <math.h>: a file *.c computes what C computes, which converts every number to double, and abs to int; a file *.cpp what C++
does, whose overloads compute with floats in float. Compared with the function itself, compiled as plain C or C++."""
import ctypes
import os
import random
import struct
import subprocess
import unittest

from tool import TOOL, ConverterTest

COMPILER = os.environ.get("CXX", "c++")
HAS_C = subprocess.run([COMPILER, "-x", "c", "-fsyntax-only", os.devnull], check=False, stderr=subprocess.DEVNULL).returncode == 0

# Divided by 3 the type shows in the bits, and of abs in what is left out. Those of CUDA are exact.
EXACT = ["fabs(p) / 3", "sqrt(fabs(p))", "floor(p) / 3", "ceil(p) / 3", "round(p) / 3", "trunc(p) / 3", "rint(p) / 3", "fmin(p, 2) / 3",
         "fmax(p, q) / 3", "fmod(p, 3) / 3", "copysign(p, -1) / 3", "fma(p, p, q)", "fma(q, q, 0.1f) / 3", "sizeof(sqrt(p))", "sqrt(7)",
         "sqrtf(p * p)", "sqrtf(q) / 3", "fabsf(p) / 3", "(int)(10 * sqrt(fabs(p)))", "sqrt(fmax(p, q))", "ROOT(p * p)", "LENGTH(p, q)",
         "fabs((double)p) / 3", "sqrt((float)i)", "fmin(i, p) / 3", "nearbyint(p) / 3", "nearbyintf(p) / 3",
         "remainder(p, 3) / 3", "fdim(p, q) / 3", "lround(p) / 2", "lrint(p) / 2", "llround(q * 1e12f) / 2", "llrintf(p) / 2",
         "isnan(p) + isnan(p * 1e38f - p * 2e38f)", "isinf(p * 1e38f * q) != 0", "isfinite(p * 1e38f)", "signbit(p) != 0"]
OF_C = ["abs(p) / 2", "abs(p * 0.1f)", "abs(p - 0.5)", "abs((unsigned char)7 - i)", "labs(p) / 2", "abs(3U)", "abs((long)p)"]
OF_CPP = ["std::abs(p) / 2", "std::sqrt(p * p) / 3", "abs(p) / 2"]
ROUNDED = ["exp(p / 100)", "log(fabs(p) + 1)", "log2(fabs(p) + 1)", "log10(fabs(p) + 1)", "pow(fabs(p), 0.5f)", "pow(q, 3)", "sin(p)", "cos(p)",
           "tan(p)", "atan(p)", "atan2(p, q)", "hypot(p, q)", "cbrt(p)", "expf(p / 100)", "sin(i)", "asin(p / 1000)",
           "acos(p / 1000)", "sinh(p / 100)", "cosh(p / 100)", "tanh(p / 100)", "asinh(p)", "acosh(fabs(p) + 1)", "atanh(p / 1001)", "exp2(p / 100)",
           "expm1(p / 100)", "log1p(fabs(p))", "erf(p / 100)", "erfc(q)", "tgamma(q)", "lgamma(q)", "asinf(p / 1000)", "tanhf(p)", "asin(i / 100)"]
SOURCE = """#include <math.h>
#include <stdlib.h>
%s
#define ROOT(x) sqrt(x)
#define LENGTH(x, y) sqrt((x) * (x) + (y) * (y))
#pragma macareu struct
typedef struct { int which; } data;
static double of_two(float p, float q, int i, int which) {
  switch (which) {
%s  }
  return 0;
}
#pragma macareu p2p
static double f(float p, float q, int i, data d) { return of_two(p, q, i, d.which); }
"""
CALLER = """#include "%s"
%s void each(const float* a, const float* b, double* out, int n, int which) {
  data d;
  d.which = which;
  for (int i = 0; i < n; ++i) out[i] = f(a[i], b[i], i, d);
}
"""


def write_floats(file, values):
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': (1, %d), }" % len(values)
    header = header.ljust(117) + "\n"
    with open(file, "wb") as out:
        out.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        out.write(struct.pack("<%df" % len(values), *values))


def read_doubles(file, count):
    with open(file, "rb") as stream:
        return stream.read()[-8 * count:]


class Mathematics(ConverterTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        dice = random.Random(3)
        cls.first = [dice.uniform(-1000, 1000) for _ in range(61)] + [0, -0.0, 0.5]
        cls.second = [dice.uniform(0, 10) for _ in cls.first]
        write_floats(cls.path("first.npy"), cls.first)
        write_floats(cls.path("second.npy"), cls.second)

    def plain(self, file, language, which):
        """By the function as its compiler sees it."""
        library = self.path(file + ".so")
        if not os.path.exists(library):
            self.write("caller-" + file, CALLER % (file, "" if language == "c" else 'extern "C"'))
            self.succeed(COMPILER, "-x", language, "-w", "-O1", "-ffp-contract=off", "-fPIC", "-shared", "caller-" + file, "-o",
                         library, "-lm")
        count = len(self.first)
        numbers, results = ctypes.c_float * count, (ctypes.c_double * count)()
        ctypes.CDLL(library).each(numbers(*self.first), numbers(*self.second), results, count, which)
        return bytes(results)

    def check(self, file, language, extra, calls, exact):
        cases = "".join("    case %d: return %s;\n" % pair for pair in enumerate(calls))
        self.write(file, SOURCE % (extra, cases))
        gpu = self.command(TOOL, "run", file, "first.npy", "second.npy", "-o", "out.npy", "--param", "which=0", "--device", "cuda")
        for which, call in enumerate(calls):
            devices = ["serial", "cpu"] + (["cuda"] if gpu.returncode == 0 and call in exact else [])
            expected = self.plain(file, language, which)
            for device in devices:
                self.tool("run", file, "first.npy", "second.npy", "-o", "out.npy", "--param", "which=%d" % which, "--device", device)
                self.assertEqual(read_doubles(self.path("out.npy"), len(self.first)), expected, (call, device))

    @unittest.skipUnless(HAS_C, "no C compiler")
    def test_c(self):
        self.check("plain.c", "c", "", EXACT + OF_C + ROUNDED, EXACT + OF_C)

    @unittest.skipUnless(HAS_C, "no C compiler")
    def test_overloads_of_c(self):
        self.check("generic.c", "c", "#include <tgmath.h>", ["sqrt(p) / 3", "floor(p) / 3", "fmax(p, 2) / 3", "sqrt(i)"], [])

    def test_cpp(self):
        calls = [call for call in EXACT if "ROOT" not in call and "LENGTH" not in call]
        self.check("plus.cpp", "c++", "#include <cmath>\n#include <cstdlib>", calls + OF_CPP + ROUNDED, calls + OF_CPP)

    def test_headers_of_cpp(self):
        """No C compiler takes such a file, whatever its name is."""
        self.check("both.c", "c++", "#include <cmath>", OF_CPP, OF_CPP)

    def test_a_function_of_the_same_name(self):
        """Is the file's own, also where C would have another."""
        self.write("own.c", "#include <math.h>\nstatic int abs(int v) { return v < 0 ? 7 : v; }\n#pragma macareu p2p\n"
                   "static double f(float p, int i) { return abs(p - 2000); }\n")
        self.tool("run", "own.c", "first.npy", "-o", "own.npy", "--device", "serial")
        self.assertEqual(read_doubles(self.path("own.npy"), len(self.first)), struct.pack("<d", 7) * len(self.first))

    def test_reductions(self):
        """Whatever T is."""
        for result, form in (("float", "<f"), ("double", "<d")):
            self.write("scalar.c", "#include <math.h>\ntypedef float E;\ntypedef %s T;\n#R2S_FUNC\nstatic T f(E a, E b) "
                       "{ return sqrt(a) + sqrt(b) / 3; }\n" % result)
            write_floats(self.path("pair.npy"), self.second[:2])
            a, b = (struct.unpack("<f", struct.pack("<f", v))[0] for v in self.second[:2])
            value = float(self.tool("run", "scalar.c", "pair.npy", "--device", "cpu"))
            self.assertEqual(struct.pack(form, value), struct.pack(form, a ** 0.5 + b ** 0.5 / 3), result)


if __name__ == "__main__":
    unittest.main()
