"""The objects of instruction sets, and the program that they are linked into, as nm and objdump show them."""
import os
import pathlib
import re
import subprocess
import unittest

TOOL = os.environ["MACAREU_TOOL"]
OBJECTS = sorted(pathlib.Path(os.environ["MACAREU_SET_OBJECTS"]).glob("*.o"))
FUNCTION = re.compile(r"^([0-9a-f]+) <")
WIDE = re.compile(r"%[yz]mm|%k[0-7]")


def output_of(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def global_functions(program):
    """Addresses of functions that the linker may have merged with others of the name: all that are not local."""
    fields = (line.split() for line in output_of("nm", "--defined-only", program).splitlines())
    return {int(address, 16): name for address, kind, name in fields if kind in "TVWu"}


def wide_functions(program):
    """Addresses of functions with registers that the baseline lacks."""
    found, function = set(), None
    with subprocess.Popen(["objdump", "--disassemble", "--no-show-raw-insn", program], stdout=subprocess.PIPE, text=True) as lines:
        for line in lines.stdout:
            if begin := FUNCTION.match(line):
                function = int(begin[1], 16)
            elif WIDE.search(line):
                found.add(function)
    return found


@unittest.skipUnless(OBJECTS, "this build has the baseline alone")
class Symbols(unittest.TestCase):
    def test_table_alone_is_global(self):
        for set_object in OBJECTS:
            symbols = [line.split()[-1] for line in output_of("nm", "--defined-only", "--extern-only", set_object).splitlines()]
            self.assertEqual(symbols, [f"macareu_{set_object.stem}"])

    def test_nothing_runs_before_main(self):
        for set_object in OBJECTS:
            self.assertNotIn(".init_array", output_of("objdump", "--section-headers", set_object))

    def test_nothing_is_merged_by_name(self):
        for set_object in OBJECTS:
            self.assertIn("no section groups", output_of("readelf", "--section-groups", set_object))

    def test_wide_registers_in_local_functions_alone(self):
        wide = wide_functions(TOOL)
        self.assertTrue(wide)
        leaked = {name for address, name in global_functions(TOOL).items() if address in wide}
        self.assertFalse(leaked)


if __name__ == "__main__":
    unittest.main()
