// The page that `macareu nuclei` writes for a slide.
import assert from "node:assert/strict";
import fs from "node:fs";
import {after, before, test} from "node:test";
import zlib from "node:zlib";
import {close, fileUrl, inFolder, labelImage, look, open, overlay, settled, textOf, tool} from "./browser.mjs";
import * as checks from "./checks.mjs";

try { tool("generate", "noise", "--shape", "8,8", "-o", "any.tif"); } catch {
  console.log("skipped: nuclei need libvips");
  process.exit(0);
}

let labels, summary, rows, page, errors;
before(async () => {
  tool("generate", "slide", "--shape", "900,1300", "--seed", "3", "-o", "slide.npy");
  tool("nuclei", "slide.npy", "--mpp", "0.25", "-o", "out", "--quiet");
  tool("cast", "out/labels.ome.tif", "--type", "u32", "-o", "labels.npy", "--quiet");
  labels = labelImage("labels.npy");
  summary = JSON.parse(fs.readFileSync(inFolder("out/summary.json"), "utf8"));
  const [head, ...lines] = zlib.gunzipSync(fs.readFileSync(inFolder("out/nuclei.csv.gz"))).toString().trim().split("\n").map(line => line.split(","));
  rows = lines.map(line => Object.fromEntries(head.map((name, i) => [name, line[i]])));
  ({page, errors} = await open(fileUrl("out")));
  await settled(page);
});
after(close);

test("counts nuclei as the summary does", async () => {
  assert.ok(rows.length > 100);
  assert.equal(summary.nuclei, rows.length);
  assert.equal(await textOf(page, "count"), rows.length.toLocaleString("en") + " objects");
});

test("shows the summary", async () => {
  const shown = new Map(await page.evaluate(() => [...document.querySelectorAll("#summary tr")].map(row => [...row.cells].map(cell => cell.textContent))));
  assert.equal(await page.evaluate("document.getElementById('summary').checkVisibility()"), true);
  assert.equal(Number(shown.get("nuclei")), rows.length);
  assert.equal(shown.get("slide"), "slide.npy");
  for (const name of ["mpp", "threshold", "tissue_mm2", "density_per_mm2"])
    assert.ok(Math.abs(Number(shown.get(name)) - summary[name]) <= 1e-3 * summary[name], name + ": " + shown.get(name) + ", not " + summary[name]);
});

test("draws the outline of the tissue", async () => {
  const green = async () => {
    await settled(page);
    return page.evaluate(() => {
      const canvas = document.getElementById("overlay"), {data} = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      let count = 0;
      for (let i = 0; i < data.length; i += 4) count += data[i] === 0x1a && data[i + 1] === 0x98 && data[i + 2] === 0x50 ? 1 : 0;
      return count;
    });
  };
  assert.ok(await green() > 100);
  await page.click("#outline");
  assert.equal(await green(), 0);
});

test("matches nuclei far away", () => checks.farMatches(page, labels, 16, 17));
test("matches nuclei halfway", () => checks.farMatches(page, labels, 2, 0));
test("matches nuclei pixel by pixel", () => checks.nearMatches(page, labels, 400, 200, 1));
test("matches enlarged nuclei", () => {
  const {x, y} = checks.solidPixel(labels, 100);
  return checks.nearMatches(page, labels, Math.max(0, x - 40), Math.max(0, y - 40), 4);
});

test("shows the row of a clicked nucleus", async () => {
  const {x, y, label} = checks.solidPixel(labels, 100), left = Math.max(0, x - 60), top = Math.max(0, y - 60);
  await look(page, left, top, 2);
  await page.mouse.click((x + 0.5 - left) * 2, (y + 0.5 - top) * 2);
  await page.waitForFunction("document.querySelectorAll('#row tr').length > 2", {timeout: 180000});
  const shown = new Map(await page.evaluate(() => [...document.querySelectorAll("#row tr")].map(row => [...row.cells].map(cell => cell.textContent))));
  const row = rows[label - 1];
  assert.equal(Number(shown.get("label")), label);
  assert.equal(Number(shown.get("area_px")), labels.sizes.get(label));
  for (const [name, text] of shown)
    if (Number.isFinite(Number(text)) && row[name]) assert.ok(Math.abs(Number(text) - Number(row[name])) <= 1e-3 * Math.abs(Number(row[name])) + 1e-4, name + ": " + text + ", not " + row[name]);
  await page.keyboard.press("Escape");
});

test("colours by every measurement", async () => {
  await look(page, 0, 0, 1 / 2);
  for (const name of await page.evaluate("macareu.about.objects.columns.map(column => column.name)")) {
    const looks = await checks.colourBy(page, name);
    const different = new Set(rows.map(row => row[name])).size;
    assert.ok(looks.size > 1 || different < 3, name + " has " + looks.size + " colours");
    assert.equal(await page.evaluate("document.getElementById('legend').hidden"), false);
  }
  await checks.colourBy(page, "");
});

test("filters by dragging over a histogram", async () => {
  const canvas = await page.$("[data-column=area_px] canvas");
  await canvas.scrollIntoView();
  const {x, y, width, height} = await canvas.boundingBox();
  await page.mouse.move(x + width * 0.4, y + height / 2);
  await page.mouse.down();
  await page.mouse.move(x + width * 0.7, y + height / 2, {steps: 4});
  await page.mouse.up();
  const [low, high] = await page.evaluate(() => [...document.querySelectorAll("[data-column=area_px] input")].map(field => Number(field.value)));
  assert.ok(low < high);
  const passing = new Set(rows.map((row, i) => [i + 1, Number(row.area_px)]).filter(([, area]) => area >= low && area <= high).map(([label]) => label));
  await page.waitForFunction(text => document.getElementById("count").textContent === text, {timeout: 180000},
    passing.size.toLocaleString("en") + " of " + rows.length.toLocaleString("en") + " objects");
  assert.ok(passing.size > 0 && passing.size < rows.length);
  await look(page, 0, 0, 1 / 2);
  const seen = await overlay(page);
  for (let v = 0; v < Math.floor(labels.rows / 2); ++v)
    for (let u = 0; u < Math.min(seen.width, Math.floor(labels.columns / 2)); ++u) {
      const any = [0, 1].some(dy => [0, 1].some(dx => passing.has(labels.at(2 * v + dy, 2 * u + dx))));
      assert.equal(seen.data[v * seen.width + u] > 0, any, `${u} ${v}`);
    }
  await page.click("[data-column=area_px] button");
  await page.waitForFunction(text => document.getElementById("count").textContent === text, {timeout: 180000}, rows.length.toLocaleString("en") + " objects");
});

test("scale bar counts micrometres", async () => {
  await look(page, 0, 0, 1);
  assert.equal(await textOf(page, "scale-text"), "20 µm");
  assert.equal(await page.evaluate("document.getElementById('scale-bar').style.width"), "80px");
});

test("follows the system to dark", async () => {
  const ground = () => page.evaluate("getComputedStyle(document.body).backgroundColor");
  assert.equal(await ground(), "rgb(245, 245, 243)");
  await page.emulateMediaFeatures([{name: "prefers-color-scheme", value: "dark"}]);
  await page.reload();
  await settled(page);
  assert.equal(await ground(), "rgb(22, 24, 26)");
});

test("console has no errors", () => assert.deepEqual(errors, []));
test("page has no messages", async () => assert.equal(await textOf(page, "messages"), ""));
