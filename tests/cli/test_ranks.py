"""Commands that several processes share: the bytes of one, one line for an error, and --resume after a kill."""
import glob
import json
import os
import random
import re
import shutil
import signal
import subprocess
import time
import unittest

from slide_support import SlideTest, stained
from support import TOOL
from test_pieces import PiecesTest

SHARE = float(os.environ.get("MACAREU_TEST_SHARE", "1"))
MODULES = os.path.join(os.path.dirname(os.path.dirname(TOOL)), os.environ.get("MACAREU_MODULES", "lib/macareu"))
# Launchers of Debian's packages. More ranks than processors are wanted here, and containers run as root.
LAUNCHERS = {"openmpi": ("mpirun.openmpi", "--oversubscribe", "--bind-to", "none"), "mpich": ("mpiexec.mpich",)}
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_btl": "self,vader", "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMP_NUM_THREADS": "1"}
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

    def tree(self, name):
        """Names and contents of a file, or of all files below a directory."""
        if not os.path.isdir(self.path(name)):
            return self.content(name)
        return {os.path.relpath(os.path.join(folder, file), self.path(name)): self.content(os.path.join(folder, file))
                for folder, _, files in os.walk(self.path(name)) for file in files}

    def remove(self, name):
        shutil.rmtree(self.path(name)) if os.path.isdir(self.path(name)) else os.remove(self.path(name))

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
    pass


class SameBytes(RanksTest):
    def test_reconstruct(self):
        self.bright()
        self.compare_ranks("reconstruct", "marker.npy", "mask.npy",
                           ways=[(kind, ranks) for ranks in (1, 2, 3, 4, 7) for kind in available()][:: 2 - (SHARE > 1)])
        self.compare_ranks("reconstruct", "marker.npy", "mask.npy", options=("--pieces", "17,23"))

    def test_long_ways(self):
        for name in ("serpentine", "spiral"):
            self.generate(name, "120,130")
            self.compare_ranks("reconstruct", "marker.npy", "mask.npy", ways=(("openmpi", 3), ("mpich", 4)),
                               options=("--pieces", "16,16"))

    def test_outputs_of_all_kinds(self):
        self.bright()
        self.compare_ranks("reconstruct", "marker.npy", "mask.npy", outputs=("-o out.zarr",), ways=(("openmpi", 3),))
        self.compare_ranks("gaussian", "mask.npy", "--sigma", "2", outputs=("-o out.raw",), ways=(("mpich", 2),))
        self.compare_ranks("threshold", "mask.npy", outputs=("-o out.pgm",), ways=(("mpich", 2),))

    def test_streams(self):
        self.bright()
        self.succeed("fill-holes", "mask.npy", "-o", "alone.npy")
        before = self.files()
        for kind in available():
            process = self.launch(kind, 3, "fill-holes", "mask.npy", "-o", "/dev/stdout", "--pieces", "70,90", "--quiet")
            out, err = process.communicate(timeout=300)
            self.assertEqual((process.returncode, err), (0, b""))
            self.assertTrue(out == self.content("alone.npy"), kind)
            self.assertEqual(self.files(), before)

    def test_zarr_of_many_chunks(self):
        self.bright("2100,1500")
        self.compare_ranks("label", "objects.npy", outputs=("-o out.ome.zarr", "--table t.csv"), ways=(("openmpi", 4),))

    def test_objects(self):
        self.bright()
        self.compare_ranks("label", "objects.npy", "--intensity", "mask.npy", outputs=("-o out.npy", "--table t.csv"))
        self.compare_ranks("label", "objects.npy", "--min-size", "20", "--order", "size",
                           outputs=("-o out.npy", "--table t.jsonl", "--overlay over.ppm"), ways=(("mpich", 2),))
        self.compare_ranks("label", "objects.npy", outputs=("-o out.npy", "--table t.jsonl"), ways=(("mpich", 4), ("openmpi", 7)))
        self.compare_ranks("measure", "out.npy", outputs=("--table m.csv",), ways=(("openmpi", 3),))
        self.compare_ranks("measure", "out.npy", outputs=(), ways=(("mpich", 2),))
        self.compare_ranks("contours", "out.npy", outputs=("-o out.geojson",), ways=(("openmpi", 2),))

    def test_no_objects(self):
        self.generate("flat", "50,60")
        self.succeed("threshold", "mask.npy", "-o", "none.npy", "--value", "255")
        self.compare_ranks("label", "none.npy", outputs=("-o out.npy", "--table t.csv"), ways=(("openmpi", 2),))

    def test_report_of_each_rank(self):
        self.bright()
        for kind in available():
            code, _, err = self.on_ranks(kind, 3, "label", "objects.npy", "-o", "out.npy", "--table", "t.csv", "--report", "r.json")
            self.assertEqual(code, 0, err)
            found = json.loads(self.content("r.json"))
            each = found["ranks"]["each"]
            self.assertEqual((found["ranks"]["count"], len(each)), (3, 3))
            self.assertEqual(found["ranks"]["most_bytes_up"], max(rank["bytes_up"] for rank in each))
            self.assertEqual(each[0]["bytes_up"], 0)
            for rank in each:
                self.assertTrue(0 < rank["waiting"] < rank["seconds"], each)
            self.assertEqual(found["count"], self.content("t.csv").count(b"\n") - 1)

    def test_distance(self):
        self.bright()
        self.compare_ranks("distance", "objects.npy")

    def test_watershed(self):
        self.bright()
        self.succeed("label", "marker.npy", "-o", "seeds.npy")
        self.compare_ranks("watershed", "mask.npy", "seeds.npy", options=("--pieces", "40,50"))


class ForkedRanks(AnyRanksTest):
    """--ranks, without MPI."""

    def test_same_bytes(self):
        self.bright()
        self.compare_ranks("reconstruct", "marker.npy", "mask.npy", ways=((FORKED, 2), (FORKED, 5)))
        self.compare_ranks("label", "objects.npy", outputs=("-o out.zarr", "--table t.csv"), ways=((FORKED, 3),))
        self.succeed("label", "marker.npy", "-o", "seeds.npy")
        self.compare_ranks("watershed", "mask.npy", "seeds.npy", ways=((FORKED, 2),),
                           options=("--pieces", "40,50", "--threads", "3"))
        self.compare_ranks("measure", "seeds.npy", outputs=(), ways=((FORKED, 3),))

    def test_errors(self):
        self.bright()
        code, out, err = self.on_ranks(FORKED, 3, "label", "none.npy", "-o", "out.npy")
        self.assertEqual((code, out), (3, ""))
        self.assertRegex(err, r"^macareu: label: rank 0 on \S+: none\.npy: No such file or directory\n$")
        for count in ("0", "257", "two"):
            self.assertIn("--ranks", self.fail_with(2, "label", "objects.npy", "-o", "out.npy", "--ranks", count))
        for kind in available():
            code, _, err = self.on_ranks(kind, 2, "label", "objects.npy", "-o", "out.npy", "--ranks", "2")
            self.assertEqual((code, len(self.lines(err))), (2, 1), err)
            self.assertIn("--ranks: mpirun or srun has started the ranks already", err)

    many_pieces = ("reconstruct", "marker.npy", "mask.npy", "-o", "out.npy", "--pieces", "1,10", "--quiet")

    def journal_bytes(self):
        return sum(os.path.getsize(file) for file in glob.glob(self.path(".macareu-out.npy.pieces/run/journal*")))

    def children(self, process, more_than=0):
        """The other ranks, when all of them are there and journals have more than so many bytes."""
        while process.poll() is None:
            with open(f"/proc/{process.pid}/task/{process.pid}/children") as file:
                found = [int(word) for word in file.read().split()]
            if len(found) == 2 and (more_than < 0 or self.journal_bytes() > more_than):
                return found
            time.sleep(0.001)
        self.fail(process.communicate()[1].decode())

    def expect_killed(self, process, rank):
        err = process.communicate(timeout=60)[1].decode()
        self.assertEqual(process.returncode, 128 + signal.SIGKILL)
        self.assertRegex(err, rf"^macareu: reconstruct: rank {rank} on \S+: ended by signal 9; what is done is kept, "
                              r"and --resume continues\n$")

    def test_kills(self):
        self.bright("1200,1200")
        command = self.many_pieces
        self.succeed(*command[:-3])
        expected = self.content("out.npy")
        for killed in range(3):
            os.remove(self.path("out.npy"))
            process = self.launch(FORKED, 3, *command)
            children = self.children(process)
            os.kill((process.pid, *children)[killed], signal.SIGKILL)
            if killed == 0:
                err = process.communicate(timeout=60)[1].decode()
                self.assertEqual((process.returncode, err), (-signal.SIGKILL, ""))
            else:
                self.expect_killed(process, killed)
            # Orphans of a killed process are reaped by another one, some time later.
            deadline = time.time() + 60
            while any(self.is_running(child) for child in children) and time.time() < deadline:
                time.sleep(0.01)
            self.assertFalse([child for child in children if self.is_running(child)])
            code, _, err = self.on_ranks(FORKED, 2, *command, "--resume")
            self.assertEqual((code, err), (0, ""))
            self.assertTrue(self.content("out.npy") == expected, killed)

    def test_a_kill_far_from_an_exchange(self):
        """The first rank waits for one that is stopped, so no exchange tells it that the other is dead."""
        self.bright("1200,1200")
        process = self.launch(FORKED, 3, *self.many_pieces)
        stopped, killed = self.children(process)
        os.kill(stopped, signal.SIGSTOP)
        os.kill(killed, signal.SIGKILL)
        self.expect_killed(process, 2)

    def test_signals_of_a_terminal(self):
        """Ctrl-C reaches all ranks, wherever each of them is: one line, and one code."""
        self.bright("1200,1200")
        chosen = random.Random(int(time.time()))
        for _ in range(5):
            process = self.launch(FORKED, 3, *self.many_pieces)
            self.children(process, more_than=-1)
            wait = chosen.random() * 0.1
            time.sleep(wait)
            os.killpg(process.pid, signal.SIGINT)
            err = process.communicate(timeout=60)[1].decode()
            self.assertEqual((process.returncode, err), (130, "macareu: reconstruct: interrupted\n"), wait)

    def is_running(self, process):
        try:
            with open(f"/proc/{process}/stat") as file:
                return file.read().rsplit(")", 1)[1].split()[0] != "Z"
        except OSError:
            return False

    def test_stops(self):
        self.bright("1200,1200")
        code, _, err = self.on_ranks(FORKED, 2, *self.many_pieces, "--stop-after", "1s")
        self.assertEqual((code, err), (130, "macareu: reconstruct: interrupted\n"))
        before = self.journal_bytes()
        process = self.launch(FORKED, 3, *self.many_pieces, "--resume")
        # More than the head of a journal: pieces were computed, so the signal does not end the run at once.
        self.children(process, more_than=before + 10_000)
        process.send_signal(signal.SIGTERM)
        err = process.communicate(timeout=60)[1].decode()
        self.assertEqual((process.returncode, err), (130, "macareu: reconstruct: interrupted\n"))
        self.assertEqual(self.on_ranks(FORKED, 4, *self.many_pieces, "--resume")[::2], (0, ""))


class Devices(RanksTest):
    def test_auto_where_a_rank_has_no_gpu(self):
        if not re.search(r"^ *GPUs +0: ", self.succeed("info"), re.MULTILINE):
            self.skipTest("no GPU")
        self.succeed("generate", "noise", "--shape", "8192,8192", "-o", "mask.npy")
        self.succeed("threshold", "mask.npy", "-o", "alone.npy", "--device", "cpu")
        for kind in available():
            for hidden in range(2):
                code, _, err = self.on_ranks(kind, 2, "threshold", "mask.npy", "-o", "out.npy", "--report", "r.json",
                                             shell=f'if [ "{RANK}" = {hidden} ]; then export CUDA_VISIBLE_DEVICES=; fi')
                self.assertEqual(code, 0, err)
                self.assertEqual(json.loads(self.content("r.json"))["device"], "cpu")
                self.assertIn("computed on cpu instead", err)
                self.assertTrue(self.content("out.npy") == self.content("alone.npy"))


class Slides(SlideTest, AnyRanksTest):
    def kinds(self):
        return (*available(), FORKED)

    def test_each_slide_belongs_to_a_rank(self):
        for name, step in (("a.npy", 40), ("b.npy", 50), ("c.npy", 60)):
            self.write_slide(name, stained(step=step))
        command = ("nuclei", "a.npy", "b.npy", "c.npy", "--mpp", "0.5", "--quiet", "-o")
        self.succeed(*command, "alone")
        for kind in self.kinds():
            code, _, err = self.on_ranks(kind, 2, *command, kind)
            self.assertEqual((code, err), (0, ""))
            self.assertTrue(self.content(f"{kind}/all.csv.gz") == self.content("alone/all.csv.gz"))
            for slide in "abc":
                self.assertTrue(self.results(f"{kind}/{slide}") == self.results(f"alone/{slide}"), slide)

    def test_one_slide_is_shared(self):
        self.write_slide("s.npy", stained())
        ways = [(kind, ranks) for ranks in (1, 2, 3) for kind in self.kinds()]
        for number, options in enumerate(((), ("--cells", "3", "--labels", "zarr"), ("--rectangle", "60,40,200,180"),
                                          ("--memory", "8M", "--stain-set", "h-dab"))):
            command = ("nuclei", "s.npy", "--mpp", "0.5", "--quiet", *options, "-o")
            self.succeed(*command, "alone")
            expected = self.results("alone")
            for kind, ranks in ways[number % 2:: 2 if number == 0 or SHARE > 1 else 4]:
                code, _, err = self.on_ranks(kind, ranks, *command, "shared")
                self.assertEqual((code, err), (0, ""), (kind, ranks, options))
                found = self.results("shared")
                self.assertEqual(sorted(found), sorted(expected))
                for name in expected:
                    self.assertTrue(found[name] == expected[name], (name, kind, ranks, options))
                self.assertEqual(sorted(os.listdir(self.path("shared"))), sorted(os.listdir(self.path("alone"))))
                shutil.rmtree(self.path("shared"))
            shutil.rmtree(self.path("alone"))

    def test_a_shared_slide_that_ends_early(self):
        self.write_slide("s.npy", stained())
        command = ("nuclei", "s.npy", "--mpp", "0.5", "--quiet", "--pieces", "4,4", "-o", "out")
        self.succeed(*command[:4], "--quiet", "-o", "alone")
        expected = self.results("alone")
        for kind in self.kinds():
            code, _, err = self.on_ranks(kind, 2, *command, "--stop-after", "1s")
            self.assertEqual((code, self.lines(err)), (130, ["macareu: nuclei: interrupted"]))
            self.assertEqual(self.files(), ["alone", "s.npy"])
            process = self.launch(kind, 3, *command)
            while process.poll() is None and not os.path.exists(self.path("out/.macareu-nuclei/lock")):
                time.sleep(0.001)
            time.sleep(0.5)
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=60)
            self.assertNotEqual(process.returncode, 0)
            code, _, err = self.on_ranks(kind, 2, *command[:5], *command[-2:], "--resume")
            self.assertEqual((code, err), (0, ""))
            self.assertTrue(self.results() == expected, kind)
            before = os.stat(self.path("out/summary.json")).st_ino
            self.assertEqual(self.on_ranks(kind, 3, *command[:5], *command[-2:], "--resume")[::2], (0, ""))
            self.assertEqual(os.stat(self.path("out/summary.json")).st_ino, before)
            shutil.rmtree(self.path("out"))

    def test_a_killed_rank_of_a_shared_slide(self):
        self.write_slide("s.npy", stained())
        command = ("nuclei", "s.npy", "--mpp", "0.5", "--quiet", "-o", "out")
        self.succeed(*command)
        expected = self.results()
        shutil.rmtree(self.path("out"))
        for kind in available():
            code, _, err = self.on_ranks(kind, 3, *command, "--pieces", "4,4",
                                         shell=f'if [ "{RANK}" = 1 ]; then (sleep 1; kill -9 $$) 2>/dev/null & fi')
            self.assertNotEqual(code, 0, err)
            self.assertFalse(os.path.exists(self.path("out/summary.json")))
            self.assertEqual(self.on_ranks(kind, 2, *command, "--resume")[::2], (0, ""))
            self.assertTrue(self.results() == expected, kind)
            shutil.rmtree(self.path("out"))

    def test_errors_of_a_shared_slide(self):
        self.write_slide("s.npy", stained())
        with open(self.path("cut.npy"), "wb") as file:
            file.write(self.content("s.npy")[:5000])
        for kind in self.kinds():
            for name, code, text in (("cut.npy", 3, "cut.npy"), ("none.npy", 3, "none.npy"), ("s.npy", 2, "--mpp")):
                before = self.files()
                done, _, err = self.on_ranks(kind, 3, "nuclei", name, "-o", "out")
                self.assertEqual((done, len(self.lines(err))), (code, 1), err)
                self.assertIn(text, err)
                self.assertEqual(self.files(), before)


class Errors(RanksTest):
    def test_of_the_command(self):
        self.bright()
        for kind in available():
            code, out, err = self.on_ranks(kind, 3, "label", "none.npy", "-o", "out.npy")
            self.assertEqual((code, out, len(self.lines(err))), (3, "", 1), err)
            self.assertRegex(err, r"macareu: label: rank 0 on \S+: none\.npy: No such file")
            code, _, err = self.on_ranks(kind, 2, "info", "mask.npy")
            self.assertEqual((code, len(self.lines(err))), (2, 1), err)
            self.assertIn("info: runs in one process", err)

    def test_of_the_command_line(self):
        for kind in available():
            for words in (("label", "x.npy", "--tabel", "t.csv", "-o", "y.npy"), ("labl", "x.npy")):
                code, _, err = self.on_ranks(kind, 3, *words)
                self.assertEqual((code, len(self.lines(err))), (2, 1), err)
                self.assertIn("did you mean", err)

    def test_of_one_rank(self):
        """A rank whose files may not grow beyond what MPI needs: all end, with one line that names it, and --resume continues."""
        self.bright("1500,1500")
        command = ("distance", "objects.npy", "--type", "f64", "-o", "out.npy", "--pieces", "100,1500")
        self.succeed(*command)
        expected = self.content("out.npy")
        os.remove(self.path("out.npy"))
        for kind in available():
            before = self.files()
            code, _, err = self.on_ranks(kind, 3, *command,
                                         shell=f'if [ "{RANK}" = 2 ]; then trap "" XFSZ; ulimit -f 28000; fi')
            self.assertEqual((code, len(self.lines(err))), (3, 1), err)
            self.assertRegex(self.lines(err)[0], r"rank 2 on \S+: .*File too large; what is done is kept")
            self.assertEqual(self.files(), sorted(before + [".macareu-out.npy.pieces"]))
            code, _, err = self.on_ranks(kind, 2, *command, "--resume", "--quiet")
            self.assertEqual((code, err), (0, ""))
            self.assertTrue(self.content("out.npy") == expected)
            os.remove(self.path("out.npy"))

    def test_of_different_commands(self):
        self.bright()
        for kind in available():
            before = self.files()
            for option in ("--value 3", "--threads 2"):
                code, _, err = self.on_ranks(kind, 2, "threshold", "mask.npy", "-o", "out.npy",
                                             shell=f'if [ "{RANK}" = 1 ]; then set -- "$@" {option}; fi')
                self.assertEqual((code, len(self.lines(err))), (2, 1), err)
                self.assertIn("ranks have different commands", err)
                self.assertEqual(self.files(), before)

    def test_of_a_launcher_without_mpi(self):
        """What srun leaves in the environment when it was built without a protocol of MPI."""
        self.bright()
        done = self.run_tool("threshold", "mask.npy", "-o", "out.npy",
                             env={**ENVIRONMENT, "SLURM_STEP_NUM_TASKS": "4", "SLURM_PROCID": "1"})
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("the launcher started 4 processes, but", done.stderr)


class EndedRuns(RanksTest):
    commands = {"reconstruct": ("reconstruct", "marker.npy", "mask.npy", "-o", "out.npy"),
                "label": ("label", "objects.npy", "-o", "out.npy", "--table", "t.csv"),
                "distance": ("distance", "objects.npy", "-o", "out.npy")}

    def test_kills_and_other_numbers_of_ranks(self):
        self.bright("900,900")
        chosen = random.Random(int(time.time()))
        for kind in available():
            for verb, command in self.commands.items():
                self.succeed(*command)
                expected = self.content("out.npy")
                os.remove(self.path("out.npy"))
                wait = chosen.random() * 0.6
                killed = chosen.randrange(3)
                code, _, err = self.on_ranks(
                    kind, 3, *command, "--pieces", "20,300", "--quiet",
                    shell=f'if [ "{RANK}" = {killed} ]; then (sleep {wait}; kill -9 $$) 2>/dev/null & fi')
                if os.path.exists(self.path("out.npy")):  # it was faster
                    os.remove(self.path("out.npy"))
                    shutil.rmtree(self.path(".macareu-out.npy.pieces"), ignore_errors=True)
                    continue
                self.assertNotEqual(code, 0, err)
                ranks = chosen.choice((1, 2, 3, 5))
                resume = "--resume" if os.path.exists(self.path(".macareu-out.npy.pieces/command")) else "--quiet"
                code, _, err = self.on_ranks(kind, ranks, *command, "--pieces", "20,300", "--quiet", resume)
                self.assertEqual((code, err), (0, ""), (verb, kind, wait, killed, ranks))
                self.assertTrue(self.content("out.npy") == expected, (verb, kind, wait, killed, ranks))
                self.assertFalse(os.path.exists(self.path(".macareu-out.npy.pieces")))

    def test_stops(self):
        """--stop-after ends a run cleanly, here while its ranks wait for each other or compute."""
        self.bright("1200,1200")
        command = (*self.commands["reconstruct"], "--pieces", "1,10", "--quiet")
        self.succeed(*self.commands["reconstruct"])
        expected = self.content("out.npy")
        os.remove(self.path("out.npy"))
        kind = available()[0]
        code, _, err = self.on_ranks(kind, 2, *command, "--stop-after", "1s")
        self.assertEqual((code, self.lines(err)), (130, ["macareu: reconstruct: interrupted"]))
        process = self.launch(kind, 3, *command, "--resume")
        time.sleep(1)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=300)
        if not os.path.exists(self.path("out.npy")):
            code, _, err = self.on_ranks(kind, 2, *command, "--resume")
            self.assertEqual((code, err), (0, ""))
        self.assertTrue(self.content("out.npy") == expected)


if __name__ == "__main__":
    unittest.main()
