#!/bin/sh
# Conformance, laws, operators, files and engines on x86_64 or aarch64: directly on a machine that has the processor, else under qemu-user with a cross compiler
# and a tenth of the random images, or the share MACAREU_TEST_SHARE. A run that passes writes its row to docs/reference/processors.md. Needs no packages of the other processor but the
# cross compiler's, and on a machine without packages GoogleTest's sources: -DGTEST_SOURCE=...
# usage: [QEMU_CPU=max] [MACAREU_TEST_SHARE=0.1] [COMMIT=...] other_processor.sh [x86_64|aarch64] [more CMake options]
set -eu
cd "$(dirname "$0")/.."
here=$(uname -m)
case $here in aarch64) processor=x86_64 ;; *) processor=aarch64 ;; esac
case "${1:-}" in x86_64 | aarch64) processor=$1; shift ;; esac
build=build-$processor

if [ "$processor" = "$here" ]; then
  share=1
  how=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
  how="directly, ${how:-$(lscpu | sed -n 's/^Model name: *//p')}"
else
  scripts/setup.sh other-processor
  share=0.1
  unable=a_fork_after_use  # qemu-user ends when a process of several threads forks and starts others
  export QEMU_CPU="${QEMU_CPU:-max}"
  how="$(qemu-$processor --version | sed -n 's/^qemu-[^ ]* version \([^ ]*\).*/qemu \1/p'), cpu $QEMU_CPU"
  set -- -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR="$processor" -DCMAKE_CXX_COMPILER="$processor-linux-gnu-g++" \
    -DCMAKE_C_COMPILER="$processor-linux-gnu-gcc" "-DCMAKE_CROSSCOMPILING_EMULATOR=qemu-$processor;-L;/usr/$processor-linux-gnu" \
    -DGTEST_SOURCE=/usr/src/googletest "$@"
fi
export MACAREU_TEST_SHARE="${MACAREU_TEST_SHARE:-$share}"

cmake -S . -B "$build" -DMACAREU_TESTS=ON -DMACAREU_TEST_WEIGHT=1 -DMACAREU_TOOL=OFF -DMACAREU_CUDA=OFF -DMACAREU_VIPS=OFF -DMACAREU_ZLIB=OFF -DMACAREU_ZARR=OFF -DMACAREU_MPI=OFF -DMACAREU_ITK=OFF "$@" >/dev/null
cmake --build "$build" --parallel "$(nproc)" --target test_conformance test_laws test_operators test_files test_engines
ctest --test-dir "$build" --output-on-failure --parallel "$(nproc)" --timeout 7200 --no-tests=error ${unable:+--exclude-regex "$unable"} \
  --label-regex '^(conformance|laws|operators|files|engines)$' --output-junit results.xml

# CTest puts each attribute on a line of its own, behind a tab.
counted() { sed -n "s/.*[[:space:]]$1=\"\([0-9]*\)\".*/\1/p" "$build/results.xml" | head -n 1; }
skipped=$(($(counted skipped) + $(counted disabled)))
compiler=$(sed -n 's/^set(CMAKE_CXX_COMPILER_VERSION "\(.*\)")/\1/p' "$build"/CMakeFiles/*/CMakeCXXCompiler.cmake)
start="| $processor | $how, g++ $compiler | $MACAREU_TEST_SHARE |"
row="$start $(($(counted tests) - skipped)) | $skipped | ${COMMIT:-$(git describe --always --dirty)} | $(date -u +%F) |"
table=docs/reference/processors.md
{ grep -v -F "$start" $table; echo "$row"; } >"$build/table"
cat "$build/table" >$table
echo "$row"
