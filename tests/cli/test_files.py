"""Formats, colour, raw files, pipes, and what is carried from input to output."""
import os
import struct
import unittest
from pathlib import Path

from support import CliTest, npy_bytes, parse_npy


class Colour(CliTest):
    def setUp(self):
        super().setUp()
        self.write_npy("rgb.npy", (1, 2, 3), [10, 20, 30, 255, 255, 255])

    def test_refused_without_a_choice(self):
        line = self.fail_with(2, "fill-holes", "rgb.npy", "-o", "x.npy", "--channels", "last")
        self.assertIn("3 channels", line)
        self.assertIn("--channel luminance", line)

    def test_channel(self):
        self.succeed("fill-holes", "rgb.npy", "-o", "x.npy", "--channels", "last", "--channel", "2")
        self.assertEqual(self.read_npy("x.npy"), ((1, 2), "u8", [30, 255]))
        self.assertIn("no channel 3", self.fail_with(2, "fill-holes", "rgb.npy", "-o", "y.npy", "--channels", "last",
                                                     "--channel", "3"))
        self.assertIn("--channel", self.fail_with(2, "fill-holes", "rgb.npy", "-o", "y.npy", "--channel", "red"))

    def test_luminance_is_rounded_to_the_nearest(self):
        self.succeed("fill-holes", "rgb.npy", "-o", "x.npy", "--channels", "last", "--channel", "luminance")
        self.assertEqual(self.read_npy("x.npy")[2], [(299 * 10 + 587 * 20 + 114 * 30 + 500) // 1000, 255])
        big = [2**63 - 1] * 3 + [-2**63] * 3 + [-7, 3, -1000]
        self.write_npy("i64.npy", (1, 3, 3), big, "i64")
        self.succeed("fill-holes", "i64.npy", "-o", "x.npy", "--channels", "last", "--channel", "luminance")
        self.assertEqual(self.read_npy("x.npy")[2],
                         [2**63 - 1, -2**63, (299 * -7 + 587 * 3 + 114 * -1000 + 500) // 1000])

    def test_grey_is_left_as_it_is(self):
        self.write_npy("grey.npy", (1, 2), [3, 4])
        self.succeed("fill-holes", "grey.npy", "-o", "x.npy", "--channel", "luminance")
        self.assertEqual(self.read_npy("x.npy")[2], [3, 4])

    def test_three_axes_are_a_volume(self):
        self.assertIn("1 x 2 x 3 (slices, rows, columns)", self.succeed("info", "rgb.npy"))
        self.assertIn("1 x 2 (rows, columns)", self.succeed("info", "rgb.npy", "--channels", "last"))


class Raw(CliTest):
    def setUp(self):
        super().setUp()
        with open(self.path("be.raw"), "wb") as file:
            file.write(b"header" + struct.pack(">6H", 1, 2, 3, 1000, 5, 6))

    def test_layout(self):
        layout = ["--shape", "2,3", "--dtype", "u16", "--offset", "6", "--endian", "big"]
        self.succeed("fill-holes", "be.raw", "-o", "x.npy", *layout)
        self.assertEqual(self.read_npy("x.npy"), ((2, 3), "u16", [1, 2, 3, 1000, 5, 6]))
        self.assertIn("1000", self.succeed("info", "be.raw", *layout))

    def test_what_is_missing(self):
        self.assertIn("--shape", self.fail_with(3, "info", "be.raw"))
        self.assertIn("--shape", self.fail_with(2, "info", "be.raw", "--dtype", "u16"))
        self.assertIn("be.raw", self.fail_with(3, "info", "be.raw", "--shape", "9,9", "--dtype", "u16"))
        self.assertIn("u17", self.fail_with(2, "info", "be.raw", "--shape", "2,3", "--dtype", "u17"))

    def test_other_files_have_a_header(self):
        self.write_npy("a.npy", (1, 2), [3, 4])
        self.assertIn("--shape", self.fail_with(2, "info", "a.npy", "--shape", "1,2"))


class Pipes(CliTest):
    def test_npy_in_and_out(self):
        given = npy_bytes((1, 3), [5, 0, 5])
        done = self.run_tool("fill-holes", "/dev/stdin", "-o", "/dev/stdout", input=given)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(parse_npy(done.stdout), ((1, 3), "u8", [5, 0, 5]))

    def test_named_pipes(self):
        os.mkfifo(self.path("in"))
        process = self.start("maxima", "in", "-o", "out.npy")
        with open(self.path("in"), "wb") as pipe:
            pipe.write(npy_bytes((1, 3), [1, 2, 1]))
        self.assertEqual((process.communicate()[1], process.returncode), (b"", 0))
        self.assertEqual(self.read_npy("out.npy")[2], [False, True, False])

    def test_reader_that_leaves(self):
        self.generate(shape="700,700")
        reading, writing = os.pipe()
        os.close(reading)
        self.assertIn("/dev/fd/", self.fail_with(3, "maxima", "mask.npy", "-o", f"/dev/fd/{writing}",
                                                 pass_fds=[writing]))
        os.close(writing)


class Bands(CliTest):
    def test_generated_files_do_not_depend_on_memory(self):
        one_thread = {"env": {**os.environ, "OMP_NUM_THREADS": "1"}}  # memory for tissue depends on threads
        for name, shape, memory in (("noise", "300,200", "3K"), ("noise", "7,20,43", "2K"), ("noise", "7,20,43", "100"),
                                    ("tissue", "300,200", "200K")):
            for extension in ("npy", "mha", "nrrd"):
                with self.subTest(name=name, shape=shape, memory=memory, extension=extension):
                    files = [f"{part}.{extension}" for part in ("a", "a_marker", "b", "b_marker")]
                    common = ["generate", name, "--shape", shape]
                    self.succeed(*common, "-o", files[0], "--marker", files[1])
                    self.succeed(*common, "-o", files[2], "--marker", files[3], "--memory", memory, **one_thread)
                    whole, whole_marker, bands, bands_marker = (Path(self.path(f)).read_bytes() for f in files)
                    self.assertEqual((bands, bands_marker), (whole, whole_marker))


class Formats(CliTest):
    def test_spacing_is_carried(self):
        with open(self.path("a.mha"), "wb") as file:
            file.write(b"ObjectType = Image\nNDims = 2\nDimSize = 3 1\nElementSpacing = 0.5 2\n"
                       b"ElementType = MET_UCHAR\nElementDataFile = LOCAL\n\1\2\1")
        self.assertIn("2, 0.5", self.succeed("info", "a.mha"))
        self.succeed("maxima", "a.mha", "-o", "b.nrrd")
        self.assertIn("2, 0.5", self.succeed("info", "b.nrrd"))

    def test_masks_in_pictures(self):
        self.write_npy("a.npy", (1, 3), [1, 2, 1])
        self.succeed("maxima", "a.npy", "-o", "b.pgm")
        with open(self.path("b.pgm"), "rb") as file:
            self.assertTrue(file.read().endswith(b"\0\xff\0"))

    def test_output_replaces_its_input(self):
        self.write_npy("a.npy", (3, 3), [9, 9, 9, 9, 0, 9, 9, 9, 9])
        self.succeed("fill-holes", "a.npy", "-o", "a.npy")
        self.assertEqual(self.read_npy("a.npy")[2], [9] * 9)
        self.assertEqual(self.files(), ["a.npy"])


if __name__ == "__main__":
    unittest.main()
