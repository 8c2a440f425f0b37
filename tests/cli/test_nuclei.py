"""`macareu nuclei`: what one slide gives."""
import csv
import hashlib
import io
import json
import unittest
import uuid

from slide_support import BROWN, GLASS, NUCLEUS, SHARE, TISSUE, Slide, SlideTest, area, doubled_area, polygons, stained

FILES = sorted(["nuclei.geojson.gz", "nuclei.csv.gz", "labels.ome.tif", "tissue.geojson", "summary.json", "overview.png",
                "histogram_area.png", "histogram_area.svg", "histogram_hematoxylin.png", "histogram_hematoxylin.svg",
                "density.png", "density.svg"])


class Outputs(SlideTest):
    def test_files_agree(self):
        self.write_slide("s.npy", stained())
        self.nuclei("s.npy", "--mpp", "0.5")
        self.assertEqual(self.slide_files(), FILES)
        rows, features, summary = self.rows(), self.features(), self.summary()
        self.assertGreater(len(rows), 20)
        self.assertEqual(summary["nuclei"], len(rows))
        self.assertRegex(summary["run"]["libraries"]["libvips"], r"^8\.[0-9]+")
        self.assertEqual(len(features), len(rows))
        table = list(csv.DictReader(io.StringIO(self.succeed("measure", "out/labels.ome.tif"))))
        checksum = hashlib.sha1(b"/%d/" % len(self.content("s.npy")) + self.content("s.npy")).hexdigest()
        slide = uuid.uuid5(uuid.uuid5(uuid.NAMESPACE_URL, "macareu:slide"), checksum)
        self.assertEqual([row["num_pixels"] for row in table], [row["area_px"] for row in rows])
        by_id = {row["id"]: row for row in rows}
        self.assertEqual(len(by_id), len(rows))
        for feature in features:
            row = by_id[feature["id"]]
            x, y = min((corner for corner in feature["geometry"]["coordinates"][0]), key=lambda at: (at[1], at[0]))
            self.assertEqual(feature["id"], str(uuid.uuid5(slide, f"nucleus {x},{y}")))
            self.assertEqual(area(feature["geometry"]), int(row["area_px"]))
            self.assertAlmostEqual(float(row["area_um2"]), int(row["area_px"]) * 0.25, 3)
            properties = feature["properties"]
            self.assertEqual(properties["objectType"], "detection")
            measured = properties["measurements"]
            self.assertAlmostEqual(measured["Nucleus: Area µm^2"], float(row["area_um2"]), 4)
            self.assertAlmostEqual(measured["Nucleus: Hematoxylin OD mean"], float(row["hematoxylin_od_mean"]), 4)
            self.assertAlmostEqual(float(row["centroid_x_um"]), float(row["centroid_x_px"]) / 2, 2)
            self.assertAlmostEqual(float(row["hematoxylin_od_sum"]) / int(row["area_px"]), float(row["hematoxylin_od_mean"]), 3)

    def test_rings_are_closed_and_oriented(self):
        self.write_slide("s.npy", stained())
        self.nuclei_alone("s.npy", "--mpp", "0.5")
        for name in ("nuclei.geojson.gz", "tissue.geojson"):
            for feature in self.features(name=name):
                for exterior, *holes in polygons(feature["geometry"]):
                    self.assertGreater(doubled_area(exterior), 0)
                    self.assertTrue(all(doubled_area(hole) < 0 for hole in holes))
                    for ring in (exterior, *holes):
                        self.assertEqual(ring[0], ring[-1])
                        self.assertGreaterEqual(len(ring), 5)

    def test_no_seams(self):
        self.write_slide("s.npy", stained())
        self.nuclei("s.npy", "--mpp", "0.5", "--cells", "3")
        expected = self.results()
        for number, way in enumerate((("--pieces", "64,100"), ("--pieces", "37,1000", "--threads", "2"),
                                      ("--threads", "1"), ("--memory", "20M"))):
            self.nuclei("s.npy", "--mpp", "0.5", "--cells", "3", *way, out=f"out{number}")
            self.assertEqual(self.results(f"out{number}"), expected, way)

    def test_no_seams_on_a_generated_slide(self):
        self.succeed("generate", "slide", "--shape", "1000,1300", "--seed", "3", "-o", "s.tif")
        self.nuclei("s.tif")
        expected = self.results()
        self.assertGreater(len(self.rows()), 100)
        for size in ("512", "1000") if SHARE > 1 else ("512",):
            self.nuclei("s.tif", "--pieces", f"{size},{size}", out="out" + size)
            self.assertEqual(self.results("out" + size), expected, size)

    def test_work_files_are_small(self):
        self.succeed("generate", "slide", "--shape", "800,1000", "--seed", "15", "-o", "s.tif")
        for size in ("512", "300", "200"):
            self.nuclei("s.tif", "--pieces", f"{size},{size}", "--cells", "5", "--skip", "pictures,page")
            summary = self.summary()
            tissue = summary["tissue_mm2"] * 1e6 / summary["mpp"]**2
            self.assertGreater(tissue, 1e5)
            self.assertGreater(summary["run"]["scratch_bytes"], 0.1 * tissue)
            self.assertLess(summary["run"]["scratch_bytes"], 4 * tissue, size)

    def test_ome_zarr(self):
        self.write_slide("s.npy", stained())
        self.succeed("clip", "s.npy", "--channels", "last", "-o", "s.ome.zarr", "--low", "0", "--high", "255")
        self.nuclei_alone("s.npy", "--mpp", "0.5", out="plain")
        self.nuclei_alone("s.ome.zarr", "--mpp", "0.5", "--pieces", "100,100")
        self.succeed("compare", "out/labels.ome.tif", "plain/labels.ome.tif")
        without_ids = [[{**row, "id": None} for row in self.rows(out)] for out in ("out", "plain")]
        self.assertEqual(*without_ids)

    def test_a_copy_has_the_same_ids(self):
        self.write_slide("s.npy", stained())
        self.write_slide("copy.npy", stained())
        self.write_slide("other.npy", stained(step=44))
        ids = {}
        for name in ("s", "copy", "other"):
            self.nuclei_alone(name + ".npy", "--mpp", "0.5", out=name)
            ids[name] = {row["id"] for row in self.rows(name)}
        self.assertEqual(ids["s"], ids["copy"])
        self.assertFalse(ids["s"] & ids["other"])

    def test_level_of_a_pyramid(self):
        self.write_slide("s.npy", stained())
        self.succeed("clip", "s.npy", "--channels", "last", "-o", "s.tif", "--pyramid", "--low", "0", "--high", "255")
        self.nuclei_alone("s.tif", "--mpp", "0.5")
        self.nuclei_alone("s.npy", "--mpp", "0.5", out="plain")
        self.assertEqual([row["area_px"] for row in self.rows()], [row["area_px"] for row in self.rows("plain")])

    def test_labels_are_a_pyramid(self):
        self.write_mha("s.mha", stained(height=600, width=700), 0.5, 0.5)
        self.nuclei_alone("s.mha")
        levels = [self.succeed("info", "out/labels.ome.tif", "--level", str(level)) for level in (0, 1)]
        self.assertIn("600 x 700", levels[0])
        self.assertIn("300 x 350", levels[1])
        self.assertRegex(levels[0], r"spacing\s+5e-04, 5e-04")
        self.assertIn(b'Type="uint32" SizeX="700" SizeY="600"', self.content("out", "labels.ome.tif"))
        self.assertIn('PhysicalSizeX="0.5" PhysicalSizeXUnit="µm"'.encode(), self.content("out", "labels.ome.tif"))

    def test_cells(self):
        self.write_slide("s.npy", stained())
        self.nuclei("s.npy", "--mpp", "0.5", "--cells", "4")
        rows = {row["id"]: row for row in self.rows()}
        for feature in self.features():
            row = rows[feature["id"]]
            self.assertEqual(feature["properties"]["objectType"], "cell")
            self.assertEqual(area(feature["nucleusGeometry"]), int(row["area_px"]))
            self.assertAlmostEqual(area(feature["geometry"]) * 0.25, float(row["cell_area_um2"]), 3)
            self.assertGreater(float(row["cell_area_um2"]), float(row["area_um2"]))

    def test_positive_nuclei(self):
        slide = stained.__wrapped__()
        for x in (145, 225):
            slide.ellipse(175, x, 9, 9, BROWN)
        self.write_slide("s.npy", slide)
        self.nuclei_alone("s.npy", "--mpp", "0.5", "--stain-set", "h-dab")
        rows, summary = self.rows(), self.summary()
        positive = [row for row in rows if row["class"] == "Positive"]
        places = sorted((int(float(row["centroid_x_px"])), int(float(row["centroid_y_px"]))) for row in positive)
        self.assertEqual(places, [(145, 175), (225, 175)])
        self.assertLess(len(positive), len(rows) / 2)
        self.assertEqual((summary["positive"], summary["negative"]), (len(positive), len(rows) - len(positive)))
        classes = {feature["id"]: feature["properties"]["classification"]["name"] for feature in self.features()}
        self.assertEqual(classes, {row["id"]: row["class"] for row in rows})
        self.nuclei_alone("s.npy", "--mpp", "0.5", "--stain-set", "h-dab", "--positive", "3", out="none")
        self.assertEqual(self.summary("none")["positive"], 0)

    def test_glass_gives_an_empty_table(self):
        self.write_slide("s.npy", Slide())
        self.nuclei("s.npy", "--mpp", "0.5")
        self.assertEqual(self.slide_files(), FILES)
        self.assertEqual((self.rows(), self.features(), self.features(name="tissue.geojson")), ([], [], []))
        self.assertEqual((self.summary()["nuclei"], self.summary()["white"]), (0, None))

    def test_pixel_size_of_the_file(self):
        self.write_mha("s.mha", stained(), 0.5, 0.505)
        self.nuclei_alone("s.mha")
        self.assertAlmostEqual(self.summary()["mpp"], 0.5025)
        self.nuclei_alone("s.mha", "--mpp", "0.4", out="given")
        self.assertEqual(self.summary("given")["mpp"], 0.4)


class Parts(SlideTest):
    def test_rectangle(self):
        self.write_slide("s.npy", stained())
        self.nuclei_alone("s.npy", "--mpp", "0.5", out="whole")
        self.nuclei_alone("s.npy", "--mpp", "0.5", "--rectangle", "100,60,201,180")
        rows = self.rows()
        self.assertTrue(0 < len(rows) < len(self.rows("whole")))
        for row in rows:
            self.assertTrue(100 <= float(row["centroid_x_px"]) <= 301 and 60 <= float(row["centroid_y_px"]) <= 240, row)
        self.assertEqual(self.summary()["analysed_px"], {"x": 100, "y": 60, "width": 201, "height": 180})
        self.assertEqual(self.summary()["labels_px"], {"x": 0, "y": 0, "width": 400, "height": 320})
        self.assertEqual(self.summary()["white"], self.summary("whole")["white"])
        # Nuclei are those of the whole slide that have their centroid inside; none is cut.
        inside = [row["id"] for row in self.rows("whole")
                  if 100 <= float(row["centroid_x_px"]) < 301 and 60 <= float(row["centroid_y_px"]) < 240]
        self.assertEqual(sorted(row["id"] for row in rows), sorted(inside))

    def test_cells_at_the_border(self):
        self.write_slide("s.npy", stained(step=26))
        self.nuclei_alone("s.npy", "--mpp", "0.5", "--cells", "8", out="whole")
        self.nuclei_alone("s.npy", "--mpp", "0.5", "--cells", "8", "--rectangle", "100,60,201,180")
        whole = {row["id"]: row for row in self.rows("whole")}
        for row in self.rows():
            if row["area_px"] == whole[row["id"]]["area_px"]:
                self.assertEqual(row["cell_area_um2"], whole[row["id"]]["cell_area_um2"])

    def test_white_of_the_slide(self):
        slide = stained.__wrapped__(width=900).box(40, 60, 240, 200, (240, 232, 238))  # pale, far from the rectangle
        self.write_slide("s.npy", slide)
        self.nuclei_alone("s.npy", "--mpp", "0.5", out="whole")
        self.nuclei_alone("s.npy", "--mpp", "0.5", "--rectangle", "600,100,100,100")
        self.assertEqual(self.summary()["white"], self.summary("whole")["white"])
        self.assertGreater(self.summary()["white"][0], 236)

    def test_labels_as_zarr(self):
        self.write_slide("s.npy", stained())
        self.nuclei_alone("s.npy", "--mpp", "0.5", out="tif")
        self.nuclei("s.npy", "--mpp", "0.5", "--labels", "zarr", "--skip", "pictures,page,tissue")
        self.assertEqual(self.slide_files(), ["labels.zarr", "nuclei.csv.gz", "nuclei.geojson.gz", "summary.json"])
        self.assertEqual(self.succeed("measure", "out/labels.zarr"), self.succeed("measure", "tif/labels.ome.tif"))
        self.nuclei("s.npy", "--mpp", "0.5", "--labels", "zarr", "--skip", "pictures,page,tissue")  # once more

    def test_region(self):
        self.write_slide("s.npy", stained())
        ring = [[60, 40], [340, 40], [60, 280], [60, 40]]
        with open(self.path("r.geojson"), "w") as file:
            json.dump({"type": "FeatureCollection", "features": [
                {"type": "Feature", "properties": {"name": "tumour"}, "geometry": {"type": "Polygon", "coordinates": [ring]}}]}, file)
        self.nuclei_alone("s.npy", "--mpp", "0.5", "--region", "r.geojson")
        self.nuclei_alone("s.npy", "--mpp", "0.5", out="whole")
        rows = self.rows()
        self.assertTrue(0 < len(rows) < len(self.rows("whole")))
        for row in rows:
            x, y = float(row["centroid_x_px"]), float(row["centroid_y_px"])
            self.assertLess((x - 60) / 280 + (y - 40) / 240, 1.01)
        region, = self.summary()["regions"]
        self.assertEqual((region["name"], region["nuclei"]), ("tumour", len(rows)))
        self.assertAlmostEqual(region["area_mm2"], 280 * 240 / 2 * 0.25 / 1e6)


class Tissue(SlideTest):
    def tissue(self):
        return self.features(name="tissue.geojson")

    def covers(self, x, y):
        inside = False
        for feature in self.tissue():
            for polygon in polygons(feature["geometry"]):
                for ring in polygon:
                    for (ax, ay), (bx, by) in zip(ring, ring[1:]):
                        if (ay > y) != (by > y) and ax + (y - ay) / (by - ay) * (bx - ax) > x:
                            inside = not inside
        return inside

    def test_pens_and_dust_are_no_tissue(self):
        slide = Slide(700, 800)
        slide.ellipse(200, 200, 150, 150, TISSUE)
        slide.ellipse(200, 600, 150, 150, (238, 226, 236))  # pale
        for x, ink in ((50, (40, 60, 170)), (230, (30, 130, 70)), (410, (25, 25, 30)), (590, (205, 28, 48))):
            slide.box(480, x, 160, 140, ink)
        slide.ellipse(400, 400, 12, 12, (120, 120, 120)).ellipse(30, 400, 9, 9, (60, 60, 60))  # dust
        self.write_slide("s.npy", slide)
        self.nuclei_alone("s.npy", "--mpp", "2")
        self.assertTrue(self.covers(200, 200))
        self.assertTrue(self.covers(600, 200))
        for x, y in ((120, 560), (300, 560), (480, 560), (660, 560), (400, 400), (400, 30), (10, 10)):
            self.assertFalse(self.covers(x, y), (x, y))

    def test_strokes_of_pens_on_small_slides(self):
        for seed, shape in ((1, "1024,1536"), (4, "1200,1500")):
            self.succeed("generate", "slide", "--shape", shape, "--seed", str(seed), "-o", "s.tif", "--truth", "t.tif")
            self.nuclei("s.tif", "--skip", "pictures,page")
            scores = next(csv.DictReader(io.StringIO(self.succeed("evaluate", "t.tif", "out/labels.ome.tif"))))
            self.assertGreater(float(scores["f1"]), 0.92)

    def test_a_tile_without_glass_is_all_tissue(self):
        slide = Slide(256, 256, TISSUE).ellipse(100, 100, 9, 9, NUCLEUS).ellipse(200, 60, 30, 30, GLASS)
        self.write_slide("s.npy", slide)
        self.nuclei_alone("s.npy", "--mpp", "0.25")
        tissue, = self.tissue()
        self.assertEqual(area(tissue["geometry"]), 256 * 256)


if __name__ == "__main__":
    unittest.main()
