#!/bin/sh
# The reconstruction family on a tissue-like image, or on an image of yours: pictures and reports in out/, a table here.
# usage: run.sh TOOL [IMAGE]
set -eu
tool=$1
image=${2:-}
out=out
mkdir -p "$out"

picture=png
"$tool" info | grep -q ' \.png' || picture=pgm  # built without libvips

if [ -z "$image" ]; then
  image=$out/mask.$picture
  marker=$out/marker.$picture
  "$tool" generate tissue --shape 2048,2048 -o "$image" --marker "$marker"
  pixels="2048 x 2048, generated"
else
  marker=$out/hmax.$picture  # a reconstruction of the image: reconstructing from it must give it back
  pixels=$image
fi

# One row of the table: verb, arguments, and what the picture shows.
row() {
  shows=$1 name=$2 verb=$3
  shift 3
  report=$out/$name.json
  "$tool" "$verb" "$@" --channel luminance -o "$out/$name.$picture" --report "$report" --quiet
  seconds=$(sed -n 's/.*"compute": \([0-9.e+-]*\).*/\1/p' "$report")
  awk -v s="$seconds" -v v="$verb" -v f="$out/$name.$picture" -v t="$shows" \
    'BEGIN { printf "%-12s %9.2f ms  %-24s %s\n", v, 1000 * s, f, t }'
}

echo "$pixels"
row "maxima lower than 20 cut away" hmax hmax "$image" --h 20
row "what the marker reaches under the image" reconstruct reconstruct "$marker" "$image"
row "dark basins filled to their rim" fill-holes fill-holes "$image"
row "what touches the border removed" clear-border clear-border "$image"
row "minima shallower than 20 filled" hmin hmin "$image" --h 20
row "what stands out by up to 20" hdome hdome "$image" --h 20
row "plateaus with no higher neighbour" maxima maxima "$image"
row "plateaus with no lower neighbour" minima minima "$image"
row "maxima that stand out by 20" hmaxima hmaxima "$image" --h 20
row "minima that are 20 deep" hminima hminima "$image" --h 20
if [ "$marker" = "$out/hmax.$picture" ]; then
  "$tool" compare "$marker" "$out/reconstruct.$picture" >"$out/compare.txt" ||
    { echo "reconstruction changed its own result: see $out/compare.txt" >&2; exit 70; }
fi
echo "times are the computation alone; reports beside the pictures have the rest"
