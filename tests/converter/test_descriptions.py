"""Descriptions: what a file becomes, that it runs in the source's place, and that results are kept by content."""
import json
import os
import unittest

from tool import HERE, TOOL, ConverterTest, example, random_values, read_pnm, write_pnm


class Descriptions(ConverterTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.compile_quickly()
        write_pnm(cls.path("in.pgm"), (5, 7), random_values(35, 2))

    def described(self, name, text, extension=".c"):
        self.write(name + extension, text)
        self.tool("convert", name + extension, "-o", name + ".json")
        with open(self.path(name + ".json")) as file:
            return json.load(file)

    def test_what_is_in_it(self):
        about = self.described("a", "#STRUCT\ntypedef struct { float gain; int n; } data;\n#N2P_FUNC\n"
                               "static float f(unsigned short p[5][3], int x, int y, data d) { return d.gain * p[0][0]; }\n")
        self.assertEqual(about["category"], "n2p")
        self.assertEqual(about["function"], "f")
        self.assertEqual(about["window"], [5, 3])
        self.assertEqual((about["pixel"]["type"], about["result"]["type"]), ("u16", "f32"))
        self.assertEqual(about["parameters"], [{"name": "gain", "type": "f32"}, {"name": "n", "type": "i32"}])

    def test_pragmas_mean_the_same(self):
        paper = "#STRUCT\ntypedef struct { int t; } data;\n#P2P_FUNC\nstatic int f(int p, int i, data d) { return p; }\n"
        pragmas = paper.replace("#STRUCT", "#pragma macareu struct").replace("#P2P_FUNC", "# pragma macareu p2p")
        first, second = self.described("b", paper), self.described("c", pragmas)
        self.assertEqual(dict(first, file="", checksum=""), dict(second, file="", checksum=""))
        self.write("d.c", pragmas)
        self.succeed(os.environ.get("CXX", "c++"), "-x", "c", "-fsyntax-only", "d.c")

    def test_only_what_is_needed_is_taken(self):
        about = self.described("d", "#include <stdio.h>\n#define HALF 2\nstatic int half(int v) { return v / HALF; }\n"
                               "/*\n#R2S_FUNC\n*/\n#P2P_FUNC\nstatic int f(int p, int i) { return half(p); }\n"
                               "int main(void) { printf(\"%d\", f(3, 0)); return 0; }\n")
        self.assertIn("#define HALF 2", about["definitions"])
        self.assertIn("static int half(int v)", about["helpers"])
        self.assertNotIn("main", json.dumps(about))

    def test_headers(self):
        self.write("data.h", "#pragma once\n#STRUCT\ntypedef struct { int t; } data;\n")
        body = "#P2P_FUNC\nstatic int f(int p, int i, data d) { return p + d.t; }\n"
        included = self.described("e", '#include "data.h"\n' + body)
        self.write("g.c", body)
        self.tool("convert", "g.c", "--header", "data.h", "-o", "g.json")
        with open(self.path("g.json")) as file:
            self.assertEqual(dict(json.load(file), file="", checksum=""), dict(included, file="", checksum=""))
        self.tool("convert", "e.c", "--header", "data.h", "-o", "both.json")
        with open(self.path("both.json")) as file:
            self.assertEqual(dict(json.load(file), file="", checksum=""), dict(included, file="", checksum=""))

    def ran(self, name, text, *options):
        """The pixels of a point operation on one row 10 20."""
        self.write(name + ".c", text)
        write_pnm(self.path("two.pgm"), (1, 2), [10, 20])
        self.tool("run", name + ".c", "two.pgm", "-o", name + ".pgm", "--device", "serial", *options)
        return list(read_pnm(self.path(name + ".pgm")))

    POINT = "#P2P_FUNC\nstatic unsigned char f(unsigned char p, int i) { return p + K; }\n"

    def test_conditions_of_macros(self):
        for name, lines, expected in (
                ("c1", "#ifndef N\n#define K 3\n#else\n#define K 5\n#endif\n", [13, 23]),
                ("c2", "#define K 3\n#if 0\n#undef K\n#define K 5\n#endif\n", [13, 23]),
                ("c3", "#define N 2\n#if N > 1\n#define K 3\n#elif 1\n#define K 5\n#endif\n", [13, 23]),
                ("c4", "#define K 3\n#if 0\n#P2P_FUNC\n#P3P_FUNC\nint g;\n#endif\n", [13, 23]),
                ("c5", '#ifdef _WIN32\n#include "none.h"\n#endif\n#define K 3 /* which\n goes on */\n', [13, 23])):
            with self.subTest(name):
                self.assertEqual(self.ran(name, lines + self.POINT), expected)

    def test_a_header_under_a_condition_is_read_when_it_holds(self):
        self.write("k.h", "enum { K = 3 };\n")
        lines = '#if 0\n#include "k.h"\n#else\n#include "k.h"\n#endif\n#include "k.h"\n'
        self.assertEqual(self.ran("twice", lines + self.POINT), [13, 23])

    def test_macros_inside_functions(self):
        text = ("#define K 3\n#P2P_FUNC\nstatic unsigned char f(unsigned char p, int i) {\n#define L 4\n"
                "  return p + K + L; /* M */\n#undef L\n}\n#define M 7\n#define K 3\n")
        self.assertEqual(self.ran("inside", text), [17, 27])

    def test_macros_undefined_behind_their_last_use(self):
        text = ("#define K 3\n#define L (K + 1)\n" + self.POINT.replace("K", "L") + "#undef L\n#undef K /* done */\n"
                "int main(void) { return 0; }\n")
        self.assertEqual(self.ran("undefined", text), [14, 24])
        text = "#define K 3\n#undef K\n#P2P_FUNC\nstatic unsigned char f(unsigned char p, int i) { int K = 1; return p + K; }\n"
        self.assertEqual(self.ran("freed", text), [11, 21])

    def test_qualified_parameters(self):
        for qualifier in ("const", "volatile", "const volatile"):
            text = ("#STRUCT\ntypedef struct { int k; } data;\n#P2P_FUNC\nstatic unsigned char f(%s unsigned char p, %s int i, %s data d) "
                    "{ return p + d.k; }\n" % (qualifier, qualifier, qualifier))
            self.assertEqual(self.ran("qualified", text, "--param", "k=1"), [11, 21])
        text = "#R2S_FUNC\nstatic T f(const E a, const E b) { return a + b; }\n"
        self.assertTrue(self.described("constant", text)["generic"])
        self.assertEqual(self.tool("run", "constant.c", "two.pgm"), "30\n")

    def test_vectors_written_as_arrays(self):
        write_pnm(self.path("two.pgm"), (1, 2), [1, 2])
        for vector in ("int saida[]", "unsigned int saida[3]"):
            self.write("array.c", "#R2V_FUNC\nstatic void f(unsigned char p, %s, int bins) { saida[p] += 5; }\n" % vector)
            self.assertEqual(self.tool("run", "array.c", "two.pgm", "--bins", "3"), "bin,value\n0,0\n1,5\n2,5\n")

    def test_declared_ahead(self):
        text = ("#P2P_FUNC\nstatic unsigned char f(unsigned char p, int i);\nstatic int g(int a) { return a + 1; }\n"
                "static unsigned char f(unsigned char p, int i) { return g(p); }\n")
        self.assertEqual(self.ran("ahead", text), [11, 21])

    def test_comments_behind_directives(self):
        text = self.POINT.replace("K", "3").replace("#P2P_FUNC", "#P2P_FUNC /* one\n  two */")
        self.assertIn("/* one\n  two */\nRULE static unsigned char f", self.described("behind", text)["body"])
        self.assertEqual(self.ran("behind", text), [13, 23])
        self.write("k.h", "enum { K = 3 };\n")
        self.assertEqual(self.ran("included", '#include "k.h" /* one\n  two */\n' + self.POINT), [13, 23])

    def test_every_kind_of_type_is_taken(self):
        text = ("union both { int a; float b; };\nclass one { public: int a; };\n#P2P_FUNC\nstatic unsigned char f(unsigned char p, "
                "int i) {\n  both v;\n  one w;\n  v.a = p;\n  w.a = 1;\n  return v.a + w.a;\n}\n")
        self.assertEqual(self.ran("kinds", text), [11, 21])

    def test_tables(self):
        """Static constants are the same for every pixel."""
        text = ("enum { last = 7 };\n#P2P_FUNC\nstatic unsigned char f(unsigned char p, int i) {\n"
                "  static const short add[2][2] = {{1, 2}, {3, last}};\n  static const float half = 0.5f;\n"
                "  return (unsigned char)(add[1][i] * half * 2 + p);\n}\n")
        self.assertEqual(self.ran("table", text), [13, 27])

    def test_long_lines(self):
        self.assertEqual(self.ran("long1", "#define K 3 " + " " * 300000 + "\n" + self.POINT), [13, 23])
        about = self.described("long2", "/* typedef " + "x" * 300000 + " T */\n#R2S_FUNC\nstatic T f(E a, E b) "
                               "{ return a + b; }\n")
        self.assertTrue(about["any_result"])

    def test_a_byte_order_mark(self):
        self.assertEqual(self.ran("marked", "\ufeff#define K 3\n" + self.POINT), [13, 23])
        self.assertEqual(self.described("first", "\ufeff#P2P_FUNC\nstatic int f(int p, int i) { return p; }\n")["function"], "f")

    def test_types_in_comments_are_not_declared(self):
        about = self.described("comment", "/* the typedef of T is left to whoever runs it; so is using E */\n"
                               "#R2S_FUNC\nstatic T f(E a, E b) { return a + b; }\n")
        self.assertTrue(about["any_result"] and about["any_pixel"])

    ROOTS = ("#include <math.h>\n#define TWICE(x) ((x) + (x))\n#P2P_FUNC\n"
             "static int f(int p, int i) {\n  double a = sqrt(p*p + 1) + pow(p, 2.0) + sqrt(2.0) + sqrtf(p);\n"
             "  return (int)(a + TWICE(sqrt(p)));\n}\n")

    def test_integers_become_double(self):
        """In C++; C does it by itself."""
        about = self.described("roots", self.ROOTS, ".cpp")
        self.assertIn("sqrt((double)(p*p + 1)) + pow((double)p, 2.0) + sqrt(2.0) + sqrtf(p);", about["body"])
        self.assertIn("TWICE(sqrt((double)p))", about["body"])
        self.assertEqual(about["c_functions"], [])

    def test_functions_of_c_are_named(self):
        about = self.described("plain", self.ROOTS)
        self.assertIn("sqrt(p*p + 1) + pow(p, 2.0) + sqrt(2.0) + sqrtf(p);", about["body"])
        self.assertEqual(about["c_functions"], ["pow", "sqrt"])

    def test_writes_into_the_vector(self):
        about = self.described("h", "#R2V_FUNC\nstatic void f(unsigned char p, int* saida, int bins) {\n  saida[p / 2] += 3;\n"
                               "  ++saida[1];\n  if (p > 4) saida[p]++;\n  atomicAdd(&saida[0], 2);\n}\n")
        for text in ("atomicAdd(&saida[p / 2], 3);", "atomicAdd(&saida[1], 1);", "if (p > 4) atomicAdd(&saida[p], 1);",
                     "atomicAdd(&saida[0], 2);"):
            self.assertIn(text, about["body"])

    def test_descriptions_run(self):
        self.tool("convert", example("sobel"), "-o", "sobel.json")
        self.tool("run", example("sobel"), "in.pgm", "-o", "one.pgm")
        self.tool("run", "sobel.json", "in.pgm", "-o", "two.pgm")
        self.assertEqual(read_pnm(self.path("one.pgm")), read_pnm(self.path("two.pgm")))
        self.tool("convert", "sobel.json", "-o", "program")
        self.assertIn("sobel.cu", os.listdir(self.path("program")))

    def test_edited_files_are_kept(self):
        def content():
            texts = {}
            for name in os.listdir(self.path("kept")):
                with open(self.path(os.path.join("kept", name))) as file:
                    texts[name] = file.read()
            return texts
        self.write("kept.c", "#P2P_FUNC\nstatic int f(int p, int i) { return p + 1; }\n")
        self.tool("convert", "kept.c", "-o", "kept")
        first = content()
        self.tool("convert", "kept.c", "-o", "kept")  # the same again
        self.write("kept/kept_rule.hpp", first["kept_rule.hpp"] + "// edited\n")
        os.remove(self.path("kept/main.cpp"))
        edited = content()
        self.assertEqual(self.fail_with(2, "convert", "kept.c", "-o", "kept"),
                         "macareu: convert: kept/kept_rule.hpp is there already and would change; name another place, or "
                         "replace with --overwrite\n")
        self.assertEqual(content(), edited)
        self.write("kept/notes.txt", "mine\n")
        self.write("kept/kept.cpp", "")
        self.assertIn("kept/kept.cpp, kept/kept_rule.hpp are there already", self.fail_with(2, "convert", "kept.c", "-o", "kept"))
        self.tool("convert", "kept.c", "-o", "kept", "--overwrite")
        self.assertEqual(content(), dict(first, **{"notes.txt": "mine\n"}))

    def test_edited_descriptions_are_kept(self):
        self.write("first.c", "#P2P_FUNC\nstatic int f(int p, int i) { return p + 1; }\n")
        self.write("second.c", "#P2P_FUNC\nstatic int f(int p, int i) { return p + 2; }\n")
        for _ in range(2):
            self.tool("convert", "first.c", "-o", "kept.json")
        self.assertIn("kept.json is there already and would change", self.fail_with(2, "convert", "second.c", "-o", "kept.json"))
        self.tool("convert", "second.c", "-o", "kept.json", "--overwrite")
        with open(self.path("kept.json")) as file:
            self.assertIn("p + 2", file.read())

    def test_comments_stay(self):
        self.write("comments.c", "/* two\n   lines */\nstatic int half(int a) { return a / 2; }\n// of the struct\n#STRUCT\n"
                   "typedef struct { int k; } data;\n// of the function\n#P2P_FUNC\n"
                   "static int f(int p, int i, data d) { /* inside */ return half(p) + d.k; }\n")
        self.tool("convert", "comments.c", "-o", "comments")
        with open(self.path("comments/comments_rule.hpp")) as file:
            rule = file.read()
        for text in ("// of the struct\ntypedef struct", "/* two\n   lines */\nRULE static int half",
                     "// of the function\nRULE static int f(int p, int i, data d) { /* inside */ return"):
            self.assertIn(text, rule)

    def test_nothing_is_half_written(self):
        """A file that cannot be written leaves all others as they were."""
        self.write("half.c", "#P2P_FUNC\nstatic int f(int p, int i) { return p; }\n")
        os.makedirs(self.path("half/pnm.hpp"))
        self.assertIn("half/pnm.hpp: is a directory", self.fail_with(3, "convert", "half.c", "-o", "half"))
        self.assertEqual(os.listdir(self.path("half")), ["pnm.hpp"])

    def test_limits_are_those_of_sources(self):
        sources = {"window": "#N2P_FUNC\nstatic float w(float p[3][3], int x, int y) { return p[0][0]; }\n",
                   "vector": "#R2V_FUNC\nstatic void v(int p, int* saida, int bins) { saida[0]++; }\n",
                   "long": "#N2P_FUNC\nstatic long l(long p[1][3], int x, int y) { return p[0][0]; }\n",
                   "colour": "struct rgb { float r, g, b; };\n#P2P_FUNC\nstatic struct rgb c(struct rgb p, int i) { return p; }\n"}
        about = {name: self.described(name, text) for name, text in sources.items()}
        for name in sources:
            self.tool("convert", name + ".json", "-o", name)
        number = about["window"]["pixel"]
        for name, change, said in [
                ("window", {"window": [4, 3]}, "a window of size 4, which must be odd and at most 31"),
                ("window", {"window": [3, 33]}, "a window of size 33"),
                ("window", {"window": [-1, 3]}, "a window of size -1"),
                ("window", {"window": [3]}, "a window of 2 or 3 axes"),
                ("window", {"inputs": 2}, "expected 1 to 1 inputs"),
                ("window", {"pixel": dict(number, type="i32")}, "'float' is no spelling of 1 x i32"),
                ("window", {"pixel": dict(number, spelling="float; int x")}, "'float; int x' is no spelling"),
                ("window", {"pixel": dict(number, channels=3, spelling="a b")}, "'a b' is no spelling of 3 x f32"),
                ("window", {"pixel": dict(number, type="bool", spelling="bool")}, "bool is no pixel"),
                ("vector", {"result": number}, "a vector of f32"),
                ("vector", {"c_functions": ["sqrt", "system"]}, "'system' is no function of mathematics"),
                ("vector", {"window": [3, 3]}, "of none for others")]:
            with self.subTest(said):
                self.write("changed.json", json.dumps(dict(about[name], **change)))
                self.assertIn(said, self.fail_with(2, "convert", "changed.json", "-o", "none"))

    def test_changed_descriptions(self):
        """What the checks of sources would refuse is not run from a description either."""
        about = self.described("safe", "#STRUCT\ntypedef struct { int t; } data;\n#P2P_FUNC\nstatic int f(int p, int i, data d) "
                               "{ return p + d.t; }\n")
        body = about["body"]
        for change in ({"body": body.replace("return", "while (p) *(int*)0 = p; return")}, {"definitions": "#include <stdio.h>\n"},
                       {"helpers": "static int total;\n"}, {"file": "other.c"}, {"checksum": "0"}, {"wide_index": True},
                       {"parameters": [{"name": "t", "type": "f32"}]}):
            self.write("changed.json", json.dumps(dict(about, **change)))
            self.assertIn("changed.json: not a description of a function: it was changed after it was written",
                          self.fail_with(2, "run", "changed.json", "in.pgm", "-o", "none.npy", "--param", "t=1"))
        del about["checksum"]
        self.write("changed.json", json.dumps(about))
        self.assertIn("'checksum' not found", self.fail_with(2, "convert", "changed.json", "-o", "none"))

    def test_the_layout_of_a_description_is_free(self):
        about = self.described("free", "#P2P_FUNC\nstatic unsigned char f(unsigned char p, int i) { return p; }\n")
        self.write("free.json", json.dumps(dict(sorted(about.items()))))
        self.tool("run", "free.json", "in.pgm", "-o", "free.pgm")
        self.assertEqual(read_pnm(self.path("free.pgm")), read_pnm(self.path("in.pgm")))

    def test_the_benchmarks_description_is_its_sources(self):
        bench = os.path.join(HERE, "..", "..", "bench")
        self.tool("convert", os.path.join(bench, "gradient.c"), "-o", "gradient.json")
        with open(self.path("gradient.json")) as made, open(os.path.join(bench, "gradient.json")) as kept:
            self.assertEqual(kept.read(), made.read())

    def test_compiled_once(self):
        write_pnm(self.path("in.pgm"), (5, 7), random_values(35, 2))
        first = self.tool("run", example("maximum"), "in.pgm", "--device", "cpu")
        entries = sorted(os.listdir(self.cache))
        self.assertEqual(self.tool("run", example("maximum"), "in.pgm", "--device", "serial"), first)
        self.assertEqual(sorted(os.listdir(self.cache)), entries)

    def test_damaged_descriptions_are_made_anew(self):
        self.write("spoilt.c", "#P2P_FUNC\nstatic unsigned char f(unsigned char p, int i) { return p; }\n")
        self.tool("convert", "spoilt.c", "-o", "spoilt.json")
        damaged = [os.path.join(self.cache, entry, "description.json") for entry, text in self.cached_contents()
                   if text.startswith("description of spoilt.c ")]
        self.assertEqual(len(damaged), 1)
        with open(damaged[0]) as file:
            whole = file.read()
        for text in ("", "{}", whole[:-9], whole.replace("return p", "return 3")):
            with open(damaged[0], "w") as file:
                file.write(text)
            self.tool("convert", "spoilt.c", "-o", "spoilt.json")
            with open(damaged[0]) as file:
                self.assertEqual(file.read(), whole)

    def cached_contents(self):
        for entry in os.listdir(self.cache):
            with open(os.path.join(self.cache, entry, "content")) as file:
                yield entry, file.read()

    def test_other_versions_do_not_take_what_is_kept(self):
        self.tool("convert", example("minimum"), "-o", "minimum.json")
        version = self.tool("--version").split()[1]
        with open(self.path("minimum.json")) as file:
            form = json.load(file)["macareu-function"]
        kept = [text for _, text in self.cached_contents() if text.startswith("description of ") and "minimum.c" in text]
        self.assertEqual(len(kept), 1)
        self.assertIn("by version %s, format %d\n" % (version, form), kept[0])

    def test_another_compiler_by_the_same_name_compiles_again(self):
        compiler = os.environ.get("CXX", "c++")
        entries = []
        for comment in ("", "# another one\n"):
            self.write("compiler", "#!/bin/sh\n" + comment + 'exec %s "$@"\n' % compiler)
            os.chmod(self.path("compiler"), 0o755)
            done = self.command(TOOL, "run", example("minimum"), "in.pgm", "--device", "cpu", CXX=self.path("compiler"))
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            entries.append(len(os.listdir(self.cache)))
        self.assertEqual(entries[1], entries[0] + 1)

    def test_types_of_reductions(self):
        self.write("sum.c", "typedef unsigned short E;\ntypedef double T;\n#R2S_FUNC\n"
                   "static T sum(E a, E b) { return a + b; }\n")
        values = random_values(35, 2)
        self.assertEqual(float(self.tool("run", "sum.c", "in.pgm")), sum(values))
        self.write("int.c", "#R2S_FUNC\nstatic int sum(int a, int b) { return a + b; }\n")
        self.assertEqual(int(self.tool("run", "int.c", "in.pgm")), sum(values))

    def test_borders(self):
        self.write("left.c", "#N2P_FUNC\nstatic unsigned char f(unsigned char p[1][5], int x, int y) { return p[0][0]; }\n")
        write_pnm(self.path("row.pgm"), (1, 4), [10, 20, 30, 40])
        for border, expected in (("nearest", [10, 10, 10, 20]), ("constant", [0, 0, 10, 20]), ("reflect", [20, 10, 10, 20]),
                                 ("mirror", [30, 20, 10, 20]), ("wrap", [30, 40, 10, 20])):
            for device in ("serial", "cpu"):
                self.tool("run", "left.c", "row.pgm", "-o", "out.pgm", "--border", border, "--device", device)
                self.assertEqual(list(read_pnm(self.path("out.pgm"))), expected, (border, device))

    def test_a_description_has_no_border(self):
        """Which is said where it is run, or becomes a program."""
        self.write("left.c", "#N2P_FUNC\nstatic unsigned char f(unsigned char p[3][3], int x, int y) { return p[1][0]; }\n")
        self.assertEqual(self.fail_with(2, "convert", "left.c", "--border", "wrap", "-o", "wrapped.json"),
                         "macareu: convert: --border is no part of a description: give it where wrapped.json is run or converted\n")

    def test_borders_are_those_of_operators(self):
        """Windows larger than the image too: what is outside comes around several times."""
        weights = [1, 2, 3, 4, 5, 6, 7]
        terms = " + ".join("%d * p[0][%d]" % (weights[-1 - i], i) for i in range(7))
        self.write("row.c", "#N2P_FUNC\nstatic float f(unsigned char p[1][7], int x, int y) { return %s; }\n" % terms)
        write_pnm(self.path("weights.pgm"), (1, 7), weights)
        for width in (1, 2, 9):
            write_pnm(self.path("row.pgm"), (2, width), random_values(2 * width, width))
            for border in ("nearest", "constant", "reflect", "mirror", "wrap"):
                self.tool("convolve", "row.pgm", "weights.pgm", "-o", "operator.npy", "--border", border)
                for device in ("serial", "cpu"):
                    self.tool("run", "row.c", "row.pgm", "-o", "run.npy", "--border", border, "--device", device)
                    with open(self.path("operator.npy"), "rb") as one, open(self.path("run.npy"), "rb") as other:
                        self.assertEqual(one.read(), other.read(), (width, border, device))


if __name__ == "__main__":
    unittest.main()
