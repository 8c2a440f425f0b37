#!/bin/sh
# Runs the tests of a sanitizer build: sanitized_tests.sh BUILD
set -eu
build=$1
export ASAN_OPTIONS=detect_leaks=1:strict_string_checks=1
export UBSAN_OPTIONS=print_stacktrace=1
# Archer tells ThreadSanitizer of OpenMP's barriers; glib's own threads, behind libvips, are not built for it.
archer=$(ls /usr/lib/llvm-*/lib/libarcher.so 2>/dev/null | tail -n 1)
export OMP_TOOL_LIBRARIES="$archer"
export TSAN_OPTIONS="ignore_noninstrumented_modules=1 suppressions=$(pwd)/scripts/tsan.suppressions"
exec ctest --test-dir "$build" --output-on-failure --parallel "$(nproc)" --label-exclude 'peers|install' --no-tests=error
