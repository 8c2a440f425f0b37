#!/bin/sh
# On a machine with a GPU: builds with the cuda device, runs its tests (every strategy against the serial engine), compute-sanitizer over a
# short share of them (racecheck over a build of its own, see labels/forests.cuh), the benchmarks of the wave, and the functions of `run`. usage: gpu_checks.sh [build directory] [more CMake options]
set -eu
cd "$(dirname "$0")/.."
build=${1:-build-gpu}
[ $# -eq 0 ] || shift
jobs=$(nproc)

cmake -S . -B "$build" -DMACAREU_CUDA=ON -DMACAREU_TESTS=ON "$@" >/dev/null
cmake --build "$build" --parallel "$jobs" --target macareu_tool test_conformance test_cuda compile_kernels
MACAREU_LARGE=1 "$build/bin/test_cuda" --gtest_brief=1
ctest --test-dir "$build" --output-on-failure --parallel "$jobs" --tests-regex '^conformance.*cuda' --no-tests=error
sanitize() {  # tool, build directory
  MACAREU_TEST_SHARE=0.01 compute-sanitizer --tool "$1" --error-exitcode 1 "$2/bin/test_conformance" --gtest_brief=1 \
    --gtest_filter='*small_reconstruct*cuda_u8:*small_reconstruct*cuda_f32:*small_reconstruct*cuda_i64:*small_reconstruct*cuda_u16'
  MACAREU_TEST_SHARE=0.01 compute-sanitizer --tool "$1" --error-exitcode 1 "$2/bin/test_cuda" --gtest_brief=1 \
    --gtest_filter='labels_on_gpu.of_many_tiles:objects_on_gpu.*:functions.*:host_images.*:long_waves.of_bytes:device_images.*:distances.with_any_strides:distances.of_volumes_in_slabs:-functions.tell_what_is_wrong_and_go_on:device_images.may_come_after_the_call:*a_device_that_fails*:*auto_falls_back*'
}
for tool in memcheck initcheck synccheck; do sanitize $tool "$build"; done
cmake -S . -B "$build-racecheck" -DMACAREU_CUDA=ON -DMACAREU_TESTS=ON -DMACAREU_RACECHECK=ON "$@" >/dev/null
cmake --build "$build-racecheck" --parallel "$jobs" --target test_conformance test_cuda
sanitize racecheck "$build-racecheck"
"$build/bin/macareu" bench wave --json "$build/wave.json"
# Last, as they need libclang, or MACAREU_DESCRIPTIONS (tests/converter/describe.py).
programs=$(cd "$build/bin" && pwd)
export MACAREU_TOOL="$programs/macareu" COMPILE_KERNELS="$programs/compile_kernels" MACAREU_DEVICES=serial,cpu,cuda
for test in programs windows waves mathematics cuda; do (cd tests/converter && MACAREU_LARGE=1 python3 "test_$test.py"); done
