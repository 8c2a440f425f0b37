"""Every operator on images and volumes, and what the other verbs compute."""
import csv
import gzip
import json
import math
import os
import subprocess
import unittest

from support import IMAGES_ALONE, TABLES, CliTest, OperatorTest, npy_bytes, operators


class Operators(OperatorTest):
    def check_all(self, shape_text, shape):
        self.prepare_inputs(shape_text, shape)
        for verb in operators():
            with self.subTest(verb, shape=shape_text):
                given = self.arguments(verb)
                if verb in IMAGES_ALONE and len(shape) == 3:
                    self.assertIn("is a volume: give an image", self.fail_with(2, verb, *given, "-o", "out.csv"))
                    continue
                if verb == "contours":
                    self.check_shapes(given)
                    continue
                if verb in TABLES:
                    self.check_table(verb, given)
                    continue
                self.succeed(verb, *given, "-o", "serial.npy", "--device", "serial")
                self.succeed(verb, *given, "-o", "cpu.npy", "--device", "cpu", "--threads", "2")
                self.assertIn("equal", self.succeed("compare", "serial.npy", "cpu.npy"))
                found, dtype, _ = self.read_npy("cpu.npy")
                scale = {"reduce": 0.5, "enlarge": 2}.get(verb, 1)
                self.assertEqual(found, tuple(math.ceil(scale * side) for side in shape))
                self.assertIn(dtype, ("u8", "bool", "f32", "u32", "i64"))

    def check_shapes(self, given):
        texts = []
        for how in (("--device", "serial"), ("--device", "cpu", "--threads", "2"), ("--pieces", "7,9")):
            self.succeed("contours", *given, "-o", "out.geojson", *how)
            with open(self.path("out.geojson"), encoding="ascii") as file:
                texts.append(file.read())
        self.assertEqual(texts, texts[:1] * 3)
        features = json.loads(texts[0])["features"]
        self.assertTrue(all(one["geometry"]["type"] in ("Polygon", "MultiPolygon") for one in features))
        self.succeed("contours", *given, "-o", "out.GeoJSON.gz")
        with gzip.open(self.path("out.GeoJSON.gz"), "rt", encoding="ascii") as file:
            self.assertEqual(file.read(), texts[0])
        self.succeed("contours", *given, "-o", "out.wkt", "--scale", "0.5")
        with open(self.path("out.wkt"), encoding="ascii") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([int(row["label"]) for row in rows], [one["properties"]["label"] for one in features])
        self.assertTrue(all(row["WKT"].startswith(("POLYGON ((", "MULTIPOLYGON (((")) for row in rows))
        self.succeed("contours", *given, "-o", "out.csv")
        with open(self.path("out.csv"), encoding="ascii") as file:
            self.assertEqual(file.readline(), "label,part,ring,x,y\n")

    def check_table(self, verb, given):
        printed = self.succeed(verb, *given, "--device", "serial")
        self.assertEqual(self.succeed(verb, *given, "--device", "cpu", "--threads", "2"), printed)
        self.assertEqual(self.succeed(verb, *given, "-o", "table.csv"), "")
        with open(self.path("table.csv"), encoding="ascii") as file:
            self.assertEqual(file.read(), printed)
        self.succeed(verb, *given, "-o", "table.json")
        with open(self.path("table.json"), encoding="ascii") as file:
            rows = json.load(file)
        lines = printed.splitlines()
        self.assertEqual(list(rows[0]), lines[0].split(","))
        self.assertEqual([float(value) for value in rows[-1].values()],
                         [float(value) for value in lines[-1].split(",")])

    def test_images(self):
        self.check_all("90,70", (90, 70))

    def test_volumes(self):
        self.check_all("11,20,17", (11, 20, 17))

    def test_polygons_of_a_bad_name_or_scale(self):
        self.write_npy("labels.npy", (1, 2), [1, 2])
        self.assertEqual(
            self.fail_with(2, "contours", "labels.npy", "-o", "cells.shp"),
            "macareu: contours: cells.shp: polygons are written as .geojson, .csv or .wkt, or these with .gz")
        self.assertIn("--scale: expected a number from 1e-100 to 1e+100, got '-1'",
                      self.fail_with(2, "contours", "labels.npy", "-o", "cells.wkt", "--scale", "-1"))
        self.assertIn("--scale: expected a number from 1e-100 to 1e+100, got '1e+308'",
                      self.fail_with(2, "contours", "labels.npy", "-o", "cells.wkt", "--scale", "1e+308"))
        self.assertIn("there is no directory", self.fail_with(3, "contours", "labels.npy", "-o", "none/cells.wkt"))
        self.assertIn("is an input", self.fail_with(2, "contours", "labels.npy", "-o", "c.csv", "--report", "labels.npy"))

    def test_polygons_of_files_that_are_read_in_bands(self):
        """A band has 16 MiB. Objects cross the first two, and the file is cut off in the last."""
        height, width = 700, 1 << 16
        pixels = bytearray(height * width)
        for first, last, x in ((0, 699, 7), (254, 257, 90), (255, 255, 95), (256, 256, 99), (511, 512, 3)):
            for y in range(first, last + 1):
                pixels[y * width + x] = 1 + x
        header = npy_bytes((height, width), [])
        with open(self.path("labels.npy"), "wb") as file:
            file.write(header + pixels)
        texts = []
        for how in (("--device", "serial"), ("--threads", "2"), ("--repeat", "2")):
            self.succeed("contours", "labels.npy", "-o", "out.csv", "--quiet", *how)
            with open(self.path("out.csv"), encoding="ascii") as file:
                texts.append(file.read())
        self.assertEqual(texts, texts[:1] * 3)
        self.assertEqual(len(texts[0].splitlines()), 1 + 5 * 4)
        os.truncate(self.path("labels.npy"), len(header) + 600 * width)
        self.assertIn("the header claims", self.fail_with(3, "contours", "labels.npy", "-o", "cut.csv"))
        self.assertFalse(os.path.exists(self.path("cut.csv")))

    def test_polygons_of_an_empty_image(self):
        self.write_npy("labels.npy", (0, 4), [])
        self.succeed("contours", "labels.npy", "-o", "out.csv")
        with open(self.path("out.csv"), encoding="ascii") as file:
            self.assertEqual(file.read(), "label,part,ring,x,y\n")

    def test_repeated_polygons_are_written_once(self):
        self.write_npy("labels.npy", (1, 2), [1, 2])
        os.mkfifo(self.path("pipe.csv"))
        with subprocess.Popen(["cat", "pipe.csv"], cwd=self.directory, stdout=subprocess.PIPE) as reader:
            self.run_tool("contours", "labels.npy", "-o", "pipe.csv", "--repeat", "3")
            self.assertEqual(reader.stdout.read().decode().count("label,part,ring,x,y"), 1)

    def test_objects_in_ranges(self):
        self.write_npy("labels.npy", (1, 6), [1, 2, 2, 3, 3, 3])
        self.succeed("relabel", "labels.npy", "-o", "kept.npy", "--keep", "area 2:2")
        self.assertEqual(self.read_npy("kept.npy")[2], [0, 1, 1, 0, 0, 0])
        self.succeed("label", "labels.npy", "-o", "kept.npy", "--values", "--keep", "area 2:")
        self.assertEqual(self.read_npy("kept.npy")[2], [0, 1, 1, 2, 2, 2])
        self.assertIn("--keep: objects have no column 'aera' (did you mean area?), only label, num_pixels, area",
                      self.fail_with(2, "relabel", "labels.npy", "-o", "kept.npy", "--keep", "aera 2:2"))

    def test_objects_in_ranges_of_intensities_and_lengths(self):
        self.write_npy("labels.npy", (1, 6), [1, 2, 2, 3, 3, 3])
        self.write_npy("grey.npy", (1, 6), [9, 4, 6, 60, 50, 40])
        grey = ("--intensity", "grey.npy")
        calls = {("--keep", "intensity_mean 5:9", *grey): [1, 2, 2, 0, 0, 0],
                 ("--keep", "area 0.125:0.1875", "--spacing", "0.25"): [0, 1, 1, 2, 2, 2],
                 ("--keep", "intensity_sum 10:10, area 8:8", *grey, "--spacing", "2"): [0, 1, 1, 0, 0, 0]}
        for verb in (["relabel"], ["label", "--values"]):
            for pieces in ([], ["--pieces", "1,4"]):
                given = (*verb, "labels.npy", "-o", "kept.npy", *pieces)
                for options, expected in calls.items():
                    self.succeed(*given, *options)
                    self.assertEqual(self.read_npy("kept.npy")[2], expected, (given, options))
                self.succeed(*given, "--keep", "intensity_mean 40:", *grey, "--spacing", "2", "--table", "t.csv")
                self.assertEqual(self.read_npy("kept.npy")[2], [0, 0, 0, 1, 1, 1])
                with open(self.path("t.csv"), encoding="ascii") as file:
                    row, = csv.DictReader(file)
                self.assertEqual((row["area"], row["intensity_mean"]), ("12", "50"))
            self.assertRegex(self.fail_with(2, *verb, "labels.npy", "-o", "kept.npy", "--keep", "intensity_mean 5:"),
                             "--keep intensity_mean: expected the image (--)?intensity, got none")
            self.assertIn("--keep: objects have no column 'sphericity'",
                          self.fail_with(2, *verb, "labels.npy", "-o", "kept.npy", "--keep", "sphericity 5:"))

    def test_pixel_sizes_follow_the_scale(self):
        self.generate("noise", "9,8")
        self.succeed("cast", "mask.npy", "-o", "mask.mha", "--type", "u8")
        with open(self.path("mask.mha"), "rb") as file:
            header, pixels = file.read().split(b"ElementDataFile = LOCAL\n", 1)
        lines = [line for line in header.splitlines() if not line.startswith(b"ElementSpacing")]
        with open(self.path("sized.mha"), "wb") as file:
            file.write(b"\n".join(lines) + b"\nElementSpacing = 0.5 0.25\nElementDataFile = LOCAL\n" + pixels)
        for how in ((), ("--pieces", "2,3")):
            self.succeed("reduce", "sized.mha", "-o", "small.mha", "--factor", "4", *how)
            with open(self.path("small.mha"), "rb") as file:
                self.assertIn(b"ElementSpacing = 2 1\n", file.read())

    def test_reconstruction_by_hand(self):
        self.write_npy("mask.npy", (1, 7), [9, 8, 3, 9, 1, 7, 7])
        self.write_npy("marker.npy", (1, 7), [5, 0, 0, 0, 0, 2, 0])
        self.succeed("reconstruct", "marker.npy", "mask.npy", "-o", "out.npy")
        self.assertEqual(self.read_npy("out.npy"), ((1, 7), "u8", [5, 5, 3, 3, 1, 2, 2]))

    def test_parameters_reach_the_operator(self):
        self.write_npy("mask.npy", (2, 2), [7, 0, 0, 7])
        self.write_npy("marker.npy", (2, 2), [7, 0, 0, 0])
        self.succeed("reconstruct", "marker.npy", "mask.npy", "-o", "4.npy", "--connectivity", "4")
        self.assertEqual(self.read_npy("4.npy")[2], [7, 0, 0, 0])
        self.succeed("reconstruct", "marker.npy", "mask.npy", "-o", "8.npy", "--connectivity=full")
        self.assertEqual(self.read_npy("8.npy")[2], [7, 0, 0, 7])
        self.succeed("reconstruct", "mask.npy", "marker.npy", "-o", "clip.npy", "--clip")
        self.assertEqual(self.read_npy("clip.npy")[2], [7, 0, 0, 0])
        self.succeed("reconstruct", "mask.npy", "marker.npy", "-o", "down.npy", "--by", "erosion")
        self.assertEqual(self.read_npy("down.npy")[2], [7, 0, 0, 0])

    def test_values_for_volumes_alone(self):
        self.write_npy("volume.npy", (3, 1, 2), [0, 0, 1, 2, 5, 9])
        self.succeed("sobel", "volume.npy", "-o", "z.npy", "--give", "z")
        shape, dtype, values = self.read_npy("z.npy")
        self.assertEqual((shape, dtype), ((3, 1, 2), "f32"))
        self.assertEqual(values[2:4], [4 * (3 * 5 + 9), 4 * (5 + 3 * 9)])
        self.write_npy("image.npy", (2, 2), [0, 1, 2, 3])
        self.assertIn("--give: expected magnitude, direction, x or y for an image, got z", self.fail_with(2, "sobel", "image.npy", "-o", "y.npy", "--give", "z"))
        self.assertIn("--give", self.fail_with(2, "sobel", "none.npy", "-o", "y.npy", "--give", "t"))

    def test_floats_and_fractions(self):
        self.write_npy("f.npy", (1, 5), [0, 0.75, 0, 0.25, 0], "f64")
        self.succeed("hmaxima", "f.npy", "-o", "m.npy", "--h", "0.5")
        self.assertEqual(self.read_npy("m.npy"), ((1, 5), "bool", [False, True, False, False, False]))

    def test_thresholds(self):
        self.write_npy("f.npy", (1, 6), [-3, 10, 11, 12, 200, 90], "i16")
        self.succeed("threshold", "f.npy", "-o", "m.npy", "--value", "-3.5")
        self.assertEqual(self.read_npy("m.npy")[2], [True] * 6)
        self.succeed("threshold", "f.npy", "-o", "m.npy", "--value=11")
        self.assertEqual(self.read_npy("m.npy"), ((1, 6), "bool", [False, False, False, True, True, True]))
        self.succeed("threshold", "f.npy", "-o", "m.npy")
        self.assertEqual(self.read_npy("m.npy")[2], [False, False, False, False, True, False])
        self.assertIn("--value: expected a number, or auto, got 'bright'",
                      self.fail_with(2, "threshold", "f.npy", "-o", "n.npy", "--value", "bright"))

    def test_colour_is_taken_channel_by_channel(self):
        self.write_npy("f.npy", (1, 2, 3), [0, 100, 255, 10, 20, 30])
        self.succeed("invert", "f.npy", "-o", "i.npy", "--channels", "last")
        self.assertEqual(self.read_npy("i.npy"), ((1, 2, 3), "u8", [255, 155, 0, 245, 235, 225]))
        lines = self.succeed("statistics", "f.npy", "--channels", "last").splitlines()
        self.assertEqual(lines[0].split(",")[:3], ["channel", "pixels", "minimum"])
        self.assertEqual([line.split(",")[:3] for line in lines[1:]], [["0", "2", "0"], ["1", "2", "20"], ["2", "2", "30"]])
        self.assertEqual(len(self.succeed("statistics", "f.npy", "--channels", "last", "--channel", "1").splitlines()), 2)

    def test_stages_are_kept_beside_the_output(self):
        self.generate("tissue", "32,32")
        self.succeed("canny", "mask.npy", "-o", "named.npy", "--gradient", "g.npy", "--zero-crossings", "z.npy")
        self.succeed("canny", "mask.npy", "-o", "e.pgm", "--keep", "gradient,zero-crossings")
        self.succeed("canny", "mask.npy", "-o", "e.npy", "--keep=gradient", "--zero-crossings", "own.npy")
        self.assertLessEqual({"e.pgm", "e-gradient.tif", "e-zero-crossings.pgm", "e-gradient.npy", "own.npy"},
                             set(self.files()))
        self.assertNotIn("e-zero-crossings.npy", self.files())
        for one, other in (("g.npy", "e-gradient.npy"), ("g.npy", "e-gradient.tif"), ("z.npy", "own.npy")):
            self.assertIn("equal", self.succeed("compare", one, other))
        self.assertIn("--keep: expected gradient, zero-crossings, got 'edges'",
                      self.fail_with(2, "canny", "mask.npy", "-o", "e.npy", "--keep", "edges"))
        self.assertIn("named for two outputs", self.fail_with(
            2, "canny", "mask.npy", "-o", "e.npy", "--keep", "gradient", "--zero-crossings", "./e-gradient.npy"))
        before = self.read_npy("e-gradient.npy")
        self.assertIn("--keep would write over e-gradient.npy: name another file by --gradient", self.fail_with(
            2, "canny", "e-gradient.npy", "-o", "e.npy", "--keep", "gradient"))
        self.assertEqual(self.read_npy("e-gradient.npy"), before)

    def test_what_is_for_another_flavour_is_refused(self):
        self.generate("tissue", "32,32")
        for given, other in ((["--border", "wrap"], "skimage"), (["--outside", "3"], "skimage"),
                             (["--flavour", "skimage", "--variance", "2"], "itk"),
                             (["--flavour", "skimage", "--maximum-error", "0.1"], "itk")):
            self.assertIn("is for flavour %s only" % other,
                          self.fail_with(2, "canny", "mask.npy", "-o", "e.npy", *given))

    def test_a_kernel_from_text(self):
        self.write_npy("f.npy", (1, 5), [0, 0, 1, 0, 0])
        with open(self.path("kernel.csv"), "w", encoding="ascii") as file:
            file.write("1, 2, 4\n")
        self.succeed("convolve", "f.npy", "kernel.csv", "-o", "c.npy")
        self.assertEqual(self.read_npy("c.npy"), ((1, 5), "f32", [0, 1, 2, 4, 0]))

    def test_a_plot_of_a_histogram(self):
        self.write_npy("f.npy", (1, 4), [0, 100, 255, 255])
        self.succeed("histogram", "f.npy", "--plot", "plot.ppm", "-o", "h.csv", "--bins", "8")
        self.assertEqual(self.files(), ["f.npy", "h.csv", "plot.ppm"])
        with open(self.path("plot.ppm"), "rb") as file:
            self.assertTrue(file.read().startswith(b"P6"))
        self.assertIn(".csv or .json", self.fail_with(2, "histogram", "f.npy", "-o", "h.png"))

    def test_distances(self):
        self.write_npy("f.npy", (1, 5), [1, 0, 1, 1, 1])
        self.succeed("distance", "f.npy", "-o", "d.npy")
        self.assertEqual(self.read_npy("d.npy"), ((1, 5), "f32", [1, 0, 1, 2, 3]))
        self.succeed("distance", "f.npy", "-o", "d.npy", "--squared", "--spacing", "1,2")
        self.assertEqual(self.read_npy("d.npy"), ((1, 5), "u32", [4, 0, 4, 16, 36]))
        self.succeed("distance", "f.npy", "-o", "d.npy", "--metric", "city-block", "--type", "f64", "--max-distance", "2")
        self.assertEqual(self.read_npy("d.npy"), ((1, 5), "f64", [1, 0, 1, 2, float("inf")]))
        self.succeed("distance", "f.npy", "-o", "d.npy", "--invert")
        self.assertEqual(self.read_npy("d.npy")[2], [0, 1, 0, 0, 0])
        self.assertIn("--max-distance: expected a number greater than 0, or inf, got 'far'",
                      self.run_tool("distance", "f.npy", "-o", "d.npy", "--max-distance", "far").stderr)

    def test_signed_distances_and_propagation(self):
        self.write_npy("f.npy", (1, 5), [1, 0, 0, 1, 1])
        self.succeed("distance", "f.npy", "-o", "d.npy", "--signed")
        self.assertEqual(self.read_npy("d.npy"), ((1, 5), "f32", [1, -1, -1, 1, 2]))
        self.succeed("distance", "f.npy", "-o", "d.npy", "--signed", "--squared")
        self.assertEqual(self.read_npy("d.npy"), ((1, 5), "i64", [1, -1, -1, 1, 4]))
        self.succeed("distance", "f.npy", "-o", "d.npy", "--method", "propagation", "--connectivity", "4")
        self.assertEqual(self.read_npy("d.npy")[2], [1, 0, 0, 1, 2])
        for options, message in ((("--connectivity", "4"), "connectivity is for method propagation"),
                                 (("--squared", "--type", "f32"), "--type does not apply to squared distances"),
                                 (("--squared", "--type", "f64"), "--type does not apply to squared distances")):
            failed = self.run_tool("distance", "f.npy", "-o", "other.npy", *options)
            self.assertEqual((failed.returncode, failed.stderr.count("\n")), (2, 1), failed.stderr)
            self.assertIn(message, failed.stderr)
        self.assertNotIn("other.npy", self.files())

    def test_nearest_pixels_beside_distances(self):
        self.write_npy("f.npy", (1, 6), [0, 3, 0, 0, 0, 7])
        self.succeed("distance", "f.npy", "-o", "d.npy", "--invert", "--indices", "i.npy", "--labels", "l.npy")
        self.assertEqual(self.read_npy("d.npy")[2], [1, 0, 1, 2, 1, 0])
        self.assertEqual(self.read_npy("i.npy"), ((1, 6), "i64", [1, 1, 1, 1, 5, 5]))
        self.assertEqual(self.read_npy("l.npy"), ((1, 6), "u8", [3, 3, 3, 3, 7, 7]))
        self.write_npy("ones.npy", (1, 3), [1, 1, 1])
        self.succeed("distance", "ones.npy", "-o", "d.npy", "--indices", "i.npy")
        self.assertEqual(self.read_npy("d.npy")[2], [float("inf")] * 3)
        self.assertEqual(self.read_npy("i.npy")[2], [-1, -1, -1])
        failed = self.run_tool("distance", "f.npy", "-o", "other.npy", "--labels", "l.npy")
        self.assertEqual(failed.returncode, 2)
        self.assertIn("labels need --invert", failed.stderr)
        self.assertNotIn("other.npy", self.files())
        failed = self.run_tool("distance", "f.npy", "-o", "other.npy", "--report", "./f.npy")
        self.assertEqual(failed.returncode, 2)
        self.assertIn("is an input, and would be written over", failed.stderr)
        self.read_npy("f.npy")
        self.assertIn("is named for two outputs",
                      self.run_tool("distance", "f.npy", "-o", "d.npy", "--indices", "./d.npy").stderr)

    def test_empty_images(self):
        self.write_npy("empty.npy", (0, 5), [])
        self.succeed("maxima", "empty.npy", "-o", "out.npy")
        self.assertEqual(self.read_npy("out.npy"), ((0, 5), "bool", []))


class Generate(CliTest):
    def test_every_instance(self):
        for line in self.succeed("generate").splitlines()[1:]:
            if line.startswith("   "):
                continue
            name = line.split()[0]
            with self.subTest(name):
                self.succeed("generate", name, "--shape", "40,30", "-o", "a.npy")
                self.assertEqual(self.read_npy("a.npy")[0][:2], (40, 30))

    def test_slide_and_truth(self):
        slide = ["generate", "slide", "--shape", "300,200", "--coverage", "100"]
        self.succeed(*slide, "-o", "slide.npy", "--truth", "labels.npy")
        shape, dtype, whole = self.read_npy("slide.npy")
        self.assertEqual((shape, dtype), ((300, 200, 3), "u8"))
        shape, dtype, labels = self.read_npy("labels.npy")
        self.assertEqual((shape, dtype), ((300, 200), "u32"))
        self.assertEqual(sorted(set(labels)), list(range(max(labels) + 1)))
        self.assertGreater(max(labels), 10)
        self.succeed(*slide, "-o", "bands.npy", "--truth", "band-labels.npy", "--memory", "4M")
        self.assertEqual(self.read_npy("bands.npy")[2], whole)
        self.assertEqual(self.read_npy("band-labels.npy")[2], labels)
        self.succeed(*slide, "-o", "alone.npy")
        self.assertEqual(self.read_npy("alone.npy")[2], whole)

    def test_slides_have_a_pixel_size(self):
        files = ["slide.nrrd"]
        writes = self.succeed("info").split("writes")[1]
        files += [name for name in ("slide.tif", "slide.ome.zarr") if os.path.splitext(name)[1] in writes]
        for name in files:
            with self.subTest(name):
                self.succeed("generate", "slide", "--shape", "30,20", "-o", name)
                words = self.succeed("info", name).split()
                self.assertEqual(words[words.index("channels") + 1], "3")
                self.assertEqual(words[words.index("spacing") + 1:][:2], ["0.00025,", "0.00025"])

    def test_seed_and_coverage(self):
        for name, options in (("a", []), ("b", ["--seed", "2"]), ("c", ["--coverage", "100"]), ("d", ["--seed", "1"])):
            self.succeed("generate", "tissue", "--shape", "200,200", "-o", name + ".npy", *options)
        self.assertEqual(self.read_npy("a.npy"), self.read_npy("d.npy"))
        self.assertNotEqual(self.read_npy("a.npy"), self.read_npy("b.npy"))
        self.assertNotEqual(self.read_npy("a.npy"), self.read_npy("c.npy"))


class Compare(CliTest):
    def setUp(self):
        super().setUp()
        self.write_npy("a.npy", (2, 3), [1, 2, 3, 4, 5, 6])
        self.write_npy("b.npy", (2, 3), [1, 2, 3, 4, 9, 5])

    def test_equal(self):
        self.assertEqual(self.succeed("compare", "a.npy", "a.npy"), "equal: 2 x 3 u8\n")

    def test_different(self):
        done = self.run_tool("compare", "a.npy", "b.npy")
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        self.assertEqual(done.stdout.decode(), "2 of 6 pixels differ, the largest difference is 4; first at row 1, "
                                               "column 1: 5 and 9\n")

    def test_tolerance(self):
        self.assertEqual(self.run_tool("compare", "a.npy", "b.npy", "--tolerance", "3.5").returncode, 1)
        self.succeed("compare", "a.npy", "b.npy", "--tolerance", "4")

    def test_quiet(self):
        done = self.run_tool("compare", "a.npy", "b.npy", "--quiet")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (1, b"", ""))

    def test_nan_is_a_difference(self):
        self.write_npy("x.npy", (1, 2), [1, float("nan")], "f32")
        self.write_npy("y.npy", (1, 2), [1, 2], "f32")
        self.assertEqual(self.run_tool("compare", "x.npy", "y.npy", "--tolerance", "100").returncode, 1)
        self.succeed("compare", "x.npy", "x.npy")

    def test_edges(self):
        self.write_npy("found.npy", (2, 3), [0, 7, 7, 7, 0, 0], "u16")
        self.write_npy("expected.npy", (2, 3), [1, 1, 0, 1, 1, 0])
        done = self.run_tool("compare", "--edges", "expected.npy", "found.npy")
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        self.assertEqual(done.stdout.decode(), "Pco 0.5, Pnd 0.5, Pfa 0.25; 2 of 4 and 3 edge pixels are the same\n")
        self.assertIn("Pco 1, Pnd 0, Pfa 0", self.succeed("compare", "--edges", "a.npy", "b.npy"))

    def test_what_cannot_be_compared(self):
        self.write_npy("c.npy", (3, 2), [1, 2, 3, 4, 5, 6])
        self.write_npy("d.npy", (2, 3), [1, 2, 3, 4, 5, 6], "u16")
        self.assertIn("2 x 3 and 3 x 2", self.fail_with(2, "compare", "a.npy", "c.npy"))
        self.assertIn("u8 and u16", self.fail_with(2, "compare", "a.npy", "d.npy"))


class Info(CliTest):
    def test_values(self):
        self.write_npy("a.npy", (2, 3), [-1, 2, 3, 4, 5, 6], "i16")
        words = self.succeed("info", "a.npy").split()
        for name, value in (("type", "i16"), ("channels", "1"), ("min", "-1"), ("max", "6"), ("sum", "19")):
            self.assertEqual(words[words.index(name) + 1], value)

    def test_nan_is_counted(self):
        self.write_npy("a.npy", (1, 3), [1, float("nan"), 3], "f32")
        words = self.succeed("info", "a.npy").split()
        self.assertEqual((words[words.index("NaN") + 1], words[words.index("mean") + 1]), ("1", "2"))


if __name__ == "__main__":
    unittest.main()
