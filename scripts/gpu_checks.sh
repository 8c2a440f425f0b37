#!/bin/sh
# On a machine with a GPU: builds with the cuda device, runs its tests (every strategy against the serial engine), compute-sanitizer over a
# short share of them, and the benchmarks of the wave. usage: gpu_checks.sh [build directory] [more CMake options]
set -eu
cd "$(dirname "$0")/.."
build=${1:-build-gpu}
[ $# -eq 0 ] || shift
jobs=$(nproc)

cmake -S . -B "$build" -DMACAREU_CUDA=ON -DMACAREU_TESTS=ON "$@" >/dev/null
cmake --build "$build" --parallel "$jobs" --target macareu_tool test_conformance test_cuda
"$build/bin/test_cuda" --gtest_brief=1
ctest --test-dir "$build" --output-on-failure --parallel "$jobs" --tests-regex '^conformance.*cuda' --no-tests=error
for tool in memcheck racecheck initcheck synccheck; do
  MACAREU_TEST_SHARE=0.01 compute-sanitizer --tool $tool --error-exitcode 1 "$build/bin/test_conformance" --gtest_brief=1 \
    --gtest_filter='*small_reconstruct*cuda_u8:*small_reconstruct*cuda_f32:*small_reconstruct*cuda_i64:*small_reconstruct*cuda_u16'
done
"$build/bin/macareu" bench wave --json "$build/wave.json"
