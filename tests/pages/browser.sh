#!/bin/sh
# Runs a test in chromium: browser.sh FOLDER TEST.mjs. FOLDER gets puppeteer-core, by npm. Skips where something is missing.
set -u
folder=$1 test=$2
skip() { echo "skipped: $1"; exit 0; }
command -v node >/dev/null 2>&1 || skip "tests in a browser need node"
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || skip "tests in a browser need chromium"
if [ ! -d "$folder/node_modules/puppeteer-core" ]; then
  mkdir -p "$folder"
  timeout 120 npm install --silent --no-save --no-package-lock --ignore-scripts --prefix "$folder" puppeteer-core@24.43.1 \
    >/dev/null 2>&1 || skip "tests in a browser need puppeteer-core, which npm could not install"
fi
case $("$MACAREU_TOOL" view 2>&1 --page none missing.npy) in
  *OpenSeadragon*) skip "this build has no OpenSeadragon" ;;
esac
PUPPETEER=$folder CHROMIUM=$chromium exec node --test-reporter=spec "$test"
