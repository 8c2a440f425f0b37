#!/bin/sh
# Runs the tests of a sanitizer build: sanitized_tests.sh BUILD
set -eu
build=$1
# Leak detection takes 3 s per process with clang 14 on aarch64, so it does not run for every test; see below.
export ASAN_OPTIONS=detect_leaks=0:strict_string_checks=1
export UBSAN_OPTIONS=print_stacktrace=1
# Archer reports OpenMP's barriers to ThreadSanitizer. Without it, the image generators cause false positives.
case $build in *tsan)
  version=$(clang++ -dumpversion)
  archer=/usr/lib/llvm-${version%%.*}/lib/libarcher.so
  [ -e "$archer" ] || { echo "Archer is missing: $archer (package libomp-dev)" >&2; exit 3; }
  export OMP_TOOL_LIBRARIES="$archer" ;;
esac
# glib's threads, used by libvips, are not instrumented by ThreadSanitizer.
export TSAN_OPTIONS="ignore_noninstrumented_modules=1 suppressions=$(pwd)/scripts/tsan.suppressions"
scripts/run_tests.sh "$build" --parallel "$(nproc)" --label-exclude 'peers|install'
case $build in *asan)
  export LSAN_OPTIONS="suppressions=$(pwd)/scripts/lsan.suppressions print_suppressions=0"
  for tests in operators files laws instances; do ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=1 "$build/bin/test_$tests" --gtest_brief=1; done ;;
esac
