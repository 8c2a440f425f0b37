// Pages that are not complete say so.
import assert from "node:assert/strict";
import fs from "node:fs";
import {after, before, test} from "node:test";
import {close, drawn, fileUrl, inFolder, look, makeTissue, open, overlay, serve, settled, textOf, tool, writeTiff} from "./browser.mjs";

before(() => {
  makeTissue(700, 900);
  tool("view", "tissue.npy", "--labels", "labels.npy", "--table", "objects.csv", "--page", "out");
});
after(close);

const copy = name => { fs.cpSync(inFolder("out"), inFolder(name), {recursive: true}); return inFolder(name + "/page/"); };
const message = page => page.waitForFunction("document.getElementById('messages').textContent", {timeout: 180000});

test("a tile of the image is missing", async () => {
  const at = copy("no-tile");
  fs.rmSync(at + "data/image-0-0_files", {recursive: true});
  const {page} = await open(fileUrl("no-tile"));
  await message(page);
  assert.match(await textOf(page, "messages"), /tile of the image is missing/);
});

test("a tile of objects is missing", async () => {
  const at = copy("no-objects");
  fs.rmSync(at + "data/objects", {recursive: true});
  const {page} = await open(fileUrl("no-objects"));
  await message(page);
  assert.match(await textOf(page, "messages"), /objects\/0-0-0.js is missing or damaged/);
});

// Whether this build reads and writes TIFF.
const readsTiff = () => { try { tool("cast", "mask.npy", "--type", "u8", "-o", "some.tif"); return true; } catch { return false; } };

const tall = {rows: 9000, columns: 1000, across: 4};
for (const {name, rows} of [{name: "small", rows: 900}, {name: "large", rows: tall.rows}])
  test("a tile of a " + name + " file is damaged", async t => {
    if (!readsTiff()) return t.skip("needs libvips to read TIFF");
    const value = tile => 40 + 37 * tile % 180, file = name + ".tif";
    writeTiff(file, rows, tall.columns, (pixels, tile) => pixels.fill(value(tile)), [6]);
    const {page} = await open(await serve(file));
    await settled(page);
    await page.waitForFunction("macareu.viewer.finished", {timeout: 180000});
    await message(page);
    assert.match(await textOf(page, "messages"), new RegExp("^A part of " + file + " cannot be read and is left out: .*" + file + ".*near x 512, y 256"));
    // Far away and near by all other tiles are seen.
    for (const scale of [1 / 32, 1 / 2]) {
      await look(page, 0, 0, scale);
      const seen = await drawn(page), side = 256 * scale;
      for (let v = side / 2; v < Math.min(rows * scale - side, seen.height); v += side)
        for (let u = side / 2; u < Math.min(tall.columns * scale - side / 2, seen.width); u += side) {
          const tile = Math.floor(v / side) * tall.across + Math.floor(u / side), is = seen.data[v * seen.width + u];
          assert.ok(Math.abs(is - (tile === 6 ? 128 : value(tile))) <= 1.5, `${scale}: tile ${tile}: ${is}`);
        }
    }
  });

test("a tile of a large label image is damaged", async t => {
  if (!readsTiff()) return t.skip("needs libvips to read TIFF");
  // Each tile has one pixel of an object in its middle.
  writeTiff("dots.tif", tall.rows, tall.columns, pixels => { pixels[128 * 256 + 128] = 1; }, [6]);
  tool("generate", "tissue", "--shape", tall.rows + "," + tall.columns, "-o", "tall.npy");
  const {page} = await open(await serve("tall.npy", "--labels", "dots.tif"));
  await page.waitForFunction("macareu.viewer.finished", {timeout: 180000});
  await message(page);
  assert.match(await textOf(page, "messages"), /^A part of dots.tif cannot be read/);
  await look(page, 0, 0, 1 / 32);
  const {width, height, data} = await overlay(page), marks = new Set();
  for (let v = 0; v < Math.min(height, tall.rows / 32); ++v)
    for (let u = 0; u < Math.min(width, tall.columns / 32); ++u)
      if (data[v * width + u] > 0) marks.add(Math.floor(v / 8) * tall.across + Math.floor(u / 8));
  const tiles = Math.floor(tall.rows / 256) * tall.across;  // the last ones have no middle
  assert.deepEqual([...Array(tiles).keys()].filter(tile => !marks.has(tile)), [6]);
});

test("no tile can be read", async t => {
  if (!readsTiff()) return t.skip("needs libvips to read TIFF");
  writeTiff("none.tif", tall.rows, tall.columns, () => {}, [...Array(200).keys()]);
  const {page} = await open(await serve("none.tif"));
  await message(page);
  await page.waitForFunction("document.getElementById('messages').children.length > 1", {timeout: 180000});
  assert.match(await textOf(page, "messages"), /A tile of the image is missing/);
  assert.match(await textOf(page, "messages"), /A part of none.tif cannot be read/);
});

test("many messages", async () => {
  const {page} = await open(fileUrl("out"));
  await settled(page);
  await page.evaluate(() => {
    for (const kind of ["a", "b", "c", "d", "e", "f", "g"])
      for (const number of [1, 2, 3, 3]) macareu.say("tile " + number + " of " + kind);
  });
  const lines = await page.evaluate("[...document.querySelectorAll('#messages p')].map(line => line.textContent)");
  assert.deepEqual(lines, ["a", "b", "c", "d", "e", "f", "g"].map(kind => "tile 1 of " + kind + " (and 2 more)"));
});

test("the description is missing", async () => {
  fs.rmSync(copy("no-meta") + "data/meta.js");
  const {page} = await open(fileUrl("no-meta"));
  assert.match(await textOf(page, "messages"), /not complete: page\/data\/meta.js/);
});

test("the table is of another image", async () => {
  const lines = fs.readFileSync(inFolder("objects.csv"), "utf8").trim().split("\n");
  fs.writeFileSync(inFolder("other.csv"), lines.slice(0, Math.ceil(lines.length / 2)).join("\n") + "\n");
  tool("view", "tissue.npy", "--labels", "labels.npy", "--table", "other.csv", "--page", "other");
  const {page} = await open(fileUrl("other"));
  await settled(page);
  await message(page);
  assert.match(await textOf(page, "messages"), /no row in the table/);
});

test("texts of files are never markup", async () => {
  const name = "<img src=x onerror=alert(1)>";
  const lines = fs.readFileSync(inFolder("objects.csv"), "utf8").split("\n");
  fs.writeFileSync(inFolder("markup.csv"), lines.map((line, i) => line && line + (i ? ",1" : ',"' + name + '"')).join("\n"));
  tool("view", "tissue.npy", "--labels", "labels.npy", "--table", "markup.csv", "--page", "markup");
  const {page, errors} = await open(fileUrl("markup"));
  await settled(page);
  await look(page, 0, 0, 1);
  assert.equal(await page.evaluate(text => document.querySelectorAll("#panel img").length + [...document.querySelectorAll(".histogram span")].filter(span => span.textContent === text).length, name), 1);
  assert.deepEqual(errors, []);
});
