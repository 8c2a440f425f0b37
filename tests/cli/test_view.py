"""macareu view: pages from a server on this machine, and in folders."""
import base64
import contextlib
import http.client
import os
import signal
import socket
import struct
import subprocess
import time
import unittest
import urllib.parse
import zlib

from support import TOOL, CliTest

SHARE = float(os.environ.get("MACAREU_TEST_SHARE", "1"))
MISSING = subprocess.run([TOOL, "view", "none.npy", "--page", "none"], stderr=subprocess.PIPE, check=False).stderr.decode()


class ViewTest(CliTest):
    def setUp(self):
        super().setUp()
        if "OpenSeadragon" in MISSING:
            self.skipTest("this build has no OpenSeadragon")
        self.generate(shape="60,50")

    def serve(self, *arguments):
        """The address and the process."""
        server = self.start("view", *arguments)
        self.addCleanup(lambda: (server.kill(), server.communicate()))
        address = server.stdout.readline().decode().strip()
        if not address:
            reason = server.stderr.read().decode()
            if "no server" in reason:
                self.skipTest("this build has no cpp-httplib")
            self.fail(reason)
        return urllib.parse.urlsplit(address), server

    def ask(self, address, path, method="GET", host=None):
        connection = http.client.HTTPConnection(address.hostname, address.port, timeout=30)
        self.addCleanup(connection.close)
        connection.putrequest(method, path, skip_host=True)
        connection.putheader("Host", host or address.netloc)
        connection.endheaders()
        answer = connection.getresponse()
        found = answer.status, answer.read(), answer.headers
        if SHARE <= 1:  # the server waits 5 s for more requests of a connection that is open
            connection.close()
        return found

    def data(self, address, name):
        """The bytes of a data file."""
        text = self.ask(address, address.path + "page/data/" + name + ".js")[1]
        return zlib.decompress(base64.b64decode(text.split(b'"')[3]))

    def tile(self, address, name):
        """Width and rows of bytes of a tile. The server filters no rows."""
        status, file, _ = self.ask(address, address.path + "page/data/" + name)
        self.assertEqual(status, 200, (name, file[:200]))
        width, height = struct.unpack(">II", file[16:24])
        start = file.index(b"IDAT") + 4
        pixels = zlib.decompress(file[start:start + struct.unpack(">I", file[start - 8:start - 4])[0]])
        step = len(pixels) // height
        return width, [pixels[y * step + 1:(y + 1) * step] for y in range(height)]


class Server(ViewTest):
    def test_page(self):
        address, server = self.serve("mask.npy")
        self.assertEqual(address.hostname, "127.0.0.1")
        self.assertRegex(address.path, "^/[0-9a-f]{32}/$")
        status, page, headers = self.ask(address, address.path)
        self.assertEqual((status, page[:15]), (200, b"<!doctype html>"))
        self.assertIn("default-src 'none'; script-src 'self'", headers["Content-Security-Policy"])
        self.assertEqual(headers["X-Content-Type-Options"], "nosniff")
        self.assertNotIn("Access-Control-Allow-Origin", headers)
        self.assertEqual(headers["Cache-Control"], "private, max-age=3600")
        self.assertEqual(self.ask(address, address.path + "page/data/progress/0.js")[2]["Cache-Control"], "no-store")
        self.assertIn(b"mask.npy", self.ask(address, address.path + "page/data/meta.js")[1])
        tile = self.ask(address, address.path + "page/data/image-0-0_files/6/0_0.png")[1]
        self.assertEqual(tile[:8], b"\x89PNG\r\n\x1a\n")
        server.send_signal(signal.SIGINT)
        self.assertEqual(server.wait(timeout=30), 0)

    def test_refused_requests(self):
        address, _ = self.serve("mask.npy")
        self.assertEqual(self.ask(address, "/")[0], 404)
        self.assertEqual(self.ask(address, "/" + "0" * 32 + "/")[0], 404)
        self.assertEqual(self.ask(address, address.path, host="example.org")[0], 403)
        self.assertEqual(self.ask(address, address.path, host=f"example.org:{address.port}")[0], 403)
        self.assertEqual(self.ask(address, address.path, method="POST")[0], 405)
        for name in ("../mask.npy", "mask.npy", "page/data/../../mask.npy", "%2e%2e/mask.npy", "page/data/image-9-0_files/6/0_0.png"):
            self.assertEqual(self.ask(address, address.path + name)[0], 404, name)

    def test_address_differs(self):
        self.assertNotEqual(self.serve("mask.npy")[0].path, self.serve("mask.npy")[0].path)

    def test_other_interfaces(self):
        address, _ = self.serve("mask.npy")
        with open("/proc/net/tcp", encoding="ascii") as table:
            listening = [line.split()[1] for line in table if line.split()[3] == "0A"]
        self.assertEqual([each for each in listening if int(each.split(":")[-1], 16) == address.port], [f"0100007F:{address.port:04X}"])

    def test_port_in_use(self):
        address, _ = self.serve("mask.npy")
        self.assertEqual(self.fail_with(3, "view", "mask.npy", "--port", str(address.port)),
                         f"macareu: view: --port {address.port}: is in use; leave it out for any free one")

    def test_interrupt_before_it_listens(self):
        """The address goes to a full pipe, so the server waits there until the signal has come."""
        address, first = self.serve("mask.npy")
        first.send_signal(signal.SIGINT)
        first.wait(timeout=30)  # its port is free now
        readable, writable = os.pipe()
        self.addCleanup(os.close, readable)
        os.set_blocking(writable, False)
        with contextlib.suppress(BlockingIOError):
            while True:
                os.write(writable, bytes(4096))
        os.set_blocking(writable, True)
        server = subprocess.Popen([TOOL, "view", "mask.npy", "--port", str(address.port)], cwd=self.directory,
                                  stdout=writable, stderr=subprocess.DEVNULL)
        self.addCleanup(server.kill)
        os.close(writable)
        self.until(lambda: self.connects(address.port))
        server.send_signal(signal.SIGINT)
        self.until(lambda: not self.has_pending_signal(server.pid))
        os.set_blocking(readable, False)
        with contextlib.suppress(BlockingIOError):
            while os.read(readable, 1 << 16):
                pass
        self.assertEqual(server.wait(timeout=30), 0)

    def until(self, happened):
        for _ in range(3000):
            if happened():
                return
            time.sleep(0.01)
        self.fail("did not happen")

    def connects(self, port):
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", port)) == 0

    def has_pending_signal(self, process):
        with open(f"/proc/{process}/status", encoding="ascii") as status:
            return any(line.startswith("ShdPnd") and int(line.split()[1], 16) for line in status)

    def test_port_without_permission(self):
        with open("/proc/sys/net/ipv4/ip_unprivileged_port_start", encoding="ascii") as first:
            if int(first.read()) <= 1:
                self.skipTest("everybody may use all ports")
        if os.getuid() == 0:
            os.chmod(self.directory, 0o755)  # for another user
        user = {"user": 65534} if os.getuid() == 0 else {}
        try:
            message = self.fail_with(3, "view", "mask.npy", "--port", "1", **user)
        except PermissionError:
            self.skipTest("another user may not run the tool")
        self.assertEqual(message,
                         "macareu: view: --port 1: needs permission of the system, as ports below 1024 usually do; "
                         "leave it out for any free one")

    def test_changed_file(self):
        address, _ = self.serve("mask.npy")
        os.truncate(self.path("mask.npy"), 100)
        status, text, headers = self.ask(address, address.path + "page/data/image-0-0_files/6/0_0.png")
        self.assertEqual((status, headers["Cache-Control"]), (500, "no-store"))
        self.assertIn(b"mask.npy", text)

    def test_table_of_another_image(self):
        self.succeed("label", "mask.npy", "-o", "labels.npy", "--table", "objects.csv", "--quiet")
        with open(self.path("objects.csv"), encoding="utf-8") as table:
            lines = [line.split(",") for line in table.read().splitlines()]
        for name in ("bbox-1", "bbox-3"):
            lines[1][lines[0].index(name)] = "5000"
        with open(self.path("other.csv"), "w", encoding="utf-8") as table:
            table.write("\n".join(map(",".join, lines)) + "\n")
        for name, wanted in (("objects.csv", b'"note":""'), ("other.csv", b"Is it the table of another image?")):
            address, _ = self.serve("mask.npy", "--labels", "labels.npy", "--table", name)
            self.assertIn(wanted, self.ask(address, address.path + "page/data/meta.js")[1])

    def test_objects_with_parts_in_several_tiles(self):
        """Each tile has fewer pixels of them than their rows tell."""
        row = [0] * 4200
        row[100:110] = row[2100:2110] = [1] * 10
        self.write_npy("parts.npy", (10, 4200), row * 10)
        self.succeed("measure", "parts.npy", "--table", "parts.csv", "--quiet")
        address, _ = self.serve("parts.npy", "--labels", "parts.npy", "--table", "parts.csv")
        for tile in ("objects/0-0-0", "objects/0-0-1"):
            self.assertTrue(self.data(address, tile))
        self.assertIn(b'"messages":[]', self.data(address, "progress/0"))

    def test_table_of_another_image_of_the_same_shape(self):
        for seed in ("3", "4"):
            self.succeed("generate", "tissue", "--shape", "200,300", "--seed", seed, "-o", "tissue.npy")
            self.succeed("threshold", "tissue.npy", "-o", "above.npy", "--quiet")
            self.succeed("label", "above.npy", "-o", f"labels{seed}.npy", "--table", f"objects{seed}.csv", "--quiet")
        for seed, right in (("3", True), ("4", False)):
            address, _ = self.serve("tissue.npy", "--labels", "labels3.npy", "--table", f"objects{seed}.csv")
            self.assertIn(b'"messages":[]', self.data(address, "progress/0"))
            self.data(address, "objects/0-0-0")
            (self.assertNotIn if right else self.assertIn)(b"Is it the table of another image?", self.data(address, "progress/1"))
            self.succeed("view", "tissue.npy", "--labels", "labels3.npy", "--table", f"objects{seed}.csv", "--page", "out")
            with open(self.path("out/page/data/meta.js"), encoding="utf-8") as meta:
                (self.assertNotIn if right else self.assertIn)("Is it the table of another image?", meta.read())


class Formats(ViewTest):
    def stored_as(self, name, source):
        """Copies a .npy file; skips formats that this build lacks."""
        done = self.run_tool("cast", source, "--type", "u8", "-o", name, "--quiet")
        if done.returncode == 3:
            self.skipTest(done.stderr)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_images(self):
        self.generate(shape="600,700")
        _, _, values = self.read_npy("mask.npy")
        for name in ("mask.npy", "copy.nrrd", "copy.ome.zarr", "copy.tif", "copy.png"):
            with self.subTest(name):
                if name != "mask.npy":
                    self.stored_as(name, "mask.npy")
                address, _ = self.serve(name)
                width, rows = self.tile(address, "image-0-0_files/10/1_1.png")
                self.assertEqual((width, len(rows)), (188, 88))
                for y, row in enumerate(rows):
                    self.assertEqual(list(row), values[(512 + y) * 700 + 512:(512 + y) * 700 + 700])

    def test_volumes(self):
        self.succeed("generate", "noise", "--shape", "5,60,70", "-o", "volume.npy")
        _, _, values = self.read_npy("volume.npy")
        for name in ("volume.npy", "copy.nrrd", "copy.ome.zarr", "copy.tif"):
            with self.subTest(name):
                if name != "volume.npy":
                    self.stored_as(name, "volume.npy")
                address, _ = self.serve(name)
                for z in (0, 3):
                    width, rows = self.tile(address, f"image-0-{z}_files/7/0_0.png")
                    self.assertEqual((width, b"".join(rows)), (70, bytes(values[z * 4200:(z + 1) * 4200])))
                self.assertEqual(self.ask(address, address.path + "page/data/image-0-5_files/7/0_0.png")[0], 404)

    def test_other_types_span_all_bytes(self):
        self.write_npy("wide.npy", (2, 2), [100, 300, 500, 4100], "u16")
        address, _ = self.serve("wide.npy")
        self.assertEqual([list(row) for row in self.tile(address, "image-0-0_files/1/0_0.png")[1]], [[0, 13], [26, 255]])

    def test_objects_of_one_pixel_far_away(self):
        """In a label image whose coarse tiles come from an overview."""
        rows, columns = 9000, 520
        values = bytearray(rows * columns)
        dots = [(y, x) for y in range(5, rows, 100) for x in range(5, columns, 100)]
        for y, x in dots:
            values[y * columns + x] = 1
        self.write_npy("dots.npy", (rows, columns), values)
        address, _ = self.serve("dots.npy", "--labels", "dots.npy")
        for n in range(10000):
            progress = self.data(address, f"progress/{n}")
            if b'"refines":false' in progress:
                break
        self.assertEqual(progress, b'{"images":[4],"raster":4,"refines":false,"messages":[]}')
        for halvings, width in ((4, 33), (5, 17)):
            share = b"".join(self.data(address, f"raster/0-{halvings}-{y}-0") for y in range(2 if halvings == 4 else 1))
            marks = {divmod(at, width) for at, value in enumerate(share) if value > 0}
            self.assertEqual(marks, {(y >> halvings, x >> halvings) for y, x in dots})

    def test_objects_that_a_pyramid_lacks(self):
        """Smaller levels of labels are samples; the covered area has every object."""
        values = [0] * (1200 * 1200)
        for y in range(5, 1200, 40):
            for x in range(5, 1200, 40):
                values[y * 1200 + x] = 1
        self.write_npy("dots.npy", (1200, 1200), values)
        done = self.run_tool("label", "dots.npy", "-o", "labels.tif", "--pyramid", "--quiet")
        if done.returncode == 3:
            self.skipTest(done.stderr)
        address, _ = self.serve("dots.npy", "--labels", "labels.tif")
        share = self.data(address, "raster/0-4-0-0")
        self.assertEqual((len(share), sum(value > 0 for value in share)), (75 * 75, 900))


class Folders(ViewTest):
    def test_operators(self):
        self.succeed("reconstruct", "marker.npy", "mask.npy", "-o", "out.npy", "--page", "page", "--quiet")
        self.assertTrue(os.path.exists(self.path("page/index.html")))
        with open(self.path("page/page/data/meta.js"), encoding="utf-8") as meta:
            self.assertIn('"images":[{"name":"marker.npy"', meta.read())
        self.succeed("label", "mask.npy", "-o", "labels.npy", "--page", "objects", "--quiet")
        with open(self.path("objects/page/data/meta.js"), encoding="utf-8") as meta:
            self.assertIn('"name":"num_pixels"', meta.read())

    def test_compressed_table(self):
        self.succeed("label", "mask.npy", "-o", "labels.npy", "--table", "objects.csv", "--quiet")
        subprocess.run(["gzip", "objects.csv"], cwd=self.directory, check=True)
        self.succeed("view", "mask.npy", "--labels", "labels.npy", "--table", "objects.csv.gz", "--page", "out")

    def test_labels_beside_colours(self):
        self.succeed("generate", "slide", "--shape", "60,50", "-o", "slide.npy")
        self.succeed("label", "mask.npy", "-o", "labels.npy", "--quiet")
        self.succeed("view", "slide.npy", "--channels", "last", "--labels", "labels.npy", "--mask", "mask.npy", "--page", "out")
        self.succeed("view", "slide.npy", "--channels", "last", "--channel", "2", "--labels", "labels.npy", "--page", "blue")

    def test_wrong_files(self):
        self.succeed("generate", "tissue", "--shape", "61,50", "-o", "other.npy")
        self.assertIn("other.npy is 61 x 50, and mask.npy is 60 x 50",
                      self.fail_with(2, "view", "mask.npy", "--labels", "other.npy", "--page", "out"))
        with open(self.path("bad.csv"), "w", encoding="utf-8") as table:
            table.write("label,area\n1,2\n3\n")
        self.assertIn("bad.csv: line 3 has 1 fields",
                      self.fail_with(3, "view", "mask.npy", "--labels", "mask.npy", "--table", "bad.csv", "--page", "out"))
        with open(self.path("bad.csv"), "w", encoding="utf-8") as table:
            table.write("area\n2\n")
        self.assertIn("no column 'label'",
                      self.fail_with(2, "view", "mask.npy", "--labels", "mask.npy", "--table", "bad.csv", "--page", "out"))
        self.assertIn("--table needs --labels", self.fail_with(2, "view", "mask.npy", "--table", "bad.csv", "--page", "out"))


if __name__ == "__main__":
    unittest.main()
