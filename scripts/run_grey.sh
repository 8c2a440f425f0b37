#!/bin/sh
# The reconstruction family on a tissue-like image, or on an image of yours: pictures and reports in out/, a table here.
# usage: run_grey.sh TOOL [IMAGE]
set -eu
tool=$1
image=${2:-}
out=out
mkdir -p "$out"

has() { "$tool" info | grep "^ *writes " | grep -q " \\$1"; }  # can this build write such files?
fact() { "$tool" info "$image" | awk -v name="$1" '$1 == name { print $2 }'; }

picture=.png
has .png || picture=.pgm  # built without libvips

if [ -z "$image" ]; then
  image=$out/mask$picture
  given=$out/marker$picture
  "$tool" generate tissue --shape 2048,2048 -o "$image" --marker "$given"
  echo "2048 x 2048, generated"
else
  given=
  echo "$image"
fi

# Results keep the pixel type: what a picture cannot hold goes into .tif or .npy. A twelfth of the range is a height worth seeing.
type=$(fact type)
grey=$picture
case $type in
  u8 | u16) ;;
  i8 | i16 | i32 | u32 | f32) grey=.tif ;;
  *) grey=.npy ;;  # 64 bits, and bool, which a picture gives back as 0 and 255
esac
masks=$picture
if "$tool" info "$image" | grep '^ *shape' | grep -q 'x.*x'; then  # a volume
  [ $grey = .npy ] || grey=.tif
  masks=.tif
fi
has $grey || grey=.npy
has $masks || masks=.npy
h=$(awk -v low="$(fact min)" -v high="$(fact max)" -v type="$type" 'BEGIN {
  h = (high - low) / 12
  if (type !~ /^f/) h = h < 1 ? 1 : int(h)
  print (h > 0 ? h : 1) }')
dome=$(awk -v h="$h" 'BEGIN { print 3 * h }')  # bright enough to be seen

# One row of the table: what the result shows, the verb, and its arguments.
row() {
  shows=$1 verb=$2
  shift 2
  case $verb in maxima | minima | hmaxima | hminima) file=$out/$verb$masks ;; *) file=$out/$verb$grey ;; esac
  "$tool" "$verb" "$@" --channel luminance -o "$file" --report "$out/$verb.json" --quiet
  awk -v verb="$verb" -v file="$file" -v shows="$shows" '/"compute":/ {
    sub(/.*"compute": */, ""); printf "%-12s %9.2f ms  %-24s %s\n", verb, 1000 * $0, file, shows }' "$out/$verb.json"
}

row "maxima lower than $h cut away" hmax "$image" --h "$h"
# An image of yours has no marker: reconstruction from its own hmax must reproduce hmax.
row "what the marker reaches under the image" reconstruct "${given:-$out/hmax$grey}" "$image"
row "dark basins filled to their rim" fill-holes "$image"
row "what touches the border removed" clear-border "$image"
row "minima shallower than $h filled" hmin "$image" --h "$h"
row "what stands out by up to $dome" hdome "$image" --h "$dome"
row "plateaus with no higher neighbour" maxima "$image"
row "plateaus with no lower neighbour" minima "$image"
row "maxima that stand out by $h" hmaxima "$image" --h "$h"
row "minima that are $h deep" hminima "$image" --h "$h"
if [ -z "$given" ]; then
  "$tool" compare "$out/hmax$grey" "$out/reconstruct$grey" >"$out/compare.txt" ||
    { echo "reconstruction changed its own result: see $out/compare.txt" >&2; exit 70; }
fi
echo "times are the computation alone; the reports beside the results have the rest"
