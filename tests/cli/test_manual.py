"""Manual pages and shell completions list what the help lists."""
import os
import pathlib
import re
import shutil
import subprocess
import unittest

from support import TOOL, CliTest, verbs

COMPLETIONS = pathlib.Path(__file__).resolve().parents[2] / "apps" / "macareu" / "completions"
PROGRAMS = [TOOL, *(os.path.join(os.path.dirname(TOOL), name) for name in ("macareu-bench", "macareu-convert", "macareu-view"))]


def options_in(text):
    return set(re.findall(r"^  (?:-\w, )?(--[a-z-]+)", text, re.MULTILINE))


class Lists(CliTest):
    def test_verbs(self):
        self.assertEqual([line.split("\t")[0] for line in self.succeed("--options").splitlines()], verbs_in_order())

    def test_options(self):
        for verb in verbs():
            with self.subTest(verb):
                lines = [line.split("\t") for line in self.succeed("--options", verb).splitlines()]
                self.assertEqual({len(line) for line in lines}, {3})
                self.assertEqual({name for name, *_ in lines if name.startswith("--")},
                                 options_in(self.succeed(verb, "--help")))


def verbs_in_order():
    """The catalogue's order, which is not that of the groups."""
    lines = subprocess.run([TOOL, "--options"], stdout=subprocess.PIPE, check=True).stdout.decode().splitlines()
    names = [line.split("\t")[0] for line in lines]
    assert sorted(names) == sorted(verbs())
    return names


class Manual(CliTest):
    def setUp(self):
        super().setUp()
        for program in PROGRAMS:
            subprocess.run([program, "--manual", self.directory], check=True)

    def page(self, verb):
        return pathlib.Path(self.path(f"macareu-{verb}.1")).read_text(encoding="utf-8").replace(r"\-", "-")

    def test_a_page_for_each_verb(self):
        self.assertEqual(self.files(), sorted(["macareu.1", *(f"macareu-{verb}.1" for verb in verbs())]))
        main = pathlib.Path(self.path("macareu.1")).read_text(encoding="utf-8").replace(r"\-", "-")
        for verb in verbs():
            self.assertIn(f"\\fB{verb}\\fR", main)

    def test_every_option_is_there(self):
        for verb in verbs():
            for option in options_in(self.succeed(verb, "--help")):
                self.assertIn(f"\\fB{option}\\fR", self.page(verb), verb)

    def test_operators_have_examples(self):
        self.assertIn(".SH EXAMPLES\n.EX\nmacareu hdome image.npy -o domes.npy --h 20\n.EE\n", self.page("hdome"))
        self.assertIn("macareu measure labels.npy\n", self.page("measure"))

    @unittest.skipUnless(shutil.which("groff"), "groff is not installed")
    def test_groff_takes_them(self):
        pages = [self.path(name) for name in self.files()]
        done = subprocess.run(["groff", "-man", "-ww", "-z", *pages], stderr=subprocess.PIPE, check=True)
        self.assertEqual(done.stderr, b"")


class Completions(CliTest):
    def complete(self, *words):
        """What bash offers for the last word."""
        script = ('source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _macareu; '
                  'printf "%s\\n" "${COMPREPLY[@]}"')
        done = subprocess.run(["bash", "-c", script, "bash", COMPLETIONS / "macareu.bash", TOOL, *words],
                              stdout=subprocess.PIPE, check=True, cwd=self.directory)
        return done.stdout.decode().split()

    @unittest.skipUnless(shutil.which("bash"), "bash is not installed")
    def test_bash(self):
        self.assertEqual(self.complete("recon"), ["reconstruct"])
        self.assertIn("--connectivity", self.complete("reconstruct", "--c"))
        self.assertEqual(self.complete("reconstruct", "--by", ""), ["dilation", "erosion"])
        self.assertEqual(self.complete("run", "--bor"), ["--border"])
        self.write_npy("slide.npy", (1, 1), [1])
        self.assertEqual(self.complete("maxima", "sl"), ["slide.npy"])

    @unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
    def test_zsh_reads_its_script(self):
        subprocess.run(["zsh", "-n", COMPLETIONS / "_macareu"], check=True)

    @unittest.skipUnless(shutil.which("fish"), "fish is not installed")
    def test_fish_reads_its_script(self):
        subprocess.run(["fish", "-n", COMPLETIONS / "macareu.fish"], check=True)


if __name__ == "__main__":
    unittest.main()
