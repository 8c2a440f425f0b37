"""Reports, repetition, interruption and the benchmark program. Nothing here is timed."""
import json
import os
import signal
import unittest

from support import CliTest, npy_bytes

LARGE = bool(os.environ.get("MACAREU_LARGE"))  # make test-long: all instances of a benchmark


class Reports(CliTest):
    def report(self, *arguments):
        self.succeed(*arguments, "--report", "r.json")
        with open(self.path("r.json"), encoding="utf-8") as file:
            return json.load(file)

    def test_fields(self):
        self.generate(shape="96,80")
        found = self.report("reconstruct", "marker.npy", "mask.npy", "-o", "x.npy", "--device", "cpu",
                            "--connectivity", "4")
        self.assertEqual((found["operator"], found["device"], found["shape"], found["dtype"]),
                         ("reconstruct", "cpu", [96, 80], "u8"))
        self.assertEqual(found["parameters"], {"by": "dilation", "connectivity": "4", "clip": False})
        self.assertRegex(found["version"], r"^\d+\.\d+")
        self.assertIsInstance(found["strategy"], str)
        seconds = found["seconds"]
        self.assertEqual(set(seconds), {"read", "transfer", "compute", "write", "total"})
        self.assertEqual(seconds["transfer"], 0)
        self.assertAlmostEqual(seconds["total"], seconds["read"] + seconds["compute"] + seconds["write"])
        self.assertGreater(found["peak_memory"], 0)
        self.assertNotIn("gpu_start_up_memory", found)
        for counter in ("rounds", "tiles", "passes", "count"):
            self.assertGreaterEqual(found.get(counter, 0), 0)

    def test_names_and_numbers(self):
        self.write_npy("a.npy", (1, 2, 3), [1, 2, 3, 4, 5, 6], "f32")
        found = self.report("hmaxima", "a.npy", "-o", "x.npy", "--h", "1.5", "--device", "serial")
        self.assertEqual((found["operator"], found["device"], found["strategy"]), ("h_maxima", "serial", None))
        self.assertEqual((found["shape"], found["dtype"], found["parameters"]["h"]), ([1, 2, 3], "f32", 1.5))

    def test_to_a_pipe(self):
        self.write_npy("a.npy", (1, 3), [1, 2, 3])
        self.assertEqual(json.loads(self.succeed("maxima", "a.npy", "-o", "x.npy", "--report", "/dev/stdout"))["operator"],
                         "maxima")


class Repetition(CliTest):
    def test_median_is_told_on_stderr(self):
        self.write_npy("a.npy", (1, 3), [1, 2, 3])
        done = self.run_tool("maxima", "a.npy", "-o", "x.npy", "--repeat", "4")
        self.assertEqual((done.returncode, done.stdout), (0, b""))
        self.assertRegex(done.stderr, r"^maxima: 1 x 3 u8 on cpu.*, median of 4\n$")
        self.succeed("maxima", "a.npy", "-o", "y.npy", "--repeat", "4", "--quiet")
        self.assertEqual(self.read_npy("x.npy"), self.read_npy("y.npy"))
        self.assertEqual(self.read_npy("x.npy")[2], [False, False, True])


class Interruption(CliTest):
    def check(self, sent, *arguments):
        """The signal is sent when the inputs have been taken from a pipe, so that it comes while computing."""
        os.mkfifo(self.path("in"))
        process = self.start("maxima", "in", "-o", "out.npy", "--repeat", "1000000000", *arguments)
        with open(self.path("in"), "wb") as pipe:
            pipe.write(npy_bytes((300, 300), [i * 7 % 251 for i in range(90000)]))
        process.send_signal(sent)
        message = process.communicate()[1].decode()
        self.assertEqual((process.returncode, message), (130, "macareu: maxima: interrupted\n"))
        self.assertEqual(self.files(), ["in"])

    def test_ctrl_c(self):
        self.check(signal.SIGINT, "--device", "serial")

    def test_ctrl_c_with_threads(self):
        self.check(signal.SIGINT, "--device", "cpu", "--threads", "2", "--report", "r.json")

    def test_termination(self):
        self.check(signal.SIGTERM)

    def test_while_waiting_for_a_pipe(self):
        os.mkfifo(self.path("in"))
        process = self.start("maxima", "in", "-o", "out.npy")
        with open(self.path("in"), "wb"):
            process.send_signal(signal.SIGINT)
            message = process.communicate()[1].decode()
        self.assertEqual((process.returncode, message), (130, "macareu: maxima: interrupted\n"))
        self.assertEqual(self.files(), ["in"])


class Bench(CliTest):
    def test_quick(self):
        page = self.succeed("bench", "reconstruct", "--quick", "--repeat", "2", "--json", "b.json", "--data", "nowhere")
        with open(self.path("b.json"), encoding="utf-8") as file:
            report = json.load(file)
        self.assertEqual(report["suite"], "reconstruct")
        for field in ("commit", "compiler", "machine", "version"):
            self.assertIn(field, report)
        cases = {case["name"]: case for case in report["cases"]}
        for name, case in cases.items():
            self.assertIn(name, page)
            self.assertTrue("median_ms" in case or name.startswith("memory-"), name)
        # One image in three types, and with any number of threads.
        self.assertEqual(len({case["sum"] for case in cases.values() if case["instance"] == "tissue"
                              and case["operation"] == "reconstruct" and case["connectivity"] == 8}), 1)
        self.assertEqual(cases["noise-u8-26"]["shape"], [32, 32, 32])

    def test_selection_and_inputs(self):
        os.mkdir(self.path("inputs"))
        self.succeed("bench", "reconstruct", "--quick", "--repeat", "1", "--only", "serpentine-u?-4", "--json", "b.json",
                     "--save-inputs", "inputs")
        with open(self.path("b.json"), encoding="utf-8") as file:
            (case,) = json.load(file)["cases"]
        self.assertEqual(case["name"], "serpentine-u8-4")
        self.succeed("reconstruct", "inputs/serpentine-marker.npy", "inputs/serpentine-mask.npy", "-o", "x.npy",
                     "--connectivity", "4")
        self.assertEqual(sum(self.read_npy("x.npy")[2]), case["sum"])

    def test_patterns(self):
        page = self.succeed("bench", "patterns", "--quick", "--repeat", "1", "--json", "b.json")
        with open(self.path("b.json"), encoding="utf-8") as file:
            report = json.load(file)
        cases = {case["name"]: case for case in report["cases"]}
        for name, case in cases.items():
            self.assertIn(name, page)
            self.assertTrue(case["equal"], name)
            self.assertIn("median_ms", case)
        for operator in ("threshold", "sobel", "statistics", "histogram"):
            for size in ("1080p", "4k", "8k"):
                self.assertIn(f"figure5-{operator}-{size}-cpu", cases)
        for name in ("copy-random", "gaussian-random", "median5-random", "histogram-constant"):
            self.assertIn(f"must-{name}-cpu", cases)

    def test_label(self):
        self.succeed("bench", "label", "--quick", "--repeat", "1", "--only", "tissue*", "--json", "b.json")
        with open(self.path("b.json"), encoding="utf-8") as file:
            cases = {case["name"]: case for case in json.load(file)["cases"]}
        self.assertTrue(all(case["equal"] for case in cases.values()))
        for name in ("8-cpu", "8-measured-cpu", "4-cpu"):
            self.assertIn("median_ms", cases[f"tissue-above-40-256-{name}"])

    def test_wave(self):
        only = () if LARGE else ("--only", "slide-100k-25*,noise-512*,tissue-50-4k*,flat-4k*")
        page = self.succeed("bench", "wave", "--quick", "--repeat", "1", "--json", "b.json", *only)
        with open(self.path("b.json"), encoding="utf-8") as file:
            report = json.load(file)
        self.assertEqual(report["suite"], "wave")
        cases = {case["name"]: case for case in report["cases"]}
        for name, case in cases.items():
            self.assertIn(name, page)
            self.assertTrue(case["equal"], name)
            self.assertIn("median_ms", case)
            self.assertNotIn("must_ms", case)
        for strategy in ("tiles", "contraction", "auto"):
            self.assertEqual(cases[f"slide-100k-25-u8-4-{strategy}"]["shape"], [1560, 1560])
            self.assertEqual(cases[f"noise-512-u8-26-{strategy}"]["shape"], [32, 32, 32])
        # Every strategy and type has the same pixels.
        self.assertEqual(len({case["sum"] for case in cases.values() if case["instance"] == "tissue-50-4k"
                              and case["connectivity"] == 4}), 1)
        self.assertIn("of_better", cases["flat-4k-u8-4-auto"])

    def test_selection_of_waves(self):
        self.succeed("bench", "wave", "--quick", "--repeat", "1", "--only", "slide-64k*auto", "--json", "b.json")
        with open(self.path("b.json"), encoding="utf-8") as file:
            names = [case["name"] for case in json.load(file)["cases"]]
        self.assertEqual(names, [f"slide-64k-{percent}-u8-4-auto" for percent in (25, 50, 75, 100)])


if __name__ == "__main__":
    unittest.main()
