// A page from the disk.
import assert from "node:assert/strict";
import {after, before, test} from "node:test";
import {close, fileUrl, makeTissue, open, settled, textOf, tool} from "./browser.mjs";
import * as checks from "./checks.mjs";

let labels, page, errors;
before(async () => {
  labels = makeTissue(800, 2700);
  tool("view", "tissue.npy", "--labels", "labels.npy", "--table", "objects.csv", "--mask", "mask.npy", "--page", "out");
  ({page, errors} = await open(fileUrl("out")));
  await settled(page);
});
after(close);

test("shows how many objects there are", async () => {
  assert.equal(await textOf(page, "count"), labels.sizes.size.toLocaleString("en") + " objects");
});
const withoutOutline = () => page.evaluate("macareu.overlay.showOutline(false)");
test("matches objects far away", async () => { await withoutOutline(); await checks.farMatches(page, labels, 16, 17); });
test("matches objects halfway", () => checks.farMatches(page, labels, 4, 0));
test("matches objects pixel by pixel", () => checks.nearMatches(page, labels, 1850, 100, 1));
test("matches enlarged objects", () => {
  const {x, y} = checks.solidPixel(labels, 300);
  return checks.nearMatches(page, labels, Math.max(0, x - 40), Math.max(0, y - 40), 4);
});
test("finds the row of a clicked object", () => checks.clickFindsRow(page, labels, 1));
test("filters", () => checks.filterCounts(page, labels));
test("colours by a column", () => checks.coloursDiffer(page));
test("keys", () => checks.keysWork(page));
test("drags and zooms", () => checks.dragPans(page));
test("scale bar", () => checks.scaleBar(page));
test("console has no errors", () => assert.deepEqual(errors, []));
test("page has no messages", async () => assert.equal(await textOf(page, "messages"), ""));
