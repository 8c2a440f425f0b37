"""Functions of <math.h>: a file *.c computes what C computes, which converts every number to double, and abs to int; a file *.cpp what C++
does, whose overloads compute with floats in float. Compared with the function itself, compiled as plain C or C++."""
import ctypes
import math
import os
import random
import struct
import subprocess
import unittest

from tool import COMPILER, ConverterTest

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
#define COUNT 64
static double of_two(float p, float q, int i, int which) {
  switch (which) {
%s  }
  return 0;
}
#pragma macareu p2p
static double f(float p, float q, int index) { return of_two(p, q, index %% COUNT, index / COUNT); }
"""
CALLER = """#include "%s"
%s void each(const float* a, const float* b, double* out, int n) {
  for (int i = 0; i < n; ++i) out[i] = f(a[i %% COUNT], b[i %% COUNT], i);
}
"""
OVERLOADS = ["sqrt(p) / 3", "floor(p) / 3", "fmax(p, 2) / 3", "sqrt(i)"]
NO_MACROS = [call for call in EXACT if "ROOT" not in call and "LENGTH" not in call]
# What each file includes, and the rows of its result.
FILES = {"plain.c": ("", EXACT + OF_C + ROUNDED), "generic.c": ("#include <tgmath.h>", OVERLOADS),
         "plus.cpp": ("#include <cmath>\n#include <cstdlib>", NO_MACROS + OF_CPP + ROUNDED), "both.c": ("#include <cmath>", OF_CPP)}
OWN = """#include <math.h>
static int abs(int v) { return v < 0 ? 7 : v; }
#pragma macareu p2p
static double f(float p, int i) { return abs(p - 2000); }
"""
ROOTS = """#include <math.h>
typedef float E;
typedef %s T;
#R2S_FUNC
static T f(E a, E b) { return sqrt(a) + sqrt(b) / 3; }
"""
MARKED = {file: SOURCE % (includes, "".join("    case %d: return %s;\n" % pair for pair in enumerate(calls)))
          for file, (includes, calls) in FILES.items()}
BARE = """#include <cmath>
#pragma macareu p2p
static double f(float p, int i) { return sqrt(p) / 3; }
"""
MARKED.update({"own.c": OWN, "bare.cpp": BARE, "roots_float.c": ROOTS % "float", "roots_double.c": ROOTS % "double"})


def write_floats(file, values, rows=1):
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }" % (rows, len(values))
    header = header.ljust(117) + "\n"
    with open(file, "wb") as out:
        out.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        out.write(struct.pack("<%df" % len(values), *values) * rows)


def read_doubles(file, count):
    with open(file, "rb") as stream:
        return stream.read()[-8 * count:]


def near(a, b):
    """As near as CUDA's functions of floats are."""
    return math.isnan(a) and math.isnan(b) or math.isclose(a, b, rel_tol=1e-5, abs_tol=1e-30)


class Mathematics(ConverterTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.devices = cls.find_devices()
        dice = random.Random(3)
        cls.first = [dice.uniform(-1000, 1000) for _ in range(61)] + [0, -0.0, 0.5]
        cls.second = [dice.uniform(0, 10) for _ in cls.first]

    def plain(self, file, language, count):
        """By the function as its compiler sees it."""
        library = self.path(file + ".so")
        self.write("caller-" + file, CALLER % (file, "" if language == "c" else 'extern "C"'))
        self.succeed(COMPILER, "-x", language, "-w", "-O1", "-ffp-contract=off", "-fPIC", "-shared", "caller-" + file, "-o", library,
                     "-lm")
        numbers, results = ctypes.c_float * len(self.first), (ctypes.c_double * count)()
        ctypes.CDLL(library).each(numbers(*self.first), numbers(*self.second), results, count)
        return bytes(results)

    def check(self, file, language, exact):
        calls = FILES[file][1]
        function = self.marked(file, MARKED[file])
        images = [file + "-first.npy", file + "-second.npy"]
        for image, values in zip(images, (self.first, self.second)):
            write_floats(self.path(image), values, len(calls))
        width, count = len(self.first), len(calls) * len(self.first)
        expected = self.plain(file, language, count)
        for device in self.devices:
            self.tool("run", function, *images, "-o", file + ".npy", "--device", device)
            result = read_doubles(self.path(file + ".npy"), count)
            for which, call in enumerate(calls):
                row = slice(8 * which * width, 8 * (which + 1) * width)
                if device != "cuda" or call in exact:
                    self.assertEqual(result[row], expected[row], (call, device))
                else:
                    pairs = zip(*(struct.unpack("<%dd" % width, each[row]) for each in (result, expected)))
                    self.assertEqual([pair for pair in pairs if not near(*pair)], [], (call, device))

    @unittest.skipUnless(HAS_C, "no C compiler")
    def test_c(self):
        self.check("plain.c", "c", EXACT + OF_C)

    @unittest.skipUnless(HAS_C, "no C compiler")
    def test_overloads_of_c(self):
        self.check("generic.c", "c", [])

    def test_cpp(self):
        self.check("plus.cpp", "c++", NO_MACROS + OF_CPP)

    def test_headers_of_cpp(self):
        """No C compiler takes such a file, whatever its name is."""
        self.check("both.c", "c++", OF_CPP)

    def test_a_function_of_the_same_name(self):
        """Is the file's own, also where C would have another."""
        write_floats(self.path("first.npy"), self.first)
        own = self.marked("own.c", MARKED["own.c"])
        for device in self.devices:
            self.tool("run", own, "first.npy", "-o", "own.npy", "--device", device)
            self.assertEqual(read_doubles(self.path("own.npy"), len(self.first)), struct.pack("<d", 7) * len(self.first), device)

    def test_floats_without_std(self):
        """As CUDA computes them, though this compiler's <cmath> has sqrt of doubles alone there."""
        write_floats(self.path("second.npy"), self.second)
        floats = struct.unpack("<%df" % len(self.second), struct.pack("<%df" % len(self.second), *self.second))
        roots = struct.unpack("<%df" % len(floats), struct.pack("<%df" % len(floats), *map(math.sqrt, floats)))
        expected = struct.unpack("<%df" % len(roots), struct.pack("<%df" % len(roots), *(root / 3 for root in roots)))
        for device in self.devices:
            self.tool("run", self.marked("bare.cpp", BARE), "second.npy", "-o", "bare.npy", "--device", device)
            self.assertEqual(read_doubles(self.path("bare.npy"), len(roots)), struct.pack("<%dd" % len(roots), *expected), device)

    def test_reductions(self):
        """Whatever T is."""
        write_floats(self.path("pair.npy"), self.second[:2])
        a, b = (struct.unpack("<f", struct.pack("<f", v))[0] for v in self.second[:2])
        for result, form in (("float", "<f"), ("double", "<d")):
            file = "roots_%s.c" % result
            for device in self.devices:
                value = float(self.tool("run", self.marked(file, MARKED[file]), "pair.npy", "--device", device))
                self.assertEqual(struct.pack(form, value), struct.pack(form, a ** 0.5 + b ** 0.5 / 3), (result, device))


if __name__ == "__main__":
    unittest.main()
