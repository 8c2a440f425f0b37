"""What goes wrong: the exit code, one line on stderr that a newcomer understands, and no file left."""
import os
import unittest

from support import CliTest


class Arguments(CliTest):
    def setUp(self):
        super().setUp()
        self.write_npy("marker.npy", (1, 3), [1, 0, 0])
        self.write_npy("mask.npy", (1, 3), [1, 2, 3])
        self.pair = ["marker.npy", "mask.npy", "-o", "out.npy"]

    def test_verbs(self):
        self.assertIn("did you mean reconstruct?", self.fail_with(2, "recnstruct"))
        self.assertIn("see macareu --help", self.fail_with(2, "nonsense"))
        self.assertIn("expected a verb", self.fail_with(2, "--device", "cpu"))

    def test_unknown_option(self):
        line = self.fail_with(2, "reconstruct", *self.pair, "--conectivity", "4")
        self.assertIn("did you mean --connectivity?", line)
        self.assertIn("see macareu reconstruct --help", line)

    def test_mistyped_output_is_named_before_it_is_missed(self):
        self.assertIn("'--ouput'", self.fail_with(2, "reconstruct", "marker.npy", "mask.npy", "--ouput", "x.npy"))

    def test_missing_and_superfluous(self):
        self.assertIn("MASK is required", self.fail_with(2, "reconstruct", "marker.npy", "-o", "x.npy"))
        self.assertIn("--output is required", self.fail_with(2, "reconstruct", "marker.npy", "mask.npy"))
        self.assertIn("--h is required", self.fail_with(2, "hmax", "mask.npy", "-o", "x.npy"))
        self.assertIn("'third'", self.fail_with(2, "reconstruct", *self.pair, "third"))
        self.assertIn("--by needs a value", self.fail_with(2, "reconstruct", *self.pair, "--by"))
        self.assertIn("--by is given more than once",
                      self.fail_with(2, "reconstruct", *self.pair, "--by", "erosion", "--by", "dilation"))
        self.assertIn("more than once", self.fail_with(2, "reconstruct", *self.pair, "-o", "x.npy"))
        self.assertIn("--clip takes no value", self.fail_with(2, "reconstruct", *self.pair, "--clip=yes"))

    def test_wrong_values(self):
        for option, value in (("--by", "opening"), ("--connectivity", "5"), ("--threads", "0"), ("--threads", "x"),
                              ("--memory", "4X"), ("--memory", "0"), ("--repeat", "0"), ("--repeat", "1.5")):
            line = self.fail_with(2, "reconstruct", *self.pair, option, value)
            self.assertIn(option + ": expected", line)
            self.assertIn(f"'{value}'", line)
        for value in ("0", "-3", "high", "nan"):
            self.assertIn("--h: expected", self.fail_with(2, "hmax", "mask.npy", "-o", "x.npy", "--h", value))

    def test_connectivity_must_fit_the_rank(self):
        self.assertIn("26 is for volumes", self.fail_with(2, "reconstruct", *self.pair, "--connectivity", "26"))
        self.write_npy("volume.npy", (1, 1, 3), [1, 2, 3])
        self.assertIn("4 is for images", self.fail_with(2, "maxima", "volume.npy", "-o", "x.npy",
                                                        "--connectivity", "4"))

    def test_devices_and_strategies(self):
        self.assertIn("serial, cpu", self.fail_with(2, "reconstruct", *self.pair, "--device", "toaster"))
        self.assertIn("tiles", self.fail_with(2, "reconstruct", *self.pair, "--strategy", "luck"))
        if "cuda" not in self.succeed("info"):
            self.assertIn("'cuda'", self.fail_with(4, "reconstruct", *self.pair, "--device", "cuda"))
            self.assertIn("'cuda:1'", self.fail_with(4, "reconstruct", *self.pair, "--device", "cuda:1"))

    def test_instruction_set(self):
        wrong = {"env": {**os.environ, "MACAREU_INSTRUCTION_SET": "mmx"}}
        for words in (["reconstruct", *self.pair], ["info"]):
            self.assertRegex(self.fail_with(2, *words, **wrong),
                             "MACAREU_INSTRUCTION_SET: expected one of [a-z0-9, ]+, got 'mmx'$")

    def test_options_are_checked_before_files_are_read(self):
        self.assertIn("toaster", self.fail_with(2, "maxima", "nothing.npy", "-o", "x.npy", "--device", "toaster"))

    def test_generate(self):
        self.assertIn("tissue", self.fail_with(2, "generate", "nothing", "--shape", "9,9", "-o", "x.npy"))
        self.assertIn("--shape", self.fail_with(2, "generate", "flat", "-o", "x.npy"))
        self.assertIn("--output", self.fail_with(2, "generate", "flat", "--shape", "9,9"))
        for shape in ("9", "9,-9", "9,x", "1,2,3,4", ""):
            self.assertIn("--shape", self.fail_with(2, "generate", "flat", "--shape", shape, "-o", "x.npy"))
        self.assertIn("marker", self.fail_with(2, "generate", "chess", "--shape", "9,9", "-o", "x.npy",
                                               "--marker", "y.npy"))
        self.assertIn("truth", self.fail_with(2, "generate", "chess", "--shape", "9,9", "-o", "x.npy", "--truth", "y.npy"))
        self.assertIn("marker", self.fail_with(2, "generate", "slide", "--shape", "9,9", "-o", "x.npy", "--marker", "y.npy"))
        self.assertIn("3 channels", self.fail_with(2, "generate", "slide", "--shape", "9,9", "-o", "x.pgm"))
        self.assertIn("volume", self.fail_with(2, "generate", "tissue", "--shape", "9,9,9", "-o", "x.npy"))
        self.assertIn("two outputs", self.fail_with(2, "generate", "flat", "--shape", "9,9", "-o", "x.npy",
                                                    "--marker", "x.npy"))
        tissue = ["generate", "tissue", "--shape", "300,200", "-o", "x.npy", "--marker", "y.npy"]
        self.assertIn("needs at least", self.fail_with(2, *tissue, "--memory", "10K"))
        self.assertIn("nowhere", self.fail_with(3, *tissue[:-1], "nowhere/y.npy"))
        self.assertNotIn("x.npy", self.files())

    def test_bench(self):
        self.assertIn("reconstruct", self.fail_with(2, "bench", "nothing"))
        self.assertIn("no case", self.fail_with(2, "bench", "reconstruct", "--quick", "--only", "nothing"))


class Pixels(CliTest):
    def test_marker_above_mask(self):
        self.write_npy("marker.npy", (2, 3), [0, 0, 0, 0, 12, 0])
        self.write_npy("mask.npy", (2, 3), [10] * 6)
        line = self.fail_with(2, "reconstruct", "marker.npy", "mask.npy", "-o", "x.npy")
        self.assertTrue(line.startswith("macareu: reconstruct: marker 12 is above mask 10 at row 1, column 1; use --clip"),
                        line)
        line = self.fail_with(2, "reconstruct", "marker.npy", "mask.npy", "-o", "x.npy", "--by", "erosion")
        self.assertIn("marker 0 is below mask 10 at row 0, column 0", line)

    def test_nan(self):
        self.write_npy("a.npy", (2, 2), [0, 1, float("nan"), 3], "f32")
        line = self.fail_with(2, "fill-holes", "a.npy", "-o", "x.npy")
        self.assertTrue(line.startswith("macareu: fill-holes: image is NaN at row 1, column 0"), line)

    def test_shapes_and_types(self):
        self.write_npy("a.npy", (2, 2), [0, 1, 2, 3])
        self.write_npy("b.npy", (1, 4), [0, 1, 2, 3])
        self.write_npy("c.npy", (2, 2), [0, 1, 2, 3], "u16")
        self.assertIn("1 x 4", self.fail_with(2, "reconstruct", "a.npy", "b.npy", "-o", "x.npy"))
        self.assertIn("u16", self.fail_with(2, "reconstruct", "a.npy", "c.npy", "-o", "x.npy"))
        self.assertIn("whole number", self.fail_with(2, "hmax", "a.npy", "-o", "x.npy", "--h", "0.5"))


class Files(CliTest):
    def setUp(self):
        super().setUp()
        self.write_npy("a.npy", (1, 3), [1, 2, 3])

    def test_markers_of_a_watershed(self):
        """In memory and in pieces, each in one line with value and place."""
        self.write_npy("f.npy", (2, 3), [0, 1, 2, 3, 4, 5], "f32")
        self.write_npy("nan.npy", (2, 3), [0, 1, 2, 3, float("nan"), 5], "f32")
        self.write_npy("one.npy", (2, 3), [1, 0, 0, 0, 0, 7], "i32")
        self.write_npy("negative.npy", (2, 3), [1, 0, 0, 0, -4, 0], "i16")
        self.write_npy("none.npy", (2, 3), [0] * 6, "u8")
        self.write_npy("short.npy", (2, 2), [1, 0, 0, 2], "u8")
        self.write_npy("mask.npy", (2, 3), [1, 1, 1, 1, 1, 0], "bool")
        self.write_npy("empty.npy", (0, 0), [], "bool")
        for given, message in (
                (("nan.npy", "one.npy"), "landscape is NaN at row 1, column 1; replace NaN first, it has no order"),
                (("nan.npy", "none.npy", "--mask", "mask.npy"),
                 "landscape is NaN at row 1, column 1; replace NaN first, it has no order"),
                (("f.npy", "negative.npy"), "markers: expected labels from 0 to 4294967293, got -4 at row 1, column 1"),
                (("f.npy", "one.npy", "--mask", "mask.npy"), "markers: expected 0 outside mask, got 7 at row 1, column 2"),
                (("f.npy", "none.npy"), "markers are 0 everywhere: there is nothing to start from"),
                (("f.npy", "short.npy"), "markers is 2 x 2, but landscape is 2 x 3: they must have one shape"),
                (("f.npy", "one.npy", "--mask", "empty.npy"),
                 "mask is 0 x 0, but landscape is 2 x 3: they must have one shape")):
            for how in ((), ("--pieces", "1,2")):
                with self.subTest(given, how=how):
                    text = self.fail_with(2, "watershed", *given, "-o", "o.npy", *how)
                    self.assertEqual(text, f"macareu: watershed: {message}")

    def test_footprints_and_stains(self):
        self.write_npy("f.npy", (2, 3), [0, 1, 2, 3, 4, 5])
        self.write_npy("zeros.npy", (1, 2), [0, 0])
        self.write_npy("empty.npy", (0, 0), [])
        self.write_npy("nan.npy", (1, 2), [1, float("nan")], "f32")
        for how in ((), ("--pieces", "1,2")):
            for file, message in (("zeros.npy", "footprint is empty: all of its 2 pixels are zero"),
                                  ("empty.npy", "footprint is empty: it is 0 x 0"),
                                  ("nan.npy", "footprint is NaN at row 0, column 1; replace NaN first, it has no order")):
                self.assertEqual(self.fail_with(2, "opening", "f.npy", "--footprint", file, "-o", "o.npy", *how),
                                 f"macareu: opening: {message}")
            for given in (("--radius", "1"), ("--element", "line"), ("--size", "3,5"), ("--length", "4"), ("--angle", "9")):
                self.assertEqual(
                    self.fail_with(2, "opening", "f.npy", "--footprint", "f.npy", *given, "-o", "o.npy", *how),
                    f"macareu: opening: {given[0]} and footprint are both given: use one of them")
        self.write_npy("rgb.npy", (1, 2, 3), [1, 2, 3, 4, 5, 6])
        self.assertEqual(
            self.fail_with(2, "unmix", "rgb.npy", "--channels", "last", "--stains", "h_e_dab", "--vectors", "1,2,3,2,4,7",
                           "-o", "o.npy"),
            "macareu: unmix: --vectors and --stains are both given: use one of them")
        self.assertEqual(
            self.fail_with(2, "unmix", "rgb.npy", "--channels", "last", "--vectors", "1,2,3,2,4,6", "-o", "o.npy"),
            "macareu: unmix: --vectors: the stains cannot be told apart: "
            "vectors 1 (1, 2, 3) and 2 (2, 4, 6) have one direction")
        self.assertEqual(self.fail_with(2, "rescale", "f.npy", "--low", "9", "-o", "o.npy"),
                         "macareu: rescale: --low: expected at most high, which is 5 by high_percentile, got 9")

    def test_missing_input(self):
        self.assertIn("nothing.npy", self.fail_with(3, "maxima", "nothing.npy", "-o", "x.npy"))

    def test_damaged_input(self):
        with open(self.path("bad.npy"), "wb") as file:
            file.write(b"\x93NUMPY\x01\x00")
        self.assertIn("bad.npy: byte", self.fail_with(3, "maxima", "bad.npy", "-o", "x.npy"))

    def test_extension_is_checked_before_inputs_are_read(self):
        self.assertIn(".xyz cannot be written", self.fail_with(2, "maxima", "nothing.npy", "-o", "x.xyz"))
        self.assertIn("without extension", self.fail_with(2, "maxima", "nothing.npy", "-o", "x"))

    def test_directory_is_checked_before_inputs_are_read(self):
        self.assertIn("no directory nowhere", self.fail_with(3, "maxima", "nothing.npy", "-o", "nowhere/x.npy"))
        self.assertIn("no directory nowhere", self.fail_with(3, "maxima", "nothing.npy", "-o", "x.npy",
                                                             "--report", "nowhere/r.json"))

    def test_type_must_fit_the_format(self):
        self.write_npy("f.npy", (1, 3), [1, 2, 3], "f32")
        self.assertIn("f32", self.fail_with(2, "fill-holes", "f.npy", "-o", "x.pgm"))

    def test_unwritable_output(self):
        os.mkdir(self.path("folder.npy"))
        self.assertIn("is a directory", self.fail_with(3, "maxima", "a.npy", "-o", "folder.npy"))
        if os.path.exists("/dev/full"):
            self.assertIn("/dev/full", self.fail_with(3, "maxima", "a.npy", "-o", "/dev/full"))

    def test_outputs_come_together_or_not_at_all(self):
        os.mkdir(self.path("report"))
        self.fail_with(3, "maxima", "a.npy", "-o", "x.npy", "--report", "report")
        if os.path.exists("/dev/full"):
            self.fail_with(3, "maxima", "a.npy", "-o", "x.npy", "--report", "/dev/full")
        self.assertIn("two outputs", self.fail_with(2, "maxima", "a.npy", "-o", "x.npy", "--report", "x.npy"))

    def test_failure_keeps_an_older_output(self):
        self.write_npy("x.npy", (1, 1), [7])
        self.fail_with(3, "maxima", "nothing.npy", "-o", "x.npy")
        self.assertEqual(self.read_npy("x.npy")[2], [7])

    def test_full_standard_output(self):
        if os.path.exists("/dev/full"):
            with open("/dev/full", "wb") as full:
                self.assertIn("standard output", self.fail_with(3, "info", "a.npy", stdout=full))


if __name__ == "__main__":
    unittest.main()
