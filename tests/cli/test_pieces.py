"""Images in pieces: the same bytes as in memory, within a limit."""
import json
import os
import re
import shutil
import unittest

from support import CliTest

MEBIBYTE = 1 << 20
SHARE = float(os.environ.get("MACAREU_TEST_SHARE", "1"))


class PiecesTest(CliTest):
    def content(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def remove(self, name):
        """A file, or a directory with all that is in it."""
        shutil.rmtree(self.path(name)) if os.path.isdir(self.path(name)) else os.remove(self.path(name))

    def bright(self, shape="300,260"):
        """Besides marker.npy and mask.npy: objects.npy, the bright parts of the tissue."""
        self.generate(shape=shape)
        self.succeed("threshold", "mask.npy", "--value", "60", "-o", "objects.npy")

    def peak_memory(self, report):
        """Bytes that count against a limit: what CUDA took to start does not."""
        found = json.loads(self.content(report))
        return found["peak_memory"] - found.get("gpu_start_up_memory", 0)

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
                           ("--memory", "200K"), ("--memory", "300K", "--threads", "1")))
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

    def test_overlay(self):
        self.bright()
        ways = (("--pieces", "40,30"), ("--memory", "300K"))
        for picture in ("o.ppm", "o.npy"):
            self.compare("label", "objects.npy", "--min-size", "20",
                         outputs=("-o out.npy", f"--overlay {picture}", "--table t.csv"), ways=ways)
        self.compare("watershed", "mask.npy", "--h", "30", outputs=("-o out.mha", "--overlay o.ppm"), ways=ways)

    def test_measure(self):
        self.bright()
        self.succeed("label", "objects.npy", "-o", "labels.npy")
        ways = (("--pieces", "40,30"), ("--memory", "300K"))
        self.compare("measure", "labels.npy", "--intensity", "mask.npy", "--on", "mask.npy",
                     outputs=("--table t.csv", "--overlay o.ppm"), ways=ways)
        self.compare("measure", "labels.npy", outputs=("--table t.jsonl",), ways=ways)
        expected = self.succeed("measure", "labels.npy")
        self.assertEqual(self.succeed("measure", "labels.npy", "--pieces", "31,100"), expected)
        self.in_pieces(ways[0], "measure", "labels.npy", "--table", "t.csv", "--report", "r.json")
        self.assertEqual(json.loads(self.content("r.json"))["pieces"]["passes"], 2)

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
        self.generate("noise", "30,34,38")
        sizes = (("--pieces", "1,34,38"), ("--pieces", "7,5,9"), ("--memory", "240K"))
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


    def test_zarr_of_an_image_without_pixels(self):
        self.write_npy("empty.npy", (0, 5), [])
        if "zarr" not in self.succeed("info"):
            self.skipTest("this build has no nlohmann-json")
        self.succeed("label", "empty.npy", "-o", "out.zarr", "--table", "t.csv", "--pieces", "4,4")
        self.assertEqual(len(self.content("t.csv").splitlines()), 1)

    def test_a_zarr_directory_is_replaced(self):
        self.generate(shape="150,130")
        if "zarr" not in self.succeed("info"):
            self.skipTest("this build has no nlohmann-json")
        self.succeed("invert", "mask.npy", "-o", "expected.npy")
        for way in ((), ("--pieces", "40,50"), ()):
            self.succeed("fill-holes", "mask.npy", "-o", "out.zarr", *way)
            self.succeed("invert", "mask.npy", "-o", "out.zarr", *way)
            self.succeed("compare", "out.zarr", "expected.npy")
        os.mkdir(self.path("folder.zarr"))
        self.assertIn("exists and is something else",
                      self.fail_with(3, "invert", "mask.npy", "-o", "folder.zarr", "--pieces", "40,50"))


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

    def test_streams(self):
        """Work files do not lie beside a pipe, and nothing of the run is left."""
        self.bright()
        self.succeed("fill-holes", "mask.npy", "-o", "expected.npy")
        os.mkdir(self.path("temporary"))
        os.environ["TMPDIR"] = self.path("temporary")
        self.addCleanup(os.environ.pop, "TMPDIR")
        before = sorted(os.listdir("/dev"))
        command = ("fill-holes", "mask.npy", "-o", "/dev/stdout", "--pieces", "70,90")
        done = self.run_tool(*command)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertTrue(done.stdout == self.content("expected.npy"))
        self.assertEqual(sorted(os.listdir("/dev")), before)
        self.assertEqual(os.listdir(self.path("temporary")), [])
        self.assertIn("without an output file nothing was kept", self.fail_with(2, *command, "--resume"))

    def test_blocks_are_pieces(self):
        self.bright()
        self.succeed("label", "objects.npy", "-o", "expected.npy")
        self.succeed("label", "objects.npy", "-o", "out.npy", "--blocks", "70", "--report", "r.json")
        self.assertEqual(json.loads(self.content("r.json"))["pieces"]["size"], [1, 70, 260])
        self.assertTrue(self.content("out.npy") == self.content("expected.npy"))
        self.assertIn("--blocks and --pieces both cut the image; give one of them",
                      self.fail_with(2, "label", "objects.npy", "-o", "x.npy", "--blocks", "70", "--pieces", "9,9"))

    def test_intensity_counts(self):
        """Without the image of intensities all fits."""
        self.bright()
        self.write_npy("large.npy", (300, 260), [i % 97 for i in range(300 * 260)], "f64")
        command = ("label", "objects.npy", "-o", "out.npy", "--table", "t.csv")
        self.succeed(*command, "--memory", "9500K")
        self.in_pieces(("--memory", "9500K"), *command, "--intensity", "large.npy")

    def test_quiet(self):
        self.bright()
        self.succeed("maxima", "mask.npy", "-o", "out.npy", "--memory", "200K", "--quiet")

    def test_scratch(self):
        self.bright()
        os.mkdir(self.path("work"))
        self.compare("distance", "objects.npy", ways=(("--pieces", "40,30", "--scratch", "work"),))
        self.assertEqual(os.listdir(self.path("work")), [])
        pieces = ("-o", "x.npy", "--pieces", "9,9")
        self.assertIn("there is no directory nowhere",
                      self.fail_with(3, "distance", "objects.npy", *pieces, "--scratch", "nowhere"))

    def test_small_limits_name_the_least(self):
        """A limit that is too small is refused before pixels are read, and the one it names works."""
        self.bright()
        self.succeed("label", "objects.npy", "-o", "labels.npy")
        for words in (("label", "objects.npy"), ("distance", "objects.npy"), ("reconstruct", "marker.npy", "mask.npy"),
                      ("gaussian", "mask.npy", "--sigma", "9"), ("fill-holes", "mask.npy"),
                      ("canny", "mask.npy"), ("hmax", "mask.npy", "--h", "20"), ("median", "mask.npy", "--size", "7"),
                      ("invert", "mask.npy"), ("watershed", "mask.npy"), ("watershed", "mask.npy", "labels.npy"),
                      ("maxima", "mask.npy"), ("remove-small", "objects.npy"), ("rescale", "mask.npy"),
                      ("relabel", "labels.npy")):
            command = (*words, "-o", "x.npy", "--quiet")
            done = self.run_tool(*command, "--memory", "1K")
            least = re.search(r": this needs (\d+) KiB, but the limit is 1 KiB; raise it\n$", done.stderr)
            self.assertTrue(least and done.returncode == 2, (words, done.stderr))
            self.assertNotIn("x.npy", self.files())
            self.succeed(*command, "--memory", f"{least[1]}K")
            expected = self.content("x.npy")
            self.succeed(*command)
            self.assertTrue(self.content("x.npy") == expected, words)
            os.remove(self.path("x.npy"))

    def test_refusals(self):
        self.bright()
        pieces = ("-o", "x.npy", "--pieces", "9,9")
        self.assertRegex(self.fail_with(2, "distance", "objects.npy", "--method", "propagation", *pieces),
                         "order of visits.*cannot be computed in pieces; use exact distances, or more memory$")
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
        """Pixels of 8 bytes: two images are more than the limit and what the program takes besides."""
        self.generate(shape="2400,2400")
        self.widen("f64", "mask.npy", "marker.npy")
        limit = 20 * MEBIBYTE
        commands = [("reconstruct", "marker.npy", "mask.npy"), ("distance", "mask.npy", "--type", "f64"),
                    ("label", "mask.npy", "--intervals", "60:255", "--type", "u64"), ("gaussian", "mask.npy", "--sigma", "12"),
                    ("dilation", "mask.npy", "--radius", "100")]
        for words in commands + ([("gaussian", "mask.npy"), ("fill-holes", "mask.npy")] if SHARE > 1 else []):
            self.in_pieces(("--memory", "20M"), *words, "-o", "out.npy", "--report", "r.json")
            self.assertLess(self.peak_memory("r.json"), limit + 64 * MEBIBYTE, words)
            os.remove(self.path("out.npy"))

    def test_the_limit_is_kept_with_tiff(self):
        """Tiles that are read, and smaller levels that wait for the largest, are counted."""
        if ".tif" not in self.succeed("info"):
            self.skipTest("this build has no libvips")
        self.generate(shape="6000,4600")
        self.widen("f32", "mask.npy")
        os.mkdir(self.path("work"))
        os.environ["TMPDIR"] = self.path("nowhere")  # more levels than fit are in --scratch
        self.addCleanup(os.environ.pop, "TMPDIR")
        commands = [("invert", "mask.npy", "-o", "tiled.tif", "--pyramid", "--scratch", "work"),
                    ("gaussian", "tiled.tif", "-o", "out.tif", "--sigma", "3"),
                    ("label", "tiled.tif", "-o", "out.npy", "--intervals", "0:150", "--order", "size")]
        for words in commands + ([("fill-holes", "tiled.tif", "-o", "out.npy")] if SHARE > 1 else []):
            self.in_pieces(("--memory", "32M"), *words, "--report", "r.json")
            self.assertLess(self.peak_memory("r.json"), (32 + 64) * MEBIBYTE, words)
        self.assertEqual(os.listdir(self.path("work")), [])
        done = self.run_tool("invert", "mask.npy", "-o", "x.tif", "--pyramid", "--memory", "32M")
        self.assertEqual(done.returncode, 3)
        self.assertIn("nowhere for temporary files", done.stderr)

    def dots(self, side):
        """dots.npy: an object in every fourth pixel."""
        self.write_npy("dots.npy", (side, side), (side // 2) * (bytes(side) + (side // 2) * b"\0\1"))

    def widen(self, dtype, *names):
        for name in names:
            self.succeed("cast", name, "-o", "wide.npy", "--type", dtype)
            os.replace(self.path("wide.npy"), self.path(name))

    def test_the_limit_is_kept_with_many_objects(self):
        """Rows of the table go to a file, and its text is written row by row."""
        side = 1200
        self.dots(side)
        self.succeed("label", "dots.npy", "-o", "labels.npy", "--table", "expected.csv")
        ways = [("out.npy", "--min-size", "1")]
        if "zarr" in self.succeed("info"):  # the number of labels is known before they are measured
            ways.append(("out.zarr",))
        for out, *more in ways:
            self.in_pieces(("--memory", "5M"), "label", "dots.npy", "-o", out, "--table", "t.csv", *more, "--report", "r.json")
            report = json.loads(self.content("r.json"))
            self.assertEqual(report["count"], side * side // 4)
            self.assertLess(self.peak_memory("r.json"), (5 + 64) * MEBIBYTE, out)
            self.assertTrue(self.content("t.csv") == self.content("expected.csv"), out)
            self.succeed("compare", out, "labels.npy")

    def test_the_limit_is_kept_by_selections_of_many_objects(self):
        """Rows and new numbers of millions of objects are in files, and none of them has a copy in memory."""
        side = 3200 if SHARE > 1 else 2400
        self.dots(side)
        self.succeed("label", "dots.npy", "-o", "labels.npy")
        commands = [("label", "dots.npy", "--min-size", "1"), ("remove-small", "dots.npy", "--min-size", "1"),
                    ("relabel", "labels.npy", "--keep", "area 1:9")]
        for words in commands + ([("relabel", "labels.npy")] if SHARE > 1 else []):
            self.in_pieces(("--memory", "10M"), *words, "-o", "out.npy", "--report", "r.json")
            report = json.loads(self.content("r.json"))
            self.assertEqual(report["count"], side * side // 4, words)
            self.assertLess(self.peak_memory("r.json"), (10 + 64) * MEBIBYTE, words)
            expected = "dots.npy" if words[0] == "remove-small" else "labels.npy"
            self.assertTrue(self.content("out.npy") == self.content(expected), words)
            os.remove(self.path("out.npy"))
        # Where bands are large, their objects are more than fit at once.
        self.in_pieces(("--memory", "40M"), "measure", "labels.npy", "--table", "t.csv", "--report", "r.json")
        self.assertLess(self.peak_memory("r.json"), (40 + 64) * MEBIBYTE)
        self.assertEqual(self.content("t.csv").count(b"\n"), side * side // 4 + 1)


if __name__ == "__main__":
    unittest.main()
