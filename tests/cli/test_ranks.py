"""Commands that several processes share: the bytes of one, one line for an error, and --resume after a kill."""
import json
import os
import random
import re
import shutil
import signal
import time
import unittest

from rank_support import ENVIRONMENT, FORKED, RANK, SHARE, RanksTest, available

COMMIT = os.environ.get("MACAREU_COMMIT", "unknown")


class SameBytes(RanksTest):
    def test_reconstruct(self):
        self.bright()
        self.compare_ranks("reconstruct", "marker.npy", "mask.npy",
                           ways=[(kind, ranks) for ranks in (1, 2, 3, 4, 7) for kind in available()][:: 2 - (SHARE > 1)])
        self.compare_ranks("reconstruct", "marker.npy", "mask.npy", options=("--pieces", "17,23"))

    def test_more_ranks_than_pieces(self):
        self.bright()
        ways = [(kind, {"openmpi": 7, "mpich": 5}[kind]) for kind in available()]
        first, last = (ways, ways) if SHARE > 1 else (ways[:1], ways[-1:])
        self.compare_ranks("reconstruct", "marker.npy", "mask.npy", ways=first, options=("--pieces", "300,260"))
        self.compare_ranks("reconstruct", "marker.npy", "mask.npy", ways=last, options=("--pieces", "150,260"))
        self.compare_ranks("label", "objects.npy", outputs=("-o out.npy", "--table t.csv"), ways=last,
                           options=("--pieces", "300,260"))

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
        self.compare_ranks("label", "objects.npy", outputs=("-o out.npy", "--table t.jsonl"), ways=(("mpich", 4), ("openmpi", 7))[:1 + (SHARE > 1)])
        self.compare_ranks("label", "objects.npy", outputs=("-o out.raw", "--table t.csv"), ways=(("mpich", 3),))
        self.compare_ranks("label", "objects.npy", "--min-size", "9", outputs=("-o out.mha", "--table t.csv"), ways=(("openmpi", 4),))
        self.compare_ranks("label", "objects.npy", "--min-size", "9", outputs=("-o out.zarr", "--table t.csv"), ways=(("mpich", 4),))
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
        for kind in self.some():
            for words in (("label", "x.npy", "--tabel", "t.csv", "-o", "y.npy"), ("labl", "x.npy")):
                code, _, err = self.on_ranks(kind, 3, *words)
                self.assertEqual((code, len(self.lines(err))), (2, 1), err)
                self.assertIn("did you mean", err)

    def test_of_one_rank(self):
        """Files may not grow beyond what MPI needs, so one rank fails: all end, with one line that names it, and --resume
        continues."""
        self.bright("1500,1500")
        # The limit ends before the last piece, whichever rank takes it.
        command = ("distance", "objects.npy", "--type", "f64", "-o", "out.npy", "--pieces", "500,1500")
        self.succeed(*command)
        expected = self.content("out.npy")
        os.remove(self.path("out.npy"))
        for kind in available():
            before = self.files()
            code, _, err = self.on_ranks(kind, 3, *command,
                                         shell='trap "" XFSZ; ulimit -f 28000')
            self.assertEqual((code, len(self.lines(err))), (3, 1), err)
            self.assertRegex(self.lines(err)[0], r"rank \d on \S+: .*File too large; what is done is kept")
            self.assertEqual(self.files(), sorted(before + [".macareu-out.npy.pieces"]))
            code, _, err = self.on_ranks(kind, 2, *command, "--resume", "--quiet")
            self.assertEqual((code, err), (0, ""))
            self.assertTrue(self.content("out.npy") == expected)
            os.remove(self.path("out.npy"))

    def test_of_different_commands(self):
        self.bright()
        for kind in self.some():
            before = self.files()
            for option in ("--value 3", "--threads 2"):
                code, _, err = self.on_ranks(kind, 2, "threshold", "mask.npy", "-o", "out.npy",
                                             shell=f'if [ "{RANK}" = 1 ]; then set -- "$@" {option}; fi')
                self.assertEqual((code, len(self.lines(err))), (2, 1), err)
                self.assertIn("ranks have different commands", err)
                self.assertEqual(self.files(), before)

    def test_of_different_files(self):
        """A rank whose machine has another file of the name."""
        self.bright()
        os.mkdir(self.path("other"))
        shutil.copy(self.path("objects.npy"), self.path("other"))
        for kind in self.some():
            before = self.files()
            code, _, err = self.on_ranks(kind, 3, "label", "objects.npy", "-o", "out.npy",
                                         shell=f'if [ "{RANK}" = 1 ]; then cd other; fi')
            self.assertEqual((code, len(self.lines(err))), (2, 1), err)
            self.assertRegex(err, r"ranks have different .*inputs: rank 0 has 'input .*', rank 1 on \S+ has 'input ")
            self.assertEqual((self.files(), os.listdir(self.path("other"))), (before, ["objects.npy"]))

    @unittest.skipIf(COMMIT == "unknown", "this build was made without git")
    def test_of_different_builds(self):
        self.bright()
        os.makedirs(self.path("prefix/bin"))
        os.symlink(os.path.join(os.path.dirname(os.path.dirname(self.tool)), "lib"), self.path("prefix/lib"))
        with open(self.tool, "rb") as file:
            content = file.read()
        self.assertIn(COMMIT.encode() + b"\0", content)
        with open(self.path("prefix/bin/macareu"), "wb") as file:
            file.write(content.replace(COMMIT.encode() + b"\0", COMMIT[::-1].encode() + b"\0"))
        os.chmod(self.path("prefix/bin/macareu"), 0o700)
        for kind in self.some():
            before = self.files()
            code, _, err = self.on_ranks(kind, 2, "threshold", "mask.npy", "-o", "out.npy",
                                         shell=f'if [ "{RANK}" = 1 ]; then exec prefix/bin/macareu "$@"; fi')
            self.assertEqual((code, len(self.lines(err))), (2, 1), err)
            self.assertIn("ranks have different commands or versions", err)
            self.assertIn(COMMIT[::-1], err)
            self.assertEqual(self.files(), before)

    def test_of_the_environment_of_one_rank(self):
        self.bright()
        for kind in self.some():
            before = self.files()
            code, _, err = self.on_ranks(kind, 3, "fill-holes", "mask.npy", "-o", "out.npy",
                                         shell=f'if [ "{RANK}" = 2 ]; then export MACAREU_INSTRUCTION_SET=none; fi')
            self.assertEqual((code, len(self.lines(err))), (2, 1), err)
            self.assertRegex(err, r"macareu: fill-holes: rank 2 on \S+: MACAREU_INSTRUCTION_SET: expected one of ")
            self.assertEqual(self.files(), before)

    def test_of_an_output_that_another_run_writes(self):
        self.bright("400,400")
        command = ("reconstruct", "marker.npy", "mask.npy", "-o", "out.npy", "--pieces", "1,10", "--quiet")
        self.succeed(*command[:-3])
        expected = self.content("out.npy")
        os.remove(self.path("out.npy"))
        writing = self.launch(FORKED, 2, *command)
        while writing.poll() is None and not os.path.exists(self.path(".macareu-out.npy.pieces/command")):
            time.sleep(0.001)
        os.killpg(writing.pid, signal.SIGSTOP)
        try:
            before = self.files()
            calls = [(kind, options) for kind in (*available(), FORKED) for options in ((), ("--resume",))]
            for kind, options in calls if SHARE > 1 else calls[::3]:
                code, _, err = self.on_ranks(kind, 3, *command, *options)
                self.assertEqual((code, len(self.lines(err))), (3, 1), err)
                self.assertIn("out.npy: another run is writing it", err)
            self.assertEqual(self.files(), before)
        finally:
            os.killpg(writing.pid, signal.SIGCONT)
        self.assertEqual(writing.communicate(timeout=300), (b"", b""))
        self.assertTrue(self.content("out.npy") == expected)

    def test_of_a_full_disk(self):
        self.bright("1000,1000")
        for words in (("distance", "objects.npy"), ("label", "objects.npy", "--table", "t.csv")):
            command = (*words, "-o", "disk/out.npy", "--pieces", "100,1000", "--quiet")
            self.succeed(*words, "-o", "alone.npy")
            with self.small_disk("9m"):
                for kind in self.some():
                    self.write_npy("disk/out.npy", (1, 1), [7])
                    with open(self.path("disk/other"), "wb") as file:
                        file.write(bytes(8800000))
                    code, _, err = self.on_ranks(kind, 3, *command)
                    self.assertEqual((code, len(self.lines(err))), (3, 1), err)
                    self.assertRegex(err, r": rank \d on \S+: .*: No space left on device; "
                                          "what is done is kept, and --resume continues\n")
                    self.assertEqual(self.read_npy("disk/out.npy")[2], [7])
                    os.remove(self.path("disk/other"))
                    self.assertEqual(self.on_ranks(kind, 2, *command, "--resume")[::2], (0, ""))
                    self.assertTrue(self.content("disk/out.npy") == self.content("alone.npy"))
                    self.assertEqual(os.listdir(self.path("disk")), ["out.npy"])
            os.rmdir(self.path("disk"))

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
            commands = list(self.commands.items())
            for verb, command in commands if SHARE > 1 else chosen.sample(commands, 2):
                self.succeed(*command)
                expected = self.content("out.npy")
                os.remove(self.path("out.npy"))
                wait = chosen.random() * 0.6
                killed = chosen.randrange(3)
                code, _, err = self.on_ranks(
                    kind, 3, *command, "--pieces", "20,300", "--quiet",
                    shell=f'if [ "{RANK}" = {killed} ]; then (sleep {wait}; kill -9 $$) 2>/dev/null & fi')
                self.wait_for_end()
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
        self.bright("900,900")
        command = (*self.commands["reconstruct"], "--pieces", "1,10", "--quiet")
        self.succeed(*self.commands["reconstruct"])
        expected = self.content("out.npy")
        os.remove(self.path("out.npy"))
        kind = available()[0]
        code, _, err = self.on_ranks(kind, 2, *command, "--stop-after", "1s")
        self.assertEqual((code, self.lines(err)), (130, ["macareu: reconstruct: interrupted"]))
        process = self.launch(kind, 3, *command, "--resume")
        time.sleep(0.3)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=300)
        self.wait_for_end()
        if not os.path.exists(self.path("out.npy")):
            code, _, err = self.on_ranks(kind, 2, *command, "--resume")
            self.assertEqual((code, err), (0, ""))
        self.assertTrue(self.content("out.npy") == expected)


if __name__ == "__main__":
    unittest.main()
