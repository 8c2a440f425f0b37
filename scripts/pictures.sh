#!/bin/sh
# The pictures of the README and of docs/objects.md: pictures.sh TOOL
set -eu
tool=$1
to=docs/pictures
mkdir -p $to
"$tool" generate tissue --shape 320,320 --seed 5 --coverage 75 -o $to/mask.png --marker $to/marker.png
"$tool" reconstruct $to/marker.png $to/mask.png -o $to/reconstruction.png
"$tool" hdome $to/mask.png --h 60 -o $to/domes.png

between=$(mktemp -d)
trap 'rm -r "$between"' EXIT
"$tool" generate tissue --shape 320,320 -o "$between/slide.npy"
"$tool" threshold "$between/slide.npy" --value 40 -o "$between/binary.npy"
"$tool" label "$between/binary.npy" -o "$between/labels.npy" --min-size 40
"$tool" measure "$between/labels.npy" --overlay $to/objects.png --on "$between/slide.npy"
