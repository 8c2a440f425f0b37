"""What tests of ranks share: launchers, and comparisons with one process."""
import contextlib
import os
import shutil
import subprocess
import time
import unittest

from support import TOOL
from test_pieces import PiecesTest

SHARE = float(os.environ.get("MACAREU_TEST_SHARE", "1"))
MODULES = os.path.join(os.path.dirname(os.path.dirname(TOOL)), os.environ.get("MACAREU_MODULES", "lib/macareu"))
# Launchers of Debian's packages. More ranks than processors are wanted here, and containers run as root.
LAUNCHERS = {"openmpi": ("mpirun.openmpi", "--oversubscribe", "--bind-to", "none"), "mpich": ("mpiexec.mpich",)}
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_pml": "ob1", "OMPI_MCA_btl": "self,vader", "OMPI_MCA_odls_base_sigkill_timeout": "0",
               "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMP_NUM_THREADS": "1"}
RANK = "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}"


def available():
    return [kind for kind, words in LAUNCHERS.items()
            if shutil.which(words[0]) and os.path.exists(os.path.join(MODULES, f"macareu_{kind}.so"))]


# Without MPI: the tool starts the other ranks itself.
FORKED = "forked"


class AnyRanksTest(PiecesTest):
    def launch(self, kind, ranks, *arguments, shell=""):
        """`shell`: what each process does before it becomes the tool."""
        words = [] if kind == FORKED else [*LAUNCHERS[kind], "-n", str(ranks)]
        words += ["sh", "-c", shell + '\nexec "$0" "$@"', self.tool] if shell else [self.tool]
        if kind == FORKED:
            arguments = (*arguments, "--ranks", str(ranks))
        return subprocess.Popen([*words, *arguments], cwd=self.directory, env=ENVIRONMENT, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)

    def on_ranks(self, kind, ranks, *arguments, **options):
        process = self.launch(kind, ranks, *arguments, **options)
        out, err = process.communicate(timeout=300)
        return process.returncode, out.decode(errors="replace"), err.decode(errors="replace")

    def wait_for_end(self):
        """Launchers may end before their ranks, which run in the directory of the test."""
        def is_here(process):
            with contextlib.suppress(OSError):
                return os.readlink(f"/proc/{process}/cwd") == os.path.realpath(self.directory)
        deadline = time.monotonic() + 60
        while any(is_here(name) for name in os.listdir("/proc") if name.isdigit()):
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)

    def tree(self, name):
        """Names and contents of a file, or of all files below a directory."""
        if not os.path.isdir(self.path(name)):
            return self.content(name)
        return {os.path.relpath(os.path.join(folder, file), self.path(name)): self.content(os.path.join(folder, file))
                for folder, _, files in os.walk(self.path(name)) for file in files}

    def compare_ranks(self, *words, outputs=("-o out.npy",), ways=(("openmpi", 2), ("mpich", 3)), options=()):
        arguments = [*words, *(word for output in outputs for word in output.split())]
        names = [output.split()[1] for output in outputs]
        printed = self.succeed(*arguments)
        expected = [self.tree(name) for name in names]
        for kind, ranks in ways:
            if kind not in (*available(), FORKED):
                continue
            for name in names:
                self.remove(name)
            before = self.files()
            code, out, err = self.on_ranks(kind, ranks, *arguments, "--quiet", *options)
            self.assertEqual((code, out, err), (0, printed, ""), (kind, ranks, *arguments))
            self.assertEqual(self.files(), sorted(before + names), (kind, ranks))
            for name, content in zip(names, expected):
                self.assertTrue(self.tree(name) == content, (name, kind, ranks, *arguments, *options))

    def lines(self, err):
        """Those of the tool: launchers add their own."""
        return [line for line in err.splitlines() if line.startswith("macareu: ")]


@unittest.skipUnless(available(), "this build has no module for an MPI whose launcher is installed")
class RanksTest(AnyRanksTest):
    def some(self):
        """Launchers of a test whose subject is above MPI. In make test one for each, in turns over the names of the tests."""
        return available() if SHARE > 1 else available()[sum(self.id().encode()) % len(available()):][:1]
