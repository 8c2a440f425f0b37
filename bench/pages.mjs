// How soon pages appear, and what they take: MACAREU_TOOL=... tests/pages/browser.sh BUILD/puppeteer bench/pages.mjs
// Prints JSON for bench/results.
import {execFileSync, spawn} from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import zlib from "node:zlib";
import {close, fileUrl, inFolder, open, readNpy, settled, tool} from "../tests/pages/browser.mjs";

const repeats = 5, tile = 256;
const middle = values => values.sort((a, b) => a - b)[values.length >> 1];
const log = text => process.stderr.write(text + "\n");

// A tiled BigTIFF of side x side pixels. Its directory refers to the tiles of one picture again and again.
function writeLargeTiff(name, side) {
  tool("generate", "slide", "--shape", "3840,3840", "--seed", "5", "-o", "part.npy");
  const {shape: [rows, columns], data} = readNpy("part.npy"), across = columns / tile, count = side / tile;
  const file = fs.openSync(inFolder(name), "w"), places = [];
  let end = 16;
  const append = bytes => { fs.writeSync(file, bytes, 0, bytes.length, end); end += bytes.length; return end - bytes.length; };
  for (let y = 0; y < rows; y += tile)
    for (let x = 0; x < columns; x += tile) {
      const pixels = Buffer.alloc(tile * tile * 3);
      for (let v = 0; v < tile; ++v) pixels.set(data.subarray(((y + v) * columns + x) * 3, ((y + v) * columns + x + tile) * 3), v * tile * 3);
      const packed = zlib.deflateSync(pixels);
      places.push([append(packed), packed.length]);
    }
  const each = [0, 1].map(part => {
    const numbers = new BigUint64Array(count * count);
    for (let i = 0; i < numbers.length; ++i) {
      const y = Math.floor(i / count) % (rows / tile), x = i % count % across;
      numbers[i] = BigInt(places[y * across + x][part]);
    }
    return append(Buffer.from(numbers.buffer));
  });
  const bits = 8n | 8n << 16n | 8n << 32n;
  const tags = [[256, 4, 1, side], [257, 4, 1, side], [258, 3, 3, bits], [259, 3, 1, 8], [262, 3, 1, 2], [277, 3, 1, 3], [284, 3, 1, 1],
    [322, 3, 1, tile], [323, 3, 1, tile], [324, 16, count * count, each[0]], [325, 16, count * count, each[1]]];
  const directory = Buffer.alloc(8 + 20 * tags.length + 8);
  directory.writeBigUInt64LE(BigInt(tags.length), 0);
  tags.forEach(([tag, kind, n, value], i) => {
    directory.writeUInt16LE(tag, 8 + 20 * i);
    directory.writeUInt16LE(kind, 10 + 20 * i);
    directory.writeBigUInt64LE(BigInt(n), 12 + 20 * i);
    directory.writeBigUInt64LE(BigInt(value), 20 + 20 * i);
  });
  const header = Buffer.from("49492b00080000000000000000000000", "hex");
  header.writeBigUInt64LE(BigInt(append(directory)), 8);
  fs.writeSync(file, header, 0, 16, 0);
  fs.closeSync(file);
}

// Processor seconds and largest memory of a process, in MB.
function taken(id) {
  const stat = fs.readFileSync(`/proc/${id}/stat`, "utf8").split(") ")[1].split(" ");
  return {cpu_s: (Number(stat[11]) + Number(stat[12])) / 100, peak_mb: Number(fs.readFileSync(`/proc/${id}/status`, "utf8").match(/VmHWM:\s+(\d+)/)[1]) / 1024};
}

// Frames a second while the view moves, on the screen of the page.
const frameRate = page => page.evaluate(() => new Promise(done => {
  const start = performance.now();
  let frames = 0;
  const step = () => {
    const now = performance.now();
    if (now - start > 3000) { done(frames * 1000 / (now - start)); return; }
    ++frames;
    macareu.viewer.pan(0.01 * Math.sin((now - start) / 300), 0.01 * Math.cos((now - start) / 300));
    requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
}));

async function largeTiff() {
  writeLargeTiff("large.tif", 65536);
  const runs = [];
  let frames = 0;
  for (let i = 0; i < repeats; ++i) {
    const {page} = await open("about:blank");
    const start = performance.now();
    const server = spawn(process.env.MACAREU_TOOL, ["view", "large.tif"], {cwd: inFolder(".")});
    const address = await new Promise(resolve => server.stdout.once("data", text => resolve(text.toString().trim())));
    const served = performance.now();
    await page.goto(address, {waitUntil: "domcontentloaded"});
    await page.waitForFunction("window.macareu && macareu.viewer && macareu.viewer.ready", {polling: 10, timeout: 180000});
    await page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))));
    const seen = performance.now(), then = taken(server.pid);
    if (i === 0) frames = await frameRate(page);
    await new Promise(done => setTimeout(done, 2000));
    runs.push({address_s: (served - start) / 1000, first_view_s: (seen - start) / 1000, server_cpu_s: then.cpu_s, peak_mb: taken(server.pid).peak_mb});
    await page.close();
    await new Promise(done => { server.on("exit", done); server.kill("SIGINT"); });
    log(JSON.stringify(runs.at(-1)));
  }
  const of = name => runs.map(run => run[name]);
  return {case: "view of a 65536 x 65536 TIFF, RGB, tiles of 256, deflate, no smaller levels", runs: repeats, first_view_s: middle(of("first_view_s")),
    least_first_view_s: Math.min(...of("first_view_s")), address_s: middle(of("address_s")), server_cpu_s_at_first_view: middle(of("server_cpu_s")),
    server_peak_mb: Math.max(...of("peak_mb")), frames_per_s: frames};
}

// Discs of 4 to 6 pixels radius on a grid of 16 pixels, each with a number: 2^20 in 16384 x 16384 pixels.
function writeNuclei(side) {
  const across = side / 16, labels = fs.openSync(inFolder("labels.npy"), "w"), picture = fs.openSync(inFolder("picture.npy"), "w");
  const header = code => {
    const text = `{'descr': '${code}', 'fortran_order': False, 'shape': (${side}, ${side}), }`;
    const padded = text.padEnd(117) + "\n", start = Buffer.from([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, padded.length, 0]);
    return Buffer.concat([start, Buffer.from(padded)]);
  };
  fs.writeSync(labels, header("<u4"));
  fs.writeSync(picture, header("|u1"));
  const random = n => Math.imul(Math.imul(n, 0x9e3779b1) ^ n >>> 15, 0x85ebca6b) >>> 0;
  for (let row = 0; row < across; ++row) {
    const numbers = new Uint32Array(16 * side), pixels = new Uint8Array(16 * side).fill(230);
    for (let column = 0; column < across; ++column) {
      const number = row * across + column + 1, h = random(number), x = 7 + h % 3, y = 7 + (h >> 4) % 3, a = 4 + (h >> 8 & 3) * 0.6, b = 4 + (h >> 12 & 3) * 0.6;
      for (let v = 0; v < 16; ++v)
        for (let u = 0; u < 16; ++u)
          if (((u - x) / a) ** 2 + ((v - y) / b) ** 2 < 1) {
            numbers[v * side + column * 16 + u] = number;
            pixels[v * side + column * 16 + u] = 90 + (h >> 16 & 63);
          }
    }
    fs.writeSync(labels, Buffer.from(numbers.buffer));
    fs.writeSync(picture, Buffer.from(pixels.buffer));
  }
  fs.closeSync(labels);
  fs.closeSync(picture);
  return across * across;
}

const bytesIn = folder => fs.readdirSync(folder, {withFileTypes: true, recursive: true}).filter(entry => entry.isFile())
  .reduce((sum, entry) => sum + fs.statSync(path.join(entry.parentPath || entry.path, entry.name)).size, 0);

// All data of a page but tiles of images.
const besidesTiles = page => ["columns", "places", "objects", "raster"].map(name => inFolder(page + "/page/data/" + name))
  .filter(folder => fs.existsSync(folder)).reduce((sum, folder) => sum + bytesIn(folder), fs.statSync(inFolder(page + "/page/data/meta.js")).size);

async function firstView(page, url) {
  const start = performance.now();
  await page.goto(url, {waitUntil: "domcontentloaded"});
  await settled(page);
  return (performance.now() - start) / 1000;
}

async function millionNuclei() {
  const count = writeNuclei(16384);
  log("measures");
  tool("measure", "labels.npy", "--table", "objects.csv", "--quiet");
  const start = performance.now();
  tool("view", "picture.npy", "--labels", "labels.npy", "--table", "objects.csv", "--page", "million");
  const written = (performance.now() - start) / 1000, times = [];
  log("written in " + written);
  let far = 0, near = 0;
  for (let i = 0; i < repeats; ++i) {
    const {page} = await open("about:blank");
    times.push(await firstView(page, fileUrl("million")));
    if (i === 0) {
      far = await frameRate(page);
      await page.evaluate("macareu.viewer.goTo(8000, 8000, 1, true)");
      await settled(page);
      near = await frameRate(page);
    }
    await page.close();
    log(String(times.at(-1)));
  }
  return {case: "page of 1,048,576 objects, 16384 x 16384, all columns of measure", runs: repeats, first_view_s: middle(times), least_first_view_s: Math.min(...times),
    bytes_per_object: besidesTiles("million") / count, written_s: written, frames_per_s_far: far, frames_per_s_near: near};
}

function slideBytes() {
  tool("generate", "slide", "--shape", "4096,4096", "--seed", "5", "-o", "slide.tif");
  tool("nuclei", "slide.tif", "-o", "nuclei", "--quiet");
  const nuclei = JSON.parse(fs.readFileSync(inFolder("nuclei/summary.json"), "utf8")).nuclei;
  return {case: "page of the nuclei of a generated slide, 4096 x 4096", nuclei, bytes_per_nucleus: besidesTiles("nuclei") / nuclei};
}

try {
  const rows = [await largeTiff(), slideBytes(), await millionNuclei()];
  const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"]).toString().trim();
  console.log(JSON.stringify({commit, machine: os.cpus()[0].model, what: "chromium, software rendering; from the command or the double click to the first view", rows}, null, 1));
} finally {
  await close();
}
