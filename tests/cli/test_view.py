"""macareu view: pages from a server on this machine, and in folders."""
import http.client
import os
import signal
import subprocess
import unittest
import urllib.parse

from support import TOOL, CliTest

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
        return answer.status, answer.read(), answer.headers


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

    def test_port_in_use(self):
        address, _ = self.serve("mask.npy")
        self.assertEqual(self.fail_with(3, "view", "mask.npy", "--port", str(address.port)),
                         f"macareu: view: --port {address.port}: is in use; leave it out for any free one")

    def test_changed_file(self):
        address, _ = self.serve("mask.npy")
        os.truncate(self.path("mask.npy"), 100)
        status, text, _ = self.ask(address, address.path + "page/data/image-0-0_files/6/0_0.png")
        self.assertEqual(status, 500)
        self.assertIn(b"mask.npy", text)


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
