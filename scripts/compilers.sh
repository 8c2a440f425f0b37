#!/bin/sh
# Whether other compilers accept every source: compilers.sh clang++-14 g++-11 ... checks the syntax of the whole build,
# without CUDA and ITK's module, and prints what each refuses, and one line for a compiler at the end.
set -u
cd "$(dirname "$0")/.." || exit
[ $# -gt 0 ] || { echo "usage: compilers.sh COMPILER..." >&2; exit 2; }
failed=0
for compiler in "$@"; do
  build=build-$compiler
  cmake -S . -B "$build" -DCMAKE_CXX_COMPILER="$compiler" -DMACAREU_WERROR=OFF -DMACAREU_TESTS=ON -DMACAREU_ITK=OFF -DMACAREU_CUDA=OFF \
    -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON -Wno-dev >/dev/null && cmake --build "$build" --target macareu_cuda_interface macareu_api >/dev/null ||
    { echo "$compiler: cannot configure"; failed=1; continue; }
  python3 - "$build" <<'END' || failed=1
import json, os, shlex, subprocess, sys
from concurrent.futures import ThreadPoolExecutor

build = sys.argv[1]

def check(each):
    words = shlex.split(each["command"])
    del words[words.index("-o"):words.index("-o") + 2]
    words[words.index("-c")] = "-fsyntax-only"
    return each["file"], subprocess.run(words, cwd=each["directory"], capture_output=True, text=True)

with open(os.path.join(build, "compile_commands.json")) as file:
    sources = json.load(file)
refused = 0
with ThreadPoolExecutor(os.cpu_count()) as threads:
    for file, done in threads.map(check, sources):
        if done.returncode:
            refused += 1
            print(f"{file}:\n{done.stderr}")
print(f"{build.removeprefix('build-')}: {len(sources)} sources, {refused} refused")
sys.exit(refused > 0)
END
done
exit $failed
