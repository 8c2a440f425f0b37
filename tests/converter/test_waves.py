"""Waves of marked functions: every engine gives the bits of the serial one, whatever their ways, shapes, neighbours and types are."""
import array
import random
import unittest
from concurrent.futures import ThreadPoolExecutor

from tool import LARGE, WORKERS, ConverterTest, described, example, npy

SHAPES = {(97, 130): "4 8", (3, 200): "8", (200, 3): "4", (1, 70): "4 8", (70, 1): "8", (1, 40, 70): "6 18 26", (7, 33, 41): "6 18 26",
          (70, 1, 1): "26", (2, 9, 65): "18"} if LARGE else {(97, 130): "4 8", (1, 70): "4", (7, 33, 41): "6 26", (70, 1, 1): "26"}
WAVE = "#IWPP_FUNC\nstatic %s offer(%s) { return %s; }\n#IWPP_FUNC\nstatic int better(%s) { return a %s b; }\n"
MARKED = {
    "cost.c": "#STRUCT\ntypedef struct { float step; } data;\n" +
              WAVE % ("float", "float s, unsigned short c, data d", "s + c * d.step", "float a, float b, data d", "<"),
    "steps.c": WAVE % ("long long", "long long s, unsigned char c", "s + 1 + c", "long long a, long long b", "<"),
    "bounded.c": WAVE % ("unsigned char", "unsigned char s, double c", "s < c ? s : (unsigned char)c",
                         "unsigned char a, unsigned char b", ">"),
    "sunken.c": WAVE % ("short", "short s, unsigned c", "s > (int)(c % 1000) ? s : (short)(c % 1000)", "short a, short b", "<")}
# The highest state, its type and the capacity's, as NumPy and as arrays name them; and parameters.
TYPES = {"cost.c": (10**6, "<f4", "f", "<u2", "H", ["--param", "step=0.3"]), "steps.c": (10**9, "<i8", "q", "|u1", "B", []),
         "bounded.c": (255, "|u1", "B", "<f8", "d", []), "sunken.c": (30000, "<i2", "h", "<u4", "I", [])}


class Waves(ConverterTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.compile_quickly()
        cls.run_devices = cls.find_devices()
        for name, text in MARKED.items():
            cls.marked(name, text)

    def results(self, function, stem, connectivity, parameters=()):
        """The different ones."""
        ways = [("cpu", threads) for threads in (("1", "2", "3", "50") if LARGE else ("3",))]
        ways += [(device, "1") for device in self.run_devices if device != "cpu"]
        results = set()
        for device, threads in ways:
            self.tool("run", function, stem + "-marker.npy", stem + "-mask.npy", "-o", stem + "-out.npy", "--connectivity",
                      connectivity, "--device", device, "--threads", threads, *parameters)
            with open(self.path(stem + "-out.npy"), "rb") as file:
                results.add(file.read())
        return results

    def check(self, results_of, kinds):
        # Workers begin with different functions, so that each is compiled once.
        cases = [(kind, shape, connectivity) for shape, all_of_them in SHAPES.items() for connectivity in all_of_them.split()
                 for kind in kinds]
        with ThreadPoolExecutor(WORKERS) as workers:
            for case, results in zip(cases, workers.map(lambda case: results_of(*case), cases)):
                with self.subTest(case):
                    self.assertEqual(len(results), 1)

    def generated(self, kind, shape, connectivity):
        stem = "-".join([kind, "x".join(map(str, shape)), connectivity])
        self.tool("generate", kind, "--shape", ",".join(map(str, shape)), "-o", stem + "-mask.npy", "--marker", stem + "-marker.npy")
        return self.results(example("reconstruct"), stem, connectivity)

    def random(self, name, shape, connectivity):
        highest, state, of_state, capacity, of_capacity, parameters = TYPES[name]
        dice = random.Random("%s %s %s" % (name, shape, connectivity))
        stem = "-".join([name, "x".join(map(str, shape)), connectivity])
        count = 1
        for size in shape:
            count *= size
        low = name == "bounded.c"  # which states travel
        values = [dice.randrange(250) if dice.random() < 0.02 else 0 if low else highest for _ in range(count)]
        for end, kind, code, pixels in (("-marker.npy", state, of_state, values),
                                        ("-mask.npy", capacity, of_capacity, [dice.randrange(256) for _ in range(count)])):
            with open(self.path(stem + end), "wb") as file:
                file.write(npy(shape, kind, False, array.array(code, pixels).tobytes()))
        return self.results(described(name), stem, connectivity, parameters)

    def test_long_ways_and_wide_fronts(self):
        self.check(self.generated, ("serpentine", "spiral", "flat", "percolation", "noise"))

    def test_types(self):
        """Of 1 to 8 bytes, with others beside them."""
        self.check(self.random, TYPES)


if __name__ == "__main__":
    unittest.main()
