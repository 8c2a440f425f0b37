"""The package as it is installed: into an empty folder, from the build, and used by another process."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = """
import macareu, numpy, pathlib, sys
assert pathlib.Path(macareu.__file__).is_relative_to(sys.argv[1]), macareu.__file__
image = numpy.zeros((5, 6), numpy.uint8)
image[2, 3] = 9
print(macareu.maxima(image).sum(), macareu.scipy.ndimage.label(image)[1],
      macareu.skimage.morphology.h_maxima(image, 3).sum())
"""


class Installed(unittest.TestCase):
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
            run = subprocess.run([sys.executable, "-c", PROGRAM, prefix], cwd=prefix, capture_output=True, text=True,
                                 env={**os.environ, "PYTHONPATH": str(package.parent)})
            self.assertEqual((run.stdout, run.stderr), ("1 1 1\n", ""))


if __name__ == "__main__":
    unittest.main()
