"""What the converter's tests share: the tool with a cache of its own, the examples, PGM and PPM files."""
import fcntl
import hashlib
import os
import random
import shlex
import shutil
import subprocess
import tempfile
import unittest

TOOL = os.environ.get("MACAREU_TOOL", "macareu")
HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = os.path.join(HERE, "..", "..", "examples", "convert")
DESCRIPTIONS = os.environ.get("MACAREU_DESCRIPTIONS")  # what describe.py made, for a machine without libclang
DEVICES = os.environ.get("MACAREU_DEVICES")  # "serial,cpu,cuda": those to test, else those that there are
LARGE = bool(os.environ.get("MACAREU_LARGE"))  # make test-long: all cases, where make test takes some of them
NVCC = shutil.which("nvcc") or shutil.which("nvcc", path="/usr/local/cuda/bin")
NO_NVCC = "no nvcc"
# What is compiled for a GPU that is not here takes minutes.
NO_GPU = "no GPU to compile for; make test-long does it all the same"
COMPILES_FOR_GPUS = LARGE or os.path.exists("/dev/nvidiactl")
if NVCC and not COMPILES_FOR_GPUS:
    NVCC, NO_NVCC = None, NO_GPU
COMPILER = os.environ.get("CXX", "c++")
WORKERS = os.cpu_count()
NAMES = sorted(name[:-2] for name in os.listdir(EXAMPLES) if name.endswith(".c"))


def described(source):
    """Its description, where this machine needs one."""
    stem = os.path.splitext(os.path.basename(source))[0]
    return os.path.join(os.path.abspath(DESCRIPTIONS), stem + ".json") if DESCRIPTIONS else source


def example(name):
    return described(os.path.join(EXAMPLES, name + ".c"))


def function(name):
    return described(os.path.join(HERE, "functions", name + ".c"))


# Of generated programs, and of compiled functions. No result depends on the optimisation.
PLAIN_OPTIONS = ("-std=c++17", "-O0", "-Wall", "-Wextra", "-Werror", "-ffp-contract=off", "-fopenmp")
PROGRAM_OPTIONS = (*PLAIN_OPTIONS, "-O1") if LARGE else PLAIN_OPTIONS
FUNCTION_OPTIONS = ("-std=c++17", "-O1", "-fno-math-errno", "-ffp-contract=off", "-fPIC")
# What generated files include. Precompiled, these take half of a compiler's time and less.
FUNCTION_HEADERS = "algorithm cmath cstdint cstdio deque exception stdexcept string vector"
PROGRAM_HEADERS = FUNCTION_HEADERS + " cctype charconv cstdlib cstring fstream iostream iterator limits map new sstream system_error type_traits"


def is_current(header):
    """Whether no file of the precompiled header was written since. Packages keep old times of change, so the inode's counts."""
    try:
        made = os.stat(header + ".gch").st_mtime
        with open(header + ".d") as file:
            files = file.read().replace("\\\n", " ").split(":", 1)[1].split()
        return all(os.stat(each).st_ctime < made for each in [shutil.which(COMPILER), *files])
    except OSError:
        return False


def precompile(directory, options, headers=PROGRAM_HEADERS):
    """Compiles standard headers, and returns the options of compilations that use them. The tests of one build share them."""
    text = "".join("#include <%s>\n" % name for name in headers.split())
    name = hashlib.sha1(repr((shutil.which(COMPILER), options, text)).encode()).hexdigest()[:12] + ".hpp"
    header = os.path.join(os.environ.get("MACAREU_PRECOMPILED", directory), name)
    os.makedirs(os.path.dirname(header), exist_ok=True)
    with open(header + ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not is_current(header):
            with open(header, "w") as file:
                file.write(text)
            made = [header + ".new", header + ".gch"]
            subprocess.run([COMPILER, *options, "-x", "c++-header", header, "-MD", "-MF", header + ".d", "-o", made[0]], check=True)
            os.replace(*made)
    return [*options, "-include", header]


def program_compiler(directory, name, with_cuda, options=PROGRAM_OPTIONS):
    """The command that makes DIRECTORY/program of what `convert` wrote there, with many_calls.cpp for its main."""
    files = [os.path.join(HERE, "many_calls.cpp")] + [os.path.join(directory, name + end) for end in (".cpp", "_serial.cpp")]
    made = ['-DMAIN="%s"' % os.path.join(directory, "main.cpp"), "-o", os.path.join(directory, "program")]
    if with_cuda:
        return [NVCC, "-t", "2", "--fmad=false", "-arch=native", "-DWITH_CUDA", "-std=c++17", "-O1",
                "-Xcompiler=-fopenmp,-ffp-contract=off", *made, *files, os.path.join(directory, name + ".cu")]
    return [COMPILER, *options, *made, *files]


class ConverterTest(unittest.TestCase):
    """Each class has one directory, and one cache."""

    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.mkdtemp(prefix="macareu-converter-")
        cls.cache = tempfile.mkdtemp(prefix="macareu-cache-")
        cls.compiled = tempfile.mkdtemp(prefix="macareu-compiled-")
        cls.environment = dict(os.environ, MACAREU_CACHE=cls.cache, OMP_WAIT_POLICY="passive")

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.directory)
        shutil.rmtree(cls.cache)
        shutil.rmtree(cls.compiled)

    @classmethod
    def compile_quickly(cls):
        """In make test, makes `run` compile with less optimisation, which changes no result, and with headers that are
        compiled already."""
        if LARGE:
            return
        script = os.path.join(cls.compiled, "compiler")
        options = precompile(cls.compiled, FUNCTION_OPTIONS, FUNCTION_HEADERS)[-2:]
        with open(script, "w") as file:
            file.write('#!/bin/sh\nexec %s "$@" -O1 %s\n' % (shlex.quote(COMPILER), shlex.join(options)))
        os.chmod(script, 0o755)
        cls.environment["CXX"] = script

    @classmethod
    def path(cls, name):
        return os.path.join(cls.directory, name)

    @classmethod
    def write(cls, name, text):
        with open(cls.path(name), "w") as file:
            file.write(text)

    @classmethod
    def marked(cls, name, text):
        """A file of the test's own, which describe.py knows."""
        cls.write(name, text)
        return described(name)

    @classmethod
    def find_devices(cls):
        """Where `run` can compute: on a GPU too, where one is."""
        write_pnm(cls.path("one.pgm"), (1, 1), [0])
        gpu = cls.command(TOOL, "run", example("maximum"), "one.pgm", "--device", "cuda").returncode == 0
        return DEVICES.split(",") if DEVICES else ["serial", "cpu"] + (["cuda"] if gpu else [])

    @classmethod
    def command(cls, *arguments, **changes):
        return subprocess.run(arguments, cwd=cls.directory, env=dict(cls.environment, **changes), check=False,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def succeed(self, *arguments, **changes):
        done = self.command(*arguments, **changes)
        self.assertEqual((done.returncode, done.stderr), (0, ""), arguments)
        return done.stdout

    def tool(self, *arguments, **changes):
        return self.succeed(TOOL, *arguments, **changes)

    def outputs_of(self, program, calls):
        """What a program with many_calls.cpp prints in each of the calls."""
        lines = "".join(" ".join(call) + "\n" for call in calls)
        done = subprocess.run([self.path(program)], cwd=self.directory, env=self.environment, check=False, input=lines,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""), calls)
        return done.stdout.split("--\n")[:-1]

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


def npy(shape, kind, fortran, data):
    """Bytes of a .npy file."""
    header = "{'descr': '%s', 'fortran_order': %s, 'shape': (%s,), }" % (kind, fortran, ", ".join(map(str, shape)))
    header += " " * (-(len(header) + 11) % 64) + "\n"
    return b"\x93NUMPY\1\0" + len(header).to_bytes(2, "little") + header.encode() + data


def random_values(count, seed, highest=255):
    dice = random.Random(seed)
    return [dice.randrange(highest + 1) for _ in range(count)]
