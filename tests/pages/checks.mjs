// Checks of a page with objects, from the disk and from a server alike.
import assert from "node:assert/strict";
import {look, overlay, set, settled, textOf} from "./browser.mjs";

// How many pixels of a square of the image belong to an object.
function covered(labels, x, y, side) {
  let count = 0;
  for (let v = y; v < y + side; ++v) for (let u = x; u < x + side; ++u) count += labels.at(v, u) ? 1 : 0;
  return count;
}

// Far away: every pixel has the share that objects cover; no object is lost.
export async function farMatches(page, labels, step, quantum) {
  await set(page, "opacity", 1);
  await look(page, 0, 0, 1 / step);
  const {width, height, data} = await overlay(page);
  for (let y = 0; y < Math.min(height, Math.floor(labels.rows / step)); ++y)
    for (let x = 0; x < Math.min(width, Math.floor(labels.columns / step)); ++x) {
      const pixels = covered(labels, x * step, y * step, step), share = pixels / step / step * 255, alpha = data[y * width + x];
      assert.ok(alpha >= share - 2 && alpha <= share + quantum + 2 && (pixels > 0) === (alpha > 0), `1/${step}: ${x} ${y}: ${alpha}, not ${share}`);
    }
}

// Near by: inside of objects and outside of them, apart from lines along their borders.
export async function nearMatches(page, labels, left, top, scale) {
  await set(page, "opacity", 1);
  await look(page, left, top, scale);
  const {width, height, data} = await overlay(page), margin = Math.ceil(2 / scale);
  let inside = 0, outside = 0;
  for (let y = 0; y < height; ++y)
    for (let x = 0; x < width; ++x) {
      const u = left + Math.floor(x / scale), v = top + Math.floor(y / scale), own = labels.at(v, u);
      if (u >= labels.columns || v >= labels.rows) continue;
      let border = false;
      for (let dv = -margin; dv <= margin && !border; ++dv) for (let du = -margin; du <= margin; ++du) border ||= labels.at(v + dv, u + du) !== own;
      if (border) continue;
      const alpha = data[y * width + x];
      if (own) { ++inside; assert.ok(Math.abs(alpha - 128) <= 2, `inside ${u} ${v}: ${alpha}`); }
      else { ++outside; assert.equal(alpha, 0, `outside ${u} ${v}`); }
    }
  assert.ok(inside > 500 && outside > 500, `${inside} ${outside}`);
}

// An object with a pixel whose neighbours belong to it too.
export function solidPixel(labels, least) {
  for (let y = 2; y < labels.rows - 2; ++y)
    for (let x = 2; x < labels.columns - 2; ++x) {
      const own = labels.at(y, x);
      if (!own || labels.sizes.get(own) < least) continue;
      let solid = true;
      for (let v = -2; v <= 2; ++v) for (let u = -2; u <= 2; ++u) solid &&= labels.at(y + v, x + u) === own;
      if (solid) return {x, y, label: own};
    }
  throw new Error("no object is large enough");
}

const rowText = page => page.evaluate(() => [...document.querySelectorAll("#row tr")].map(row => row.innerText.split("\t")));

export async function clickFindsRow(page, labels, scale) {
  const {x, y, label} = solidPixel(labels, 100);
  await page.keyboard.press("Escape");
  await look(page, Math.max(0, x - 60), Math.max(0, y - 60), scale);
  const left = Math.max(0, x - 60), top = Math.max(0, y - 60);
  await page.mouse.click((x + 0.5 - left) * scale, (y + 0.5 - top) * scale);
  await page.waitForFunction("document.querySelectorAll('#row tr').length > 2", {timeout: 180000});
  const row = new Map(await rowText(page));
  assert.equal(Number(row.get("label")), label);
  assert.equal(Number(row.get("num_pixels")), labels.sizes.get(label));
}

export async function filterCounts(page, labels) {
  const least = 200, wanted = [...labels.sizes.values()].filter(size => size >= least).length;
  const set = value => page.evaluate(to => {
    const field = document.querySelector("[data-column=num_pixels] input");
    field.value = to;
    field.dispatchEvent(new Event("change"));
  }, value);
  await set(least);
  const text = wanted.toLocaleString("en") + " of " + labels.sizes.size.toLocaleString("en") + " objects";
  await page.waitForFunction(expected => document.getElementById("count").textContent === expected, {timeout: 180000}, text);
  await look(page, 0, 0, 1 / 4);
  const {width, height, data} = await overlay(page);
  for (let y = 0; y < Math.min(height, Math.floor(labels.rows / 4)); ++y)
    for (let x = 0; x < Math.min(width, Math.floor(labels.columns / 4)); ++x) {
      let any = false;
      for (let v = 4 * y; v < 4 * y + 4; ++v) for (let u = 4 * x; u < 4 * x + 4; ++u) any ||= labels.sizes.get(labels.at(v, u)) >= least;
      assert.equal(data[y * width + x] > 0, any, `filtered ${x} ${y}`);
    }
  // Far away each object that passes leaves a mark, on busy machines some frames later.
  await look(page, 0, 0, 1 / 16);
  await page.waitForFunction(() => {
    const canvas = document.getElementById("overlay");
    return canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.some(value => value > 0);
  }, {timeout: 60000, polling: 100});
  await set("");
  await page.waitForFunction(expected => document.getElementById("count").textContent === expected, {timeout: 180000},
    labels.sizes.size.toLocaleString("en") + " objects");
}

// The opaque colours of the overlay when a column colours it; "" for none.
export async function colourBy(page, name) {
  await page.evaluate(wanted => {
    const choice = document.getElementById("colour");
    choice.selectedIndex = wanted === "" ? 0 : [...choice.options].findIndex(option => option.textContent === wanted);
    choice.onchange();
    return wanted === "" ? null : macareu.colours.column.needAll();
  }, name);
  await page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))));
  await settled(page);
  return new Set(await page.evaluate(() => {
    const canvas = document.getElementById("overlay"), {data} = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height), all = new Set();
    for (let i = 0; i < data.length; i += 4) if (data[i + 3] > 250) all.add(data[i] << 16 | data[i + 1] << 8 | data[i + 2]);
    return [...all];
  }));
}

export async function coloursDiffer(page) {
  await look(page, 0, 0, 1 / 4);
  assert.equal((await colourBy(page, "")).size, 1);
  assert.ok((await colourBy(page, "eccentricity")).size > 20);
  await colourBy(page, "");
}

export async function keysWork(page) {
  const view = () => page.evaluate("({...macareu.viewer.view})");
  await look(page, 100, 100, 1);
  const start = await view();
  await page.keyboard.press("ArrowRight");
  await page.waitForFunction(x => macareu.viewer.view.x > x + 10, {timeout: 180000}, start.x);
  await page.keyboard.press("+");
  await page.waitForFunction(scale => macareu.viewer.view.scale > scale * 1.2, {timeout: 180000}, start.scale);
  await page.keyboard.press("o");
  await page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))));
  assert.ok((await overlay(page)).data.every(alpha => alpha === 0));
  await page.keyboard.press("o");
  await page.click("#shown");  // which has the focus then
  await page.keyboard.press("o");
  assert.equal(await page.evaluate("document.getElementById('shown').checked"), true);
  await page.keyboard.press("?");
  assert.ok(await page.evaluate("document.getElementById('keys').open"));
  await page.keyboard.press("Escape");
  const dark = () => page.evaluate("document.documentElement.classList.contains('dark')"), before = await dark();
  await page.keyboard.press("d");
  assert.equal(await dark(), !before);
  await page.keyboard.press("0");
  await page.waitForFunction("macareu.viewer.view.x < 1", {timeout: 180000});
}

export async function dragPans(page) {
  await look(page, 100, 100, 1);
  const x = await page.evaluate("macareu.viewer.view.x");
  await page.mouse.move(300, 200);
  await page.mouse.down();
  for (let i = 1; i <= 10; ++i) await page.mouse.move(300 - 10 * i, 200);
  await page.mouse.up();
  await page.waitForFunction(from => macareu.viewer.view.x > from + 50, {timeout: 180000}, x);
  await page.mouse.move(250, 250);
  await page.mouse.wheel({deltaY: -300});
  await page.waitForFunction("macareu.viewer.view.scale > 1.1", {timeout: 180000});
}

export async function scaleBar(page) {
  await look(page, 100, 100, 1);
  assert.equal(await textOf(page, "scale-text"), "100 px");
  assert.equal(await page.evaluate("document.getElementById('scale-bar').style.width"), "100px");
}
