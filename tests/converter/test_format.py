"""Generated files are as the project's clang-format writes them; the user's own text is left as it is."""
import os
import shutil
import unittest

from tool import DESCRIPTIONS, HERE, NAMES, ConverterTest, example

FORMATTER = shutil.which("clang-format")
CONFIGURATION = os.path.join(HERE, "..", "..", ".clang-format")

# Text of every length: many images, long names, wide types, macros, and headers in any order.
ODD = {
    "eight": "#P2P_FUNC\nstatic  float mean_of_eight( float a,float b, float c, float d, float e, float f, float g, float h, int i )"
             "\n{ return (a+b+c+d+e+f+g+h)/8; }\n",
    "three": "#P2P_FUNC\nstatic unsigned int f(unsigned int a, unsigned int b, unsigned int c, long long i) { return a + b + c; }\n",
    "a_function_with_a_name_that_is_as_long_as_names_of_functions_get":
        "#include <stdlib.h>\n#include  <math.h> /* roots */\n#include <cmath>\n#STRUCT\ntypedef struct { double the_first_of_all_parameters"
        "_of_this_function, x; unsigned char a_second_one_that_has_a_long_name_too_to_fill_the_line; } parameters_of_the_function;\n"
        "#define   TWICE( x )  ( 2*(x) )\n#define run 3\n#N2P_FUNC\nstatic double a_function_with_a_name_that_is_as_long_as_names_get("
        "double pixel[3][5][7], int x, int y, int z, parameters_of_the_function given) { return TWICE(pixel[1][2][3]) + run + given.x; }\n",
    "colours": "typedef struct { float r, g, b, a; } colour_of_four_floats;\n#N2P_FUNC\nstatic colour_of_four_floats f("
               "colour_of_four_floats p[3][3], int x, int y) { return p[1][1]; }\n",
    "roots": "#include <math.h>\n#P2P_FUNC\nstatic double f(float a, float b, int i) { return fma(a, abs(b), sqrt(a)) + hypot(a, b); }\n",
    "wide": "#R2V_FUNC\nstatic void f(unsigned long long p, unsigned long long* saida, int bins) { saida[p % bins] += p; }\n",
    "fixed": "typedef unsigned long long E;\ntypedef double T;\n#STRUCT\ntypedef struct { int k; } data;\n#R2S_FUNC\n"
             "static T a_reduction_by_name(E a, E b, data d) { return a * d.k + b; }\n",
    "wave": "#STRUCT\ntypedef struct { float cost_of_one_step; } data;\n#IWPP_FUNC\nstatic float offer(float s, unsigned short c, data d) "
            "{ return s + c * d.cost_of_one_step; }\n#IWPP_FUNC\nstatic int better(float a, float b, data d) { return a < b; }\n",
}


@unittest.skipUnless(FORMATTER, "no clang-format")
class Format(ConverterTest):
    def check(self, source, program, *options):
        self.tool("convert", source, "-o", program, *options)
        shutil.copy(CONFIGURATION, self.path(".clang-format"))
        files = [os.path.join(program, name) for name in sorted(os.listdir(self.path(program))) if name != "CMakeLists.txt"]
        self.succeed(FORMATTER, "--dry-run", "--Werror", *files)

    def test_examples(self):
        for name in NAMES:
            self.check(example(name), name)

    @unittest.skipIf(DESCRIPTIONS, "functions of its own")
    def test_others(self):
        for name, text in ODD.items():
            self.write(name + ".c", text)
            self.check(name + ".c", name, *(["--border", "mirror"] if "#N2P" in text else []))

    @unittest.skipIf(DESCRIPTIONS, "a function of its own")
    def test_the_functions_text_stays(self):
        self.write("own.c", "#P2P_FUNC\nstatic int f( int  p,\n       int i ){\n\treturn p  ; }\n")
        self.check("own.c", "own")
        with open(self.path("own/own_rule.hpp")) as file:
            self.assertIn("static int f( int  p,\n       int i ){\n\treturn p  ; }\n", file.read())


if __name__ == "__main__":
    unittest.main()
