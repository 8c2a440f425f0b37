"""Runs the code blocks of tutorials and how-tos, and the examples of the operators' pages.

The blocks of a page run one after another in one empty folder; those of Python share their names. A block that needs more than
the build carries a mark in the line before it, `<!-- needs: gpu -->`, and is skipped, saying so, where that is not there.
"""
import contextlib
import io
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from markdown import DOCS, ROOT, blocks, pages

TOOL = pathlib.Path(os.environ.get("MACAREU_TOOL", "macareu"))
REASONS = {
    "gpu": "documentation needs a GPU",
    "itk": "documentation needs ITK",
    "cluster": "documentation needs a cluster",
    "slide": "documentation needs a slide",
    "build": "documentation builds or installs the project",
}


def has_module(name):
    try:
        __import__(name)
    except ImportError:
        return False
    return True


def reason_to_skip(block):
    """Nothing where a block can run here."""
    if block.needs in REASONS:
        return REASONS[block.needs]
    if block.language == "cmake":
        return "documentation shows CMake; tests/install builds such projects"
    if block.language == "python" and not has_module("macareu"):
        return "the Python package is not part of this build"
    if block.needs in ("matplotlib", "zarr"):
        return "" if has_module(block.needs) else f"documentation needs {block.needs}"
    if block.needs == "openseadragon":
        said = subprocess.run([TOOL, "view", "none.npy", "--page", "none"], stderr=subprocess.PIPE, check=False).stderr.decode()
        return "documentation needs OpenSeadragon" if "OpenSeadragon" in said else ""
    if block.needs == "libvips":
        formats = subprocess.run([TOOL, "info"], stdout=subprocess.PIPE, check=True).stdout.decode()
        return "" if ".png" in formats else "documentation needs libvips"
    if block.needs in ("libclang", "compile") and not os.environ.get("MACAREU_LIBCLANG"):
        return "documentation needs libclang"
    if block.needs == "compile" and not os.environ.get("MACAREU_LARGE"):
        return "documentation compiles for long, which make test-long does"
    return "" if block.language in ("bash", "python") else "compiled with the tests"


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="macareu-docs-")
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        os.symlink(ROOT / "examples", os.path.join(cls.folder, "examples"))
        cls.names = {"__name__": "__main__"}

    def run_block(self, block):
        if reason := reason_to_skip(block):
            self.skipTest(reason)
        if block.language == "bash":
            environment = {**os.environ, "PATH": f"{TOOL.resolve().parent}:{os.environ['PATH']}",
                           "MACAREU_CACHE": os.path.join(self.folder, "cache")}
            done = subprocess.run(["bash", "-euo", "pipefail", "-c", block.text], cwd=self.folder, env=environment,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
            self.assertEqual(done.returncode, 0, done.stdout.decode())
        else:
            before = os.getcwd()
            os.chdir(self.folder)
            try:
                with contextlib.redirect_stdout(io.StringIO()):
                    exec(compile(block.text, f"line {block.line}", "exec"), self.names)
            finally:
                os.chdir(before)


def page_tests(page):
    # C++ is compiled with the tests (how-to/cmake.md), C stands in examples/.
    found = [block for block in blocks(page) if block.language in ("bash", "python", "cmake") or block.needs]
    tests = {f"test_line_{block.line:04}_{block.language}": lambda self, block=block: self.run_block(block) for block in found}
    name = page.relative_to(DOCS).with_suffix("").as_posix().replace("/", "_").replace("-", "_")
    return type(name, (Page,), tests)


class OperatorExamples(unittest.TestCase):
    """Every page has one for the command line, Python and C++, whose functions are generated as the examples are."""

    pages = [page for page in pages("reference/operators") if page.stem not in ("index", "coming-from")]

    def test_command_line(self):
        with tempfile.TemporaryDirectory() as folder:
            def run(*words):
                subprocess.run([TOOL, *words], cwd=folder, stdout=subprocess.DEVNULL, check=True)
            run("generate", "tissue", "--shape", "48,64", "-o", "image.npy", "--marker", "marker.npy")
            run("label", "image.npy", "-o", "labels.npy")
            run("generate", "random", "--shape", "3,3", "-o", "kernel.npy")
            (pathlib.Path(folder) / "colour.ppm").write_bytes(b"P6 3 2 255\n" + bytes(range(0, 180, 10)))
            run("invert", "colour.ppm", "-o", "colour.png")
            for copy in ("truth", "found"):
                shutil.copy(os.path.join(folder, "labels.npy"), os.path.join(folder, f"{copy}.npy"))
            for copy in ("mask", "first", "second", "density", "landscape"):
                shutil.copy(os.path.join(folder, "image.npy"), os.path.join(folder, f"{copy}.npy"))
            for page in self.pages:
                (block,) = (block for block in blocks(page) if block.language == "bash")
                words = block.text.split()[1:]
                if "-o" in words:  # an output may have the name of another page's input
                    words[words.index("-o") + 1] = "out-" + words[words.index("-o") + 1]
                run(*words, "--quiet")

    def test_python(self):
        if not has_module("macareu"):
            self.skipTest("the Python package is not part of this build")
        import macareu
        import numpy as np
        mask, marker = macareu.generate("tissue", (48, 64))
        given = {"macareu": macareu, "image": mask, "mask": mask, "marker": marker, "first": mask, "second": mask,
                 "labels": macareu.label(mask), "truth": mask, "found": mask, "density": mask, "landscape": mask, "colour": np.dstack([mask] * 3),
                 "kernel": [[1, 2], [3, 4]]}
        for page in self.pages:
            (block,) = (block for block in blocks(page) if block.language == "python")
            exec(block.text, dict(given))


class Examples(unittest.TestCase):
    def test_c_blocks_stand_in_examples(self):
        examples = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "examples" / "convert").glob("*.c"))]
        found = [block for block in blocks(DOCS / "how-to" / "convert-a-function.md") if block.language == "c"]
        self.assertTrue(found)
        for block in found:
            with self.subTest(line=block.line):
                self.assertTrue(any(block.text in text for text in examples), block.text)


for each in pages("tutorials", "how-to"):
    made = page_tests(each)
    if unittest.defaultTestLoader.getTestCaseNames(made):
        globals()[made.__name__] = made
del made

if __name__ == "__main__":
    del Page
    unittest.main()
