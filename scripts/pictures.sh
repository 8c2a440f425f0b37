#!/bin/sh
# The pictures of the README, of the reference and of the steps of nuclei: pictures.sh TOOL. Needs Python with NumPy and
# the package, as in PYTHONPATH=build/python.
set -eu
tool=$1
python=${PYTHON:-python3}
pictures=docs/pictures
operators=docs/reference/operators/pictures
mkdir -p $pictures $operators
between=$(mktemp -d)
trap 'rm -r "$between"' EXIT
at() { echo "$between/$1.npy"; }
run() { "$tool" "$@" --quiet; }
panels() { # NAME PANEL...
  to=$1
  shift
  "$python" scripts/panels.py "$to" "$@"
}

# The README: the slide, and its nuclei outlined and numbered.
"$tool" generate tissue --shape 256,256 --seed 5 --coverage 75 -o "$(at slide)" --marker "$(at opened)"
run reconstruct "$(at opened)" "$(at slide)" -o "$(at background)"
run subtract "$(at slide)" "$(at background)" -o "$(at nuclei)"
run threshold "$(at nuclei)" --value 60 -o "$(at bright)"
run fill-holes "$(at bright)" -o "$(at filled)"
run label "$(at filled)" -o "$(at counted)" --min-size 12
run measure "$(at counted)" --overlay "$(at overlay)" --on "$(at slide)" >/dev/null
panels $pictures/nuclei.png "$(at slide)" "$(at overlay)"
# The page of object tables.
run threshold "$(at slide)" --value 40 -o "$(at above)"
run label "$(at above)" -o "$(at objects)" --min-size 40
run measure "$(at objects)" --overlay "$(at overlay)" --on "$(at slide)" >/dev/null
panels $pictures/objects.png "$(at overlay)"

# One picture for each operator: the input, or inputs, and the result.
"$tool" generate tissue --shape 150,150 --seed 5 --coverage 75 -o "$(at f)" --marker "$(at marker)"
"$tool" generate noise --shape 150,150 --seed 2 -o "$(at second)"
"$tool" generate circles16 --shape 150,150 -o "$(at sites)"
run threshold "$(at f)" --value 70 -o "$(at binary)"
run label "$(at binary)" -o "$(at labels)" --min-size 12
printf '1 1 1 1 1\n1 1 1 1 1\n1 1 1 1 1\n1 1 1 1 1\n1 1 1 1 1\n' >"$between/kernel.txt"
one() { # NAME KIND VERB ARGUMENTS...: from f
  name=$1 kind=$2
  shift 2
  run "$@" -o "$(at out)"
  panels $operators/"$name".png "${before:-$(at f)}" ${beside:+"$beside"} "$(at out):$kind"
}
f=$(at f) second=$(at second) marker=$(at marker) binary=$(at binary) labels=$(at labels) sites=$(at sites)
beside=$second
one add grey add "$f" "$second"
one blend grey blend "$f" "$second"
one subtract grey subtract "$f" "$second"
beside=
one cast grey cast "$f" --type i8
one clip grey clip "$f" --low 40 --high 90
one rescale scaled rescale "$f" --low-percentile 5 --high-percentile 95
one invert grey invert "$f"
run reduce "$f" --factor 6 -o "$(at small)"
one reduce grey enlarge "$(at small)" --size 150 --method nearest
cp "$(at out)" "$(at blocks)"
before=$(at blocks)
one enlarge grey enlarge "$(at small)" --size 150
before=
one threshold binary threshold "$f"
one canny binary canny "$f" --sigma 1.4 --low 10 --high 20
one convolve scaled convolve "$f" "$between/kernel.txt"
one laplacian_of_gaussian scaled laplacian-of-gaussian "$f" --sigma 3
one local_threshold binary local-threshold "$f" --window 31
one gaussian scaled gaussian "$f" --sigma 2
one median grey median "$f" --size 5
one sobel scaled sobel "$f"
one erosion grey erosion "$f" --radius 3
one dilation grey dilation "$f" --radius 3
one opening grey opening "$f" --radius 4
one closing grey closing "$f" --radius 4
one white_tophat scaled white-tophat "$f" --radius 8
one black_tophat scaled black-tophat "$f" --radius 8
one morphological_gradient scaled morphological-gradient "$f"
one opening_by_reconstruction grey opening-by-reconstruction "$f" --radius 4
one closing_by_reconstruction grey closing-by-reconstruction "$f" --radius 4
one clear_border grey clear-border "$f"
one fill_holes grey fill-holes "$f"
one hysteresis binary hysteresis "$f" --low 50 --high 120
one h_maxima binary hmaxima "$f" --h 40
one h_minima binary hminima "$f" --h 10
one hdome scaled hdome "$f" --h 60
one hmax grey hmax "$f" --h 60
one hmin grey hmin "$f" --h 20
one maxima binary maxima "$f"
one minima binary minima "$f"
before=$marker beside=$f
one reconstruct grey reconstruct "$marker" "$f"
run invert "$f" -o "$(at dark)"
before=$(at dark) beside=
one watershed labels watershed "$(at dark)" --h 60 --connectivity 8
before=$binary:binary beside=
one distance_transform scaled distance "$binary"
one label labels label "$binary"
one remove_small binary remove-small "$binary" --min-size 40
before=$sites:binary
one nearest_site scaled nearest-site "$sites"
before=$labels:labels
one nearest_label labels nearest-label "$labels"
one expand_labels labels expand-labels "$labels" --max-distance 3
one relabel labels relabel "$labels" --largest 8
run nearest-label "$labels" -o "$(at cells)"
before=$(at cells):labels beside=$f
one merge_regions labels merge-regions "$(at cells)" "$f"
before= beside=

# Blue nuclei in pink tissue, and how much of the blue stain there is.
"$python" - "$f" "$(at stained)" <<'END'
import sys
import numpy as np
grey = np.load(sys.argv[1]) / 255
stains = np.array([[0.65, 0.70, 0.29], [0.07, 0.99, 0.11]])
density = grey[..., None] * stains[0] + 0.25 * (grey[..., None] < 0.3) * stains[1]
np.save(sys.argv[2], (255 * 10 ** -density).astype(np.uint8))
END
before=$(at stained)
one unmix scaled unmix "$(at stained)" --channels last --give first

# Operators that give a table.
"$tool" measure "$labels" --overlay "$(at overlay)" --on "$f" --quiet >/dev/null
panels $operators/measure.png "$f" "$(at overlay)"
"$tool" histogram "$f" --bins 64 --plot $operators/histogram.png --quiet >/dev/null
panels $operators/statistics.png "$f"
run threshold "$f" --value 90 -o "$(at bright)"
run label "$(at bright)" -o "$(at found)"
panels $operators/evaluate.png "$labels:labels" "$(at found):labels"
# Operators that give polygons.
"$tool" contours "$labels" -o "$between/contours.csv" --quiet
panels $operators/contours.png "$labels:labels" "$between/contours.csv"

# The steps of nuclei: what each begins with, and its result.
"$tool" generate slide --shape 340,340 --seed 3 --coverage 100 -o "$(at section)"
"$python" scripts/nuclei_steps.py "$(at section)" 0.25 "$between"
step() { # NAME PANEL...
  name=$1
  shift
  panels docs/explanation/pictures/nuclei-"$name".png "$@"
}
step density "$(at colours)" "$(at density):scaled"
step filled "$(at density):scaled" "$(at filled):scaled"
step foreground "$(at filled):scaled" "$(at foreground):binary"
step landscape "$(at foreground):binary" "$(at landscape):scaled"
step parts "$(at landscape):scaled" "$(at parts):labels"
step nuclei "$(at parts):labels" "$(at nuclei):labels" "$(at colours)"
