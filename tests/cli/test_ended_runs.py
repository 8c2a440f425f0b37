"""Runs in pieces that are killed, stopped or refused, and what --resume makes of them."""
import json
import os
import random
import re
import resource
import shlex
import shutil
import signal
import struct
import subprocess
import time
import unittest

from test_pieces import PiecesTest

# Of each command; `make test-long` sets a share above 1.
KILLS = 1 if float(os.environ.get("MACAREU_TEST_SHARE", "1")) <= 1 else 20

# The number of records in the journal of a wave, and of the journal's own.
COMPLETED = 2
SOLVED = 3
BEGAN = -2
STOPPED = -4


def records_of(journal):
    """Number and begin of all records."""
    found = []
    at = 8 + struct.unpack("<Q", journal[:8])[0] if len(journal) > 8 else len(journal)
    while at + 24 <= len(journal):
        of, _, size, _ = struct.unpack("<qqII", journal[at:at + 24])
        found.append((of, at))
        at += 24 + size
    return found


class EndedRuns(PiecesTest):
    """Runs that end early, and are continued. The pieces are small, so that a run has many records."""

    out = "out.npy"
    folder = ".macareu-out.npy.pieces"
    step = os.path.join(folder, "run")
    verbs = ("reconstruct", "label", "distance")

    def prepare(self, shape="1000,1000", memory="500K"):
        self.bright(shape)
        self.small = ("--memory", memory, "--threads", "1", "--quiet")
        inputs = {"reconstruct": ("marker.npy", "mask.npy")}
        self.commands = {verb: (verb, *inputs.get(verb, ("objects.npy",)), "-o", self.out, *self.small)
                         for verb in self.verbs}
        self.commands["table"] = (*self.commands["label"], "--table", "t.csv", "--min-size", "30")
        self.expected = {name: self.in_memory(name) for name in self.commands}

    def in_memory(self, verb):
        self.succeed(*(word for word in self.commands[verb] if word not in self.small))
        content = self.content(self.out)
        os.remove(self.path(self.out))
        return content

    def journal(self):
        return os.path.join(self.directory, self.step, "journal")

    def pause(self, command, reached):
        """A process that is stopped in the middle: when `reached(numbers of records)` holds, and before its end."""
        for _ in range(50):  # where the machine is busy, a run may end before this process looks
            process = self.start(*command)
            while process.poll() is None:
                if reached([of for of, _ in self.records()]):
                    process.send_signal(signal.SIGSTOP)
                    if reached([of for of, _ in self.records()]):
                        return process
                    process.send_signal(signal.SIGCONT)
                    break
                time.sleep(0.0005)
            process.communicate()
            self.remove(self.out)
        self.fail(f"no run was stopped in time: {command}")

    def halt(self, command, sent=signal.SIGKILL, reached=lambda kinds: 3 <= len(kinds) <= 8):
        """The message of a run that a signal ended in the middle."""
        process = self.pause(command, reached)
        process.send_signal(sent)
        process.send_signal(signal.SIGCONT)
        message = process.communicate()[1].decode()
        self.assertEqual(process.returncode, {signal.SIGKILL: -signal.SIGKILL}.get(sent, 130), message)
        self.assertIn(self.folder, self.files())
        self.assertNotIn(self.out, self.files())
        for name in self.files():  # the next run removes them, even if it fails
            if name.endswith(".tmp.npy"):
                os.remove(self.path(name))
        return message

    def more_records(self):
        """Holds when a run that is continued has added some."""
        before = len(self.records())
        return lambda kinds: len(kinds) > before

    def resume(self, verb, *more):
        self.succeed(*self.commands[verb], "--resume", *more)
        self.check_end(verb)

    def check_end(self, verb):
        """The output, and no file beside it that was not there."""
        self.assertTrue(self.content(self.out) == self.expected[verb], verb)
        os.remove(self.path(self.out))
        self.assertEqual([name for name in self.files() if name.startswith(".")], [])

    def test_kills_at_random_moments(self):
        """A command that is killed again and again ends with the files that it writes in memory."""
        self.bright("1500,1500")
        colour = [(7 * x * x + 5 * y * (c + 1)) % 251 for y in range(300) for x in range(300) for c in range(3)]
        self.write_npy("colour.npy", (300, 300, 3), colour)
        self.succeed("label", "objects.npy", "-o", "labels.npy")
        commands = [("reconstruct", "marker.npy", "mask.npy", "-o", "out.npy"),
                    ("distance", "objects.npy", "-o", "out.mha"),
                    ("fill-holes", "mask.npy", "-o", "out.nrrd"),
                    ("gaussian", "mask.npy", "-o", "out.zarr"),
                    ("invert", "colour.npy", "--channels", "last", "-o", "out.raw", "--memory", "100K"),
                    ("canny", "mask.npy", "-o", "out.npy", "--gradient", "g.npy"),
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

    def take_all(self, before):
        """The content of all files beside those, which are removed."""
        found = {}
        for name in set(self.files()) - set(before):
            for root, _, names in os.walk(self.path(name)):
                found.update({os.path.join(os.path.relpath(root, self.directory), one):
                              self.content(os.path.join(root, one)) for one in names})
            if os.path.isdir(self.path(name)):
                shutil.rmtree(self.path(name))
            else:
                found[name] = self.content(name)
                os.remove(self.path(name))
        return found

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

    def test_damaged_journals(self):
        self.prepare()
        self.halt(self.commands["label"])
        whole = self.whole_journal()
        (length,) = struct.unpack("<Q", whole[:8])
        for damaged, message in ((whole[:5], "is empty"), (whole[:20], "is damaged"),
                                 (b"\xff" * 8 + whole[8:], "is damaged"),
                                 (whole[:9] + b"\n" + whole[10:], "another one")):
            self.write_journal(damaged)
            done = self.run_tool(*self.commands["label"], "--resume")
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertRegex(done.stderr, f"{message}.*; start again without --resume\n$")
            shutil.rmtree(self.path(self.folder))  # a refused run stays; halt() would take its records for new ones
            self.halt(self.commands["label"])
            whole = self.whole_journal()
        # Records behind a damaged one did not happen.
        middle = (8 + length + len(whole)) // 2
        self.write_journal(whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1:])
        self.resume("label")

    def from_another_machine(self, journal):
        """The same journal, as a machine wrote it that lost its power: with another name of the machine."""
        found = bytearray(journal)
        for of, begin in records_of(journal):
            if of != BEGAN:
                continue
            size = struct.unpack("<I", journal[begin + 16:begin + 20])[0]
            found[begin + 24:begin + 24 + size] = b"x" * size
            check = 2166136261
            for byte in bytes(found[begin:begin + 20]) + b"x" * size:
                check = (check ^ byte) * 16777619 % 2**32
            found[begin + 20:begin + 24] = struct.pack("<I", check)
        return bytes(found)

    def test_a_machine_that_lost_its_power(self):
        """Pixels that had not reached the disk are computed again, whatever the journal says of them."""
        self.prepare()
        for verb in self.verbs:
            self.halt(self.commands[verb], reached=lambda kinds: 6 <= len(kinds) <= 12)
            self.write_journal(self.from_another_machine(self.whole_journal()))
            for folder, _, names in os.walk(self.path(self.step)):
                for path in (os.path.join(folder, name) for name in names):
                    if ".pixels" in path[len(self.path(self.step)):]:
                        with open(path, "r+b") as file:
                            file.write(bytes(os.path.getsize(path)))
            self.resume(verb)

    def lose_power(self, chunks):
        """All journals are from another machine, and chunks have names but no pixels."""
        for name in os.listdir(self.path(self.step)):
            if name.startswith("journal"):
                path = os.path.join(self.step, name)
                content = self.from_another_machine(self.content(path))
                with open(self.path(path), "wb") as file:
                    file.write(content)
        for name in chunks:
            path = os.path.join(self.path(self.folder), "output-0", name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb"):
                pass

    def test_chunks_that_lost_their_pixels(self):
        """Chunks have no records: whichever ranks continue the run, and however often, they are written again."""
        self.bright("1000,1000")
        if "zarr" not in self.succeed("info"):
            self.skipTest("this build has no nlohmann-json")
        self.out, self.folder = "out.zarr", ".macareu-out.zarr.pieces"
        self.step = os.path.join(self.folder, "run")
        command = ("label", "objects.npy", "-o", self.out, "--memory", "500K", "--threads", "1", "--quiet")
        before = self.files()
        self.succeed(*command[:4])
        expected = self.take_all(before)
        for then, now in (("2", "4"), ("3", "2"), ("1", "1")):
            self.halt((*command, "--ranks", then), reached=lambda kinds: len(kinds) >= 3)
            self.lose_power(name for name in expected if not os.path.basename(name).startswith("."))
            if then == now:  # a run that continues it ends early too: its disk is full
                limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (20000, resource.RLIM_INFINITY))
                done = self.run_tool(*command, "--resume", preexec_fn=limit, restore_signals=False)
                self.assertEqual(done.returncode, 3, done.stderr)
            self.succeed(*command, "--ranks", now, "--resume")
            self.assertTrue(self.take_all(before) == expected, (then, now))

    def test_a_stopped_run_is_continued_on_another_machine(self):
        self.prepare()
        for verb in self.verbs:
            self.halt(self.commands[verb], signal.SIGTERM)
            self.assertEqual(self.records()[-1][0], STOPPED)
            self.write_journal(self.from_another_machine(self.whole_journal()))
            self.resume(verb, "--report", "r.json")
            resumed = json.loads(self.content("r.json"))["pieces"]
            self.succeed(*self.commands[verb], "--report", "r.json")
            anew = json.loads(self.content("r.json"))["pieces"]
            self.check_end(verb)
            self.assertLess(resumed["bytes_read"], anew["bytes_read"], verb)

    def test_a_piece_that_is_written_in_part(self):
        """A wave completes pieces in place: a kill, or a loss of power, leaves some of their rows. The rim of such a piece
        may be complete, whether or not the journal has all pieces of the first pass."""
        side, cut = 1000, 50
        self.prepare(f"{side},{side}")
        command = ["--pieces" if word == "--memory" else word.replace("500K", f"{cut},{cut}")
                   for word in self.commands["reconstruct"]]
        expected = self.expected["reconstruct"]
        begin = len(expected) - side * side
        for lost in (0, 1):
            self.halt(command, reached=lambda kinds: COMPLETED in kinds)
            found = self.records()
            completed = next(at for of, at in found if of == COMPLETED)
            first_pass = [at for of, at in found if of == SOLVED and at < completed]
            self.write_journal(self.whole_journal()[:first_pass[-1] if lost else completed])
            (name,) = [name for name in os.listdir(self.path(self.step))
                       if name.endswith(".pixels") and self.content(os.path.join(self.step, name))[1:6] == b"NUMPY"]
            pixels = bytearray(self.content(os.path.join(self.step, name)))
            pixels.extend(bytes(len(expected) - len(pixels)))
            for row in range(side):
                at = begin + row * side
                if row % cut in (0, cut - 1):
                    pixels[at:at + side] = expected[at:at + side]
                for column in (0, cut - 1):
                    pixels[at + column:at + side:cut] = expected[at + column:at + side:cut]
            with open(self.path(os.path.join(self.step, name)), "wb") as file:
                file.write(pixels)
            self.succeed(*command, "--resume")
            self.check_end("reconstruct")

    def records(self):
        """Number and begin of all records of the journal."""
        try:
            return records_of(self.whole_journal())
        except FileNotFoundError:
            return []

    def whole_journal(self):
        with open(self.journal(), "rb") as file:
            return file.read()

    def write_journal(self, content):
        with open(self.journal(), "wb") as file:
            file.write(content)

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

    def fails_on(self, *arguments):
        """The line of a run in pieces that its input ends; a file under the output's name stays as it was."""
        self.write_npy(self.out, (1, 1), [7])
        done = self.run_tool(*arguments, "-o", self.out, "--pieces", "64,64")
        self.assertEqual((done.returncode, done.stderr.count("\n")), (3, 1), done.stderr)
        self.assertEqual(self.read_npy(self.out)[2], [7])
        return done.stderr

    def test_damaged_chunks(self):
        self.bright()
        if "zarr" not in self.succeed("info"):
            self.skipTest("this build has no nlohmann-json")
        self.succeed("invert", "mask.npy", "-o", "mask.zarr", "--pieces", "64,64")
        chunks = [os.path.join(root, name) for root, _, names in os.walk(self.path("mask.zarr")) for name in names
                  if not name.startswith(".")]
        os.truncate(max(chunks), os.path.getsize(max(chunks)) // 2)
        self.assertIn(os.path.relpath(max(chunks), self.directory), self.fails_on("fill-holes", "mask.zarr"))

    def test_truncated_tiles(self):
        self.bright()
        if ".tif" not in self.succeed("info"):
            self.skipTest("this build has no libvips")
        self.succeed("invert", "mask.npy", "-o", "mask.tif", "--pyramid")
        content = self.content("mask.tif")
        for share in (0.3, 0.9):
            with open(self.path("cut.tif"), "wb") as file:
                file.write(content[:int(len(content) * share)])
            self.assertIn("cut.tif", self.fails_on("fill-holes", "cut.tif"))

    def test_a_source_that_changes_while_it_is_read(self):
        self.prepare()
        self.write_npy("before.npy", (1, 1), [7])
        process = self.pause(self.commands["reconstruct"], lambda kinds: 3 <= len(kinds) <= 8)
        os.rename(self.path("before.npy"), self.path(self.out))
        os.utime(self.path("mask.npy"))
        process.send_signal(signal.SIGCONT)
        message = process.communicate()[1].decode()
        self.assertEqual(process.returncode, 3, message)
        self.assertRegex(message, "^macareu: reconstruct: mask.npy: .*changed while it was read.*\n$")
        self.assertEqual(self.read_npy(self.out)[2], [7])

    def end_without_room(self, verb):
        """The limit of file sizes stands for a full disk."""
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (500000, resource.RLIM_INFINITY))
        done = self.run_tool(*self.commands[verb], preexec_fn=limit, restore_signals=False)
        self.assertEqual(done.returncode, 3, done.stderr)
        return done

    def test_a_file_that_cannot_grow(self):
        self.prepare()
        self.write_npy(self.out, (1, 1), [7])
        for verb in self.verbs:
            done = self.end_without_room(verb)
            self.assertRegex(done.stderr, f"^macareu: {verb}: ./{self.step}/\\d.pixels: File too large; "
                                          "what is done is kept, and --resume continues\n$")
            self.assertEqual(self.read_npy(self.out)[2], [7])
            self.resume(verb)
            self.write_npy(self.out, (1, 1), [7])

    def test_a_full_disk(self):
        self.prepare()
        with self.small_disk("9m"):
            for verb in self.verbs:
                command = [word.replace(self.out, "disk/" + self.out) for word in self.commands[verb]]
                self.write_npy("disk/" + self.out, (1, 1), [7])
                with open(self.path("disk/other"), "wb") as file:
                    file.write(bytes(8800000))
                done = self.run_tool(*command)
                self.assertEqual(done.returncode, 3)
                self.assertRegex(done.stderr, f"^macareu: {verb}: .*: No space left on device; "
                                              "what is done is kept, and --resume continues\n$")
                self.assertEqual(self.read_npy("disk/" + self.out)[2], [7])
                os.remove(self.path("disk/other"))
                self.succeed(*command, "--resume")
                self.assertTrue(self.content("disk/" + self.out) == self.expected[verb])
                self.assertEqual(os.listdir(self.path("disk")), [self.out])


if __name__ == "__main__":
    unittest.main()
