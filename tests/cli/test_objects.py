"""Objects: labels, blocks, selections, tables, pictures."""
import csv
import json
import unittest

from support import CliTest

#        two bars, a dot, and a ring that touches the border
IMAGE = ["110011110",
         "000000010",
         "010011110",
         "000000000",
         "011100000"]
SHAPE = (len(IMAGE), len(IMAGE[0]))
PIXELS = [int(c) for row in IMAGE for c in row]
LABELS = [int(c) for row in ["110022220",
                             "000000020",
                             "030022220",
                             "000000000",
                             "044400000"] for c in row]


class Objects(CliTest):
    def setUp(self):
        super().setUp()
        self.write_npy("in.npy", SHAPE, PIXELS)

    def labels(self, *options):
        self.succeed("label", "in.npy", "-o", "labels.npy", *options)
        shape, dtype, values = self.read_npy("labels.npy")
        self.assertEqual((shape, dtype), (SHAPE, "u32"))
        return values

    def rows(self, file="t.csv"):
        with open(self.path(file), encoding="ascii") as lines:
            return list(csv.DictReader(lines))

    def test_labels_on_every_host_device(self):
        for device in ("serial", "cpu"):
            self.assertEqual(self.labels("--device", device), LABELS)

    def test_blocks_of_every_size(self):
        for device in ("serial", "cpu"):
            for rows in ("1", "2", "3", "4", "5", "6", "1000", "inf"):
                self.assertEqual(self.labels("--blocks", rows, "--device", device), LABELS, rows)

    def test_blocks_of_a_larger_image(self):
        self.generate("tissue", "150,131")
        for name, options in (("binary", []), ("values", ["--values"]), ("classes", ["--intervals", "0:50,51:120"])):
            self.succeed("label", "mask.npy", "-o", f"{name}.npy", "--device", "serial", *options)
            for device, rows in (("serial", "7"), ("cpu", "1"), ("cpu", "40"), ("cpu", "149")):
                self.succeed("label", "mask.npy", "-o", "blocks.npy", "--blocks", rows, "--device", device, *options)
                self.assertIn("equal", self.succeed("compare", "blocks.npy", f"{name}.npy"))

    def test_blocks_of_a_volume(self):
        self.generate("noise", "13,20,17")
        for near in ("6", "18", "26"):
            given = ["label", "mask.npy", "--intervals", "90:140", "--connectivity", near]
            self.succeed(*given, "-o", "whole.npy", "--device", "serial")
            for slices in ("1", "2", "6", "12"):
                self.succeed(*given, "-o", "blocks.npy", "--blocks", slices, "--device", "cpu")
                self.assertIn("equal", self.succeed("compare", "blocks.npy", "whole.npy"))

    def test_blocks_are_whole_slices(self):
        line = self.fail_with(2, "label", "in.npy", "-o", "out.npy", "--blocks", "2.5")
        self.assertIn("--blocks: expected a whole number of slices, or inf, got 2.5", line)
        self.assertIn("--blocks", self.fail_with(2, "label", "in.npy", "-o", "out.npy", "--blocks", "0"))

    def test_selections(self):
        kept = {"--min-size=3": {2: 1, 4: 2}, "--max-size=2": {1: 1, 3: 2}, "--largest=1": {2: 1},
                "--largest=2": {2: 1, 4: 2}, "--clear-border": {3: 1}}
        for option, names in kept.items():
            expected = [names.get(label, 0) for label in LABELS]
            self.assertEqual(self.labels(*option.split("=")), expected, option)
            self.write_npy("given.npy", SHAPE, LABELS)
            self.succeed("relabel", "given.npy", "-o", "again.npy", *option.split("="))
            self.assertEqual(self.read_npy("again.npy")[2], expected, option)

    def test_selections_keep_the_type(self):
        for option in ([], ["--min-size", "3"], ["--clear-border"]):
            self.succeed("label", "in.npy", "-o", "wide.npy", "--type", "u64", *option)
            self.assertEqual(self.read_npy("wide.npy")[1], "u64", option)

    def test_tables_are_the_same_on_every_device(self):
        expected = None
        for given in (["--device", "serial"], ["--device", "cpu"], ["--device", "cpu", "--memory", "1G"]):
            self.labels("--table", "t.csv", "--min-size", "1", *given)
            expected = expected or self.rows()
            self.assertEqual(self.rows(), expected, given)

    def test_selection_is_counted_in_the_report(self):
        self.succeed("label", "in.npy", "-o", "labels.npy", "--min-size", "3", "--report", "r.json")
        with open(self.path("r.json"), encoding="ascii") as file:
            found = json.load(file)
        self.assertEqual(found["count"], 2)
        told = {name: found["parameters"][name] for name in ("min_size", "max_size", "largest", "clear_border")}
        self.assertEqual(told, {"min_size": 3, "max_size": None, "largest": None, "clear_border": False})  # inf: null
        self.assertNotIn("spacing", found["parameters"])

    def test_threads_are_told_in_the_report(self):
        self.generate("tissue", "150,131")
        self.succeed("label", "mask.npy", "-o", "all.npy", "--type", "u64")
        for words in (("label", "mask.npy", "-o", "l.npy"), ("label", "mask.npy", "-o", "l.npy", "--blocks", "40"),
                      ("relabel", "all.npy", "-o", "l.npy"), ("measure", "all.npy", "--table", "t.csv")):
            for device, threads in (("serial", 1), ("cpu", 1), ("cpu", 2)):
                self.succeed(*words, "--device", device, "--threads", str(threads), "--report", "r.json")
                with open(self.path("r.json"), encoding="ascii") as file:
                    self.assertEqual(json.load(file)["threads"], threads, words)

    def test_table_is_told_in_the_report(self):
        self.labels("--largest", "2", "--clear-border", "--table", "t.csv", "--spacing", "2,3", "--report", "r.json")
        with open(self.path("r.json"), encoding="ascii") as file:
            told = json.load(file)["parameters"]
        self.assertEqual((told["largest"], told["clear_border"], told["spacing"], told["columns"]),
                         (2, True, [2, 3], "all"))

    def test_measure_reports_and_repeats(self):
        self.write_npy("given.npy", SHAPE, LABELS)
        done = self.run_tool("measure", "given.npy", "--table", "t.csv", "--spacing", "3", "--device", "cpu",
                             "--repeat", "3", "--report", "r.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("median of 3", done.stderr)
        with open(self.path("r.json"), encoding="ascii") as file:
            found = json.load(file)
        self.assertEqual({name: found[name] for name in ("operator", "device", "shape", "dtype", "repeat", "count")},
                         {"operator": "measure", "device": "cpu", "shape": list(SHAPE), "dtype": "u8", "repeat": 3,
                          "count": 4})
        self.assertEqual(found["parameters"], {"spacing": [3], "columns": "all"})

    def test_options_without_what_they_are_for(self):
        given = ("label", "in.npy", "-o", "labels.npy")
        self.write_npy("given.npy", SHAPE, LABELS)
        measured = ("measure", "given.npy")
        for words in ((*given, "--background", "1"), (*given, "--background", "1", "--intervals", "0:5")):
            self.assertEqual(self.fail_with(2, *words), "macareu: label: --background is for --values, which is not given")
        for option in (["--spacing", "2"], ["--columns", "all"], ["--intensity", "in.npy"]):
            alone = " is for --table, which is not given"
            of_label = alone if option[0] == "--columns" else " is for --table and --keep, which are not given"
            for words, message in (((*given, *option), of_label), ((*given, "--overlay", "p.ppm", *option), of_label),
                                   ((*measured, "--overlay", "p.ppm", "--on", "in.npy", *option), alone)):
                self.assertIn(option[0] + message, self.fail_with(2, *words))
        self.assertIn("--on is for --overlay", self.fail_with(2, *measured, "--on", "in.npy"))
        self.assertIn("--dtype", self.fail_with(2, *measured, "--dtype", "u16"))
        self.assertIn("fastest", self.fail_with(2, *measured, "--strategy", "fastest"))
        self.assertIn("--table", self.fail_with(2, "remove-small", "in.npy", "-o", "x.npy", "--table", "t.csv"))
        self.assertEqual(self.files(), ["given.npy", "in.npy"])

    def test_relabel_numbers_anew(self):
        self.write_npy("given.npy", (2, 3), [9, 0, 5, 5, 9, 2])
        self.succeed("relabel", "given.npy", "-o", "out.npy")
        self.assertEqual(self.read_npy("out.npy"), ((2, 3), "u32", [1, 0, 2, 2, 1, 3]))

    def test_table(self):
        self.assertEqual(self.labels("--table", "t.csv"), LABELS)
        rows = self.rows()
        self.assertEqual([row["label"] for row in rows], ["1", "2", "3", "4"])
        self.assertEqual([row["num_pixels"] for row in rows], ["2", "9", "1", "3"])
        self.assertEqual([rows[1][f"bbox-{i}"] for i in range(4)], ["0", "4", "3", "8"])
        self.assertEqual(float(rows[3]["centroid-1"]), 2)
        self.assertNotIn("intensity_sum", rows[0])
        self.labels("--table", "t.jsonl", "--spacing", "2,3")
        with open(self.path("t.jsonl"), encoding="ascii") as lines:
            first = json.loads(lines.readline())
        self.assertEqual((first["area"], first["centroid-1"]), (12, 1.5))

    def test_table_of_what_is_kept(self):
        self.labels("--table", "t.csv", "--min-size", "3")
        self.assertEqual([row["num_pixels"] for row in self.rows()], ["9", "3"])

    def test_intensity(self):
        self.write_npy("weights.npy", SHAPE, list(range(len(PIXELS))))
        self.labels("--table", "t.csv", "--intensity", "weights.npy")
        rows = self.rows()
        self.assertEqual([float(rows[0][f"intensity_{what}"]) for what in ("sum", "min", "max", "mean", "std")],
                         [1, 0, 1, 0.5, 0.5])
        self.assertIn("centroid_weighted-0", rows[0])
        with open(self.path("weights.raw"), "wb") as file:
            file.write(bytes(range(len(PIXELS))))
        self.labels("--table", "t.csv", "--intensity", "weights.raw", "--shape", ",".join(map(str, SHAPE)), "--dtype", "u8")
        self.assertEqual(self.rows(), rows)
        self.labels("--table", "t.csv", "--intensity", "weights.npy", "--columns", "intensity")
        self.assertEqual(list(self.rows()[0]), ["label", "num_pixels", "intensity_sum", "intensity_min", "intensity_max",
                                                "intensity_mean", "intensity_std"])

    def test_intensity_needs_a_table_and_the_same_shape(self):
        self.write_npy("weights.npy", (2, 2), [1, 2, 3, 4])
        given = ("label", "in.npy", "-o", "labels.npy", "--intensity", "weights.npy")
        self.assertIn("--table", self.fail_with(2, *given))
        self.fail_with(2, *given, "--table", "t.csv")
        line = self.fail_with(2, "label", "in.npy", "-o", "labels.npy", "--table", "t.csv", "--columns", "intensity")
        self.assertIn("--intensity", line)

    def test_inputs_are_checked_before_labels_are_made(self):
        # Labelling itself refuses NaN: who complains of something else has come before it.
        self.write_npy("volume.npy", (2, 2, 2), [0, float("nan")] * 4, "f32")
        self.write_npy("nan.npy", SHAPE, [float("nan")] * len(PIXELS), "f32")
        self.write_npy("weights.npy", (2, 2), [1, 2, 3, 4])
        given = ("label", "nan.npy", "-o", "labels.npy", "--values", "--table", "t.csv")
        self.assertIn("is NaN", self.fail_with(2, *given))
        for words, expected in ((("--spacing", "1,2,3"), "--spacing has 3 numbers, but the image 2 axes"),
                                (("--intensity", "weights.npy"), "--intensity is 2 x 2, but the labels are 5 x 9"),
                                (("--min-size", "-0.5"), "--min-size: expected a number of at least 0, got '-0.5'"),
                                (("--largest", "1.5"), "--largest must be a whole number of objects, or inf")):
            self.assertIn("macareu: label: " + expected, self.fail_with(2, *given, *words))
        line = self.fail_with(2, "label", "volume.npy", "-o", "labels.npy", "--values", "--overlay", "p.ppm")
        self.assertIn("macareu: label: --overlay draws on images", line)

    def test_overlay(self):
        self.succeed("label", "in.npy", "-o", "labels.npy", "--overlay", "picture.ppm")
        with open(self.path("picture.ppm"), "rb") as file:
            data = file.read()
        self.assertTrue(data.startswith(b"P6"))
        self.assertEqual(len(data.split(b"255\n", 1)[1]), 3 * SHAPE[0] * SHAPE[1])
        self.assertNotEqual(len(set(data[-3 * SHAPE[0] * SHAPE[1]:])), 1)

    def test_measure_prints_or_writes(self):
        self.write_npy("given.npy", SHAPE, LABELS)
        printed = self.succeed("measure", "given.npy")
        self.labels("--table", "t.csv")
        with open(self.path("t.csv"), encoding="ascii") as file:
            self.assertEqual(file.read(), printed)
        self.assertEqual(self.succeed("measure", "given.npy", "--table", "m.csv"), "")
        with open(self.path("m.csv"), encoding="ascii") as file:
            self.assertEqual(file.read(), printed)
        for device in ("serial", "cpu"):
            self.assertEqual(self.succeed("measure", "given.npy", "--device", device), printed)
        self.assertIn("intensity_sum", self.succeed("measure", "given.npy", "--intensity", "in.npy"))

    def test_measure_draws_on_an_image(self):
        self.write_npy("given.npy", SHAPE, LABELS)
        self.succeed("measure", "given.npy", "--overlay", "picture.ppm", "--on", "in.npy")
        self.assertIn("picture.ppm", self.files())
        self.assertIn("--on", self.fail_with(2, "measure", "given.npy", "--overlay", "other.ppm"))

    def test_measure_draws_on_an_image_of_the_same_shape(self):
        self.write_npy("given.npy", SHAPE, LABELS)
        self.write_npy("volume.npy", (1, *SHAPE), LABELS)
        self.write_npy("small.npy", (2, 2), [1, 2, 3, 4])
        line = self.fail_with(2, "measure", "given.npy", "--overlay", "p.ppm", "--on", "small.npy")
        self.assertIn("the image to draw on is 2 x 2, but the labels are 5 x 9", line)
        self.assertIn("a volume of 1 x 5 x 9", self.fail_with(2, "measure", "volume.npy", "--overlay", "p.ppm",
                                                              "--on", "in.npy"))
        self.assertIn("1 x 5 x 9", self.fail_with(2, "measure", "given.npy", "--overlay", "p.ppm",
                                                  "--on", "volume.npy"))

    def test_options_are_named_as_they_are_typed(self):
        self.write_npy("unknown.npy", SHAPE, [float("nan")] * len(PIXELS), "f32")
        for words in (("label", "in.npy", "-o", "labels.npy"), ("measure", "in.npy")):
            line = self.fail_with(2, *words, "--table", "t.csv", "--intensity", "unknown.npy")
            self.assertIn(f"macareu: {words[0]}: --intensity is NaN at row 0, column 0", line)

    def test_extensions_of_tables_in_capitals(self):
        self.labels("--table", "T.CSV")
        self.assertEqual(len(self.rows("T.CSV")), 4)
        self.labels("--table", "T.JSONL")
        self.succeed("statistics", "in.npy", "-o", "S.CSV")
        self.assertEqual(self.files(), ["S.CSV", "T.CSV", "T.JSONL", "in.npy", "labels.npy"])

    def test_tables_that_cannot_be(self):
        self.fail_with(2, "label", "in.npy", "-o", "labels.npy", "--table", "t.xls")
        self.write_npy("given.npy", SHAPE, [0.5] * len(PIXELS), "f32")
        self.assertIn("whole numbers", self.fail_with(2, "measure", "given.npy"))


if __name__ == "__main__":
    unittest.main()
