// The same page from `macareu view`, and what it shows besides: volumes and comparison.
import assert from "node:assert/strict";
import fs from "node:fs";
import {after, before, test} from "node:test";
import {close, drawn, inFolder, look, makeTissue, open, overlay, readNpy, serve, settled, textOf, tool} from "./browser.mjs";
import * as checks from "./checks.mjs";

let labels, page, errors;
before(async () => {
  labels = makeTissue(800, 2700);
  ({page, errors} = await open(await serve("tissue.npy", "--labels", "labels.npy", "--table", "objects.csv")));
  await settled(page);
});
after(close);

test("matches objects far away", () => checks.farMatches(page, labels, 16, 17));
test("matches objects halfway", () => checks.farMatches(page, labels, 4, 0));
test("matches objects pixel by pixel", () => checks.nearMatches(page, labels, 1850, 100, 1));
test("finds the row of a clicked object", () => checks.clickFindsRow(page, labels, 1));
test("filters", () => checks.filterCounts(page, labels));
test("keys", () => checks.keysWork(page));
test("console has no errors", () => assert.deepEqual(errors, []));

// Fails unless the viewer draws the bytes wanted(u, v); the browser rounds what it scales, by 2 at most where it was seen.
function draws(seen, columns, rows, wanted) {
  for (let v = rows[0]; v < rows[1]; v += 7)
    for (let u = columns[0]; u < columns[1]; u += 3) {
      const is = seen.data[v * seen.width + u], should = wanted(u, v);
      assert.ok(Math.abs(is - should) <= 2.5, `${u} ${v}: ${is}, not ${should}`);
    }
}

// Fails unless the viewer shows the pixels of an image from (x, y) on, in columns first to last of the screen.
const shows = (seen, image, x, y, first, last, shift = 0) =>
  draws(seen, [first, last], [5, seen.height - 5], (u, v) => image.data[(y + v) * image.shape[1] + x + u - shift]);

test("compares two images by a slider and side by side", async () => {
  tool("invert", "tissue.npy", "-o", "inverted.npy");
  const first = readNpy("tissue.npy"), second = readNpy("inverted.npy");
  const {page: compared, errors: failures} = await open(await serve("tissue.npy", "inverted.npy", "--labels", "labels.npy", "--table", "objects.csv"));
  await settled(compared);
  await compared.keyboard.press("o");
  await look(compared, 700, 200, 1);
  let seen = await drawn(compared);
  const half = Math.round(seen.width / 2);
  shows(seen, first, 700, 200, 0, half - 8);
  shows(seen, second, 700, 200, half + 8, seen.width);
  assert.equal(await textOf(compared, "before"), "tissue.npy");
  assert.equal(await textOf(compared, "after"), "inverted.npy");

  // The divider follows keys and the mouse.
  await compared.keyboard.press(",");
  assert.equal(await compared.evaluate("document.getElementById('divider').style.left"), "45%");
  await compared.mouse.move(0.45 * seen.width, 400);
  await compared.mouse.down();
  await compared.mouse.move(0.2 * seen.width, 400, {steps: 5});
  await compared.mouse.up();
  await settled(compared);
  shows(await drawn(compared), second, 700, 200, Math.round(0.2 * seen.width) + 8, seen.width);

  // Side by side both panes show the same place; what is in the middle stays there.
  const centre = await compared.evaluate("macareu.viewer.view.x + document.getElementById('overlay').width / 2");
  await compared.keyboard.press("s");
  await settled(compared);
  assert.ok(Math.abs(await compared.evaluate("macareu.viewer.view.x + document.getElementById('overlay').width / 4") - centre) < 1);
  await look(compared, 700, 200, 1);
  seen = await drawn(compared);
  shows(seen, first, 700, 200, 0, half - 8);
  shows(seen, second, 700, 200, half + 8, seen.width, half);

  // A click and the wheel mean the place in their pane.
  await compared.keyboard.press("o");
  const {x, y, label} = checks.solidPixel(labels, 100), left = Math.max(0, x - 60), top = Math.max(0, y - 60);
  await look(compared, left, top, 1);
  await compared.mouse.click(half + x - left + 0.5, y - top + 0.5);
  await compared.waitForFunction("document.querySelectorAll('#row tr').length > 2", {timeout: 180000});
  assert.equal(await compared.evaluate("document.querySelector('#row tr td:last-child').textContent"), String(label));
  const under = () => compared.evaluate(at => { const {view} = macareu.viewer; return {x: view.x + at / view.scale, scale: view.scale}; }, 60);
  const before = await under();
  await compared.mouse.move(half + 60, 60);
  await compared.mouse.wheel({deltaY: -200});
  await compared.waitForFunction("macareu.viewer.view.scale > 1.1", {timeout: 180000});
  await new Promise(done => setTimeout(done, 1000));
  assert.ok(Math.abs((await under()).x - before.x) < 1);

  // The whole image fits the pane.
  await compared.keyboard.press("0");
  await compared.waitForFunction(() => {
    const {view} = macareu.viewer, {width} = document.getElementById("overlay");
    return view.x < 1 && view.x + width / 2 / view.scale > macareu.about.width - 1;
  }, {timeout: 180000});
  assert.deepEqual(failures, []);
});

test("starts side by side", async () => {
  const {page: side, errors: failures} = await open(await serve("tissue.npy", "mask.npy", "--compare", "side"));
  await settled(side);
  assert.equal(await side.evaluate("document.getElementById('mode').value"), "side");
  const seen = await drawn(side), middle = Math.round(seen.height / 2) * seen.width;
  assert.ok(seen.data.subarray(middle, middle + seen.width / 2).some(value => value > 0));
  assert.deepEqual(failures, []);
});

test("draws the outline of a mask without labels", async () => {
  const {page: masked, errors: failures} = await open(await serve("tissue.npy", "--mask", "mask.npy"));
  await settled(masked);
  assert.ok((await overlay(masked)).data.some(alpha => alpha > 200));
  await masked.click("#outline");
  await settled(masked);
  assert.ok((await overlay(masked)).data.every(alpha => alpha === 0));
  assert.deepEqual(failures, []);
});

test("shows slices of a volume", async () => {
  tool("generate", "noise", "--shape", "6,600,700", "-o", "volume.npy");
  tool("threshold", "volume.npy", "-o", "above.npy");
  tool("label", "above.npy", "-o", "numbered.npy");
  const {shape, data} = readNpy("volume.npy"), size = shape[1] * shape[2];
  const {page: volume, errors: failures} = await open(await serve("volume.npy", "--labels", "numbered.npy"));
  await settled(volume);
  await volume.keyboard.press("o");
  await look(volume, 20, 30, 1);
  for (const slice of [0, 1, 2]) {
    if (slice) await volume.keyboard.press("]");
    await volume.waitForFunction(wanted => macareu.viewer.slice === wanted, {timeout: 180000}, slice);
    await settled(volume);
    shows(await drawn(volume), {shape: shape.slice(1), data: data.subarray(slice * size, (slice + 1) * size)}, 20, 30, 0, 450);
    assert.match(await textOf(volume, "tools"), new RegExp("slice " + slice + " of 6"));
  }
  assert.deepEqual(failures, []);
});

test("refines a large image without moving it", async () => {
  tool("generate", "tissue", "--shape", "9000,9000", "-o", "large.npy");
  const {page: large, errors: failures} = await open(await serve("large.npy"));
  const asked = [];
  large.on("request", request => { if (request.url().includes("_files/")) asked.push(request.url().replace(/.*_files\//, "")); });
  await settled(large);
  await look(large, 3000, 2000, 0.25);
  await large.waitForFunction("macareu.viewer.versions[0] > 2", {timeout: 180000});
  await large.waitForFunction("macareu.viewer.finished", {timeout: 180000});
  await settled(large);
  const {x, y, scale} = await large.evaluate("({...macareu.viewer.view})");
  assert.ok(Math.abs(x - 3000) < 1 && Math.abs(y - 2000) < 1 && Math.abs(scale - 0.25) < 1e-3, `${x} ${y} ${scale}`);
  // Only coarse tiles are asked for again: Deep Zoom's levels from 10 down for an image that is halved four times.
  const again = asked.filter((name, i) => asked.indexOf(name) < i);
  assert.deepEqual(again, []);
  assert.deepEqual(asked.filter(name => name.includes("?") !== Number(name.split("/")[0]) <= 10), []);
  assert.ok(asked.some(name => !name.includes("?")));
  // Far away pixels are means of the file's.
  const image = readNpy("large.npy");
  await look(large, 0, 0, 1 / 32);
  const seen = await drawn(large);
  draws(seen, [0, 280], [0, 280], (u, v) => {
    let sum = 0;
    for (let dy = 0; dy < 32; ++dy) for (let dx = 0; dx < 32; ++dx) sum += image.data[(32 * v + dy) * 9000 + 32 * u + dx];
    return sum / 1024;
  });
  assert.deepEqual(failures, []);
});

// Until the raster is complete, places of the table stand for it; then objects without a row are there too.
test("shows all objects of large labels whose table lacks some", async () => {
  const large = makeTissue(520, 9000);
  const lines = fs.readFileSync(inFolder("objects.csv"), "utf-8").trimEnd().split("\n");
  fs.writeFileSync(inFolder("half.csv"), lines.filter((_, i) => i === 0 || i % 2).join("\n") + "\n");
  const {page: shown} = await open(await serve("tissue.npy", "--labels", "labels.npy", "--table", "half.csv"));
  await settled(shown);
  await shown.waitForFunction("macareu.viewer.finished", {timeout: 180000});
  await checks.farMatches(shown, large, 32, 17);
});
