#!/bin/sh
# The nuclei of a generated slide, or of a colour image of yours: outlines, table and pictures in out/. A grey image of yours
# goes through the reconstruction family instead.
# usage: run.sh TOOL [IMAGE [MPP]], with MPP the micrometres per pixel of an image that does not say it
set -eu
tool=$1
image=${2:-}
mpp=${3:-}
out=out
mkdir -p "$out"

# Without libvips there are no pyramids and pictures of slides.
"$tool" info | grep '^ *writes ' | grep -q ' \.png' || exec "$(dirname "$0")/run_grey.sh" "$tool" "$image"

truth=
if [ -z "$image" ]; then
  image=$out/slide.tif
  truth=$out/truth.tif
  "$tool" generate slide --shape 4096,6144 -o "$image" --truth "$truth"
  echo "$image: 4096 x 6144, generated, and $truth, the outlines that were drawn"
elif [ "$("$tool" info "$image" | awk '$1 == "channels" { print $2 }')" = 1 ]; then
  exec "$(dirname "$0")/run_grey.sh" "$tool" "$image"
fi

code=0
"$tool" nuclei "$image" -o "$out/nuclei" ${mpp:+--mpp "$mpp"} --quiet 2>"$out/errors" || code=$?
sed 's/give --mpp, as --mpp 0.25/give MPP, as MPP=0.25/; s/give --mpp to/give MPP= to/' "$out/errors" >&2
rm "$out/errors"
[ "$code" = 0 ] || exit "$code"
awk '/"nuclei":/ { gsub(/[^0-9]/, ""); print $0 " nuclei" }' "$out/nuclei/summary.json" | head -n 1
if [ -n "$truth" ]; then
  "$tool" evaluate "$truth" "$out/nuclei/labels.ome.tif" -o "$out/evaluation.csv" --quiet
  awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i }
    NR == 2 { printf "F1 %.3f against what was drawn (%s)\n", $column["f1"], "out/evaluation.csv" }' "$out/evaluation.csv"
fi
[ ! -e "$out/nuclei/index.html" ] || echo "$out/nuclei/index.html          a page to look at: double click it"
cat <<TEXT
$out/nuclei/overview.png        the slide with its nuclei
$out/nuclei/nuclei.csv.gz       a row for each nucleus
$out/nuclei/nuclei.geojson.gz   outlines; QuPath takes them by drag and drop
$out/nuclei/labels.ome.tif      the number of every pixel's nucleus
$out/nuclei/summary.json        counts, density, parameters, times
TEXT
