"""Slides that several processes share."""
import os
import shutil
import signal
import time
import unittest

from rank_support import FORKED, RANK, SHARE, AnyRanksTest, available
from slide_support import SlideTest, stained


class Slides(SlideTest, AnyRanksTest):
    def kinds(self):
        return (*available(), FORKED)

    def test_each_slide_belongs_to_a_rank(self):
        for name, step in (("a.npy", 40), ("b.npy", 50), ("c.npy", 60)):
            self.write_slide(name, stained(step=step))
        command = ("nuclei", "a.npy", "b.npy", "c.npy", "--mpp", "0.5", "--quiet", "-o")
        self.succeed(*command, "alone")
        for kind in self.kinds() if SHARE > 1 else self.kinds()[-2:]:  # the last is without MPI
            code, _, err = self.on_ranks(kind, 2, *command, kind)
            self.assertEqual((code, err), (0, ""))
            self.assertTrue(self.content(f"{kind}/all.csv.gz") == self.content("alone/all.csv.gz"))
            for slide in "abc":
                self.assertTrue(self.results(f"{kind}/{slide}") == self.results(f"alone/{slide}"), slide)

    def test_one_slide_is_shared(self):
        self.write_slide("s.npy", stained())
        ways = [(kind, ranks) for ranks in (1, 2, 3) for kind in self.kinds()]
        for number, options in enumerate(((), ("--cells", "3", "--labels", "zarr"), ("--rectangle", "60,40,200,180"),
                                          ("--memory", "8M", "--stain-set", "h-dab"))):
            command = ("nuclei", "s.npy", "--mpp", "0.5", "--quiet", *options, "-o")
            self.succeed(*command, "alone")
            expected = self.results("alone")
            for kind, ranks in ways if SHARE > 1 else [ways[(5 * number + 3) % len(ways)]]:  # all kinds
                code, _, err = self.on_ranks(kind, ranks, *command, "shared")
                self.assertEqual((code, err), (0, ""), (kind, ranks, options))
                found = self.results("shared")
                self.assertEqual(sorted(found), sorted(expected))
                for name in expected:
                    self.assertTrue(found[name] == expected[name], (name, kind, ranks, options))
                self.assertEqual(sorted(os.listdir(self.path("shared"))), sorted(os.listdir(self.path("alone"))))
                shutil.rmtree(self.path("shared"))
            shutil.rmtree(self.path("alone"))

    def test_a_shared_slide_that_ends_early(self):
        self.write_slide("s.npy", stained())
        command = ("nuclei", "s.npy", "--mpp", "0.5", "--quiet", "--pieces", "4,4", "-o", "out")
        self.succeed(*command[:4], "--quiet", "-o", "alone")
        expected = self.results("alone")
        for kind in (*available()[:1 if SHARE <= 1 else None], FORKED):
            code, _, err = self.on_ranks(kind, 2, *command, "--stop-after", "1s")
            self.assertEqual((code, self.lines(err)), (130, ["macareu: nuclei: interrupted"]))
            self.assertEqual(self.files(), ["alone", "s.npy"])
            process = self.launch(kind, 3, *command)
            while process.poll() is None and not os.path.exists(self.path("out/.macareu-nuclei/lock")):
                time.sleep(0.001)
            time.sleep(0.5)
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=60)
            self.wait_for_end()
            if kind == FORKED and process.returncode == 0:  # launchers may say so after they ended their ranks
                self.assertTrue(os.path.exists(self.path("out/summary.json")))
            code, _, err = self.on_ranks(kind, 2, *command[:5], *command[-2:], "--resume")
            self.assertEqual((code, err), (0, ""))
            self.assertTrue(self.results() == expected, kind)
            before = os.stat(self.path("out/summary.json")).st_ino
            self.assertEqual(self.on_ranks(kind, 3, *command[:5], *command[-2:], "--resume")[::2], (0, ""))
            self.assertEqual(os.stat(self.path("out/summary.json")).st_ino, before)
            shutil.rmtree(self.path("out"))

    def test_a_killed_rank_of_a_shared_slide(self):
        self.write_slide("s.npy", stained())
        command = ("nuclei", "s.npy", "--mpp", "0.5", "--quiet", "-o", "out")
        self.succeed(*command)
        expected = self.results()
        shutil.rmtree(self.path("out"))
        for kind in available()[:1 if SHARE <= 1 else None]:
            code, _, err = self.on_ranks(kind, 3, *command, "--pieces", "4,4",
                                         shell=f'if [ "{RANK}" = 1 ]; then (sleep 1; kill -9 $$) 2>/dev/null & fi')
            self.assertNotEqual(code, 0, err)
            self.wait_for_end()
            self.assertFalse(os.path.exists(self.path("out/summary.json")))
            self.assertEqual(self.on_ranks(kind, 2, *command, "--resume")[::2], (0, ""))
            self.assertTrue(self.results() == expected, kind)
            shutil.rmtree(self.path("out"))

    def test_errors_of_a_shared_slide(self):
        self.write_slide("s.npy", stained())
        with open(self.path("cut.npy"), "wb") as file:
            file.write(self.content("s.npy")[:5000])
        kinds = self.kinds()
        for number, (name, code, text) in enumerate((("cut.npy", 3, "cut.npy"), ("none.npy", 3, "none.npy"), ("s.npy", 2, "--mpp"))):
            for kind in kinds if SHARE > 1 else [kinds[number % len(kinds)]]:
                before = self.files()
                done, _, err = self.on_ranks(kind, 3, "nuclei", name, "-o", "out")
                self.assertEqual((done, len(self.lines(err))), (code, 1), err)
                self.assertIn(text, err)
                self.assertEqual(self.files(), before)


if __name__ == "__main__":
    unittest.main()
