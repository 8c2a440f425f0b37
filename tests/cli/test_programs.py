"""Verbs that are programs of their own: the tool becomes the program beside it."""
import os
import shutil
import unittest

from support import TOOL, CliTest, verbs

PROGRAMS = {"bench": "macareu-bench", "convert": "macareu-convert", "run": "macareu-convert", "view": "macareu-view"}


class Programs(CliTest):
    """A copy of the tool, in a directory without the others."""

    def setUp(self):
        super().setUp()
        os.mkdir(self.path("bin"))
        self.tool = shutil.copy(TOOL, self.path("bin"))

    def add_program(self, name, script):
        file = os.path.join(self.path("bin"), name)
        with open(file, "w", encoding="utf-8") as program:
            program.write("#!/bin/sh\n" + script)
        os.chmod(file, 0o755)

    def test_not_built(self):
        for verb, program in PROGRAMS.items():
            self.assertIn(verb, verbs())
            for arguments in ([], ["--help"], ["a", "-o", "b"]):
                self.assertEqual(self.fail_with(2, verb, *arguments),
                                 f"macareu: {verb}: {program} is not in {self.path('bin')}; `make` builds it")

    def test_not_a_program(self):
        os.mkdir(self.path("bin/macareu-bench"))
        self.assertIn("macareu-bench: Permission denied", self.fail_with(3, "bench"))

    def test_arguments_streams_and_exit_code(self):
        os.symlink(self.tool, self.path("link"))
        for verb, program in PROGRAMS.items():
            self.add_program(program, 'printf "%s;" "$@"; cat; exit 7')
            for tool in ("bin/macareu", "link"):
                self.tool = self.path(tool)
                done = self.run_tool(verb, "a b", "", "--x=1", input=b"in")
                self.assertEqual((done.returncode, done.stdout, done.stderr), (7, f"{verb};a b;;--x=1;in".encode(), ""))

    def test_signals(self):
        self.add_program("macareu-bench", "kill -TERM $$")
        self.assertEqual(self.run_tool("bench").returncode, -15)


if __name__ == "__main__":
    unittest.main()
