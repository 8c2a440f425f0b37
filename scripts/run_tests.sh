#!/bin/sh
# Runs the tests of a build and ends with one line, how many were skipped and why: run_tests.sh BUILD [options of ctest]
set -u
build=$1
shift
rm -f "$build/tests.xml"
# Work files are in memory where there is room for files and programs: ext4 takes long to make a file when many were removed just before.
has_room() {
  room=$(df -P -k /dev/shm 2>/dev/null | awk 'NR == 2 { print $4 }')
  [ "${room:-0}" -ge 4194304 ] && probe=$(mktemp /dev/shm/macareu-XXXXXX 2>/dev/null) || return
  printf '#!/bin/sh\n' >"$probe" && chmod +x "$probe" && "$probe" 2>/dev/null
  ran=$?
  rm "$probe"
  return $ran
}
if [ -z "${TMPDIR:-}${MACAREU_LARGE:-}" ] && has_room; then export TMPDIR=/dev/shm; fi
# The output of passing tests is parsed too, because a Python test may skip some of its parts.
ctest --test-dir "$build" --output-on-failure --no-tests=error --output-junit tests.xml \
  --test-output-size-passed 10000000 "$@"
result=$?
[ -e "$build/tests.xml" ] || exit $result
# A reason follows "skipped: ", is on the line after GoogleTest's "Skipped", or in unittest's "... skipped 'reason'".
awk '
  function skip(reason) {
    gsub(/&lt;/, "<", reason); gsub(/&gt;/, ">", reason); gsub(/&quot;/, "\"", reason); gsub(/&apos;/, "\047", reason)
    gsub(/&amp;/, "\\&", reason)
    skipped[reason]++
  }
  /^\t<testcase / { state = "failed"; if (/status="run"/) state = "passed" }
  /^\t\t<skipped message="SKIP_/ { state = "skipped" }
  { sub(/^\t\t<system-out>/, "") }
  state == "reason next" { skip($0); state = "told" }
  state == "skipped" && /: Skipped$/ { state = "reason next" }
  state == "skipped" && /^skipped: / { skip(substr($0, 10)); state = "told" }
  state == "passed" && / \.\.\. skipped / { sub(/.* \.\.\. skipped ./, ""); sub(/.$/, ""); skip($0) }
  /^\t<\/testcase>/ {
    if (state == "skipped") skip("no reason given")
    count[state]++
  }
  END {
    if (count["failed"]) printf "%d failed, ", count["failed"]
    printf "%d passed; skipped:", count["passed"]
    for (reason in skipped) list[++n] = reason
    for (i = 1; i <= n; i++) {
      for (j = i + 1; j <= n; j++)
        if (skipped[list[j]] > skipped[list[i]]) { most = list[j]; list[j] = list[i]; list[i] = most }
      printf "%s %d %s", (i > 1 ? "," : ""), skipped[list[i]], list[i]
    }
    print n ? "" : " none"
  }' "$build/tests.xml"
exit $result
