"""What the converter's tests share: the tool with a cache of its own, the examples, PGM and PPM files."""
import os
import random
import shutil
import subprocess
import tempfile
import unittest

TOOL = os.environ.get("MACAREU_TOOL", "macareu")
HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = os.path.join(HERE, "..", "..", "examples", "convert")
DESCRIPTIONS = os.environ.get("MACAREU_DESCRIPTIONS")  # of the examples, for a machine without libclang
NAMES = sorted(name[:-2] for name in os.listdir(EXAMPLES) if name.endswith(".c"))


def example(name):
    return os.path.join(DESCRIPTIONS, name + ".json") if DESCRIPTIONS else os.path.join(EXAMPLES, name + ".c")


class ConverterTest(unittest.TestCase):
    """Each class has one directory, and one cache."""

    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.mkdtemp(prefix="macareu-converter-")
        cls.cache = tempfile.mkdtemp(prefix="macareu-cache-")
        cls.environment = dict(os.environ, MACAREU_CACHE=cls.cache, OMP_WAIT_POLICY="passive")

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.directory)
        shutil.rmtree(cls.cache)

    @classmethod
    def path(cls, name):
        return os.path.join(cls.directory, name)

    @classmethod
    def write(cls, name, text):
        with open(cls.path(name), "w") as file:
            file.write(text)

    @classmethod
    def command(cls, *arguments, **changes):
        return subprocess.run(arguments, cwd=cls.directory, env=dict(cls.environment, **changes), check=False,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def succeed(self, *arguments):
        done = self.command(*arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""), arguments)
        return done.stdout

    def tool(self, *arguments):
        return self.succeed(TOOL, *arguments)

    def fail_with(self, code, *arguments, **changes):
        """The one line of a call of the tool that must fail, and leave no file."""
        before = sorted(os.listdir(self.directory))
        done = self.command(TOOL, *arguments, **changes)
        self.assertEqual((done.returncode, done.stdout), (code, ""), (arguments, done.stderr))
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertEqual(sorted(os.listdir(self.directory)), before)
        return done.stderr


def write_pnm(file, shape, values, channels=1, wide=False):
    """shape: (rows, columns) or (slices, rows, columns)."""
    depth, height, width = (1,) * (3 - len(shape)) + tuple(shape)
    header = b"P%d\n%d %d\n%d\n" % (6 if channels == 3 else 5, width, height, 65535 if wide else 255)
    data = b"".join(v.to_bytes(2, "big") for v in values) if wide else bytes(values)
    step = len(data) // depth
    with open(file, "wb") as out:
        for z in range(depth):
            out.write(header + data[z * step:(z + 1) * step])


def read_pnm(file):
    """The bytes of the pixels of all images in the file."""
    with open(file, "rb") as stream:
        content = stream.read()
    pixels, at = b"", 0
    while at < len(content):
        fields = []
        while len(fields) < 4:
            end = at
            while content[end:end + 1] not in b" \n\t":
                end += 1
            if content[at:at + 1] == b"#":
                end = content.index(b"\n", at)
            else:
                fields.append(content[at:end])
            at = end + 1
        count = int(fields[1]) * int(fields[2]) * (3 if fields[0] == b"P6" else 1) * (2 if int(fields[3]) > 255 else 1)
        pixels += content[at:at + count]
        at += count
    return pixels


def random_values(count, seed, highest=255):
    dice = random.Random(seed)
    return [dice.randrange(highest + 1) for _ in range(count)]
