"""What the tests of the command line share: running the tool in a directory of its own, and .npy files."""
import ast
import contextlib
import math
import os
import struct
import subprocess
import tempfile
import unittest

TOOL = os.environ.get("MACAREU_TOOL", "macareu")

# NumPy's codes and those of the struct module.
CODES = {"bool": ("|b1", "?"), "i8": ("|i1", "b"), "u8": ("|u1", "B"), "i16": ("<i2", "h"), "u16": ("<u2", "H"),
         "i32": ("<i4", "i"), "u32": ("<u4", "I"), "i64": ("<i8", "q"), "u64": ("<u8", "Q"), "f32": ("<f4", "f"),
         "f64": ("<f8", "d")}


def npy_bytes(shape, values, dtype="u8"):
    code, letter = CODES[dtype]
    header = "{'descr': '%s', 'fortran_order': False, 'shape': %r, }" % (code, tuple(shape))
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    start = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
    return start + (values if isinstance(values, bytes) else struct.pack("<%d%s" % (len(values), letter), *values))


def parse_npy(content):
    """Shape, type and values."""
    (length,) = struct.unpack("<H", content[8:10])
    header = ast.literal_eval(content[10:10 + length].decode())
    dtype = {code: name for name, (code, _) in CODES.items()}[header["descr"]]
    count = 1
    for size in header["shape"]:
        count *= size
    return header["shape"], dtype, list(struct.unpack("<%d%s" % (count, CODES[dtype][1]), content[10 + length:]))


class CliTest(unittest.TestCase):
    """Each test runs in an empty directory."""

    tool = TOOL

    def setUp(self):
        self._directory = tempfile.TemporaryDirectory(prefix="macareu-cli-")
        self.addCleanup(self._directory.cleanup)
        self.directory = self._directory.name

    def path(self, name):
        return os.path.join(self.directory, name)

    def files(self):
        return sorted(os.listdir(self.directory))

    def start(self, *arguments, **options):
        return subprocess.Popen([self.tool, *arguments], cwd=self.directory, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, **options)

    def run_tool(self, *arguments, **options):
        """Whatever happens: the finished process, with bytes in stdout and text in stderr."""
        if "input" not in options:
            options["stdin"] = subprocess.DEVNULL
        options.setdefault("stdout", subprocess.PIPE)
        done = subprocess.run([self.tool, *arguments], cwd=self.directory, stderr=subprocess.PIPE, check=False, **options)
        done.stderr = done.stderr.decode()
        return done

    def succeed(self, *arguments, **options):
        """The text on stdout of a run that must succeed in silence."""
        done = self.run_tool(*arguments, **options)
        self.assertEqual((done.returncode, done.stderr), (0, ""), arguments)
        return done.stdout.decode(errors="replace")

    def fail_with(self, code, *arguments, **options):
        """The one line on stderr of a run that must fail and leave no file."""
        before = self.files()
        done = self.run_tool(*arguments, **options)
        self.assertEqual(done.returncode, code, (arguments, done.stderr))
        self.assertTrue(done.stderr.endswith("\n"), done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertTrue(done.stderr.startswith("macareu: "), done.stderr)
        self.assertEqual(self.files(), before)
        return done.stderr.rstrip("\n")

    def write_npy(self, name, shape, values, dtype="u8"):
        with open(self.path(name), "wb") as file:
            file.write(npy_bytes(shape, values, dtype))

    def read_npy(self, name):
        with open(self.path(name), "rb") as file:
            return parse_npy(file.read())

    @contextlib.contextmanager
    def small_disk(self, size):
        """disk/, a file system of so many bytes."""
        os.mkdir(self.path("disk"))
        mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", self.path("disk")]
        if os.geteuid() != 0 or subprocess.run(mount, check=False, stderr=subprocess.DEVNULL).returncode != 0:
            self.skipTest("only root mounts a file system, and not everywhere")
        try:
            yield
        finally:
            subprocess.run(["umount", self.path("disk")], check=True)

    def generate(self, name="tissue", shape="96,80"):
        """mask.npy and marker.npy"""
        self.succeed("generate", name, "--shape", shape, "-o", "mask.npy", "--marker", "marker.npy")


TABLES = ("evaluate", "statistics", "histogram")
IMAGES_ALONE = ("contours",)  # volumes are refused


class OperatorTest(CliTest):
    """Calls of any operator."""

    def prepare_inputs(self, shape_text, shape):
        self.generate("noise", shape_text)
        self.write_npy("colour.npy", (*shape, 3), [7 * i % 256 for i in range(3 * math.prod(shape))])
        self.write_npy("kernel.npy", (3,) * len(shape), [1, 2, 0] * 3 ** (len(shape) - 1))

    def arguments(self, verb):
        """Inputs and required parameters, read off the verb's usage."""
        usage = self.succeed(verb, "--help").split("Usage: ")[1].splitlines()[0]
        if verb == "unmix":
            return ["colour.npy", "--channels", "last", "--give", "first"]
        files = {"MARKER": "marker.npy", "MASK": "mask.npy", "IMAGE": "mask.npy", "FIRST": "mask.npy",
                 "SECOND": "marker.npy", "KERNEL": "kernel.npy", "LABELS": "mask.npy", "DENSITY": "marker.npy",
                 "TRUTH": "mask.npy", "FOUND": "marker.npy", "LANDSCAPE": "mask.npy"}
        given = [files[word] for word in usage.split() if word in files]
        given += ["--h", "9"] if "--h " in usage else []
        return given + (["--low", "90", "--high", "150"] if "--low " in usage else [])


def verbs():
    """Names, from `macareu --help`: the indented lines under headings that end with a colon."""
    page = subprocess.run([TOOL, "--help"], stdout=subprocess.PIPE, check=True).stdout.decode()
    names, listing = [], False
    for line in page.splitlines():
        if line.endswith(":") and not line.startswith(" "):
            listing = True
        elif not line.startswith("  "):
            listing = False
        elif listing and line[2] != " ":
            names.append(line.split()[0])
    return names


def operators():
    others = ("nuclei", "measure", "convert", "run", "info", "generate", "compare", "view", "bench")
    return [name for name in verbs() if name not in others]
