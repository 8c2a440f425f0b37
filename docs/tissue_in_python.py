# %% [markdown]
# # From a tissue image to counted, measured objects
#
# Run it as a script, `PYTHONPATH=build/python python3 docs/tissue_in_python.py [FOLDER]`, or cell by cell in an editor
# that knows `# %%`. It draws its own picture, `tissue-objects.png`, into FOLDER, or where it is started.

# %%
import pathlib
import sys

import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt

import macareu
from macareu.skimage.morphology import remove_small_objects  # the name and the defaults of scikit-image

# %% [markdown]
# A slide made by formula, the same on every machine: bright nuclei on fibres. `marker` is its opening by a disk of
# radius 9, in which no nucleus is left.

# %%
slide, marker = macareu.generate("tissue", (512, 512))

# %% [markdown]
# Reconstruction grows the marker under the slide. What it cannot reach is brighter than its surroundings and smaller
# than the disk: the nuclei, whatever the brightness of the fibres below.

# %%
background = macareu.reconstruct(marker, slide)
nuclei = slide - background

# %% [markdown]
# Objects: set pixels above half of a nucleus' height, without holes, and without specks.

# %%
objects = macareu.fill_holes(nuclei > 60)
objects = remove_small_objects(objects, min_size=12, connectivity=2)
labels = macareu.label(objects)
count = int(labels.max())

# %% [markdown]
# Measures: area, mean brightness and centre of each; of the tissue between them, how far the nearest nucleus is, and
# which it is.

# %%
area = np.bincount(labels.ravel())[1:]
brightness = np.bincount(labels.ravel(), weights=slide.ravel())[1:] / area
rows, columns = (np.bincount(labels.ravel(), weights=index.ravel())[1:] / area for index in np.indices(labels.shape))
to_nucleus = macareu.distance_transform(objects, invert=True)
cells = macareu.nearest_label(labels)

print(f"{count} nuclei, area {np.median(area):.0f} pixels (median), brightness {brightness.mean():.1f} (mean)")
print(f"the emptiest place is {to_nucleus.max():.1f} pixels from the nearest nucleus")

# %% [markdown]
# The picture: the slide, what stands out, the objects in colours, and the pixels that are nearest to each.

# %%
figure, axes = plt.subplots(1, 4, figsize=(16, 4.4))
colours = np.random.default_rng(1).permutation(count + 1)
for axis, image, title, palette in (
        (axes[0], slide, "slide and centres", "gray"),
        (axes[1], nuclei, "slide - reconstruction", "gray"),
        (axes[2], np.ma.masked_equal(np.where(objects, colours[labels] + 1, 0), 0), f"{count} objects", "turbo"),
        (axes[3], colours[cells], "nearest object", "turbo")):
    axis.imshow(image, cmap=palette, interpolation="nearest")
    axis.set_title(title)
    axis.set_axis_off()
axes[0].scatter(columns, rows, s=12, marker="+", linewidths=0.6, color="yellow")
figure.tight_layout()
folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
figure.savefig(folder / "tissue-objects.png", dpi=60)
