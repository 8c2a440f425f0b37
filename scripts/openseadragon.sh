#!/bin/sh
# Downloads OpenSeadragon, which pages contain, by npm and checks its bytes: openseadragon.sh [DIRECTORY]
set -eu
to=${1:-build/openseadragon}
version=6.1.1
sum=83888a7b6abc07ae3649a053dfec78645dfff1bd53c4f3f27728e6b6b38b803ae561630a77d65733ed426ffc5af435724a4becffb97a1d1d671ca7c3e45dd3b3

command -v npm >/dev/null 2>&1 || { echo "openseadragon.sh needs npm" >&2; exit 1; }
mkdir -p "$to"
work=$(mktemp -d "$to/XXXXXX")
trap 'rm -rf "$work"' EXIT
(cd "$work" && npm pack --silent "openseadragon@$version" >/dev/null)
echo "$sum  $work/openseadragon-$version.tgz" | sha512sum --check --quiet
tar -xzf "$work/openseadragon-$version.tgz" -C "$work"
# The map of the script is not part of pages.
sed '/^\/\/# sourceMappingURL=/d' "$work/package/build/openseadragon/openseadragon.min.js" >"$work/script"
cp "$work/package/LICENSE.txt" "$to/openseadragon-license.txt"
mv "$work/script" "$to/openseadragon.min.js"
