"""Pages in notebooks."""
import os
import re
import tempfile
import unittest

import numpy as np

import macareu


def has_pages():
    try:
        macareu.view(np.zeros((2, 2), np.uint8))
    except OSError:
        return False
    return True


@unittest.skipUnless(has_pages(), "this build has no OpenSeadragon")
class Views(unittest.TestCase):
    def setUp(self):
        self.image = macareu.generate("tissue", (90, 120))[0]
        self.labels = macareu.label(self.image > 60)

    def test_page_has_all_its_data(self):
        table = macareu.measure(self.labels)
        shown = macareu.view(self.image, labels=self.labels, table=table, title="</script>", pixel_size=0.25)
        self.assertNotIn('src="page/', shown.html)
        self.assertIn('"pixelSize":[0.25,0.25]', shown.html)
        self.assertIn('"rows":%d' % len(table["label"]), shown.html)
        self.assertNotIn('"</script>"', shown.html)

    def test_notebooks_show_it_without_rights(self):
        text = macareu.view(self.image)._repr_html_()
        self.assertTrue(text.startswith('<iframe sandbox="allow-scripts"'))
        self.assertEqual(len(re.findall("<", text)), 2)

    def test_forms_of_images(self):
        macareu.view(np.zeros((20, 30, 3), np.uint8))
        macareu.view(self.image[::-1, ::2], labels=self.labels[::-1, ::2])
        macareu.view(np.zeros((4, 20, 30), np.float32))
        macareu.view(self.image, self.image > 50)

    def test_refused(self):
        with self.assertRaisesRegex(ValueError, "one shape"):
            macareu.view(self.image, labels=self.labels[1:])
        with self.assertRaisesRegex(ValueError, "label"):
            macareu.view(self.image, labels=self.labels, table={"area": [1.0]})
        with self.assertRaisesRegex(ValueError, "too large"):
            macareu.view(np.broadcast_to(np.uint8(0), (10000, 10000)))

    def test_save(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "page.html")
            macareu.view(self.image).save(file)
            with open(file, encoding="utf-8") as page:
                self.assertTrue(page.read().startswith("<!doctype html>"))


if __name__ == "__main__":
    unittest.main()
