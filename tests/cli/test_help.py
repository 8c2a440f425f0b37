"""Help, lists and usage."""
import os
import re
import unittest

from support import CliTest, operators, verbs


class Help(CliTest):
    def test_overview_lists_the_verbs(self):
        page = self.succeed("--help")
        self.assertEqual(page, self.succeed("-h"))
        for verb in ("reconstruct", "fill-holes", "maxima", "minima", "hmaxima", "hminima", "hmax", "hmin",
                     "hdome", "distance", "nearest-site", "nearest-label", "label",
                     "info", "generate", "compare", "view", "bench"):
            self.assertIn(verb, verbs())
        self.assertIn("Exit codes", page)

    def test_version(self):
        self.assertRegex(self.succeed("--version"), r"^macareu \d+\.\d+\.\d+\n$")

    def test_formats_of_the_build(self):
        lines = {line.split()[0]: line.split()[1:] for line in self.succeed("info").splitlines()[1:]}
        for extension in (".npy", ".nrrd", ".raw"):
            self.assertIn(extension, lines["reads"])
            self.assertIn(extension, lines["writes"])
        for extension in (".nhdr", ".mhd", ".csv", ".txt"):
            self.assertIn(extension, lines["reads"])
            self.assertNotIn(extension, lines["writes"])
        self.assertEqual(".png" in lines["writes"], "libvips" in lines["reads"])

    def test_nothing_given(self):
        done = self.run_tool()
        self.assertEqual(done.returncode, 2)
        self.assertIn("Usage: macareu VERB", done.stderr)

    def test_every_verb_has_a_page(self):
        for verb in verbs():
            with self.subTest(verb):
                page = self.succeed(verb, "--help")
                self.assertTrue(page.startswith(f"macareu {verb}: "), page)
                self.assertIn(f"Usage: macareu {verb}", page)
                self.assertLessEqual(max(map(len, page.splitlines())), 100)

    def test_help_wins_over_other_arguments(self):
        self.assertEqual(self.succeed("reconstruct", "no-such-file", "--nonsense", "--help"),
                         self.succeed("reconstruct", "--help"))

    def test_pages_of_operators_are_complete(self):
        for verb in operators():
            with self.subTest(verb):
                page = self.succeed(verb, "--help")
                if verb not in ("add", "contours", "invert", "statistics", "subtract"):
                    self.assertIn("Parameters:", page)
                for part in ("Inputs:", "Outputs:", f"Example:\n  macareu {verb} ", "-o, --output", "--device",
                             "--strategy", "--threads", "--memory", "--repeat", "--report", "--quiet", "--channel ",
                             "--channels last", "--shape", "--dtype", "--offset", "--endian"):
                    self.assertIn(part, page)
        self.assertIn("strategies megapixel (auto), queue, sweep and diagonal", " ".join(self.succeed("distance", "--help").split()))
        page = self.succeed("reconstruct", "--help")
        self.assertIn("--by dilation|erosion", page)
        self.assertIn("(default: dilation)", page)
        self.assertIn("--clip ", page)
        page = self.succeed("hmax", "--help")
        self.assertIn("--h NUMBER", page)
        self.assertIn("height, in grey values; greater than 0 (required)", page)
        self.assertIn("at least 0 and at most 512", self.succeed("erosion", "--help"))

    def test_verbs_without_arguments_print_their_usage(self):
        for verb in [*operators(), "compare", "bench"]:
            with self.subTest(verb):
                done = self.run_tool(verb)
                self.assertEqual((done.returncode, done.stdout), (2, b""))
                self.assertTrue(done.stderr.startswith(f"Usage: macareu {verb} "), done.stderr)

    def test_info_describes_the_build(self):
        page = self.succeed("info")
        for part in ("devices", "serial", "cpu", "threads", "instruction set", ".npy"):
            self.assertIn(part, page)

    def test_info_shows_the_chosen_instruction_set(self):
        def with_set(name):
            return {"env": {**os.environ, "MACAREU_INSTRUCTION_SET": name}}
        sets = re.search("one of (.*), got", self.fail_with(2, "info", **with_set("none")))[1].split(", ")
        shown = re.compile("^  instruction set +(.*)$", re.MULTILINE)
        for name in sets:
            self.assertEqual(shown.search(self.succeed("info", **with_set(name)))[1].lower().replace("-", ""), name)
        self.assertEqual(self.succeed("info", **with_set("")), self.succeed("info", **with_set(sets[-1])))

    def test_generate_lists_its_instances(self):
        page = self.succeed("generate")
        for name in ("random", "flat", "serpentine", "spiral", "percolation", "tissue", "noise", "diagonal", "snake"):
            self.assertIn(f"  {name} ", page)


if __name__ == "__main__":
    unittest.main()
