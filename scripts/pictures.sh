#!/bin/sh
# The pictures of the README: pictures.sh TOOL
set -eu
tool=$1
to=docs/pictures
mkdir -p $to
"$tool" generate tissue --shape 320,320 --seed 5 --coverage 75 -o $to/mask.png --marker $to/marker.png
"$tool" reconstruct $to/marker.png $to/mask.png -o $to/reconstruction.png
"$tool" hdome $to/mask.png --h 60 -o $to/domes.png
