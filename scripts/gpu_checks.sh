#!/bin/sh
# On a machine with a GPU: builds with the cuda device, runs its tests (every strategy against the serial engine), compute-sanitizer over a
# share of them (racecheck of waves and labels over a build of its own, see component/forests.cuh), the benchmarks of the wave, and generated programs.
# --short: code for the GPU at hand, tests without the large ones, and sanitizers over few images. It aims at 10 minutes on 16 cores.
# usage: gpu_checks.sh [--short] [build directory] [more CMake options]
set -eu
cd "$(dirname "$0")/.."
short=
[ "${1:-}" != --short ] || { short=yes; shift; }
build=${1:-build-gpu}
[ $# -eq 0 ] || shift
jobs=$(nproc)

if [ -n "$short" ]; then  # compiling for this GPU only takes half the time
  capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -n 1 | tr -d .)
  set -- "-DCMAKE_CUDA_ARCHITECTURES=$capability-real" "$@"
  python=OFF targets="test_conformance test_cuda"
  export MACAREU_TEST_SHARE=0.05
else
  python=ON targets="test_conformance test_cuda macareu_tool macareu_bench macareu_convert macareu_package compile_kernels"
  export MACAREU_LARGE=1
  set -- -DMACAREU_TEST_WEIGHT=1 "$@"
fi
cmake -S . -B "$build" -DMACAREU_CUDA=ON -DMACAREU_TESTS=ON -DMACAREU_PYTHON=$python "$@" >/dev/null
cmake --build "$build" --parallel "$jobs" --target $targets
programs=$(cd "$build/bin" && pwd)

# Tests that fill the GPU's memory run alone; the others run in shards beside conformance.
"$programs/test_cuda" --gtest_brief=1 --gtest_filter='little_memory.*'
logs=$(mktemp -d)
started=""
trap '[ -z "$started" ] || kill $started 2>/dev/null || :; rm -rf "$logs"' EXIT
start() {  # title, command: its output is shown if it fails
  log="$logs/$(echo "$started" | wc -w)"
  echo "$1" >"$log"
  shift
  "$@" >>"$log" 2>&1 &
  started="$started $!"
}
finish() {
  number=0
  for process in $started; do
    wait "$process" || { cat "$logs/$number"; exit 1; }
    number=$((number + 1))
  done
  started=""
}
shards=1  # of large images, one at a time
[ -z "$short" ] || shards=4
for shard in $(seq 0 $((shards - 1))); do
  start "test_cuda, shard $shard" env GTEST_TOTAL_SHARDS=$shards GTEST_SHARD_INDEX="$shard" "$programs/test_cuda" --gtest_brief=1 --gtest_filter=-'little_memory.*'
done
ctest --test-dir "$build" --output-on-failure --parallel "$jobs" --tests-regex '^conformance.*cuda' --exclude-regex large_images --no-tests=error
finish
# Each process keeps up to a sixteenth of the GPU's memory, beside what its large images take.
ctest --test-dir "$build" --output-on-failure --parallel 8 --tests-regex '^conformance.*large_images.*cuda' --no-tests=error

# Under a sanitizer one test leaves most of the GPU idle, so many run in parallel.
sanitize() {  # tool, share of the random images, program, tests
  start "$1: $4" env MACAREU_TEST_SHARE="$2" compute-sanitizer --tool "$1" --error-exitcode 1 "$3" --gtest_brief=1 --gtest_filter="$4"
}
sanitize_all() {  # share of small waves, of other tests
  for type in u8 u16 f32 i64; do
    for tool in memcheck initcheck synccheck; do sanitize $tool "$1" "$programs/test_conformance" "*small_reconstruct*cuda_$type"; done
  done
  finish
  for tool in memcheck initcheck synccheck racecheck; do
    images='host_images.*:device_images.*:-device_images.may_come_after_the_call:*a_device_that_fails*:*auto_falls_back*'
    # Under this tool, the tests of images in any memory take longer than all others.
    [ $tool != initcheck ] || [ -z "$short" ] || images='device_images.in_place:device_images.beside_host_images'
    if [ $tool != racecheck ]; then
      for tests in "$images" 'long_waves.under_noise' 'long_waves.of_bytes' 'long_waves.from_the_border'; do
        sanitize $tool "$2" "$programs/test_cuda" "$tests"
      done
    fi
    for tests in 'cuda_regular_patterns.summaries*' 'functions.*:-functions.tell_what_is_wrong_and_go_on' \
      'distances.with_any_strides:distances.of_volumes_in_slabs'; do
      sanitize $tool "$2" "$programs/test_cuda" "$tests"
    done
    [ $tool = racecheck ] || sanitize $tool "$2" "$programs/test_cuda" 'labels_on_gpu.of_many_tiles:objects_on_gpu.*'
    [ -n "$short" ] || finish
  done
  finish
}
# A sanitizer that does not support this GPU or driver fails at once.
if ! command -v compute-sanitizer >/dev/null 2>&1; then
  echo "compute-sanitizer: left out, it is not installed"
elif ! MACAREU_TEST_SHARE=0.001 compute-sanitizer --error-exitcode 1 "$programs/test_cuda" --gtest_brief=1 --gtest_filter=labels_on_gpu.of_many_tiles >"$logs/first" 2>&1 &&
  grep -qiE 'not supported|unsupported|unable to|failed to initialize' "$logs/first"; then
  echo "compute-sanitizer: left out, it does not support this machine: $(grep -iE -m1 'not supported|unsupported|unable to|failed to initialize' "$logs/first")"
elif [ -n "$short" ]; then
  sanitize_all 0.002 0.003
else
  sanitize_all 0.008 0.01
  cmake -S . -B "$build-racecheck" -DMACAREU_CUDA=ON -DMACAREU_TESTS=ON -DMACAREU_RACECHECK=ON "$@" >/dev/null
  cmake --build "$build-racecheck" --parallel "$jobs" --target test_conformance test_cuda
  for type in u8 u16 f32 i64; do
    sanitize racecheck 0.0015 "$build-racecheck/bin/test_conformance" "*small_reconstruct*cuda_$type"
  done
  for tests in 'long_waves.under_noise' 'long_waves.of_bytes' 'long_waves.from_the_border' 'labels_on_gpu.of_many_tiles:objects_on_gpu.*' \
    'device_images.in_place:device_images.beside_host_images'; do
    sanitize racecheck 0.01 "$build-racecheck/bin/test_cuda" "$tests"
  done
  finish
fi
[ -z "$short" ] || { echo "short checks: done"; exit; }

ctest --test-dir "$build" --output-on-failure --tests-regex '^python\.(gpu_arrays|nuclei)$' --no-tests=error  # skipped without CuPy and NumPy
"$programs/macareu" bench wave --json "$build/wave.json"
if python3 -c 'import cupy' 2>/dev/null; then
  PYTHONPATH="$build/python" python3 bench/auto_bound.py --tool "$programs/macareu" --json "$build/bound.json"
else
  echo "bench/auto_bound.py: left out, it needs CuPy"
fi
# Last, because they need libclang or MACAREU_DESCRIPTIONS (tests/converter/describe.py).
export MACAREU_TOOL="$programs/macareu" COMPILE_KERNELS="$programs/compile_kernels" MACAREU_DEVICES=serial,cpu,cuda
for test in programs windows waves mathematics cuda; do (cd tests/converter && python3 "test_$test.py"); done
