"""Runs in pieces that are killed, stopped or refused, and what --resume makes of them."""
import json
import os
import random
import re
import shlex
import signal
import subprocess
import time
import unittest

from ended_run_support import EndedRunsTest

# Of each command; `make test-long` sets a share above 1.
KILLS = 1 if float(os.environ.get("MACAREU_TEST_SHARE", "1")) <= 1 else 20


class EndedRuns(EndedRunsTest):
    def test_kills_at_random_moments(self):
        """A command that is killed again and again ends with the files that it writes in memory."""
        self.bright("1500,1500")
        colour = [(7 * x * x + 5 * y * (c + 1)) % 251 for y in range(300) for x in range(300) for c in range(3)]
        self.write_npy("colour.npy", (300, 300, 3), colour)
        self.succeed("label", "objects.npy", "-o", "labels.npy")
        self.succeed("generate", "noise", "--shape", "20,60,70", "-o", "deep-mask.npy", "--marker", "deep-marker.npy")
        commands = [("reconstruct", "marker.npy", "mask.npy", "-o", "out.npy"),
                    ("distance", "objects.npy", "-o", "out.mha"),
                    ("fill-holes", "mask.npy", "-o", "out.nrrd"),
                    ("gaussian", "mask.npy", "-o", "out.zarr"),
                    ("invert", "colour.npy", "--channels", "last", "-o", "out.raw", "--memory", "100K"),
                    ("canny", "mask.npy", "-o", "out.npy", "--gradient", "g.npy"),
                    ("reconstruct", "deep-marker.npy", "deep-mask.npy", "-o", "out.npy", "--memory", "100K"),
                    ("watershed", "mask.npy", "-o", "out.npy"),
                    ("label", "objects.npy", "-o", "out.npy", "--table", "t.csv"),
                    ("label", "objects.npy", "-o", "out.zarr", "--table", "t.jsonl", "--min-size", "30"),
                    ("label", "objects.npy", "-o", "out.mha", "--overlay", "o.ppm"),
                    ("measure", "labels.npy", "--table", "t.csv", "--overlay", "o.npy", "--on", "mask.npy"),
                    ("contours", "objects.npy", "-o", "out.geojson"),
                    ("histogram", "mask.npy", "-o", "out.csv")]
        if ".tif" in self.succeed("info"):
            commands.append(("median", "mask.npy", "-o", "out.tif"))
        moments = random.Random(29)
        begun = self.files()
        for command in commands:
            limit = () if "--memory" in command else ("--memory", "1M")
            in_pieces = (*command, *limit, "--threads", "1", "--quiet")
            self.succeed(*(word for word in command if word not in ("--memory", "100K")))
            expected = self.take_all(begun)
            begin = time.monotonic()
            self.succeed(*in_pieces)
            longest = time.monotonic() - begin
            self.assertTrue(self.take_all(begun) == expected, command)
            kills = 0
            for _ in range(20 * KILLS):  # some runs end before they are killed
                process = self.start(*in_pieces, *(("--resume",) if self.unfinished() else ()))
                try:
                    process.communicate(timeout=moments.uniform(0, longest))
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.communicate()
                if process.returncode == -signal.SIGKILL:
                    kills += 1
                else:
                    self.assertEqual(process.returncode, 0, command)
                    self.take_all(begun)
                if kills == KILLS:
                    break
            self.assertEqual(kills, KILLS, command)
            if self.unfinished():
                self.succeed(*in_pieces, "--resume")
            else:
                self.succeed(*in_pieces)
            self.assertTrue(self.take_all(begun) == expected, command)

    def unfinished(self):
        """Whether a run left what --resume continues."""
        folders = [name for name in self.files() if name.endswith(".pieces")]
        return any("command" in os.listdir(self.path(folder)) for folder in folders)

    def test_signals(self):
        self.prepare()
        for sent in (signal.SIGINT, signal.SIGTERM):
            self.assertEqual(self.halt(self.commands["label"], sent), "macareu: label: interrupted\n")
            self.resume("label")

    def test_the_command_that_continues_is_told(self):
        """As a shell takes it, also of a run that continues another one."""
        self.prepare()
        report = "o'clock $HOME.json"
        command = [word for word in self.commands["reconstruct"] if word != "--quiet"] + ["--report", report]
        for more in ([], ["--resume"]):
            message = self.halt(command + more, signal.SIGTERM, self.more_records())
            told = re.search("^(?:.*computing in pieces\n)?reconstruct: what is done is kept; this continues: (.*)\n"
                             "macareu: reconstruct: interrupted\n$", message)
            self.assertTrue(told, message)
            self.assertEqual(shlex.split(told[1]), [self.tool, *command, "--resume"])
        done = subprocess.run(told[1], shell=True, cwd=self.directory, stderr=subprocess.PIPE, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("pieces", json.loads(self.content(report)))
        self.check_end("reconstruct")

    def test_finished_pieces_are_not_computed_again(self):
        self.prepare()
        for verb in self.verbs:
            self.halt(self.commands[verb])
            self.resume(verb, "--report", "r.json")
            resumed = json.loads(self.content("r.json"))["pieces"]
            self.succeed(*self.commands[verb], "--report", "r.json")
            anew = json.loads(self.content("r.json"))["pieces"]
            self.check_end(verb)
            self.assertLess(resumed["bytes_read"], anew["bytes_read"], verb)
            self.assertGreater(resumed["found_finished"], 0, verb)
            self.assertEqual(anew["found_finished"], 0, verb)

    def test_a_new_run_replaces_an_unfinished_one(self):
        self.prepare()
        loud = [word for word in self.commands["reconstruct"] if word != "--quiet"]
        killed = "it was killed, or its machine stopped"
        too_large = f"./{self.step}/\\d.pixels: File too large"
        for ended_by, reason in ((signal.SIGKILL, killed), (signal.SIGTERM, "it was interrupted"), (None, too_large)):
            if ended_by:
                self.halt(self.commands["distance"], ended_by)
            else:
                self.end_without_room("distance")
            done = self.run_tool(*loud)
            self.assertEqual(done.returncode, 0)
            self.assertRegex(done.stderr, f"\nmacareu: reconstruct: removing the unfinished run in ./{self.folder} "
                                          f"\\({reason}\\); --resume continues one\n$")
            self.check_end("reconstruct")
        # How a run ended that was continued is not how the new one ended.
        self.halt(self.commands["distance"], signal.SIGTERM)
        self.halt([*self.commands["distance"], "--resume"], reached=self.more_records())
        self.assertIn(f"({killed})", self.run_tool(*loud).stderr)
        self.check_end("reconstruct")

    def test_another_run_is_refused(self):
        self.prepare()
        self.assertRegex(self.fail_with(2, *self.commands["label"], "--resume"),
                         "there is no unfinished run in .*pieces$")
        self.halt(self.commands["reconstruct"])
        another = "the unfinished run was another one: then '.*', now '.*'; start again without --resume$"
        for more in (("--connectivity", "4"), ("--pieces", "50,50")):
            self.assertRegex(self.fail_with(2, *self.commands["reconstruct"], "--resume", *more), another)
        larger = [word.replace("500K", "600K") for word in self.commands["reconstruct"]]
        self.assertRegex(self.fail_with(2, *larger, "--resume"), "then 'memory: 512000', now 'memory: 614400'")
        self.assertRegex(self.fail_with(2, *self.commands["distance"], "--resume"),
                         "then 'operator: reconstruct', now 'operator: distance_transform'")
        self.resume("reconstruct")

    def test_a_changed_input_is_refused(self):
        self.prepare()
        self.halt(self.commands["reconstruct"])
        with open(self.path("mask.npy"), "r+b") as file:
            file.seek(200)
            file.write(b"\xff")
        self.assertRegex(self.fail_with(2, *self.commands["reconstruct"], "--resume"),
                         "the unfinished run was another one: then 'input mask: u8 of 1000 x 1000,.*', now 'input ")

    def test_two_runs_with_one_output(self):
        self.prepare()
        for name in ("distance", "table"):
            first = self.pause(self.commands[name], len)
            try:
                for more in ((), ("--resume",)):
                    line = self.fail_with(3, *self.commands[name], *more)
                    self.assertTrue(line.endswith(f": out.npy: another run is writing it, with work files in ./{self.folder}"), line)
            finally:
                first.send_signal(signal.SIGCONT)
            self.assertEqual((first.communicate()[1], first.returncode), (b"", 0))
            self.check_end(name)


if __name__ == "__main__":
    unittest.main()
