"""Unknown names: what the tool suggests."""
import unittest

from support import CliTest


class Suggestions(CliTest):
    def told(self, *arguments):
        return self.fail_with(2, *arguments)

    def test_verbs(self):
        for typed, meant in (("recontruct", "reconstruct"), ("fill_holes", "fill-holes"), ("h_maxima", "hmaxima"),
                             ("inof", "info"), ("mesure", "measure"), ("adds", "add")):
            self.assertIn(f"unknown verb '{typed}' (did you mean {meant}?)", self.told(typed))

    def test_names_of_other_libraries(self):
        for typed, meant in (("imreconstruct", "reconstruct"), ("bwdist", "distance"), ("regionprops_table", "measure"),
                             ("ConnectedComponentImageFilter", "label"), ("connectedcomponent", "label"),
                             ("distance_transform_edt", "distance"), ("SmallObjectsRemove", "remove-small"),
                             ("cv::distanceTransform", "distance"), ("itk::ConnectedComponentImageFilter", "label"),
                             ("dip::SmallObjectsRemove", "remove-small"), ("skimage.measure.regionprops_table", "measure"),
                             ("scipy.ndimage.distance_transform_edt", "distance")):
            self.assertIn(f"(did you mean {meant}?)", self.told(typed))

    def test_nothing_near(self):
        self.assertNotIn("did you mean", self.told("abracadabra"))
        self.assertNotIn("did you mean", self.told("abs"))
        self.assertNotIn("did you mean", self.told("reconstruct", "--abracadabra"))

    def test_options(self):
        self.assertIn("(did you mean --connectivity?)", self.told("reconstruct", "a", "b", "--conectivity", "8"))
        self.assertIn("(did you mean --shape?)", self.told("generate", "tissue", "--shap", "9,9"))

    def test_values(self):
        self.generate()
        self.assertIn("(did you mean tissue?)", self.told("generate", "tisue", "--shape", "9,9", "-o", "x.npy"))
        self.assertIn("(did you mean tiles?)",
                      self.told("maxima", "mask.npy", "-o", "x.npy", "--device", "cpu", "--strategy", "tile"))
        self.assertIn("(did you mean serial?)", self.told("maxima", "mask.npy", "-o", "x.npy", "--device", "seriel"))
        self.assertIn("(did you mean cpu?)", self.told("maxima", "mask.npy", "-o", "x.npy", "--device", "cupu"))


if __name__ == "__main__":
    unittest.main()
