"""Commands with --ranks, which starts the other processes itself."""
import glob
import os
import random
import shlex
import signal
import time
import unittest

from rank_support import FORKED, AnyRanksTest, available

# The sanitizers' libraries want to be the first.
WATCH = (f"export LD_PRELOAD={os.environ['MACAREU_WATCHED_RANKS']}\n"
         "export ASAN_OPTIONS=$ASAN_OPTIONS:verify_asan_link_order=0\n")


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
        self.bright("400,400")
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

    def test_kills_between_the_steps_of_a_table(self):
        """Labels that are measured are work files of the first step, and all ranks copy them to the output."""
        self.bright("1200,1200")
        chosen = random.Random(int(time.time()))
        for words in (("label", "objects.npy"), ("label", "objects.npy", "--min-size", "9")):
            command = (*words, "-o", "out.zarr", "--table", "t.csv", "--pieces", "10,1200", "--quiet")
            begin = time.time()
            self.succeed(*command)
            seconds = time.time() - begin
            expected = self.tree("out.zarr"), self.content("t.csv")
            for ranks in (1, 2, 4):
                self.remove("out.zarr")
                self.remove("t.csv")
                process = self.launch(FORKED, 3, *command)
                wait = chosen.random() * 2 * seconds
                time.sleep(wait)
                process.kill()
                process.communicate(timeout=60)
                begun = os.path.exists(self.path(".macareu-out.zarr.pieces/command"))
                ended = os.path.exists(self.path("t.csv")) and not begun  # or it was killed while the folder was removed
                if not ended:
                    options = () if ranks == 1 else ("--ranks", str(ranks))
                    self.succeed(*command, *options, *(("--resume",) if begun else ()))
                    self.assertFalse(os.path.exists(self.path(".macareu-out.zarr.pieces")), (words, ranks, wait))
                self.assertTrue((self.tree("out.zarr"), self.content("t.csv")) == expected, (words, ranks, wait))

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

    def test_a_crash_after_the_command(self):
        """It may be one of a library that is unloaded. The outputs are complete then."""
        self.bright()
        self.succeed("label", "objects.npy", "-o", "alone.npy")
        code, _, err = self.on_ranks(FORKED, 3, "label", "objects.npy", "-o", "out.npy", "--quiet",
                                     shell=WATCH + "export CRASH_AT_EXIT=1")
        self.assertEqual((code, err), (0, ""))
        self.assertTrue(self.content("out.npy") == self.content("alone.npy"))

    def test_all_ranks_sync_what_they_wrote(self):
        """Before the first one renames it: they may be on other machines. A run that is resumed counts as long."""
        self.bright("400,400")
        process = self.launch(FORKED, 3, *self.many_pieces)
        self.children(process)
        process.kill()
        process.communicate()
        code, _, err = self.on_ranks(FORKED, 3, *self.many_pieces, "--resume",
                                     shell=WATCH + f"export LIST_OF_SYNCS={self.path('syncs')}")
        self.assertEqual((code, err), (0, ""))
        folder = self.path(".macareu-out.npy.pieces")
        synced = self.content("syncs").decode().splitlines()
        self.assertEqual(synced[-3:], 2 * [f"other {folder}"] + [f"first {folder}/output-0"])

    def is_running(self, process):
        try:
            with open(f"/proc/{process}/stat") as file:
                return file.read().rsplit(")", 1)[1].split()[0] != "Z"
        except OSError:
            return False

    def test_stops(self):
        self.bright("900,900")
        process = self.launch(FORKED, 3, *self.many_pieces)
        # More than the head of a journal: pieces were computed, so the signal does not end the run at once.
        self.children(process, more_than=10_000)
        process.send_signal(signal.SIGTERM)
        err = process.communicate(timeout=60)[1].decode()
        self.assertEqual((process.returncode, err), (130, "macareu: reconstruct: interrupted\n"))
        # Ranks meet when all pieces are solved, each with a record. The others stop long before that.
        self.assertLess(self.journal_bytes(), 900 * 90 * 24 // 2)
        code, _, err = self.on_ranks(FORKED, 2, *self.many_pieces, "--resume", "--stop-after", "1s")
        self.assertEqual((code, err), (130, "macareu: reconstruct: interrupted\n"))
        # They open files of each other, more than the soft limit.
        self.assertEqual(self.on_ranks(FORKED, 4, *self.many_pieces, "--resume", shell="ulimit -Sn 10")[::2], (0, ""))

    def test_one_rank_tells_how_to_continue(self):
        """Also what is removed otherwise."""
        self.bright("1200,1200")
        stopped = [word for word in self.many_pieces if word != "--quiet"] + ["--stop-after", "1s"]
        code, _, err = self.on_ranks(FORKED, 2, *stopped)
        told = shlex.join([self.tool, *stopped, "--ranks", "2", "--resume"])
        self.assertEqual((code, err), (130, f"reconstruct: what is done is kept; this continues: {told}\n"
                                            "macareu: reconstruct: interrupted\n"))
        process = self.launch(FORKED, 2, *stopped)
        first = process.stderr.readline().decode()
        process.send_signal(signal.SIGTERM)
        err = first + process.communicate(timeout=60)[1].decode()
        self.assertEqual(process.returncode, 130)
        self.assertRegex(err, r"^macareu: reconstruct: removing the unfinished run in \S+ \(it was interrupted\); "
                              r"--resume continues one\n")
        self.assertEqual(len(self.lines(err)), 2, err)


if __name__ == "__main__":
    unittest.main()
