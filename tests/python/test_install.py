"""The package as it is installed: into an empty folder, from the build, by CMake or pip, and used by another process."""

import importlib.util
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import unittest
import unittest.mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))
import build_backend

PROGRAM = """
import macareu, numpy, pathlib, sys
assert pathlib.Path(macareu.__file__).is_relative_to(sys.argv[1]), macareu.__file__
image = numpy.zeros((5, 6), numpy.uint8)
image[2, 3] = 9
print(macareu.maxima(image).sum(), macareu.scipy.ndimage.label(image)[1],
      macareu.skimage.morphology.h_maxima(image, 3).sum())
"""


class Installed(unittest.TestCase):
    def check_in(self, folder, site):
        run = subprocess.run([sys.executable, "-c", PROGRAM, folder], cwd=folder, capture_output=True, text=True,
                             env={**os.environ, "PYTHONPATH": str(site)})
        self.assertEqual((run.stdout, run.stderr), ("1 1 1\n", ""))

    def test_the_package_of_the_build(self):
        with tempfile.TemporaryDirectory() as prefix:
            subprocess.run([os.environ["CMAKE"], "--install", os.environ["BUILD"], "--component", "python",
                            "--prefix", prefix], check=True, stdout=subprocess.DEVNULL)
            (package,) = pathlib.Path(prefix).glob("lib*/**/site-packages/macareu")
            self.assertEqual(package.parent.parent.name, f"python{sys.version_info[0]}.{sys.version_info[1]}")
            for needed in ("py.typed", "__init__.pyi"):
                self.assertTrue((package / needed).exists(), needed)
            self.assertEqual({path.relative_to(prefix).parts[0] for path in pathlib.Path(prefix).rglob("*")},
                             {package.relative_to(prefix).parts[0]}, "only the package is installed")
            self.check_in(prefix, package.parent)

    @unittest.skipUnless(importlib.util.find_spec("pip"), "no pip")
    def test_by_pip(self):
        with tempfile.TemporaryDirectory() as folder:
            run = subprocess.run([sys.executable, "-m", "pip", "install", ROOT, "--no-build-isolation", "--no-deps",
                                  "--target", folder, "--config-settings", f"build={os.environ['BUILD']}"],
                                 capture_output=True, text=True, env={**os.environ, "PIP_NO_INDEX": "1"})
            self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
            self.check_in(folder, folder)
            told = subprocess.run([sys.executable, "-c", "import importlib.metadata as m, macareu; d = m.distribution('macareu'); "
                                   "print(d.version == macareu.__version__, d.requires, all(f.locate().exists() for f in d.files))"],
                                  capture_output=True, text=True, env={**os.environ, "PYTHONPATH": folder})
            self.assertEqual((told.stdout, told.stderr), ("True ['numpy'] True\n", ""))

    def test_sources_for_pip(self):
        """They are all that is needed to build it again."""
        if not (ROOT / ".git").exists():
            self.skipTest("no checkout of git")
        with tempfile.TemporaryDirectory() as folder:
            name = build_backend.build_sdist(folder)
            with tarfile.open(pathlib.Path(folder) / name) as archive:
                names = set(archive.getnames())
        for needed in ("PKG-INFO", "pyproject.toml", "CMakeLists.txt", "python/build_backend.py", "src/operators/objects/labels/label.hpp"):
            self.assertIn(f"{name[:-len('.tar.gz')]}/{needed}", names)


class FoldersOfWheels(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_the_default_one_is_of_this_python_and_configured_by_every_call(self):
        ran = []
        with unittest.mock.patch.multiple(build_backend, ROOT=self.folder, _run=lambda *command: ran.append(command)):
            for options in ("-DFIRST=1", "-DSECOND=2"):
                with unittest.mock.patch.dict(os.environ, CMAKE_ARGS=options):
                    build = build_backend._configured_folder(None)
                self.assertFalse((build / "CMakeCache.txt").exists(), "what an earlier call set is forgotten")
                build.mkdir(parents=True, exist_ok=True)
                (build / "CMakeCache.txt").write_text("FIRST:UNINITIALIZED=1\n")
        self.assertIn(f"cp{sys.version_info[0]}{sys.version_info[1]}", build.name)
        self.assertEqual([command[-1] for command in ran], ["-DFIRST=1", "-DSECOND=2"])

    def configured_for(self, python):
        (self.folder / "CMakeCache.txt").write_text(f"A:BOOL=ON\n_Python3_EXECUTABLE:INTERNAL={python}\nB:BOOL=ON\n")
        return build_backend._configured_folder(str(self.folder))

    def test_a_given_one_must_be_of_this_python(self):
        self.assertEqual(self.configured_for(sys.executable), self.folder.resolve())
        other = self.folder / "python"
        other.write_text("#!/bin/sh\necho .cpython-399-other.so\n")
        other.chmod(0o755)
        with self.assertRaisesRegex(RuntimeError, "another Python"):
            self.configured_for(other)


if __name__ == "__main__":
    unittest.main()
