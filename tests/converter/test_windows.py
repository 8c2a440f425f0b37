"""Windows of all sizes, types, axes and borders: generated serial, OpenMP and CUDA programs and `run` give the same bits.

Where a GPU is, it computes too; where only nvcc is, the CUDA programs are compiled."""
import os
import random
import unittest
from concurrent.futures import ThreadPoolExecutor

from tool import COMPILER, LARGE, NVCC, PROGRAM_OPTIONS, TOOL, WORKERS, ConverterTest, function, precompile, program_compiler, read_pnm, write_pnm

BORDERS = ("nearest", "constant", "reflect", "mirror", "wrap")
# Channels and bits of what the function takes, the result's name behind the dot, and the borders to try: together all of them.
FUNCTIONS = {"wide": (1, 8, "raw", BORDERS if LARGE else ("nearest",)), "bytes": (1, 8, "pgm", ("mirror",)), "halves": (1, 16, "pgm", ("reflect",)),
             "floats": (1, 8, "raw", ("wrap",)), "doubles": (1, 16, "raw", ("constant",)), "colours": (3, 8, "ppm", BORDERS if LARGE else ("constant",)),
             "volume": (1, 16, "raw", BORDERS if LARGE else ("reflect",)), "deep": (1, 8, "raw", ("mirror",)), "large": (1, 8, "raw", ("reflect",))}
PROGRAMS = set(FUNCTIONS) if LARGE else {"wide", "floats", "colours", "volume"}  # of others `run` alone is checked
OPTIMISED = {"floats", "halves"}  # in make test, those that `run` compiles as it does for users
IMAGES = [(1, 1), (7, 130), (70, 259)] + ([(3, 2), (61, 64), (300, 516)] if LARGE else [])
VOLUMES = [(1, 1, 1), (2, 3, 4), (12, 31, 133)] + ([(5, 26, 36)] if LARGE else [])


class Windows(ConverterTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.compile_quickly()
        cls.environment["OMP_NUM_THREADS"] = "3"
        cls.run_devices = cls.find_devices()
        cls.program_devices = cls.run_devices if NVCC else ["serial", "cpu"]
        cls.options = precompile(cls.compiled, PROGRAM_OPTIONS)
        cls.cases = [(name, border) for name, about in FUNCTIONS.items() for border in about[-1]]
        cls.programs = [case for case in cls.cases if case[0] in PROGRAMS]

    def build(self, case):
        """With CUDA where it can run; else that half is compiled, once for each function."""
        name, border = case
        program = name + "-" + border
        done = self.command(TOOL, "convert", function(name), "-o", program, "--border", border)
        if done.returncode != 0:
            return done
        with_cuda = "cuda" in self.program_devices
        if NVCC and not with_cuda and border == FUNCTIONS[name][-1][0]:
            done = self.command(NVCC, "-std=c++17", "--fmad=false", "-arch=sm_90", "-Werror", "all-warnings", "-DWITH_CUDA",
                                "-cubin", os.path.join(program, name + ".cu"), "-o", os.path.join(program, "kernels"))
            if done.returncode != 0 or done.stderr:
                return done
        return self.command(*program_compiler(self.path(program), name, with_cuda, self.options))

    def image(self, case, shape):
        """The same for all borders, in a file for each: they are checked at the same time."""
        name, border = case
        channels, bits, _, _ = FUNCTIONS[name]
        dice = random.Random("%s %s" % (name, shape))
        count = channels
        for size in shape:
            count *= size
        file = "%s-%s-%s.%s" % (name, border, "x".join(map(str, shape)), "ppm" if channels == 3 else "pgm")
        write_pnm(self.path(file), shape, [dice.getrandbits(bits) for _ in range(count)], channels, bits > 8)
        return file

    def check(self, case):
        """The engines that differ from the first serial one."""
        name, border = case
        ending = FUNCTIONS[name][2]
        wrong = []
        shapes = VOLUMES if name in ("volume", "deep") else IMAGES
        images = [self.image(case, shape) for shape in shapes]
        devices = self.program_devices if case in self.programs else []
        if devices:
            self.outputs_of("%s-%s/program" % case, [["--device", device, image, "%s.program-%s.%s" % (image, device, ending)]
                                                     for image in images for device in devices])
        for shape, image in zip(shapes, images):
            results = {"program " + device: self.content("%s.program-%s.%s" % (image, device, ending)) for device in devices}
            if len(shape) == 3 and ending == "raw":
                given = [self.raw(image), "--shape", ",".join(map(str, shape)), "--dtype", "u16" if FUNCTIONS[name][1] == 16 else "u8"]
            else:
                given = [image]
            for device in self.run_devices:
                out = "%s.run.%s" % (image, ending)
                compiler = {"CXX": COMPILER} if name in OPTIMISED else {}
                self.tool("run", function(name), *given, "-o", out, "--device", device, "--border", border, **compiler)
                results["run " + device] = self.content(out)
            definition = next(iter(results.values()))
            wrong += [(each, shape) for each, pixels in results.items() if pixels != definition]
            if shape[-1] > 100 and len(set(definition)) < 8:
                wrong.append(("a result without content", shape))
        return wrong

    def content(self, file):
        with open(self.path(file), "rb") as stream:
            return stream.read()

    def raw(self, file):
        """The pixels of slices one after the other, as `run` reads volumes."""
        pixels = bytearray(read_pnm(self.path(file)))
        if FUNCTIONS[file.split("-")[0]][1] == 16:
            pixels[0::2], pixels[1::2] = pixels[1::2], pixels[0::2]
        with open(self.path(file + ".raw"), "wb") as out:
            out.write(pixels)
        return file + ".raw"

    def test_all_engines(self):
        with ThreadPoolExecutor(WORKERS) as workers:
            for case, done in zip(self.programs, workers.map(self.build, self.programs)):
                self.assertEqual((done.returncode, done.stderr), (0, ""), case)
            for case, wrong in zip(self.cases, workers.map(self.check, self.cases)):
                with self.subTest(case):
                    self.assertEqual(wrong, [])


if __name__ == "__main__":
    unittest.main()
