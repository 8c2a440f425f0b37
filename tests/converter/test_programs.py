"""Generated programs and `run`, serial and parallel, give the same pixels; and the right ones, by plain Python.

With MACAREU_LARGE=1 at 4K and 8K too, paper 4's sizes. Where a GPU is, `run` uses it as well, and programs are built
with nvcc."""
import os
import shutil
import subprocess
import unittest
from concurrent.futures import ThreadPoolExecutor

from tool import COMPILER, DESCRIPTIONS, LARGE, NAMES, NO_NVCC, NVCC, PROGRAM_OPTIONS, TOOL, WORKERS, ConverterTest, example, precompile, \
    program_compiler, random_values, read_pnm, write_pnm

SMALL = [(1, 1), (1, 37), (53, 1), (37, 53), (129, 257)]
SIZES = SMALL + ([(1080, 1920), (2160, 3840), (4320, 7680)] if LARGE else [(540, 960)])
VOLUMES = [(1, 1, 1), (3, 5, 7), (9, 33, 130)]
PARAMETERS = {"binarise": ["tolerancia=27"]}
PROGRAMS = [name for name in NAMES if LARGE or name != "minimum"]
SCALARS = {"maximum", "minimum", "total"}
VECTORS = {"histogram"}
MARKED = {"mean.c": "#R2S_FUNC\nstatic double add(double a, double b) { return a + 1.1 * b; }\n"}


def largest_first(shapes):
    """So that nothing long is left for the end."""
    return sorted(shapes, key=lambda shape: shape[0] * shape[1], reverse=True)


def nearest(i, size):
    return min(max(i, 0), size - 1)


def sobel(image, height, width):
    def at(y, x):
        return image[nearest(y, height) * width + nearest(x, width)]
    out = []
    for y in range(height):
        for x in range(width):
            gx = sum(w * (at(y + d, x + 1) - at(y + d, x - 1)) for d, w in ((-1, 1), (0, 2), (1, 1)))
            gy = sum(w * (at(y + 1, x + d) - at(y - 1, x + d)) for d, w in ((-1, 1), (0, 2), (1, 1)))
            out.append(min(255, int((gx * gx + gy * gy) ** 0.5)))
    return bytes(out)


def reconstruction(marker, mask, height, width):
    state, changed = list(marker), True
    while changed:
        changed = False
        for y in range(height):
            for x in range(width):
                best = state[y * width + x]
                for j in range(max(y - 1, 0), min(y + 2, height)):
                    for i in range(max(x - 1, 0), min(x + 2, width)):
                        best = max(best, min(state[j * width + i], mask[y * width + x]))
                if best != state[y * width + x]:
                    state[y * width + x] = best
                    changed = True
    return bytes(state)


def expected(name, images, shape):
    first = images[0]
    if name == "binarise":
        return bytes(255 if p + 27 > 127 else 0 for p in first)
    if name == "sum":
        return bytes(min(255, a + b) for a, b in zip(*images))
    if name == "colour":
        return bytes((299 * r + 587 * g + 114 * b + 500) // 1000 for r, g, b in zip(*[iter(first)] * 3))
    if name == "sobel":
        return sobel(first, *shape)
    if name == "reconstruct":
        return reconstruction(*images, *shape)
    if name in SCALARS:
        return str({"maximum": max, "minimum": min, "total": sum}[name](first)) + "\n"
    if name == "histogram":
        counts = [0] * 256
        for p in first:
            counts[p] += 1
        return "bin,value\n" + "".join("%d,%d\n" % pair for pair in enumerate(counts))
    return None


class Programs(ConverterTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.compile_quickly()
        cls.environment["OMP_NUM_THREADS"] = "4"  # several run at once
        cls.run_devices = cls.find_devices()
        cls.program_devices = cls.run_devices if NVCC else ["serial", "cpu"]
        cls.options = precompile(cls.compiled, PROGRAM_OPTIONS)
        with ThreadPoolExecutor(WORKERS) as workers:
            images = [workers.submit(cls.make_image, shape) for shape in largest_first(SIZES)]
            images += [workers.submit(cls.make_volume, shape) for shape in VOLUMES]
            for name, done in zip(PROGRAMS, workers.map(cls.build, PROGRAMS)):
                assert done.returncode == 0 and not done.stderr, (name, done.stderr)
            for each in images:
                each.result()

    @classmethod
    def make_image(cls, shape):
        """In grey, its marker, and in colour."""
        height, width = shape
        size = "%dx%d" % shape
        if height * width < 10**5:  # tissue is empty where it is small
            values = random_values(height * width, height)
            write_pnm(cls.path(size + ".pgm"), shape, values)
            write_pnm(cls.path(size + "-marker.pgm"), shape, [v if v % 16 == 0 else 0 for v in values])
        else:
            done = cls.command(TOOL, "generate", "tissue", "--shape", "%d,%d" % shape, "-o", size + ".pgm", "--marker",
                               size + "-marker.pgm")
            assert done.returncode == 0, done.stderr
        pixels = read_pnm(cls.path(size + ".pgm"))
        with open(cls.path(size + ".ppm"), "wb") as file:
            file.write(b"P6\n%d %d\n255\n" % (width, height) + pixels + pixels[::-1] + pixels)

    @classmethod
    def make_volume(cls, shape):
        values = random_values(shape[0] * shape[1] * shape[2], 7, 65535)
        name = "x".join(map(str, shape))
        write_pnm(cls.path(name + ".pgm"), shape, values, wide=True)
        with open(cls.path(name + ".raw"), "wb") as file:
            file.write(b"".join(v.to_bytes(2, "little") for v in values))

    @classmethod
    def build(cls, name):
        done = cls.command(TOOL, "convert", example(name), "-o", name)
        if done.returncode != 0:
            return done
        return cls.command(*program_compiler(cls.path(name), name, "cuda" in cls.program_devices, cls.options))

    def inputs(self, name, size):
        if name == "colour":
            return [size + ".ppm"]
        if name == "sum":
            return [size + ".pgm", size + ".pgm"]
        return [size + "-marker.pgm", size + ".pgm"] if name == "reconstruct" else [size + ".pgm"]

    def output(self, text, file):
        """What a command printed, or the pixels that it left in a file."""
        if file is None:
            return text
        pixels = read_pnm(self.path(file)) if file.endswith(".pgm") else self.big_endian(file)
        os.remove(self.path(file))
        return pixels

    def program_outputs(self, name, images):
        """By every engine of the program: for each of the images, which are lists of files."""
        ending = ".program-%s.pgm" if name not in SCALARS | VECTORS else None
        cases = [(files, device) for files in images for device in self.program_devices]

        def output_file(files, device):
            return name + "-" + files[0] + ending % device if ending else None  # several programs run at once
        texts = self.outputs_of(os.path.join(name, "program"), [
            ["--device", device, *PARAMETERS.get(name, []), *files, output_file(files, device) or ""] for files, device in cases])
        outputs = [("program " + device, self.output(text, output_file(files, device)))
                   for (files, device), text in zip(cases, texts)]
        count = len(self.program_devices)
        return [dict(outputs[i:i + count]) for i in range(0, len(outputs), count)]

    def run_outputs(self, name, files, ending=".pgm"):
        """By every engine of the tool."""
        parameters = [word for text in PARAMETERS.get(name, []) for word in ("--param", text)]
        outputs = {}
        for device in self.run_devices:
            out = name + "-" + files[0] + ".run" + ending if name not in SCALARS | VECTORS else None
            text = self.tool("run", example(name), *files, "--device", device, *parameters, *(["-o", out] if out else []))
            outputs["run " + device] = self.output(text, out)
        return outputs

    def big_endian(self, file):
        with open(self.path(file), "rb") as stream:
            content = bytearray(stream.read())
        content[0::2], content[1::2] = content[1::2], content[0::2]
        return bytes(content)

    def wrong_engines(self, name, shapes):
        """Those that do not give what the serial program does; and that one, where plain Python says otherwise."""
        images = [self.inputs(name, "%dx%d" % shape) for shape in shapes]
        wrong = []
        for shape, files, outputs in zip(shapes, images, self.program_outputs(name, images)):
            definition = outputs["program serial"]
            outputs.update(self.run_outputs(name, files))
            wrong += [(shape, engine) for engine, output in outputs.items() if output != definition]
            if shape in SMALL[:-1] and definition != expected(name, [read_pnm(self.path(file)) for file in files], shape):
                wrong.append((shape, "program serial"))
        return wrong

    def test_images(self):
        groups = [[shape] for shape in largest_first(SIZES) if shape not in SMALL] + [SMALL]
        cases = [(name, shapes) for shapes in groups for name in PROGRAMS if name != "smooth3d"]
        with ThreadPoolExecutor(WORKERS) as workers:
            for (name, _), wrong in zip(cases, workers.map(lambda case: self.wrong_engines(*case), cases)):
                with self.subTest(name):
                    self.assertEqual(wrong, [])

    def test_volumes(self):
        sizes = ["x".join(map(str, shape)) for shape in VOLUMES]
        of_program = self.program_outputs("smooth3d", [[size + ".pgm"] for size in sizes])
        for shape, size, outputs in zip(VOLUMES, sizes, of_program):
            raw = [size + ".raw", "--shape", ",".join(map(str, shape)), "--dtype", "u16"]
            outputs.update(self.run_outputs("smooth3d", raw, ".raw"))
            for engine, output in outputs.items():
                self.assertTrue(output == outputs["program serial"], (shape, engine))
        self.assertEqual(len(output), 2 * 9 * 33 * 130)

    def test_number_of_threads_does_not_matter(self):
        for name in ("reconstruct", "total", "histogram"):
            image = name == "reconstruct"
            results = set()
            for threads in ("1", "3", "8"):
                text = self.tool("run", example(name), *self.inputs(name, "129x257"), "--device", "cpu", "--threads", threads,
                                 *(["-o", "t.pgm"] if image else []))
                results.add(self.output(text, "t.pgm" if image else None))
            self.assertEqual(len(results), 1, name)

    def test_floating_point_sums(self):
        """Every engine adds in one order: the same bits."""
        mean = self.marked("mean.c", MARKED["mean.c"])
        results = {self.tool("run", mean, "129x257.pgm", "--device", device, "--threads", "3") for device in self.run_devices}
        self.assertEqual(len(results), 1, results)

    def test_programs_say_what_is_wrong(self):
        program = self.path("binarise/program")
        for arguments, said in ((["1x1.pgm"], "usage: binarise"), (["1x1.pgm", "o.pgm"], "parameter tolerancia is needed"),
                                (["tolerancia=x", "1x1.pgm", "o.pgm"], "tolerancia: expected a whole number"),
                                (["--device", "toaster", "a", "b"], "expected auto, serial, cpu or cuda")):
            done = self.command(program, *arguments)
            self.assertEqual(done.returncode, 2)
            self.assertIn(said, done.stderr)
        for text in ("0x10", "+3", " 3", "3 ", "3.0", "", "3000000000"):
            done = self.command(program, "tolerancia=" + text, "1x1.pgm", "o.pgm")
            self.assertEqual((done.returncode, done.stderr), (2, "tolerancia: expected a whole number from -2147483648 to 2147483647, got '%s'\n" % text))
        done = self.command(program, "tolerancia=1", "tolerancia=2", "1x1.pgm", "o.pgm")
        self.assertEqual((done.returncode, done.stderr), (2, "tolerancia is given twice\n"))
        bins = "--bins: expected a whole number from 1 to 268435456, got '%s'\n"
        for name, arguments, said in (("binarise", ["--bins", "3"], "unknown option --bins\n"),
                                      ("histogram", ["--bins", "-1", "1x1.pgm"], bins % "-1"), ("histogram", ["--bins", "0"], bins % "0"),
                                      ("histogram", ["--bins", "3x"], bins % "3x"),
                                      ("histogram", ["--bins", "2000000000", "1x1.pgm"], bins % "2000000000"),
                                      ("reconstruct", ["--connectivity", "0"],
                                       "--connectivity: expected a whole number from 4 to 26, got '0'\n"),
                                      ("histogram", ["--connectivity", "4", "1x1.pgm"], "unknown option --connectivity\n"),
                                      ("reconstruct", ["--connectivity", "7", "1x1.pgm", "1x1.pgm", "o.pgm"], "connectivity 7, expected 4 or 8\n")):
            done = self.command(self.path(name + "/program"), *arguments)
            self.assertEqual((done.returncode, done.stderr), (2, said))
        done = self.command(program, "tolerancia=1", "none.pgm", "o.pgm")
        self.assertEqual((done.returncode, done.stderr), (1, "binarise: none.pgm: cannot be read\n"))
        for option in ("--help", "-h"):
            self.assertTrue(self.succeed(program, option).startswith("usage: binarise [--device"))
        if os.path.exists("/dev/full"):
            with open("/dev/full", "w") as full:
                done = subprocess.run([self.path("histogram/program"), "1x1.pgm"], cwd=self.directory, env=self.environment, check=False,
                                      stdout=full, stderr=subprocess.PIPE, text=True)
            self.assertEqual((done.returncode, done.stderr), (1, "histogram: standard output: cannot be written\n"))
        self.write("huge.pgm", "P5\n100000000 100000000\n255\nabc")
        self.write("beyond.pgm", "P5\n4000000000 4000000000\n65535\nabc")
        for file, said in (("huge.pgm", "ends before its last pixel"),
                           ("beyond.pgm", "damaged header, a size of 4000000000 x 4000000000"),
                           ("1x1x1.pgm", "its values reach 65535, expected at most 255")):
            done = self.command(program, "tolerancia=1", file, "o.pgm")
            self.assertEqual((done.returncode, done.stderr), (1, "binarise: %s: %s\n" % (file, said)))
        if "cuda" not in self.program_devices:
            done = self.command(program, "--device", "cuda", "tolerancia=1", "1x1.pgm", "o.pgm")
            self.assertEqual(done.returncode, 1)
            self.assertIn("no GPU can be used: this program was built without CUDA", done.stderr)

    @unittest.skipIf(DESCRIPTIONS, "functions of its own")
    def test_types_that_cannot_hold_the_image(self):
        """As in run: by type, whatever the pixels are."""
        self.write("dark.pgm", "P5\n1 1\n255\n\1")
        cases = (("signed", "signed char", "dark.pgm", 255, 127), ("narrow", "short", "1x1x1.pgm", 65535, 32767))
        for name, kind, file, reach, most in cases if LARGE else cases[:1]:
            self.write(name + ".c", "#P2P_FUNC\nstatic %s f(%s p, int i) { return p; }\n" % (kind, kind))
            self.build_plainly(name)
            done = self.command(self.path(name + "/program"), file, "o.raw")
            self.assertEqual((done.returncode, done.stderr),
                             (1, "%s: %s: its values reach %d, expected at most %d\n" % (name, file, reach, most)))

    @unittest.skipIf(DESCRIPTIONS, "functions of its own")
    def test_booleans(self):
        """Words and digits, for the tool and for the program."""
        self.write("flag.c", "#STRUCT\ntypedef struct { bool on; } data;\n#P2P_FUNC\n"
                   "static unsigned char f(unsigned char p, int i, data d) { return d.on ? 7 : 9; }\n")
        self.build_plainly("flag")
        for text, pixel in (("true", b"\7"), ("1", b"\7"), ("false", b"\11"), ("0", b"\11")):
            self.tool("run", "flag.c", "1x1.pgm", "-o", "run.pgm", "--param", "on=" + text)
            self.succeed(self.path("flag/program"), "on=" + text, "1x1.pgm", "program.pgm")
            self.assertEqual([read_pnm(self.path(each)) for each in ("run.pgm", "program.pgm")], [pixel, pixel], text)
        for text in ("2", "yes", ""):
            done = self.command(self.path("flag/program"), "on=" + text, "1x1.pgm", "program.pgm")
            self.assertEqual((done.returncode, done.stderr), (2, "on: expected true, false, 1 or 0, got '%s'\n" % text))

    def build_plainly(self, name):
        self.tool("convert", name + ".c", "-o", name)
        files = [os.path.join(name, each) for each in ("main.cpp", name + ".cpp", name + "_serial.cpp")]
        self.succeed(COMPILER, *self.options, *files, "-o", name + "/program")

    def check_cmake(self, built, *options):
        if shutil.which("cmake") is None:
            self.skipTest("no cmake")
        done = self.command("cmake", "-S", "binarise", "-B", built, "-DCMAKE_CXX_FLAGS=-Werror", *options)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        done = self.command("cmake", "--build", built)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        self.succeed(self.path(built + "/binarise"), "--device", "cpu", "tolerancia=27", "37x53.pgm", built + ".pgm")
        self.succeed(self.path("binarise/program"), "tolerancia=27", "37x53.pgm", "other.pgm")
        self.assertEqual(read_pnm(self.path(built + ".pgm")), read_pnm(self.path("other.pgm")))

    def test_cmake(self):
        self.check_cmake("built", "-DWITH_CUDA=OFF")

    @unittest.skipUnless(NVCC, NO_NVCC)
    def test_cmake_with_cuda(self):
        self.check_cmake("built-cuda")
        done = self.command(self.path("built-cuda/binarise"), "--device", "cuda", "tolerancia=27", "37x53.pgm", "cuda.pgm")
        self.assertNotIn("built without CUDA", done.stderr)


if __name__ == "__main__":
    unittest.main()
