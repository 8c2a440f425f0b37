"""Runs in pieces whose inputs are damaged or change, or whose outputs have no room."""
import os
import signal
import unittest

from ended_run_support import EndedRunsTest


class FailingFiles(EndedRunsTest):
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
