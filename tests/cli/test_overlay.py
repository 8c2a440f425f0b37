"""Pictures of objects: grey, outlines, and where numbers are written."""
import unittest

from support import CliTest

DIGIT = (7, 5)  # rows and columns of one digit with the dark rim around it
BLACK, WHITE = (0, 0, 0), (255, 255, 255)


def on_ground(shape, *parts):
    """Labels 1, 2, ... for parts (top, left, bottom, right), the ends outside."""
    labels = [0] * (shape[0] * shape[1])
    for label, (top, left, bottom, right) in enumerate(parts, 1):
        for y in range(top, bottom):
            for x in range(left, right):
                labels[y * shape[1] + x] = label
    return labels


def nearest_to_centroid(shape, labels, label):
    pixels = [divmod(i, shape[1]) for i, value in enumerate(labels) if value == label]
    y, x = (sum(parts) / len(pixels) for parts in zip(*pixels))
    return min(pixels, key=lambda at: (at[0] - y) ** 2 + (at[1] - x) ** 2)


def around(at, size):
    top, left = at[0] - size[0] // 2, at[1] - size[1] // 2
    return (top, left, top + size[0], left + size[1])


class Overlay(CliTest):
    def draw(self, shape, labels, under, dtype="u8"):
        """Colours, row by row."""
        self.write_npy("labels.npy", shape, labels, "u32")
        self.write_npy("under.npy", shape, under, dtype)
        self.succeed("measure", "labels.npy", "--overlay", "picture.ppm", "--on", "under.npy")
        with open(self.path("picture.ppm"), "rb") as file:
            content = file.read()
        data = content[-3 * shape[0] * shape[1]:]
        self.assertEqual(content[:-len(data)].split(), [b"P6", b"%d" % shape[1], b"%d" % shape[0], b"255"])
        colours = [tuple(data[i:i + 3]) for i in range(0, len(data), 3)]
        return [colours[i:i + shape[1]] for i in range(0, len(colours), shape[1])]

    def numbers(self, shape, labels):
        """Where there are numbers on white, the top ones first: the rectangles of their dark ground."""
        picture = self.draw(shape, labels, [1] * (shape[0] * shape[1]))
        dark = {(y, x) for y, row in enumerate(picture) for x, value in enumerate(row) if value == BLACK}
        places = []
        while dark:
            waiting = [min(dark)]
            found = set()
            while waiting:
                y, x = waiting.pop()
                if (y, x) in dark:
                    dark.remove((y, x))
                    found.add((y, x))
                    waiting += [(y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1)]
            ys, xs = zip(*found)
            places.append((min(ys), min(xs), max(ys) + 1, max(xs) + 1))
        return sorted(place for place in places if place[2] - place[0] >= DIGIT[0])  # not the inside of a 0

    def greys(self, values, dtype="u8"):
        shape = (1, len(values))
        (row,) = self.draw(shape, [0] * len(values), values, dtype)
        self.assertTrue(all(len(set(value)) == 1 for value in row), row)
        return [value[0] for value in row]

    def test_bytes_are_drawn_as_they_are(self):
        self.assertEqual(self.greys([0, 7, 200]), [0, 7, 200])
        self.assertEqual(self.greys([100, 164, 120]), [100, 164, 120])

    def test_what_differs_little_can_be_seen(self):
        self.assertEqual(self.greys([0, 1, 1, 0]), [0, 255, 255, 0])
        self.assertEqual(self.greys([100, 110, 104]), [0, 255, 102])
        self.assertEqual(self.greys([False, True], "bool"), [0, 255])
        self.assertEqual(self.greys([400, 900], "u16"), [0, 255])
        self.assertEqual(self.greys([-1.0, 3.0, float("nan"), float("inf")], "f32"), [0, 255, 0, 255])

    def test_images_of_one_value(self):
        for dtype, one in (("u8", 1), ("bool", True), ("u16", 7), ("f64", 0.5)):
            self.assertEqual(self.greys([one, one], dtype), [255, 255], dtype)
            self.assertEqual(self.greys([one - one, one - one], dtype), [0, 0], dtype)

    def test_outline_and_digit(self):
        shape = (15, 13)
        picture = self.draw(shape, on_ground(shape, (1, 1, 14, 12)), [1] * (shape[0] * shape[1]))
        colour = picture[1][1]
        self.assertEqual(len(set(colour)), 3)
        for y, row in enumerate(picture):
            for x, value in enumerate(row):
                if y in (1, 13) and 1 <= x <= 11 or x in (1, 11) and 1 <= y <= 13:
                    self.assertEqual(value, colour, (y, x))
                elif not (4 <= y < 11 and 4 <= x < 9):
                    self.assertEqual(value, WHITE, (y, x))
        one = ["00000", "00100", "01100", "00100", "00100", "01110", "00000"]
        self.assertEqual([row[4:9] for row in picture[4:11]],
                         [[colour if pixel == "1" else BLACK for pixel in row] for row in one])

    def test_numbers_lie_on_their_objects(self):
        shape = (40, 50)
        ring = [int(36 <= (y - 20) ** 2 + (x - 24) ** 2 < 120) for y in range(40) for x in range(50)]
        corner = [int(2 <= x < 6 and 2 <= y < 36 or 2 <= x < 48 and 32 <= y < 36) for y in range(40) for x in range(50)]
        for name, labels in (("ring", ring), ("corner", corner)):
            at = nearest_to_centroid(shape, labels, 1)
            self.assertEqual(self.numbers(shape, labels), [around(at, DIGIT)], name)
        self.assertEqual(nearest_to_centroid(shape, ring, 1), (14, 24))  # of four the first

    def test_numbers_are_whole_at_the_border(self):
        shape = (30, 40)
        labels = on_ground(shape, (0, 0, 4, 5), (0, 35, 5, 40), (26, 0, 30, 5), (12, 39, 30, 40))
        self.assertEqual(self.numbers(shape, labels), [(0, 0, 7, 5), (0, 35, 7, 40), (17, 35, 24, 40), (23, 0, 30, 5)])

    def test_the_larger_of_two_keeps_its_number(self):
        shape = (20, 40)
        for first, second, kept in ((28, 30, 2), (30, 28, 1), (30, 30, 1)):
            labels = on_ground(shape, (8, 0, 10, first), (10, 0, 12, second))
            at = nearest_to_centroid(shape, labels, kept)
            self.assertEqual(self.numbers(shape, labels), [around(at, DIGIT)], (first, second))

    def test_small_objects_have_no_number(self):
        shape = (20, 20)
        self.assertEqual(self.numbers(shape, on_ground(shape, (10, 10, 11, 11), (4, 4, 7, 8))), [])
        self.assertEqual(self.numbers(shape, on_ground(shape, (5, 5, 11, 8))), [around((7, 6), DIGIT)])

    def test_digits_grow_with_the_image(self):
        rows, columns = DIGIT
        for width, scale in ((700, 1), (2048, 2), (5000, 3)):
            shape = (40, width)
            large, small = self.numbers(shape, on_ground(shape, (0, 0, 40, 40), (32, 100, 38, 108)))
            self.assertEqual((large[2] - large[0], large[3] - large[1]), (rows * scale, columns * scale), width)
            self.assertEqual((small[2] - small[0], small[3] - small[1]), DIGIT, width)

    def test_images_smaller_than_a_digit(self):
        picture = self.draw((3, 6), [1] * 18, [1] * 18)
        self.assertIn((0, 0, 0), [tuple(pixel) for row in picture for pixel in row])  # the digit's ground, cut off

    def test_labels_may_have_gaps(self):
        shape = (20, 20)
        labels = [0 if label == 0 else 90 for label in on_ground(shape, (4, 4, 12, 14))]
        self.assertEqual(self.numbers(shape, labels), [around(nearest_to_centroid(shape, labels, 90), (7, 9))])

    def test_what_the_table_holds_changes_nothing(self):
        shape = (30, 40)
        self.write_npy("image.npy", shape, on_ground(shape, (3, 3, 28, 12), (9, 20, 18, 39)))
        pictures = []
        for options in ([], ["--spacing", "3,0.5"], ["--columns", "intensity", "--intensity", "image.npy"]):
            self.succeed("label", "image.npy", "-o", "labels.npy", "--table", "t.csv", "--overlay", "picture.ppm", *options)
            with open(self.path("picture.ppm"), "rb") as file:
                pictures.append(file.read())
        self.assertEqual(pictures[1:], pictures[:1] * 2)


if __name__ == "__main__":
    unittest.main()
