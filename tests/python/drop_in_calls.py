"""Calls of functions under the peers' names, for arrays of every kind."""

import numpy as np

import macareu

IMAGE = np.random.default_rng(3).integers(0, 9, (12, 15)).astype(np.int16)
MASK = IMAGE > 4
REALS = np.random.default_rng(4).normal(size=(12, 15))
SINGLE = REALS.astype(np.float32)
VOLUME = np.random.default_rng(5).integers(0, 5, (4, 6, 7)).astype(np.uint8)
morphology, measure, filters = macareu.skimage.morphology, macareu.skimage.measure, macareu.skimage.filters
ndimage = macareu.scipy.ndimage
# Functions under the peers' names, their arrays, and what else they are given. Those of the first list take arrays on a
# GPU too.
THIN = [(morphology.reconstruction, [IMAGE // 2, IMAGE], {}),
        (morphology.reconstruction, [IMAGE[0] // 2, IMAGE[0]], {}),
        (morphology.reconstruction, [np.maximum(VOLUME, 2), VOLUME], {"method": "erosion"}),
        (morphology.reconstruction, [SINGLE - 1, SINGLE], {"footprint": np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]])}),
        (morphology.reconstruction, [IMAGE // 2, IMAGE.astype(np.float64)], {}),
        (morphology.local_maxima, [IMAGE], {}), (morphology.local_minima, [IMAGE], {"connectivity": 1}),
        (morphology.local_maxima, [IMAGE[3]], {}), (morphology.local_minima, [VOLUME], {}),
        (morphology.remove_small_objects, [MASK], {"min_size": 3}),
        (measure.label, [MASK], {"return_num": True}), (measure.label, [IMAGE], {}),
        (measure.label, [MASK], {"background": 1, "connectivity": 1}), (measure.label, [SINGLE], {"return_num": True}),
        (macareu.skimage.feature.canny, [IMAGE], {}),
        (macareu.skimage.feature.canny, [SINGLE], {"mode": "reflect", "low_threshold": 0.01, "high_threshold": 0.1}),
        (filters.gaussian, [REALS], {}), (filters.gaussian, [SINGLE], {"sigma": 2, "mode": "wrap"}),
        (ndimage.gaussian_filter, [REALS], {"sigma": [2, 0]}), (ndimage.gaussian_filter, [REALS], {"sigma": 0}),
        (ndimage.gaussian_filter, [REALS], {"sigma": 1, "radius": [2, 3]}),
        (ndimage.gaussian_filter, [SINGLE], {"sigma": [1, 2], "mode": "constant", "cval": 2.5}),
        (ndimage.gaussian_filter, [IMAGE], {"sigma": 1, "output": np.float64}),
        (ndimage.median_filter, [IMAGE], {"size": 3}), (ndimage.median_filter, [VOLUME], {"size": 3}),
        (ndimage.median_filter, [SINGLE], {"size": 5, "output": np.float64}),
        (ndimage.binary_fill_holes, [MASK], {}), (ndimage.binary_fill_holes, [IMAGE], {"structure": np.ones((3, 3))}),
        (ndimage.label, [MASK], {}), (ndimage.label, [VOLUME], {}), (ndimage.label, [SINGLE[:0]], {}),
        (ndimage.label, [MASK], {"output": np.float64, "structure": np.ones((3, 3))}),
        (ndimage.distance_transform_edt, [MASK], {"sampling": [1, 2.5]}), (ndimage.distance_transform_edt, [MASK[3]], {}),
        (ndimage.distance_transform_edt, [VOLUME], {"sampling": 0.5})]
OTHERS = [(morphology.local_maxima, [IMAGE], {"indices": True}), (morphology.h_maxima, [IMAGE], {"h": 3}),
          (morphology.local_minima, [IMAGE], {"allow_borders": False}),
          (morphology.h_minima, [IMAGE], {"h": 3}), (morphology.remove_small_objects, [IMAGE], {}),
          (filters.sobel, [REALS], {}), (filters.apply_hysteresis_threshold, [REALS], {"low": 0, "high": 1}),
          (filters.threshold_otsu, [IMAGE], {}), (ndimage.sobel, [REALS], {}),
          (ndimage.binary_propagation, [MASK & (REALS > 1)], {"mask": MASK}),
          (ndimage.distance_transform_edt, [MASK], {"return_indices": True}),
          (ndimage.gaussian_filter, [REALS], {"sigma": 1, "order": 1}), (ndimage.gaussian_filter, [VOLUME], {"sigma": 1}),
          (ndimage.gaussian_filter, [REALS], {"sigma": 1, "mode": ["reflect", "wrap"]}), (filters.gaussian, [VOLUME], {}),
          (ndimage.median_filter, [IMAGE[0]], {"size": 3}), (ndimage.binary_fill_holes, [MASK[0]], {}),
          *((function, [array], named) for array in (IMAGE, MASK, VOLUME)
            for function, named in ((morphology.erosion, {}), (morphology.dilation, {}), (morphology.opening, {}),
                                    (morphology.closing, {}), (morphology.white_tophat, {}), (morphology.black_tophat, {}),
                                    (ndimage.grey_erosion, {"size": 3}), (ndimage.grey_dilation, {"size": 2}),
                                    (ndimage.grey_opening, {"size": 3}), (ndimage.grey_closing, {"size": 3}),
                                    (ndimage.binary_erosion, {}), (ndimage.binary_dilation, {"iterations": 2}),
                                    (ndimage.binary_opening, {}), (ndimage.binary_closing, {}))),
          (ndimage.histogram, [IMAGE], {"min": 0, "max": 9, "bins": 3}),
          (ndimage.minimum, [REALS], {"labels": IMAGE, "index": np.arange(9)}),
          (ndimage.maximum, [REALS], {"labels": IMAGE, "index": np.arange(9)}),
          (ndimage.sum_labels, [REALS], {"labels": IMAGE, "index": np.arange(9)}),
          (measure.regionprops_table, [IMAGE], {"properties": ("label", "area")})]


# Those that write to arrays given for results: the function, its image, the type of the result, and other arguments,
# where ROOM stands for that array.
ROOM = object()
WITH_OUTPUT = [(ndimage.gaussian_filter, SINGLE, np.float64, {"sigma": 1, "output": ROOM}),
               (filters.gaussian, REALS, np.float32, {"sigma": 1, "output": ROOM}),
               (ndimage.median_filter, IMAGE, np.float32, {"size": 3, "output": ROOM}),
               (ndimage.label, MASK, np.int64, {"output": ROOM}),
               (ndimage.binary_fill_holes, MASK, np.uint8, {"output": ROOM}),
               (ndimage.distance_transform_edt, MASK, np.float64, {"distances": ROOM}),
               (morphology.remove_small_objects, MASK, bool, {"min_size": 3, "out": ROOM})]
