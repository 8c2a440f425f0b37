"""`macareu nuclei`: batches, finished slides, and what it refuses."""
import json
import os
import resource
import shlex
import shutil
import signal
import subprocess
import time
import unittest

from slide_support import GLASS, NUCLEUS, Slide, SlideTest, stained


class Batches(SlideTest):
    def test_a_broken_slide_does_not_stop_the_others(self):
        self.write_slide("a.npy", stained())
        self.write_slide("c.npy", stained(step=50))
        with open(self.path("b.npy"), "wb") as file:
            file.write(self.content("a.npy")[:5000])
        done = self.run_tool("nuclei", "a.npy", "b.npy", "c.npy", "-o", "out", "--mpp", "0.5", "--quiet")
        self.assertEqual(done.returncode, 3)
        self.assertRegex(done.stderr, r"^macareu: nuclei: b\.npy: [^\n]*\n$")
        self.assertEqual(sorted(os.listdir(self.path("out"))), ["a", "all.csv.gz", "c"])
        rows = self.rows(name="all.csv.gz")
        self.assertEqual([row["slide"] for row in rows], ["a"] * len(self.rows("out/a")) + ["c"] * len(self.rows("out/c")))
        self.assertEqual([row["id"] for row in rows], [row["id"] for row in self.rows("out/a") + self.rows("out/c")])

    def test_finished_slides_are_skipped(self):
        for name in ("a", "b"):
            self.write_slide(name + ".npy", stained())
        command = ("a.npy", "b.npy", "--mpp", "0.5")
        self.nuclei(*command)
        os.remove(self.path("out/b/density.svg"))
        before = {name: os.stat(self.path(f"out/{name}/summary.json")).st_ino for name in ("a", "b")}
        self.nuclei(*command, "--resume")
        after = {name: os.stat(self.path(f"out/{name}/summary.json")).st_ino for name in ("a", "b")}
        self.assertEqual(before["a"], after["a"])
        self.assertNotEqual(before["b"], after["b"])
        self.assertIn("density.svg", os.listdir(self.path("out/b")))
        self.nuclei(*command, "--resume", "--min-area", "9")
        self.assertNotEqual(after["a"], os.stat(self.path("out/a/summary.json")).st_ino)
        finished = os.stat(self.path("out/a/summary.json")).st_ino
        self.write_slide("a.npy", stained(step=50))
        self.nuclei(*command, "--resume", "--min-area", "9")
        self.assertNotEqual(finished, os.stat(self.path("out/a/summary.json")).st_ino)

    def test_no_outputs_of_other_parameters_stay(self):
        self.write_slide("a.npy", stained())
        self.nuclei("a.npy", "--mpp", "0.5")
        other = ("a.npy", "--mpp", "0.5", "--min-area", "30", "--labels", "zarr")
        self.nuclei(*other, "--skip", "pictures,page,tissue")
        self.assertEqual(sorted(os.listdir(self.path("out"))),
                         ["labels.zarr", "nuclei.csv.gz", "nuclei.geojson.gz", "summary.json"])
        self.nuclei(*other, "--resume")
        self.nuclei(*other, out="fresh")
        self.assertEqual(self.results(), self.results("fresh"))

    def test_a_missing_page_is_made_again(self):
        self.write_slide("a.npy", stained())
        self.nuclei("a.npy", "--mpp", "0.5")
        if not os.path.exists(self.path("out/index.html")):
            self.skipTest("this build makes no pages")
        os.remove(self.path("out/index.html"))
        self.nuclei("a.npy", "--mpp", "0.5", "--resume")
        self.assertIn("index.html", os.listdir(self.path("out")))

    def test_slides_of_one_name(self):
        os.mkdir(self.path("x"))
        self.write_slide("a.npy", Slide())
        self.write_slide("x/a.npy", Slide())
        self.assertIn("x/a.npy and x/a.npy",
                      self.fail_with(2, "nuclei", "x/a.npy", "a.npy", "x/a.npy", "-o", "out", "--mpp", "1"))
        self.nuclei("a.npy", "x/a.npy", "--mpp", "1", "--skip", "page")
        own = os.path.basename(self.path("")[:-1]) + "-a"
        self.assertEqual(sorted(os.listdir(self.path("out"))), sorted(["all.csv.gz", own, "x-a"]))

    def test_folders_of_others_are_kept(self):
        self.write_slide("a.npy", Slide())
        command = ("a.npy", "--mpp", "1", "--labels", "zarr")
        self.nuclei(*command, out="before")
        pages = ["page"] if os.path.exists(self.path("before/page")) else []
        for name in [*pages, "labels.zarr", "overview.png"]:
            os.makedirs(self.path(f"out/{name}"))
            with open(self.path(f"out/{name}/mine.txt"), "w", encoding="utf-8"):
                pass
            refusal = self.fail_with(3, "nuclei", *command, "-o", "out")
            self.assertIn(f"out/{name}: exists and is something else", refusal)
            self.assertEqual(os.listdir(self.path(f"out/{name}")), ["mine.txt"])
            shutil.rmtree(self.path(f"out/{name}"))
        with open(self.path("out/summary.json"), "w", encoding="utf-8") as file:
            file.write("{}")
        os.mkdir(self.path("out/page"))
        with open(self.path("out/density.svg"), "w", encoding="utf-8"):
            pass
        self.nuclei("a.npy", "--mpp", "1", "--skip", "pictures")
        self.assertIn("density.svg", os.listdir(self.path("out")))  # the summary was not ours

    def test_pixels_that_are_too_large(self):
        self.write_slide("a.npy", Slide())
        self.assertIn("a.npy: a pixel of 250 x 250 um is larger than any nucleus (--max-area 375 um^2): give --mpp in micrometres",
                      self.fail_with(2, "nuclei", "a.npy", "-o", "out", "--mpp", "250"))

    def test_files_are_replaced(self):
        self.write_slide("a.npy", stained())
        self.nuclei("a.npy", "--mpp", "0.5")
        self.nuclei("a.npy", "--mpp", "0.5", "--min-area", "1000", "--max-area", "2000")
        self.assertEqual((self.rows(), self.summary()["nuclei"]), ([], 0))


class Signals(SlideTest):
    def test_a_run_that_is_interrupted_leaves_nothing(self):
        self.write_slide("s.npy", stained())
        for _ in range(20):
            process = self.start("nuclei", "s.npy", "-o", "out", "--mpp", "0.5", "--pieces", "12,12", "--quiet")
            while process.poll() is None and not os.path.exists(self.path("out/.macareu-nuclei/lock")):
                time.sleep(0.001)
            process.send_signal(signal.SIGINT)
            message = process.communicate()[1].decode()
            if process.returncode == 130:
                self.assertEqual(message, "macareu: nuclei: interrupted\n")
                self.assertEqual(self.files(), ["s.npy"])
                return
            shutil.rmtree(self.path("out"))
        self.fail("no run was stopped in time")


    def test_the_command_that_continues_is_told(self):
        for name in ("a", "b"):
            self.write_slide(name + ".npy", stained())
        command = ("nuclei", "a.npy", "b.npy", "-o", "out dir", "--mpp", "0.5", "--pieces", "12,12")
        for _ in range(20):
            process = self.start(*command)
            while process.poll() is None and not os.path.exists(self.path("out dir/b/.macareu-nuclei/lock")):
                time.sleep(0.001)
            process.send_signal(signal.SIGINT)
            message = process.communicate()[1].decode()
            if process.returncode == 130:
                told = shlex.join([self.tool, *command, "--resume"])
                self.assertEqual(message, "macareu: nuclei: interrupted\n"
                                          f"nuclei: finished slides are kept; this continues: {told}\n")
                return
            shutil.rmtree(self.path("out dir"))
        self.fail("no run was stopped in time")


class Refusals(SlideTest):
    def refuse(self, code, *arguments):
        """The message; nothing is left behind."""
        return self.fail_with(code, "nuclei", *arguments, "-o", "out")

    def test_pixel_size(self):
        self.write_slide("s.npy", stained())
        self.assertIn("--mpp", self.refuse(2, "s.npy"))
        self.write_mha("s.mha", stained(), 0.5, 0.6)
        self.assertIn("0.5 x 0.6", self.refuse(2, "s.mha"))
        self.write_mha("print.mha", stained(), 352.8, 352.8)
        self.assertIn("--mpp", self.refuse(2, "print.mha"))

    def test_make_run_names_its_variable(self):
        self.write_mha("print.mha", stained(), 352.8, 352.8)
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts", "run.sh")
        done = subprocess.run(["sh", script, self.tool, "print.mha"], cwd=self.directory, stderr=subprocess.PIPE,
                              stdout=subprocess.DEVNULL, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("give MPP, as MPP=0.25", done.stderr)

    def test_no_slide(self):
        self.write_slide("dark.npy", Slide(colour=(10, 10, 14)).ellipse(100, 100, 30, 30, (20, 40, 250)))
        self.assertIn("dark", self.refuse(3, "dark.npy", "--mpp", "0.5"))
        self.write_slide("meadow.npy", Slide(colour=(70, 140, 50)).box(0, 0, 100, 400, (110, 160, 230)))
        self.assertIn("no stain has", self.refuse(3, "meadow.npy", "--mpp", "0.5"))
        leaf = Slide().ellipse(160, 200, 90, 120, (70, 140, 50))
        self.write_slide("leaf.npy", leaf)
        self.assertIn("no stain has", self.refuse(3, "leaf.npy", "--mpp", "0.5"))
        self.write_slide("grey.npy", Slide(colour=(120, 120, 120)))
        self.assertIn("bright-field", self.refuse(3, "grey.npy", "--mpp", "0.5"))
        self.nuclei("grey.npy", "--mpp", "0.5", "--force")
        self.generate()
        self.assertIn("red, green and blue", self.refuse(2, "mask.npy", "--mpp", "0.5"))

    def test_options(self):
        self.write_slide("s.npy", stained())
        wrong = (("--rectangle", "0,0,401,10"), ("--rectangle", "1,2,3"), ("--white", "300"), ("--stains", "1,2,3"),
                 ("--stains", "1,2,3,2,4,6"), ("--device", "serial"),
                 ("--positive", "0.2"), ("--min-area", "400"), ("--smooth", "-1"), ("--cells", "0"), ("--stain-set", "x"))
        for words in wrong:
            self.assertIn(words[0], self.refuse(2, "s.npy", "--mpp", "0.5", *words))

    def test_regions(self):
        self.write_slide("s.npy", stained())
        far = '{"type": "Polygon", "coordinates": [[[900, 900], [950, 900], [950, 950], [900, 900]]]}'
        for text, code in (("{", 3), ('{"type": "Point", "coordinates": [1, 2]}', 3), ('{"type": "FeatureCollection"}', 3),
                           ('{"type": "Polygon", "coordinates": [[[0, 0], ["a", 1], [1, 1], [0, 0]]]}', 3),
                           ('{"type": "Polygon", "coordinates": [[[0, 0], [1, 1]]]}', 3), (far, 2)):
            with open(self.path("r.geojson"), "w") as file:
                file.write(text)
            self.assertIn("r.geojson", self.refuse(code, "s.npy", "--mpp", "0.5", "--region", "r.geojson"))
        self.assertIn("none.geojson", self.refuse(3, "s.npy", "--mpp", "0.5", "--region", "none.geojson"))

    def test_truncated_tiles(self):
        self.write_slide("s.npy", stained(height=600, width=600))
        self.succeed("clip", "s.npy", "--channels", "last", "-o", "s.tif", "--pyramid", "--low", "0", "--high", "255")
        content = self.content("s.tif")
        for share in (0.2, 0.6, 0.95):
            with open(self.path("cut.tif"), "wb") as file:
                file.write(content[:int(len(content) * share)])
            self.assertIn("cut.tif", self.refuse(3, "cut.tif", "--mpp", "0.5"))
        self.refuse(3, "missing.svs", "--mpp", "0.5")

    def test_missing_level(self):
        self.write_slide("s.npy", stained())
        self.succeed("clip", "s.npy", "--channels", "last", "-o", "s.ome.zarr", "--low", "0", "--high", "255")
        with open(self.path("s.ome.zarr/.zattrs")) as file:
            about = json.load(file)
        levels = about["multiscales"][0]["datasets"]
        levels.append({**levels[0], "path": "1"})
        with open(self.path("s.ome.zarr/.zattrs"), "w") as file:
            json.dump(about, file)
        self.assertRegex(self.refuse(3, "s.ome.zarr", "--mpp", "0.5"), "s.ome.zarr: level 1 cannot be read: .*1")

    def test_no_room(self):
        self.write_slide("s.npy", stained())

        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))

        # Python ignores SIGXFSZ, and so does what it starts: writes fail.
        self.fail_with(3, "nuclei", "s.npy", "--mpp", "0.5", "-o", "out", preexec_fn=limit, restore_signals=False)

    def test_too_little_memory(self):
        self.write_slide("s.npy", stained())
        self.assertRegex(self.refuse(2, "s.npy", "--mpp", "0.5", "--memory", "4K"), "needs .*, but the limit is 4 KiB; raise it")

    def test_a_full_disk(self):
        self.write_slide("s.npy", stained())
        for size, way in (("16k", ("--pieces", "60,60")), ("64k", ())):
            with self.small_disk(size):
                message = self.fail_with(3, "nuclei", "s.npy", "--mpp", "0.5", "-o", "disk/out", *way)
                self.assertRegex(message, "^macareu: nuclei: s.npy: .*disk/out/.*: No space left on device")
                self.assertEqual(os.listdir(self.path("disk")), [])
                if way:
                    self.assertIn("; choose a scratch directory with more room", message)
            os.rmdir(self.path("disk"))

    def test_outputs_do_not_replace_a_slide(self):
        self.write_slide("s.npy", Slide())
        self.succeed("clip", "s.npy", "--channels", "last", "-o", "labels.ome.tif", "--low", "0", "--high", "255")
        before = self.content("labels.ome.tif")
        self.assertIn("is an input", self.fail_with(2, "nuclei", "labels.ome.tif", "-o", ".", "--mpp", "0.5"))
        self.assertEqual(self.content("labels.ome.tif"), before)
        # Also where the settings do not write such a file: it would be taken for that of an earlier run.
        self.fail_with(2, "nuclei", "labels.ome.tif", "-o", ".", "--mpp", "0.5", "--labels", "zarr")

    def test_output_that_is_a_file(self):
        self.write_slide("s.npy", Slide(colour=GLASS).ellipse(50, 50, 9, 9, NUCLEUS))
        with open(self.path("out"), "w"):
            pass
        self.refuse(3, "s.npy", "--mpp", "0.5")


if __name__ == "__main__":
    unittest.main()
