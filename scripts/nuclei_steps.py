"""What the steps of the recipe for nuclei give: nuclei_steps.py SLIDE.npy MPP DIRECTORY, for scripts/pictures.sh."""
import sys

import macareu._nuclei as recipe
import numpy as np
from macareu import _macareu

slide, mpp, directory = np.load(sys.argv[1]), float(sys.argv[2]), sys.argv[3]
names = iter(("density", "filled", "foreground", "landscape", "parts", "nuclei"))


class Shown(recipe._Recipe):
    """Saves what each step returns, in the middle of the slide."""

    def shown(self, image):
        margin = min(image.shape) // 4
        np.save(f"{directory}/{next(names)}.npy", image[margin:-margin, margin:-margin])
        return image

    def density(self, rgb):
        return self.shown(super().density(rgb))

    def filled_density(self, density):
        return self.shown(super().filled_density(density))

    def foreground(self, f, level):
        return self.shown(super().foreground(f, level))

    def landscape(self, density, f, fg, threshold):
        return self.shown(super().landscape(density, f, fg, threshold))

    def parts(self, land, fg, f):
        return self.shown(super().parts(land, fg, f))

    def refined(self, parts, fg, f):
        return self.shown(super().refined(parts, fg, f))


Shown(mpp, _macareu.nuclei_parameters, {}).labels(slide)
quarter = min(slide.shape[:2]) // 4
np.save(f"{directory}/colours.npy", slide[quarter:-quarter, quarter:-quarter])
