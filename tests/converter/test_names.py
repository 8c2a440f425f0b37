"""Names of the user's functions, types, macros and files that generated code has too: it compiles all the same."""
import os
import re
import unittest

from tool import COMPILER, DESCRIPTIONS, LARGE, NVCC, PLAIN_OPTIONS, ConverterTest, example, npy, precompile

# The engines, classes and functions of generated code have these names too.
USED_NAMES = ["rule", "serial", "openmp", "cuda", "kernels", "job", "engine", "extent", "P2P", "N2P", "R2S", "R2V", "IWPP",
              "user", "run", "usage", "arguments", "parsed", "apply", "index", "check", "write", "read_pnm", "set_value"]


@unittest.skipIf(DESCRIPTIONS, "functions of its own")
class Names(ConverterTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.compile_quickly()
        cls.quickly = precompile(cls.compiled, PLAIN_OPTIONS)

    def compile(self, name, stem="f", options=None):
        """Links too. Without `options`, standard headers come ahead of all files."""
        self.tool("convert", stem + ".c", "-o", name)
        stem = "filter_" + stem if stem != "f" else stem
        files = [os.path.join(name, file) for file in ("main.cpp", stem + ".cpp", stem + "_serial.cpp")]
        self.succeed(COMPILER, *(options or self.quickly), *files, *([] if "-fsyntax-only" in (options or ()) else ["-o", name + "/program"]))

    def check_all(self, name, options):
        """Where the linker does not matter, make test only parses the files."""
        self.compile(name, options=options if LARGE else [*options, "-fsyntax-only"])

    def compile_function(self, name):
        """Where the rest of the program does not matter, make test compiles the function's file alone."""
        if LARGE:
            return self.compile(name)
        self.tool("convert", "f.c", "-o", name)
        self.succeed(COMPILER, *self.quickly, "-fsyntax-only", name + "/f_serial.cpp")

    def test_functions_and_types(self):
        helpers = "".join("static int %s(int v) { return v + 1; }\n" % name for name in USED_NAMES[1:])
        calls = " + ".join("%s(p)" % name for name in USED_NAMES[1:])
        self.write("f.c", helpers + "#P2P_FUNC\nstatic int rule(int p, int i) { return %s; }\n" % calls)
        self.compile("functions")
        if NVCC:
            self.succeed(NVCC, "-std=c++17", "-ptx", "-arch=sm_90", "-DWITH_CUDA", "functions/f.cu", "-o", "functions/f.ptx")
        self.write("f.c", "typedef struct { unsigned char r, g, b; } job;\n#STRUCT\ntypedef struct { int engine; } extent;\n"
                   "#P2P_FUNC\nstatic job P2P(job p, int i, extent e) { p.r += e.engine; return p; }\n")
        self.check_all("types", self.quickly)
        self.write("f.c", "struct rule { float x, y; };\n#N2P_FUNC\nstatic struct rule f(struct rule p[3][3], int x, int y) "
                   "{ return p[1][1]; }\n")
        self.compile_function("elaborated")
        self.write("f.c", "#R2S_FUNC\nstatic T R2S(E a, E b) { return a > b ? a : b; }\n")
        self.check_all("scalar", self.quickly)
        self.write("f.c", "#R2V_FUNC\nstatic void R2V(unsigned char p, int* saida, int bins) { saida[p % bins]++; }\n")
        self.check_all("vector", self.quickly)

    def test_letters_of_other_alphabets(self):
        self.write("f.c", "#define ÁREA 3\n#STRUCT\ntypedef struct { int início; } configuração;\n"
                   "typedef struct { unsigned char ã, b; } côr;\nstatic int média(int é) { return é + ÁREA; }\n#P2P_FUNC\n"
                   "static côr função(côr pixel, int índice, configuração ç) {\n  static const int tábua[1] = {2};  // não muda\n"
                   "  côr ü = {0, 1};\n  ü.ã = média(pixel.ã) + ç.início * tábua[0];\n  return ü;\n}\n")
        self.compile("letters")
        if NVCC:
            self.succeed(NVCC, "-std=c++17", "-ptx", "-arch=sm_90", "-DWITH_CUDA", "letters/f.cu", "-o", "letters/f.ptx")
        self.tool("convert", "f.c", "-o", "letters.json")
        done = self.command(os.environ.get("COMPILE_KERNELS", "compile_kernels"), "90", "letters.json")
        self.assertIn(done.returncode, (0, 77), done.stderr)  # 77: no NVRTC
        with open(self.path("in.npy"), "wb") as file:
            file.write(npy((1, 2, 2), "|u1", False, bytes([10, 20, 30, 40])))
        self.tool("run", "f.c", "in.npy", "-o", "out.npy", "--channels", "last", "--param", "início=5", "--device", "cpu")
        with open(self.path("out.npy"), "rb") as file:
            self.assertEqual(list(file.read()[-4:]), [23, 1, 43, 1])

    def test_structs(self):
        self.write("f.c", "struct pair { int a, b; };\ntypedef struct { unsigned char r, g, b; } rgb;\n#define DARK (rgb){1, 2, 3}\n"
                   "#define RGB(a, b, c) (rgb){a, b, c}\n#define SAME(x) x\n#P2P_FUNC\nstatic rgb f(rgb p, int i) {\n"
                   "  struct pair c = {0};\n  rgb q = {.g = p.r};\n  if (c.a) return i ? DARK : RGB(p.g, p.b, p.r);\n"
                   "  return i ? SAME(((rgb){p.b, p.g, p.r})) : SAME(q);\n}\n")
        self.compile_function("structs")

    def test_types(self):
        """No warning with any of them."""
        kinds = ("signed char", "unsigned short", "int", "unsigned long", "double", "unsigned char", "short", "unsigned int", "long",
                 "long long", "unsigned long long", "float")
        for kind in kinds if LARGE else kinds[:5]:
            self.write("f.c", "#P2P_FUNC\nstatic %s f(%s p, int i) { return p; }\n" % (kind, kind))
            self.tool("convert", "f.c", "-o", "typed", "--overwrite")
            self.succeed(COMPILER, *self.quickly, "-fsyntax-only", "typed/main.cpp")

    def test_macros(self):
        """Every word of the generated files may be a macro of the marked one, but for those of its own functions, and the few
        that are refused."""
        refused = {"RULE", "WITH_CUDA", "WITH_OPENCV", "atomicAdd", "reduction", "double", "defined", "device", "maybe_unused"}
        cases = (("p2p", "int f(int p, int i) { return p; }"),
                 ("iwpp", "int offer(int s, int c) { return s; }\n#pragma macareu iwpp\nstatic int better(int a, int b) "
                  "{ return a > b; }"),
                 ("r2s", "T f(E a, E b) { return a > b ? a : b; }"),
                 ("n2p", "int f(int p[3][3], int x, int y) { return p[1][1]; }"),
                 ("r2v", "void f(int p, int* saida, int bins) { saida[p % bins]++; }"))
        for kind, function in cases if LARGE else cases[:2]:
            marked = "#pragma macareu %s\nstatic %s\n" % (kind, function)
            self.write("f.c", marked)
            self.tool("convert", "f.c", "-o", kind)
            words = set()
            for name in os.listdir(self.path(kind)):
                with open(self.path(os.path.join(kind, name))) as file:
                    words |= set(re.findall(r"\b[a-zA-Z]\w*", file.read()))
            words -= refused | set(re.findall(r"\w+", marked)) | \
                set("template class struct using and or not EOF ERANGE errno stderr stdout".split())
            self.assertIn("job", words)
            self.write("f.c", "".join("#define %s ) + (\n" % word for word in sorted(words)) + marked)
            self.check_all(kind + "-macros", PLAIN_OPTIONS)  # the headers are parsed with the macros around
            if NVCC:
                self.succeed(NVCC, "-std=c++17", "-ptx", "-arch=sm_90", "-DWITH_CUDA", kind + "-macros/f.cu", "-o", kind + ".ptx")

    def test_macros_of_headers(self):
        """Names with an underscore ahead, which headers that come behind the function have."""
        self.write("f.c", "#define _GNU_SOURCE 1\n#include <math.h>\n" + "".join("#define %s 3\n" % name for name in
                   ("_x", "_X", "_T", "_Tp", "_Args", "_M_p", "_USE_MATH_DEFINES")) +
                   "#P2P_FUNC\nstatic int f(int p, int i) { _Bool q = p > _x; return q; }\n")
        self.check_all("underscores", PLAIN_OPTIONS)

    def test_plain_types(self):
        """Attributes and pragmas that change no layout, and types that are not used."""
        self.write("f.c", "typedef struct { unsigned char r, g, b; } __attribute__((packed)) rgb;\n#pragma pack(push, 1)\n"
                   "struct pair { signed char a, b; };\nstruct unused { char a; int b; };\n#pragma pack(pop)\n"
                   "struct node { struct node* next; union { int a; double b; }; int x : 3, y : 30; char c[7]; };\n"
                   "typedef struct { struct node many[3]; } nodes;\nenum { size = sizeof(nodes) };\n#P2P_FUNC\n"
                   "static rgb f(rgb p, int i) {\n  struct pair c = {1, 2};\n  nodes n;\n  n.many[1].y = c.a;\n"
                   "  p.r = (unsigned char)(n.many[1].y + size);\n  return p;\n}\n")
        self.compile_function("plain")

    def test_functions_that_are_not_static(self):
        """Several files of the program have them."""
        self.write("f.c", "int half(int v) { return v / 2; }\ninline int third(int v) { return v / 3; }\n#P2P_FUNC\n"
                   "static int f(int p, int i) { return half(p) + third(p); }\n")
        self.compile("half")

    def test_headers_of_c(self):
        """They have extern "C" for C++, as which files are parsed."""
        self.write("kinds.h", "#ifdef __cplusplus\nextern \"C\" {\n#endif\ntypedef unsigned char level;\nenum { most = 200 };\n"
                   "static int within(int v) { return v < most ? v : most; }\n#ifdef __cplusplus\n}\n#endif\n")
        self.write("f.c", "#include \"kinds.h\"\n#P2P_FUNC\nstatic level f(level p, int i) { return (level)within(p); }\n")
        self.compile_function("headers")
        self.write("f.c", "extern \"C\" {\n#P2P_FUNC\nstatic int f(int p, int i) { return p; }\n}\n")
        self.compile_function("block")

    def test_namespaces_without_a_name(self):
        """Are C++'s word for static."""
        self.write("f.c", "namespace {\nstruct [[maybe_unused]] pair { int a, b; };\nenum kind { low, high };\n"
                   "int twice(pair v) { return v.a + v.b; }\n}\n#P2P_FUNC\n"
                   "static int f(int p, int i) { return twice({p, p}) + kind::low + high; }\n")
        self.compile_function("unnamed")

    def test_static_by_an_earlier_declaration(self):
        self.write("f.c", "static int f(int p, int i);\nstatic int g(int p);\nint g(int p) { return p; }\n#P2P_FUNC\n"
                   "int f(int p, int i) { return g(p); }\n")
        self.compile_function("earlier")

    def test_words_of_c(self):
        """Which C++ spells otherwise."""
        self.write("f.c", "_Static_assert(sizeof(int) == 4, \"int\");\nstruct pair { int a, b; };\n#P2P_FUNC\nstatic int f(int p, int i) {\n"
                   "  _Static_assert(_Alignof(struct pair) == 4, \"pair\");\n  _Alignas(16) int t[4] = {1, 2, 3, 4};\n  return p + t[p & 3] + (int)_Alignof(double);\n}\n")
        self.compile_function("words")

    def test_types_of_results(self):
        """Also int64_t, which is long or long long."""
        self.tool("convert", example("total"), "-o", "total")
        self.write("sums.cpp", "#include <cstdint>\n#include <cstdio>\n#include \"total/total.hpp\"\nint main() {\n"
                   "  const rule::pixel_type pixels[3] = {200, 100, 7};\n"
                   "  const auto sum = R2S<std::int64_t>(pixels, 1, 3).processa() + R2S<std::uint64_t>(pixels, 1, 3).processa() +\n"
                   "                   R2S<long long>(pixels, 1, 3).processa() + R2S<double>(pixels, 1, 3).processa();\n"
                   "  std::printf(\"%g\\n\", sum);\n}\n")
        self.succeed(COMPILER, *self.quickly, "sums.cpp", "total/total.cpp", "total/total_serial.cpp", "-o", "sums")
        self.assertEqual(self.succeed(self.path("sums")), "1228\n")

    def test_files(self):
        """A program has main.cpp, pnm.hpp and arguments.hpp; CMake has a target test."""
        for stem in ("main", "pnm", "arguments", "test") if LARGE else ("main",):
            self.write(stem + ".c", "#P2P_FUNC\nstatic int f(int p, int i) { return p; }\n")
            self.compile(stem, stem)

    def test_files_without_a_legible_name(self):
        self.write("é.c", "#P2P_FUNC\nstatic int f(int p, int i) { return p; }\n")
        self.tool("convert", "é.c", "-o", "illegible")
        self.assertIn("filter.cpp", os.listdir(self.path("illegible")))


if __name__ == "__main__":
    unittest.main()
