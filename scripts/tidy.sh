#!/bin/sh
# clang-tidy over the project's own sources: tidy.sh BUILD
set -eu
build=$1
cmake -S . -B "$build" -DMACAREU_TESTS=ON -Wno-dev --log-level=WARNING
cmake --build "$build" --target macareu_api
# Parts that this build omits (a device, a format) are not in its compile commands.
in_build() { while read -r file; do grep -q "/$file\"" "$build/compile_commands.json" && echo "$file"; done; }
# clang cannot read g++'s precompiled header, and does not need it.
commands=$(mktemp -d)
trap 'rm -r "$commands"' EXIT
sed 's/-include [^ ]*cmake_pch.hxx//' "$build/compile_commands.json" >"$commands/compile_commands.json"
git ls-files 'src/*.cpp' 'apps/*.cpp' 'bench/*.cpp' 'tools/*.cpp' | in_build |
  xargs -P "$(nproc)" -n 4 clang-tidy -p "$commands" --quiet --warnings-as-errors='*' --extra-arg=-Wno-unknown-warning-option
