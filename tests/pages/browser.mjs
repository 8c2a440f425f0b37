// What the tests in a browser share: the tool, images, pages, and how they are looked at.
import assert from "node:assert/strict";
import {execFileSync, spawn} from "node:child_process";
import fs from "node:fs";
import {createRequire} from "node:module";
import os from "node:os";
import path from "node:path";
import zlib from "node:zlib";

const puppeteer = createRequire(process.env.PUPPETEER + "/")("puppeteer-core");
export const folder = fs.mkdtempSync(path.join(os.tmpdir(), "macareu-pages-"));
export const tool = (...args) => execFileSync(process.env.MACAREU_TOOL, args, {cwd: folder, stdio: ["ignore", "pipe", "pipe"]}).toString();
export const inFolder = name => path.join(folder, name);

let browser = null;
const servers = [];
export async function close() {
  if (browser) await browser.close();
  for (const server of servers) server.kill("SIGINT");
  fs.rmSync(folder, {recursive: true, force: true});
}

// {shape, data} of a .npy file.
export function readNpy(name) {
  const bytes = fs.readFileSync(inFolder(name)), length = bytes.readUInt16LE(8), header = bytes.toString("latin1", 10, 10 + length);
  const shape = header.match(/'shape': \(([^)]*)\)/)[1].split(",").filter(Boolean).map(Number);
  const kind = {u1: Uint8Array, u2: Uint16Array, u4: Uint32Array, b1: Uint8Array}[header.match(/'descr': '.(\w\d)'/)[1]];
  return {shape, data: new kind(bytes.buffer.slice(bytes.byteOffset + 10 + length, bytes.byteOffset + bytes.length))};
}

// A grey TIFF in compressed tiles of 256 pixels, without smaller levels; fill(tile, t) gives tile t its pixels. Tiles whose
// number is in `damaged` cannot be decompressed.
export function writeTiff(name, rows, columns, fill, damaged) {
  const side = 256, tiles = [], offsets = [], sizes = [];
  let end = 8;
  for (let t = 0; t < Math.ceil(rows / side) * Math.ceil(columns / side); ++t) {
    const pixels = Buffer.alloc(side * side);
    fill(pixels, t);
    const bytes = zlib.deflateSync(pixels);
    if (damaged.includes(t)) bytes.fill(255, 4);
    tiles.push(bytes);
    offsets.push(end);
    sizes.push(bytes.length);
    end += bytes.length;
  }
  const words = (...values) => Buffer.from(Uint32Array.from(values).buffer);
  const fields = [[256, columns], [257, rows], [258, 8], [259, 8], [262, 1], [277, 1], [322, side], [323, side],
    [324, end, tiles.length], [325, end + 4 * tiles.length, tiles.length]];
  const directory = fields.map(([tag, value, count = 1]) => words(tag | 4 << 16, count, value));
  const start = end + 8 * tiles.length;
  fs.writeFileSync(inFolder(name), Buffer.concat([Buffer.from("II*\0"), words(start), ...tiles, words(...offsets), words(...sizes),
    Buffer.from([fields.length, 0]), ...directory, words(0)]));
}

// Tissue with objects: image, labels and table.
export function makeTissue(rows, columns) {
  tool("generate", "tissue", "--shape", rows + "," + columns, "-o", "tissue.npy");
  tool("threshold", "tissue.npy", "-o", "mask.npy");
  tool("label", "mask.npy", "-o", "labels.npy", "--min-size", "30", "--table", "objects.csv");
  return labelImage("labels.npy");
}

// Labels of a .npy file, and the size of each object.
export function labelImage(name) {
  const {shape, data} = readNpy(name), sizes = new Map();
  for (const label of data) if (label) sizes.set(label, (sizes.get(label) || 0) + 1);
  return {rows: shape[0], columns: shape[1], data, sizes, at: (y, x) => y >= 0 && x >= 0 && y < shape[0] && x < shape[1] ? data[y * shape[1] + x] : 0};
}

// The address of `macareu view`.
export function serve(...args) {
  const server = spawn(process.env.MACAREU_TOOL, ["view", ...args], {cwd: folder});
  servers.push(server);
  return new Promise((resolve, reject) => {
    let errors = "";
    server.stderr.on("data", text => { errors += text; });
    server.stdout.on("data", text => resolve(text.toString().trim()));
    server.on("exit", code => reject(new Error("view ended with " + code + ": " + errors)));
  });
}

export const fileUrl = name => "file://" + inFolder(name) + "/index.html";

// Opens a page; `errors` collects what its console says. The viewer is 500 pixels wide and high.
export async function open(url) {
  browser ||= await puppeteer.launch({executablePath: process.env.CHROMIUM, headless: true, timeout: 180000, protocolTimeout: 180000,
    args: ["--no-sandbox", "--disable-gpu", "--force-color-profile=srgb"]});
  const page = await browser.newPage();
  await page.setViewport({width: 820, height: 500});
  page.setDefaultTimeout(180000);  // tests run beside others on busy machines
  const errors = [];
  page.on("console", message => { if (message.type() === "error") errors.push(message.text() + " " + (message.location().url || "")); });
  page.on("pageerror", error => errors.push(error.message));
  await page.goto(url);
  return {page, errors};
}

// Waits until tiles and overlay are drawn.
export async function settled(page) {
  await page.waitForFunction("macareu.viewer.ready && macareu.viewer.loaded && macareu.overlay.idle", {timeout: 180000, polling: 30});
  await page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))));
  await page.waitForFunction("macareu.overlay.idle", {timeout: 180000, polling: 30});
}

// Puts the image's point (x, y) at the top left, at so many pixels of the screen for one of the image.
export async function look(page, x, y, scale) {
  await page.evaluate((left, top, s) => {
    const {width, height} = document.getElementById("overlay");
    macareu.viewer.goTo(left + width / s / 2, top + height / s / 2, s, true);
    return new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
  }, x, y, scale);
  await settled(page);
  const view = await page.evaluate("({x: macareu.viewer.view.x, y: macareu.viewer.view.y, scale: macareu.viewer.view.scale})");
  assert.ok(Math.abs(view.x - x) < 1e-3 && Math.abs(view.y - y) < 1e-3 && Math.abs(view.scale - scale) < 1e-6, JSON.stringify(view));
}

// Opacities of the overlay: {width, height, data}.
export async function overlay(page) {
  const text = await page.evaluate(() => {
    const canvas = document.getElementById("overlay"), {data} = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    let alpha = "";
    for (let i = 3; i < data.length; i += 4) alpha += String.fromCharCode(data[i]);
    return [canvas.width, canvas.height, btoa(alpha)];
  });
  return {width: text[0], height: text[1], data: Buffer.from(text[2], "base64")};
}

// Red values of what the viewer draws of images, for pages from a server: {width, height, data}.
export async function drawn(page) {
  const [width, height, text] = await page.evaluate(() => {
    const canvas = document.querySelector("#viewer canvas"), {data} = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    let red = "";
    for (let i = 0; i < data.length; i += 4) red += String.fromCharCode(data[i]);
    return [canvas.width, canvas.height, btoa(red)];
  });
  return {width, height, data: Buffer.from(text, "base64")};
}

export const textOf = (page, id) => page.evaluate(name => document.getElementById(name).textContent, id);
export const set = (page, id, value) => page.evaluate((name, to) => {
  const element = document.getElementById(name);
  element.value = to;
  element.dispatchEvent(new Event("input", {bubbles: true}));
  element.dispatchEvent(new Event("change", {bubbles: true}));
}, id, value);
