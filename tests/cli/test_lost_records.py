"""Unfinished runs whose files lost something: records of a journal, or pixels that had not reached the disk."""
import json
import os
import resource
import shutil
import signal
import struct
import unittest

from ended_run_support import BEGAN, COMPLETED, SOLVED, STOPPED, EndedRunsTest, records_of


class LostRecords(EndedRunsTest):
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

if __name__ == "__main__":
    unittest.main()
