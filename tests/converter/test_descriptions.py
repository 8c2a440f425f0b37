"""Descriptions: what a file becomes, that it runs in the source's place, and that results are kept by content."""
import json
import os
import unittest

from tool import ConverterTest, example, random_values, read_pnm, write_pnm


class Descriptions(ConverterTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        write_pnm(cls.path("in.pgm"), (5, 7), random_values(35, 2))

    def described(self, name, text):
        self.write(name + ".c", text)
        self.tool("convert", name + ".c", "-o", name + ".json")
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
        self.assertEqual(dict(first, file=""), dict(second, file=""))
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
            self.assertEqual(dict(json.load(file), file=""), dict(included, file=""))

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

    def test_compiled_once(self):
        write_pnm(self.path("in.pgm"), (5, 7), random_values(35, 2))
        first = self.tool("run", example("maximum"), "in.pgm", "--device", "cpu")
        entries = sorted(os.listdir(self.cache))
        self.assertEqual(self.tool("run", example("maximum"), "in.pgm", "--device", "serial"), first)
        self.assertEqual(sorted(os.listdir(self.cache)), entries)

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
        for border, expected in (("nearest", [10, 10, 10, 20]), ("constant", [0, 0, 10, 20]), ("mirror", [20, 10, 10, 20]),
                                 ("wrap", [30, 40, 10, 20])):
            for device in ("serial", "cpu"):
                self.tool("run", "left.c", "row.pgm", "-o", "out.pgm", "--border", border, "--device", device)
                self.assertEqual(list(read_pnm(self.path("out.pgm"))), expected, (border, device))


if __name__ == "__main__":
    unittest.main()
