"""Every verb that ranks share, under each MPI with pieces of any size: the bytes of one process in memory."""
import random
import time
import unittest

from rank_support import SHARE, RanksTest, available
from support import IMAGES_ALONE, TABLES, OperatorTest, operators


class EveryVerb(RanksTest, OperatorTest):
    def check(self, verb, kind, shape, chosen):
        """`chosen` draws the number of ranks and the size of pieces."""
        pieces = ",".join(str(chosen.randint(1 + side // 8, side)) for side in shape)
        self.prepare_inputs(",".join(map(str, shape)), shape)
        given = ("mask.npy",) if verb == "measure" else self.arguments(verb)
        output = ("-o out.csv" if verb in TABLES else "-o out.geojson" if verb == "contours" else
                  "--table out.csv" if verb == "measure" else "-o out.npy")
        self.compare_ranks(verb, *given, outputs=(output,), ways=((kind, chosen.choice((1, 2, 3, 4, 7))),),
                           options=("--pieces", pieces))
        self.remove(output.split()[1])

    def test_same_bytes(self):
        """A draw in `make test`: others each time. All verbs, as images and volumes, in `make test-long`."""
        seed = int(time.time())
        chosen = random.Random(seed)
        calls = [(verb, kind, shape) for verb in (*operators(), "measure") for kind in available()
                 for shape in ((90, 70), (11, 20, 17)) if len(shape) == 2 or verb not in IMAGES_ALONE]
        for verb, kind, shape in calls if SHARE > 1 else chosen.sample(calls, 4):
            with self.subTest(verb, kind=kind, shape=shape, seed=seed):
                self.check(verb, kind, shape, chosen)


if __name__ == "__main__":
    unittest.main()
