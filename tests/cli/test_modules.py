"""libvips and the cuda engine are loaded from modules beside the tool, and only where they are needed."""
import os
import re
import shutil
import unittest

from support import TOOL, CliTest

OTHER_VERSION = os.environ["MACAREU_OTHER_VERSION"]
FROM_PREFIX = os.path.join("prefix", os.environ["MACAREU_MODULES"])


class Loading(CliTest):
    def libraries_of(self, *arguments):
        """Names of the shared objects that a run loads."""
        self.succeed(*arguments, env={**os.environ, "LD_DEBUG": "files", "LD_DEBUG_OUTPUT": self.path("loaded")})
        (log,) = (name for name in self.files() if name.startswith("loaded."))
        with open(self.path(log), encoding="utf-8") as file:
            names = re.findall(r"calling init: (\S+)", file.read())
        os.remove(self.path(log))
        return [os.path.basename(name) for name in names]

    def test_built_in_formats_need_no_module(self):
        self.write_npy("a.npy", (1, 3), [1, 2, 3])
        for arguments in (["--version"], ["--help"], ["info"], ["info", "a.npy"], ["maxima", "a.npy", "-o", "x.npy"],
                          ["generate", "tissue", "--shape", "9,9", "-o", "y.nrrd"]):
            with self.subTest(arguments):
                loaded = " ".join(self.libraries_of(*arguments))
                self.assertIn("libc.so", loaded)
                for unneeded in ("vips", "glib", "clang", "LLVM"):
                    self.assertNotIn(unneeded, loaded)

    def test_small_images_do_not_load_the_cuda_engine(self):
        self.write_npy("a.npy", (1, 3), [1, 2, 3])
        for arguments in (["--version"], ["maxima", "--help"], ["maxima", "a.npy", "-o", "x.npy"]):
            self.assertNotIn("cuda", " ".join(self.libraries_of(*arguments)))

    def test_pictures_load_it(self):
        if ".png" not in self.succeed("info"):
            self.skipTest("this build has no libvips")
        self.assertIn("macareu_vips.so", self.libraries_of("generate", "flat", "--shape", "9,9", "-o", "x.png"))
        self.assertIn("macareu_vips.so", self.libraries_of("info", "x.png"))


class Elsewhere(CliTest):
    """The tool alone, in a prefix of its own."""

    def setUp(self):
        super().setUp()
        os.makedirs(self.path("prefix/bin"))
        self.tool = shutil.copy(TOOL, self.path("prefix/bin"))
        self.write_npy("a.npy", (1, 3), [1, 2, 3])

    def add_module(self, file, directory, name="macareu_vips.so"):
        os.makedirs(self.path(directory))
        return shutil.copy(file, os.path.join(self.path(directory), name))

    def both_ways(self):
        """What reading and writing a picture say."""
        with open(self.path("a.png"), "wb") as file:
            file.write(b"\x89PNG")
        return (self.fail_with(3, "maxima", "a.png", "-o", "x.npy"), self.fail_with(3, "maxima", "a.npy", "-o", "x.png"))

    def test_missing(self):
        self.assertNotIn(".png", self.succeed("info"))
        for line in self.both_ways():
            self.assertIn("no built-in format, and the module macareu_vips.so is not in " + self.path("prefix/"), line)
            self.assertIn("install libvips-dev and build", line)
        self.succeed("maxima", "a.npy", "-o", "x.npy")

    def test_cuda_missing(self):
        line = self.fail_with(4, "maxima", "a.npy", "-o", "x.npy", "--device", "cuda")
        self.assertIn("device 'cuda' cannot be used: this build is without CUDA; install the CUDA toolkit", line)
        self.assertNotIn("cuda", self.succeed("maxima", "--help"))

    def test_cuda_of_another_build(self):
        file = self.add_module(OTHER_VERSION, FROM_PREFIX, "macareu_cuda.so")
        line = self.fail_with(4, "maxima", "a.npy", "-o", "x.npy", "--device", "cuda")
        self.assertIn(file + " has version -1 of its interface", line)
        self.assertIn(file, self.succeed("info"))
        self.succeed("maxima", "a.npy", "-o", "x.npy")

    def test_never_by_environment_or_working_directory(self):
        self.add_module(OTHER_VERSION, "lib/macareu")
        shutil.copy(OTHER_VERSION, self.path("macareu_vips.so"))
        search = {**os.environ, "LD_LIBRARY_PATH": self.directory + ":" + self.path("lib/macareu")}
        self.assertNotIn(".png", self.succeed("info", env=search))
        self.assertIn("is not in", self.fail_with(3, "maxima", "a.npy", "-o", "x.png", env=search))

    def test_other_version(self):
        file = self.add_module(OTHER_VERSION, FROM_PREFIX)
        self.assertIn(".png", self.succeed("info"))
        for line in self.both_ways():
            self.assertIn(file + " has version -1 of its interface", line)

    def test_does_not_load(self):
        file = self.add_module(self.path("a.npy"), FROM_PREFIX)
        for line in self.both_ways():
            self.assertIn(file + " cannot be loaded (", line)
            self.assertIn("install libvips", line)


if __name__ == "__main__":
    unittest.main()
