"""The program of bench/timed_calls.cpp as a process that answers with seconds."""
import os
import statistics
import subprocess

import numpy as np

TYPES = {"uint8": "u8", "bool": "bool", "uint16": "u16", "float32": "f32", "int32": "i32", "uint32": "u32"}


class TimedProgram:
    """A process of bench/timed_calls.cpp."""

    def __init__(self, *command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def seconds(self, line, calls=1):
        """Of one call, or a list of several that follow each other at once."""
        self.process.stdin.write(f"repeat {calls} {line}\n" if calls > 1 else line + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().strip()
        if not answer or answer.startswith("error"):
            raise SystemExit(f"{line}: {answer or 'the program ended'}")
        times = [float(each) for each in answer.split()]
        return times if calls > 1 else times[0]


class ProgramWithImages(TimedProgram):
    """Images have a name there, and are exchanged through files."""

    def __init__(self, folder, *command):
        super().__init__(*command)
        self.folder = folder

    def put(self, name, array):
        file = os.path.join(self.folder, "image")
        array.tofile(file)
        channels = array.shape[-1] if array.ndim == 3 and array.shape[-1] == 3 else 1
        shape = "x".join(str(side) for side in (array.shape[:-1] if channels == 3 else array.shape))
        self.seconds(f"read {name} {file} {TYPES[str(array.dtype)]} {shape} {channels}")
        os.remove(file)

    def pixels(self, name, type=np.uint8):
        file = os.path.join(self.folder, "image")
        self.seconds(f"write {name} {file}")
        array = np.fromfile(file, type)
        os.remove(file)
        return array

    def get(self, name, type, shape):
        return self.pixels(name, type).reshape(shape)

    def median(self, line, runs=7):
        self.seconds(line)
        return statistics.median(self.seconds(line) for _ in range(runs))
