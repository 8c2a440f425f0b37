#!/bin/sh
# Runs the tests of a sanitizer build: sanitized_tests.sh BUILD
set -eu
build=$1
export ASAN_OPTIONS=detect_leaks=1:strict_string_checks=1
export UBSAN_OPTIONS=print_stacktrace=1
# Archer tells ThreadSanitizer of OpenMP's barriers; without it correct code is reported.
case $build in *tsan)
  version=$(clang++ -dumpversion)
  archer=/usr/lib/llvm-${version%%.*}/lib/libarcher.so
  [ -e "$archer" ] || { echo "Archer is missing: $archer (package libomp-dev)" >&2; exit 3; }
  export OMP_TOOL_LIBRARIES="$archer" ;;
esac
# glib's threads, behind libvips, are not built with ThreadSanitizer.
export TSAN_OPTIONS="ignore_noninstrumented_modules=1 suppressions=$(pwd)/scripts/tsan.suppressions"
exec ctest --test-dir "$build" --output-on-failure --parallel "$(nproc)" --label-exclude 'peers|install' --no-tests=error
