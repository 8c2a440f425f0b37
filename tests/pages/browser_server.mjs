// The same page from `macareu view`, and what it shows besides: volumes and comparison.
import assert from "node:assert/strict";
import {after, before, test} from "node:test";
import {close, look, makeTissue, open, serve, settled, textOf, tool} from "./browser.mjs";
import * as checks from "./checks.mjs";

let labels, page, errors;
before(async () => {
  labels = makeTissue(800, 2700);
  ({page, errors} = await open(await serve("tissue.npy", "--labels", "labels.npy", "--table", "objects.csv")));
  await settled(page);
});
after(close);

test("matches objects far away", () => checks.farMatches(page, labels, 16, 1));
test("matches objects halfway", () => checks.farMatches(page, labels, 4, 0));
test("matches objects pixel by pixel", () => checks.nearMatches(page, labels, 1850, 100, 1));
test("finds the row of a clicked object", () => checks.clickFindsRow(page, labels, 1));
test("filters", () => checks.filterCounts(page, labels));
test("keys", () => checks.keysWork(page));
test("console has no errors", () => assert.deepEqual(errors, []));

test("compares two images", async () => {
  const compared = await open(await serve("tissue.npy", "mask.npy", "--compare", "side"));
  await settled(compared.page);
  await look(compared.page, 500, 500, 0.5);
  assert.equal(await compared.page.evaluate("document.getElementById('mode').value"), "side");
  await compared.page.evaluate(() => { const mode = document.getElementById("mode"); mode.value = "slider"; mode.onchange(); });
  await compared.page.keyboard.press("]");
  assert.equal(await compared.page.evaluate("document.getElementById('divider').style.left"), "55%");
  assert.deepEqual(compared.errors, []);
});

test("shows slices of a volume", async () => {
  tool("generate", "noise", "--shape", "6,200,300", "-o", "volume.npy");
  tool("threshold", "volume.npy", "-o", "above.npy");
  tool("label", "above.npy", "-o", "numbered.npy");
  const volume = await open(await serve("volume.npy", "--labels", "numbered.npy"));
  await settled(volume.page);
  await volume.page.keyboard.press("]");
  await volume.page.waitForFunction("macareu.viewer.slice === 1", {timeout: 180000});
  await settled(volume.page);
  assert.match(await textOf(volume.page, "tools"), /slice 1 of 6/);
  assert.deepEqual(volume.errors, []);
});
