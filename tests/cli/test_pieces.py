"""Images in pieces: the same bytes as in memory, within a limit, and after any end of a run."""
import json
import os
import random
import re
import resource
import signal
import struct
import subprocess
import time
import unittest

from support import CliTest

# Of each operator; `make test-long` sets a share above 1.
KILLS = 10 if float(os.environ.get("MACAREU_TEST_SHARE", "1")) <= 1 else 200
MEBIBYTE = 1 << 20

# Numbers of records in the journal of a wave.
COMPLETED, IS_OVER = 2, -1


class PiecesTest(CliTest):
    def content(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def bright(self, shape="300,260"):
        """Besides marker.npy and mask.npy: objects.npy, the bright parts of the tissue."""
        self.generate(shape=shape)
        self.succeed("threshold", "mask.npy", "--value", "60", "-o", "objects.npy")

    def in_pieces(self, options, *arguments):
        """Runs a command. A limit is told in one line, a size of pieces in none."""
        done = self.run_tool(*arguments, *options)
        told = r"\w[\w-]*: in memory this takes \d+ .?iB, and the limit is \d+ .?iB: computing in pieces\n"
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, f"^{told if '--memory' in options else ''}$")

    def compare(self, *words, outputs=("-o out.npy",), ways=(("--pieces", "70,90"), ("--memory", "300K"))):
        """`words` with these outputs gives the same files in memory and in each of these ways."""
        arguments = [*words, *(word for output in outputs for word in output.split())]
        names = [output.split()[1] for output in outputs]
        self.succeed(*arguments)
        expected = [self.content(name) for name in names]
        for way in ways:
            for name in names:
                os.remove(self.path(name))
            before = self.files()
            self.in_pieces(way, *arguments)
            self.assertEqual(self.files(), sorted(before + names), way)
            for name, content in zip(names, expected):
                self.assertTrue(self.content(name) == content, (name, *arguments, *way))


class SameBytes(PiecesTest):
    def test_reconstruct(self):
        self.bright()
        self.compare("reconstruct", "marker.npy", "mask.npy",
                     ways=(("--pieces", "1,260"), ("--pieces", "17,5"), ("--pieces", "1000,1000"),
                           ("--memory", "100K"), ("--memory", "300K", "--threads", "1")))
        self.compare("reconstruct", "mask.npy", "marker.npy", "--by", "erosion", "--connectivity", "4")

    def test_long_ways(self):
        for name in ("serpentine", "spiral", "percolation"):
            self.generate(name, "120,130")
            self.compare("reconstruct", "marker.npy", "mask.npy", ways=(("--pieces", "16,16"), ("--memory", "60K")))

    def test_chains(self):
        self.bright()
        self.compare("fill-holes", "mask.npy")
        self.compare("canny", "mask.npy", "--sigma", "1.5", outputs=("-o out.npy", "--gradient g.npy"))
        self.compare("gaussian", "mask.npy", "--sigma", "3")
        self.compare("threshold", "mask.npy")
        self.compare("hmax", "mask.npy", "--h", "20")

    def test_distance(self):
        self.bright()
        sizes = (("--pieces", "1,1000"), ("--pieces", "40,30"), ("--memory", "300K"))
        self.compare("distance", "objects.npy", ways=sizes)
        self.compare("distance", "objects.npy", "--signed", "--spacing", "2,0.5", "--type", "f64")
        self.compare("nearest-site", "objects.npy")

    def test_label(self):
        self.bright()
        sizes = (("--pieces", "1,1"), ("--pieces", "40,30"), ("--memory", "300K"))
        self.compare("label", "objects.npy", ways=sizes)
        self.compare("label", "objects.npy", "--intensity", "mask.npy", outputs=("-o out.npy", "--table t.csv"),
                     ways=sizes)
        self.compare("label", "objects.npy", "--min-size", "20", "--order", "size",
                     outputs=("-o out.npy", "--table t.jsonl"))
        self.compare("label", "objects.npy", "--largest", "3", "--type", "u64")
        self.compare("remove-small", "objects.npy", "--min-size", "20")

    def test_tables(self):
        self.bright()
        for verb in ("statistics", "histogram"):
            self.compare(verb, "mask.npy", outputs=("-o t.csv",), ways=(("--pieces", "7,9"), ("--memory", "100K")))
            expected = self.succeed(verb, "mask.npy")
            self.assertEqual(self.succeed(verb, "mask.npy", "--pieces", "31,100"), expected)

    def test_colour(self):
        rows, columns = 90, 70
        values = [(7 * x * x + 5 * y * (c + 1)) % 251 for y in range(rows) for x in range(columns) for c in range(3)]
        self.write_npy("c.npy", (rows, columns, 3), values)
        colour = ("c.npy", "--channels", "last")
        for verb in ("invert", "median", "sobel"):
            self.compare(verb, *colour, ways=(("--pieces", "16,16"), ("--memory", "30K")))
        self.compare("gaussian", *colour, "--channel", "luminance", ways=(("--pieces", "16,16"), ("--memory", "30K")))

    def test_volumes(self):
        self.generate("noise", "20,24,28")
        sizes = (("--pieces", "1,24,28"), ("--pieces", "7,5,9"), ("--memory", "60K"))
        self.compare("reconstruct", "marker.npy", "mask.npy", ways=sizes)
        self.succeed("threshold", "mask.npy", "-o", "objects.npy")
        self.compare("label", "objects.npy", outputs=("-o out.npy", "--table t.csv"), ways=sizes)
        self.compare("distance", "objects.npy", ways=sizes)
        self.compare("gaussian", "mask.npy", ways=sizes)

    def test_formats(self):
        self.generate(shape="150,130")
        formats = ["npy", "raw", "mha", "nrrd", "pgm"]
        if ".png" in self.succeed("info"):
            formats += ["png", "tif"]
        for one in formats:
            self.succeed("invert", "mask.npy", "-o", f"a.{one}")
            shape = ("--shape", "150,130") if one == "raw" else ()
            self.compare("fill-holes", f"a.{one}", *shape, ways=(("--pieces", "40,50"), ("--memory", "100K")))
            self.compare("fill-holes", "mask.npy", outputs=(f"-o out.{one}",),
                         ways=(("--pieces", "40,50"), ("--memory", "100K")))


class Options(PiecesTest):
    def test_report(self):
        self.bright()
        self.in_pieces(("--pieces", "70,90"), "label", "objects.npy", "-o", "out.npy", "--report", "r.json")
        report = json.loads(self.content("r.json"))
        pixels = 300 * 260
        found = report["pieces"]
        self.assertEqual((found["size"], found["passes"], found["visited"]), ([1, 70, 260], 2, 10))
        self.assertEqual((found["bytes_read"], found["bytes_written"]), (2 * (pixels + 4 * 260), 4 * pixels))
        self.assertEqual((found["scratch_read"], found["solved_again"]), (0, 0))
        self.assertEqual(report["shape"], [300, 260])
        self.succeed("label", "objects.npy", "-o", "out.npy", "--report", "r.json")
        self.assertNotIn("pieces", json.loads(self.content("r.json")))

    def test_quiet(self):
        self.bright()
        self.succeed("maxima", "mask.npy", "-o", "out.npy", "--memory", "100K", "--quiet")

    def test_scratch(self):
        self.bright()
        os.mkdir(self.path("work"))
        self.compare("distance", "objects.npy", ways=(("--pieces", "40,30", "--scratch", "work"),))
        self.assertEqual(os.listdir(self.path("work")), [])
        pieces = ("-o", "x.npy", "--pieces", "9,9")
        self.assertIn("there is no directory nowhere",
                      self.fail_with(3, "distance", "objects.npy", *pieces, "--scratch", "nowhere"))

    def test_small_limits_name_the_least(self):
        self.bright()
        for verb in ("label", "distance"):
            command = (verb, "objects.npy", "-o", "x.npy", "--quiet")
            needs = [1]
            while len(needs) < 4:  # a later pass may need more
                done = self.run_tool(*command, "--memory", f"{needs[-1]}K")
                if done.returncode == 0:
                    break
                self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
                least = re.search(rf" needs (\d+) KiB, but the limit is {needs[-1]} KiB; raise it$", done.stderr)
                self.assertTrue(least, done.stderr)
                self.assertGreater(int(least[1]), needs[-1])
                needs.append(int(least[1]))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertGreater(len(needs), 1)

    def test_refusals(self):
        self.bright()
        pieces = ("-o", "x.npy", "--pieces", "9,9")
        self.assertRegex(self.fail_with(2, "distance", "objects.npy", "--method", "propagation", *pieces),
                         "order of visits.*cannot be computed in pieces; use exact distances, or more memory$")
        self.assertIn("--overlay is for images in memory",
                      self.fail_with(2, "label", "objects.npy", "--overlay", "o.npy", *pieces))
        self.assertIn("--repeat is for images in memory",
                      self.fail_with(2, "label", "objects.npy", "--repeat", "2", *pieces))
        self.assertIn("'serial' does not work in pieces; use cpu",
                      self.fail_with(2, "label", "objects.npy", "--device", "serial", *pieces))
        for size in ("0,9", "9,-1", "9", "1,2,3,4", "x"):
            self.assertIn("--pieces", self.fail_with(2, "label", "objects.npy", "-o", "x.npy", "--pieces", size))

    def test_errors_of_pixels(self):
        """Nothing is left of a run that its pixels end."""
        self.write_npy("marker.npy", (2, 3), [0, 0, 0, 0, 12, 0])
        self.write_npy("mask.npy", (2, 3), [10] * 6)
        self.assertIn("marker 12 is above mask 10 at row 1, column 1",
                      self.fail_with(2, "reconstruct", "marker.npy", "mask.npy", "-o", "x.npy", "--pieces", "1,2"))
        self.write_npy("a.npy", (2, 2), [0, 1, float("nan"), 3], "f32")
        self.assertIn("image is NaN at row 1, column 0",
                      self.fail_with(2, "fill-holes", "a.npy", "-o", "x.npy", "--pieces", "1,1"))

    def test_the_limit_is_kept(self):
        self.generate(shape="6000,6000")
        limit = 20 * MEBIBYTE
        for words in (("reconstruct", "marker.npy", "mask.npy"), ("distance", "mask.npy"), ("gaussian", "mask.npy"),
                      ("label", "mask.npy", "--intervals", "60:255")):
            self.in_pieces(("--memory", "20M"), *words, "-o", "out.npy", "--report", "r.json")
            self.assertLess(json.loads(self.content("r.json"))["peak_memory"], limit + 64 * MEBIBYTE, words)
            os.remove(self.path("out.npy"))


class EndedRuns(PiecesTest):
    """Runs that end early, and are continued. The pieces are small, so that a run has many records."""

    out = "out.npy"
    folder = ".macareu-out.npy.pieces"
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
        return os.path.join(self.directory, self.folder, "journal")

    def pause(self, command, reached):
        """A process that is stopped in the middle: when `reached(numbers of records)` holds, and before its end."""
        for _ in range(50):  # where the machine is busy, a run may end before this process looks
            process = self.start(*command)
            while process.poll() is None:
                if reached([of for of, _ in self.records()]):
                    process.send_signal(signal.SIGSTOP)
                    kinds = [of for of, _ in self.records()]
                    if reached(kinds) and IS_OVER not in kinds:
                        return process
                    process.send_signal(signal.SIGCONT)
                    break
                time.sleep(0.0005)
            process.communicate()
            os.remove(self.path(self.out))
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

    def resume(self, verb, *more):
        self.succeed(*self.commands[verb], "--resume", *more)
        self.check_end(verb)

    def check_end(self, verb):
        """The output, and no file beside it that was not there."""
        self.assertTrue(self.content(self.out) == self.expected[verb], verb)
        os.remove(self.path(self.out))
        self.assertEqual([name for name in self.files() if name.startswith(".")], [])

    def check_leftovers(self):
        for name in self.files():
            if name.startswith("."):
                self.assertRegex(name, r"^\.macareu-out\.npy\.(pieces|objects)$|^\.(out|t)\.macareu-\d+-\d+\.tmp\.(npy|csv)$")

    def test_kills_at_random_moments(self):
        self.prepare("3000,3000", "4M")
        moments = random.Random(29)
        for verb in self.commands:
            begin = time.monotonic()
            self.succeed(*self.commands[verb])
            longest = time.monotonic() - begin
            self.check_end(verb)
            kills, resumes = 0, False
            while kills < KILLS or resumes:
                process = self.start(*self.commands[verb], *(("--resume",) if resumes else ()))
                try:
                    line = process.communicate(timeout=moments.uniform(0, longest) if kills < KILLS else None)[1]
                except subprocess.TimeoutExpired:
                    process.kill()
                    line = process.communicate()[1]
                if process.returncode == -signal.SIGKILL:
                    kills += 1
                    resumes = True
                    self.check_leftovers()
                    if self.out in self.files():  # killed after it was complete
                        self.assertTrue(self.content(self.out) == self.expected[verb], verb)
                elif process.returncode == 0:
                    resumes = False
                    self.check_end(verb)
                else:  # killed before the first record or behind the last one
                    self.assertEqual(process.returncode, 2, line)
                    self.assertRegex(line, b"^macareu: [a-z]+: --resume: .*"
                                           b"(no unfinished run in|is empty; start again|got their names; start again)")
                    self.assertTrue(resumes)
                    resumes = False

    def test_signals(self):
        self.prepare()
        for sent in (signal.SIGINT, signal.SIGTERM):
            self.assertEqual(self.halt(self.commands["label"], sent), "macareu: label: interrupted\n")
            self.resume("label")
        self.assertRegex(self.halt([word for word in self.commands["reconstruct"] if word != "--quiet"], signal.SIGINT),
                         "computing in pieces\n"
                         "reconstruct: what is done is kept; the same command with --resume continues\n"
                         "macareu: reconstruct: interrupted\n$")

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

    def test_a_new_run_replaces_an_unfinished_one(self):
        self.prepare()
        self.halt(self.commands["distance"])
        loud = [word for word in self.commands["reconstruct"] if word != "--quiet"]
        done = self.run_tool(*loud)
        self.assertEqual(done.returncode, 0)
        self.assertIn(f"an unfinished run in ./{self.folder} was removed; --resume continues one", done.stderr)
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
                         "the unfinished run was another one: then 'input: u8 of 1000 x 1000,.*', now 'input: ")

    def test_damaged_journals(self):
        self.prepare()
        self.halt(self.commands["label"])
        whole = self.whole_journal()
        (length,) = struct.unpack("<Q", whole[:8])
        for damaged, message in ((b"", "is empty"), (whole[:5], "is empty"), (whole[:20], "is damaged"),
                                 (b"\xff" * 8 + whole[8:], "is damaged"),
                                 (whole[:9] + b"\n" + whole[10:], "another one")):
            self.write_journal(damaged)
            self.assertIn(message, self.fail_with(2, *self.commands["label"], "--resume"))
        # Records behind a damaged one did not happen.
        middle = (8 + length + len(whole)) // 2
        self.write_journal(whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1:])
        self.resume("label")

    def test_a_piece_that_is_written_in_part(self):
        """A wave completes pieces in place, row by row: a kill leaves the first rows of one."""
        side, cut = 1000, 50
        self.prepare(f"{side},{side}")
        command = ["--pieces" if word == "--memory" else word.replace("500K", f"{cut},{cut}")
                   for word in self.commands["reconstruct"]]
        self.halt(command, reached=lambda kinds: COMPLETED in kinds)
        self.write_journal(self.whole_journal()[:next(begin for of, begin in self.records() if of == COMPLETED)])
        (name,) = [name for name in os.listdir(self.path(self.folder))
                   if name.endswith(".pixels") and self.content(os.path.join(self.folder, name))[1:6] == b"NUMPY"]
        expected = self.expected["reconstruct"]
        begin = len(expected) - side * side
        with open(self.path(os.path.join(self.folder, name)), "r+b") as file:
            for row in range(0, side, cut):
                file.seek(begin + row * side)
                file.write(expected[begin + row * side:begin + (row + 1) * side])
        self.succeed(*command, "--resume")
        self.check_end("reconstruct")

    def records(self):
        """Number and begin of all records of the journal."""
        try:
            journal = self.whole_journal()
        except FileNotFoundError:
            return []
        found = []
        at = 8 + struct.unpack("<Q", journal[:8])[0] if len(journal) > 8 else len(journal)
        while at + 24 <= len(journal):
            of, _, size, _ = struct.unpack("<qqII", journal[at:at + 24])
            found.append((of, at))
            at += 24 + size
        return found

    def whole_journal(self):
        with open(self.journal(), "rb") as file:
            return file.read()

    def write_journal(self, content):
        with open(self.journal(), "wb") as file:
            file.write(content)

    def test_two_runs_with_one_output(self):
        self.prepare()
        for name, folder in (("distance", self.folder), ("table", ".macareu-out.npy.objects")):
            first = self.pause(self.commands[name], len)
            try:
                for more in ((), ("--resume",)):
                    line = self.fail_with(3, *self.commands[name], *more)
                    self.assertTrue(line.endswith(f": out.npy: another run is writing it, with work files in ./{folder}"),
                                    line)
            finally:
                first.send_signal(signal.SIGCONT)
            self.assertEqual((first.communicate()[1], first.returncode), (b"", 0))
            self.check_end(name)

    def test_a_file_that_cannot_grow(self):
        """The limit of file sizes stands for a full disk."""
        self.prepare()
        self.write_npy(self.out, (1, 1), [7])
        for verb in self.verbs:
            limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (500000, resource.RLIM_INFINITY))
            done = self.run_tool(*self.commands[verb], preexec_fn=limit, restore_signals=False)
            self.assertEqual(done.returncode, 3)
            self.assertRegex(done.stderr, f"^macareu: {verb}: ./{self.folder}/\\d.pixels: File too large; "
                                          "what is done is kept, and --resume continues\n$")
            self.assertEqual(self.read_npy(self.out)[2], [7])
            self.resume(verb)
            self.write_npy(self.out, (1, 1), [7])

    @unittest.skipUnless(os.geteuid() == 0, "only root mounts a file system")
    def test_a_full_disk(self):
        self.prepare()
        os.mkdir(self.path("disk"))
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=9m", "tmpfs", self.path("disk")], check=False,
                          stderr=subprocess.DEVNULL).returncode != 0:
            self.skipTest("root may not mount here")
        try:
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
        finally:
            subprocess.run(["umount", self.path("disk")], check=True)


if __name__ == "__main__":
    unittest.main()
