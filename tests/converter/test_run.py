"""`run` as a tool: images of any layout, progress, and Ctrl-C."""
import os
import pty
import select
import signal
import subprocess
import time
import unittest

from tool import DESCRIPTIONS, LARGE, TOOL, ConverterTest, example, npy, random_values

# Some 15 microseconds a pixel.
SLOW = """#N2P_FUNC
static int f(int p[31][31], int x, int y) {
    int sum = 0;
    for (int k = 0; k < 8; ++k)
        for (int j = 0; j < 31; ++j)
            for (int i = 0; i < 31; ++i) sum += p[j][i] * (i ^ sum ^ k);
    return sum;
}
"""
# The same for the other patterns: what they compute does not matter.
SLOW_STEPS = """static int slow(int v) {
    for (int k = 0; k < %d; ++k) v = v * 3 + (v >> 7) + k;
    return v;
}
"""
STEPS, STEPS_OF_WAVE = (15000, 500) if LARGE else (5000, 150)
SLOW_SCALAR = SLOW_STEPS % STEPS + "#R2S_FUNC\nstatic int f(int a, int b) { return slow(a) + b; }\n"
SLOW_VECTOR = SLOW_STEPS % STEPS + "#R2V_FUNC\nstatic void f(int p, int* saida, int bins) { saida[(unsigned)slow(p) % bins]++; }\n"
SLOW_WAVE = SLOW_STEPS % STEPS_OF_WAVE + ("#IWPP_FUNC\nstatic int offer(int s, int c) { return s < c || slow(s) == 12345 ? s : c; }\n"
                                 "#IWPP_FUNC\nstatic int better(int a, int b) { return a > b; }\n")


# T and E are long and unsigned char: what a helper makes of them shows.
HELPER_OF_ANY_TYPE = """static T plus(T a, E b) { T sum = a; sum += b; return sum; }
T twice(E a, E b) { return plus(a, b) + 0 * sizeof(T); }
#R2S_FUNC
static T f(E a, E b) { return twice(a, b); }
"""


class Helpers(ConverterTest):
    def test_helpers_of_the_types_of_the_paper(self):
        with open(self.path("in.npy"), "wb") as file:
            file.write(npy((1, 300), "|u1", False, bytes([255]) * 300))
        self.write("sum.c", HELPER_OF_ANY_TYPE)
        for device in ("serial", "cpu"):
            self.assertEqual(self.tool("run", "sum.c", "in.npy", "--device", device), "76500\n")


class Cache(ConverterTest):
    def test_damaged_code_is_made_anew(self):
        with open(self.path("in.npy"), "wb") as file:
            file.write(npy((1, 3), "|u1", False, bytes([3, 5, 4])))
        for _ in range(2):
            self.assertEqual(self.tool("run", example("maximum"), "in.npy", "--device", "cpu"), "5\n")
            for directory, _, names in os.walk(self.cache):
                for name in names:
                    if name.endswith(".so"):
                        with open(os.path.join(directory, name), "wb") as file:
                            file.write(b"damaged")


class Numbers(ConverterTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.compile_quickly()

    def test_standard_output_by_name(self):
        """No file is named -."""
        with open(self.path("in.npy"), "wb") as file:
            file.write(npy((1, 3), "|u1", False, bytes([0, 1, 1])))
        self.assertEqual(self.tool("run", example("histogram"), "in.npy", "--bins", "2", "-o", "-"), "bin,value\n0,1\n1,2\n")
        self.assertEqual(self.tool("run", example("maximum"), "in.npy", "-o", "-"), "1\n")
        self.assertEqual(os.listdir(self.directory), ["in.npy"])


class Layouts(ConverterTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.compile_quickly()

    def pixels(self, file):
        with open(self.path(file), "rb") as stream:
            return stream.read()[-self.bytes:]

    def test_columns_first_and_other_byte_order(self):
        """The function's index is row x width + column, however the file lies."""
        for name, shape in (("sobel", (37, 53)), ("binarise", (5, 129)), ("smooth3d", (5, 9, 17))):
            count = 1
            for size in shape:
                count *= size
            wide = name == "smooth3d"
            self.bytes = count * (2 if wide else 1)
            values = random_values(count, 3, 65535 if wide else 255)
            strides = [1] * len(shape)  # of columns first
            for axis in range(1, len(shape)):
                strides[axis] = strides[axis - 1] * shape[axis - 1]
            turned = [0] * count
            for index, value in enumerate(values):
                place, left = 0, index
                for axis in reversed(range(len(shape))):
                    place += left % shape[axis] * strides[axis]
                    left //= shape[axis]
                turned[place] = value
            results = set()
            for fortran, order in (("False", "little"), ("True", "little"), ("True", "big")):
                kind = ("<u2" if order == "little" else ">u2") if wide else "|u1"
                data = b"".join(v.to_bytes(2 if wide else 1, order) for v in (turned if fortran == "True" else values))
                with open(self.path("in.npy"), "wb") as file:
                    file.write(npy(shape, kind, fortran, data))
                for device in ("serial", "cpu"):
                    parameters = ["--param", "tolerancia=27"] if name == "binarise" else []
                    self.tool("run", example(name), "in.npy", "-o", "out.npy", "--device", device, *parameters)
                    results.add(self.pixels("out.npy"))
            self.assertEqual(len(results), 1, name)
            self.assertGreater(len(set(results.pop())), 1)


@unittest.skipIf(DESCRIPTIONS, "a function of its own")
class Long(ConverterTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.compile_quickly()
        cls.write("slow.c", SLOW)
        cls.tool_quickly("generate", "noise", "--shape", "3,3", "-o", "tiny.npy")
        for size, side in (("some", "600,600"), ("large", "6000,6000")):
            cls.tool_quickly("generate", "noise", "--shape", side, "-o", size + ".npy")
        for device in ("serial", "cpu"):  # compiled
            cls.tool_quickly("run", "slow.c", "tiny.npy", "-o", "tiny-out.npy", "--device", device)

    @classmethod
    def tool_quickly(cls, *arguments):
        done = cls.command(TOOL, *arguments)
        assert done.returncode == 0, done.stderr

    def test_interruption(self):
        """At once, whatever runs, and nothing is left."""
        for device in ("serial", "cpu"):
            before = sorted(os.listdir(self.directory))
            with subprocess.Popen([TOOL, "run", "slow.c", "large.npy", "-o", "out.npy", "--device", device], cwd=self.directory,
                                  env=self.environment, stderr=subprocess.PIPE, text=True) as running:
                time.sleep(1 if LARGE else 0.5)
                self.assertIsNone(running.poll())
                running.send_signal(signal.SIGINT)
                _, said = running.communicate(timeout=20)
            self.assertEqual((running.returncode, said), (130, "macareu: run: interrupted\n"))
            self.assertEqual(sorted(os.listdir(self.directory)), before)

    @unittest.skipUnless("STOP_RUN" in os.environ, "no program stop_run")
    def test_stop(self):
        """By the library's stop token, between two units of work."""
        for name in ("sobel", "maximum", "histogram", "reconstruct"):
            self.tool("convert", example(name), "-o", name + ".json")
        self.write("invert.c", "#P2P_FUNC\nstatic unsigned char f(unsigned char p, int i) { return 255 - p; }\n")
        self.tool("convert", "invert.c", "-o", "invert.json")
        self.succeed(os.environ["STOP_RUN"], "invert.json", "sobel.json", "maximum.json", "histogram.json",
                     "reconstruct.json")

    def shown(self, *arguments, seconds=60):
        """What a terminal gets in that time, or until progress is shown; in make test-long, until the end."""
        ours, theirs = pty.openpty()
        with subprocess.Popen([TOOL, "run", *arguments, "--device", "cpu"], cwd=self.directory, env=self.environment,
                              stdout=subprocess.DEVNULL, stderr=theirs) as running:
            os.close(theirs)
            text = b""
            begin = time.monotonic()
            try:
                while LARGE or (b"run [#" not in text and time.monotonic() < begin + seconds):
                    if select.select([ours], [], [], 0.03)[0]:
                        text += os.read(ours, 4096)
                    elif not LARGE:  # the time until progress is shown needs no work
                        running.send_signal(signal.SIGSTOP)
                        time.sleep(0.05)
                        running.send_signal(signal.SIGCONT)
            except OSError:  # closed at the other end
                self.assertEqual(running.wait(), 0, text)
            finally:
                running.kill()
                os.close(ours)
        return text

    def test_progress(self):
        slow = ["slow.c", "some.npy", "-o", "out.npy", "--threads", "1"]
        begin = time.monotonic()
        self.assertIn(b"run [#", self.shown(*slow))
        self.assertEqual(self.shown(*slow, "--quiet", seconds=0.5 + 1.5 * (time.monotonic() - begin)), b"")

    def test_progress_of_reductions_and_waves(self):
        for name, source, arguments in (("scalar", SLOW_SCALAR, ["some.npy"]), ("vector", SLOW_VECTOR, ["some.npy"]),
                                        ("wave", SLOW_WAVE, ["some.npy", "some.npy", "-o", "out.npy"])):
            self.write(name + ".c", source)
            self.assertIn(b"run [#", self.shown(name + ".c", *arguments, "--threads", "1"), name)


if __name__ == "__main__":
    unittest.main()
