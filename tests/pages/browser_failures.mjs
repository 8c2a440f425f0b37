// Pages that are not complete say so.
import assert from "node:assert/strict";
import fs from "node:fs";
import {after, before, test} from "node:test";
import {close, fileUrl, inFolder, look, makeTissue, open, settled, textOf, tool} from "./browser.mjs";

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
