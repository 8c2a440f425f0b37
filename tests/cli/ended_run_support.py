"""Runs in pieces that end early."""
import os
import resource
import shutil
import signal
import struct
import time

from test_pieces import PiecesTest

# The number of records in the journal of a wave, and of the journal's own.
COMPLETED = 2
SOLVED = 3
BEGAN = -2
STOPPED = -4


def records_of(journal):
    """Number and begin of all records."""
    found = []
    at = 8 + struct.unpack("<Q", journal[:8])[0] if len(journal) > 8 else len(journal)
    while at + 24 <= len(journal):
        of, _, size, _ = struct.unpack("<qqII", journal[at:at + 24])
        found.append((of, at))
        at += 24 + size
    return found


class EndedRunsTest(PiecesTest):
    """The pieces are small, so that a run has many records."""

    out = "out.npy"
    folder = ".macareu-out.npy.pieces"
    step = os.path.join(folder, "run")
    verbs = ("reconstruct", "label", "distance")

    def prepare(self, shape="1000,1000", memory="500K"):
        self.bright(shape)
        self.small = ("--memory", memory, "--threads", "1", "--quiet")
        inputs = {"reconstruct": ("marker.npy", "mask.npy")}
        self.commands = {verb: (verb, *inputs.get(verb, ("objects.npy",)), "-o", self.out, *self.small)
                         for verb in self.verbs}
        self.commands["table"] = (*self.commands["label"], "--table", "t.csv", "--min-size", "30")
        self.expected = {name: self.in_memory(name) for name in self.commands}

    def in_memory(self, verb):
        self.succeed(*(word for word in self.commands[verb] if word not in self.small))
        content = self.content(self.out)
        os.remove(self.path(self.out))
        return content

    def journal(self):
        return os.path.join(self.directory, self.step, "journal")

    def pause(self, command, reached):
        """A process that is stopped in the middle: when `reached(numbers of records)` holds, and before its end."""
        for _ in range(50):  # where the machine is busy, a run may end before this process looks
            process = self.start(*command)
            while process.poll() is None:
                if reached([of for of, _ in self.records()]):
                    process.send_signal(signal.SIGSTOP)
                    if reached([of for of, _ in self.records()]):
                        return process
                    process.send_signal(signal.SIGCONT)
                    break
                time.sleep(0.0005)
            process.communicate()
            self.remove(self.out)
        self.fail(f"no run was stopped in time: {command}")

    def halt(self, command, sent=signal.SIGKILL, reached=lambda kinds: 3 <= len(kinds) <= 8):
        """The message of a run that a signal ended in the middle."""
        process = self.pause(command, reached)
        process.send_signal(sent)
        process.send_signal(signal.SIGCONT)
        message = process.communicate()[1].decode()
        self.assertEqual(process.returncode, {signal.SIGKILL: -signal.SIGKILL}.get(sent, 130), message)
        self.assertIn(self.folder, self.files())
        self.assertNotIn(self.out, self.files())
        for name in self.files():  # the next run removes them, even if it fails
            if name.endswith(".tmp.npy"):
                os.remove(self.path(name))
        return message

    def more_records(self):
        """Holds when a run that is continued has added some."""
        before = len(self.records())
        return lambda kinds: len(kinds) > before

    def resume(self, verb, *more):
        self.succeed(*self.commands[verb], "--resume", *more)
        self.check_end(verb)

    def check_end(self, verb):
        """The output, and no file beside it that was not there."""
        self.assertTrue(self.content(self.out) == self.expected[verb], verb)
        os.remove(self.path(self.out))
        self.assertEqual([name for name in self.files() if name.startswith(".")], [])

    def records(self):
        """Number and begin of all records of the journal."""
        try:
            return records_of(self.whole_journal())
        except FileNotFoundError:
            return []

    def whole_journal(self):
        with open(self.journal(), "rb") as file:
            return file.read()

    def write_journal(self, content):
        with open(self.journal(), "wb") as file:
            file.write(content)

    def end_without_room(self, verb):
        """The limit of file sizes stands for a full disk."""
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (500000, resource.RLIM_INFINITY))
        done = self.run_tool(*self.commands[verb], preexec_fn=limit, restore_signals=False)
        self.assertEqual(done.returncode, 3, done.stderr)
        return done

    def take_all(self, before):
        """The content of all files beside those, which are removed."""
        found = {}
        for name in set(self.files()) - set(before):
            for root, _, names in os.walk(self.path(name)):
                found.update({os.path.join(os.path.relpath(root, self.directory), one):
                              self.content(os.path.join(root, one)) for one in names})
            if os.path.isdir(self.path(name)):
                shutil.rmtree(self.path(name))
            else:
                found[name] = self.content(name)
                os.remove(self.path(name))
        return found
