// Objects above the image. Far away a picture of covered area, near by outlines of the tiles in view; every
// object takes part in both.
"use strict";

macareu.overlay = (() => {
  const {objects, table, colours, data} = macareu;
  let about, layer, canvas, context, view, slice = 0;
  let version = 0, shown = true, outlineShown = true, opacity = 0.6, selected = 0, outline = null, bumped = false, waiting = false;
  const tiles = new Map();     // "z-y-x" -> {tile} or {} while it is loaded
  const rasters = new Map();   // "z-k-y-x" -> {bytes} or {}
  const pictures = new Map();  // key -> {canvas, version}, the oldest use first
  const pictureLimit = 40e6, tileLimit = 240;
  let picturePixels = 0, jobs = [];

  function open(meta, element, currentView) {
    about = meta;
    layer = meta.objects;
    canvas = element;
    context = canvas.getContext("2d");
    view = currentView;
    outline = meta.outline ? macareu.geojsonPath(meta.outline) : null;
  }

  const later = () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; draw(); });
  };
  // Colours or filters changed: pictures are made anew, and old ones stay until then.
  const restyle = () => {
    if (bumped) return;
    bumped = true;
    requestAnimationFrame(() => { bumped = false; ++version; draw(); });
  };

  function entry(map, name, make) {
    let one = map.get(name);
    if (!one) {
      map.set(name, one = {});
      one.ready = data.load(name).then(bytes => { Object.assign(one, make(bytes)); later(); return one; })
        .catch(error => { one.failed = true; macareu.say(error.message); return one; })
        .finally(() => macareu.viewer.askAgain());
    }
    return one;
  }

  function objectTile(y, x) {
    const columns = Math.ceil(about.width / layer.tile), rows = Math.ceil(about.height / layer.tile);
    if (layer.counts && !layer.counts[(slice * rows + y) * columns + x]) return {tile: {count: 0}};
    const name = "objects/" + slice + "-" + y + "-" + x;
    const known = tiles.get(name);
    if (known) { tiles.delete(name); tiles.set(name, known); }
    else if (tiles.size > tileLimit) tiles.delete(tiles.keys().next().value);
    return entry(tiles, name, bytes => ({tile: checked(objects.decode(bytes, x * layer.tile, y * layer.tile))}));
  }

  function checked(tile) {
    if (layer.rows !== null && tile.names.some(name => name === 0))
      macareu.say("Some objects have no row in the table. Is it the table of another image?");
    return tile;
  }

  function colourOf(name) {
    if (layer.rows === null) return colours.ofNumber(name);
    if (name === 0) return table.filtered ? -1 : colours.unknown;
    return table.shows(name - 1) ? colours.ofRow(name - 1) : -1;
  }

  // A picture under a key, made by paint(sums, width, height) when there is time; the last one until then. What is covered
  // is at least so opaque, of 255, that it can be seen.
  function picture(key, width, height, least, paint) {
    let one = pictures.get(key);
    if (one) { pictures.delete(key); pictures.set(key, one); }
    if (one && one.version === version) return one.canvas;
    jobs.push(() => {
      const made = document.createElement("canvas");
      made.width = width;
      made.height = height;
      const sums = new Float32Array(4 * width * height), to = made.getContext("2d"), image = to.createImageData(width, height);
      if (paint(sums, width, height) === false) return false;
      for (let i = 0; i < sums.length; i += 4) {
        const share = sums[i + 3];
        if (share === 0) continue;
        for (let c = 0; c < 3; ++c) image.data[i + c] = sums[i + c] / share;
        image.data[i + 3] = Math.max(least, Math.min(share, 1) * 255);
      }
      to.putImageData(image, 0, 0);
      if (!pictures.has(key)) picturePixels += width * height;
      pictures.set(key, {canvas: made, version, pixels: width * height});
      while (picturePixels > pictureLimit && pictures.size > 1) {
        const [oldest, {pixels}] = pictures.entries().next().value;
        pictures.delete(oldest);
        picturePixels -= pixels;
      }
      return true;
    });
    return one && one.canvas;
  }

  // Calls visit(row, column, left, top) for tiles of so many pixels that are in view.
  function inView(side, visit) {
    const first = at => Math.max(0, Math.floor(at / side));
    const end = (at, most) => Math.min(Math.ceil(most / side), Math.ceil(at / side));
    const right = view.x + canvas.width / view.scale, bottom = view.y + canvas.height / view.scale;
    for (let y = first(view.y); y < end(bottom, about.height); ++y)
      for (let x = first(view.x); x < end(right, about.width); ++x) visit(y, x, x * side, y * side);
  }

  // Tiles meet on whole pixels of the screen.
  function place(made, left, top, width, height) {
    const x0 = Math.round((left - view.x) * view.scale), y0 = Math.round((top - view.y) * view.scale);
    const x1 = Math.round((left + width - view.x) * view.scale), y1 = Math.round((top + height - view.y) * view.scale);
    context.drawImage(made, x0, y0, x1 - x0, y1 - y0);
  }

  function drawNear(halvings) {
    const side = 1 << halvings;
    inView(layer.tile, (y, x, left, top) => {
      const {tile} = objectTile(y, x);
      if (!tile || tile.count === 0) return;
      needColours(tile);
      const width = Math.ceil(Math.min(layer.tile, about.width - left) / side);
      const height = Math.ceil(Math.min(layer.tile, about.height - top) / side);
      const made = picture("near/" + slice + "/" + halvings + "/" + y + "/" + x, width, height, 1,
        (sums, w, h) => objects.cover(tile, left, top, halvings, w, h, colourOf, sums));
      if (made) place(made, left, top, width * side, height * side);
    });
  }

  function needColours(tile) {
    if (!colours.column || tile.asked === colours.column) return;
    tile.asked = colours.column;
    const blocks = new Set();
    for (const name of tile.names) if (name > 0) blocks.add(Math.floor((name - 1) / layer.block));
    for (const block of blocks) colours.column.need(block).catch(error => macareu.say(error.message));
  }

  function drawFar(halvings) {
    const side = about.tile << halvings, styled = table.filtered || colours.column;
    if (styled && !table.places.length)
      macareu.say("Colours and filters are shown near by only: the table has no places of objects.");
    // A server's picture of covered area takes a while; places of the table are there at once.
    const byPlaces = (styled || !layer.raster.exact) && table.places.length > 0;
    if (byPlaces && !placesReady()) return;
    inView(side, (y, x, left, top) => {
      const width = Math.ceil(Math.min(side, about.width - left) / (1 << halvings));
      const height = Math.ceil(Math.min(side, about.height - top) / (1 << halvings));
      const name = slice + "-" + halvings + "-" + y + "-" + x;
      const made = picture("far/" + name, width, height, 17, (sums, w, h) => byPlaces
        ? paintPlaces(sums, left, top, halvings, w, h)
        : paintRaster(entry(rasters, "raster/" + name, bytes => ({bytes})).bytes, sums));
      if (made) place(made, left, top, width << halvings, height << halvings);
    });
  }

  function paintRaster(bytes, sums) {
    if (!bytes) return false;
    const rgb = colours.plain;
    for (let i = 0; i < bytes.length; ++i) {
      const share = bytes[i] / 255;
      sums.set([share * (rgb >> 16), share * (rgb >> 8 & 255), share * (rgb & 255), share], 4 * i);
    }
    return true;
  }

  // Columns of places and the colour, then rows in the order of cells of the far tiles.
  let cells = null, placesAsked = null;
  function placesReady() {
    const wanted = [...table.places, ...(colours.column ? [colours.column] : [])];
    if (placesAsked !== colours.column || !cells) {
      if (placesAsked === colours.column && cells === false) return false;
      placesAsked = colours.column;
      cells = false;
      Promise.all(wanted.map(column => column.needAll())).then(() => { cells = sortedByCell(); restyle(); })
        .catch(error => macareu.say(error.message));
    }
    return Boolean(cells);
  }

  function sortedByCell() {
    const side = about.tile << layer.raster.first, columns = Math.ceil(about.width / side), rows = Math.ceil(about.height / side);
    const [xs, ys] = table.places.map(column => column.values());
    const start = new Uint32Array(columns * rows + 1), order = new Uint32Array(xs.length);
    const cell = i => Math.floor(ys[i] / side) * columns + Math.floor(xs[i] / side);
    for (let i = 0; i < xs.length; ++i) ++start[cell(i) + 1];
    for (let c = 0; c < columns * rows; ++c) start[c + 1] += start[c];
    const next = start.slice();
    for (let i = 0; i < xs.length; ++i) order[next[cell(i)]++] = i;
    return {side, columns, rows, start, order};
  }

  function paintPlaces(sums, left, top, halvings, width, height) {
    const [xs, ys, sizes] = table.places.map(column => column.values());
    const {side, columns, rows, start, order} = cells, far = about.tile << halvings;
    for (let y = top / side; y < Math.min((top + far) / side, rows); ++y)
      for (let x = left / side; x < Math.min((left + far) / side, columns); ++x)
        for (let n = start[y * columns + x]; n < start[y * columns + x + 1]; ++n) {
          const row = order[n];
          if (!table.shows(row)) continue;
          objects.coverPlace(xs[row], ys[row], sizes[row], colours.ofRow(row), left, top, halvings, width, height, sums);
        }
    return true;
  }

  // Outlines of the objects in view, those of a colour together.
  function drawOutlines() {
    const right = view.x + canvas.width / view.scale, bottom = view.y + canvas.height / view.scale;
    const paths = new Map(), chosen = new Path2D();
    inView(layer.tile, (y, x, left, top) => {
      const {tile} = objectTile(y, x);
      if (!tile) return;
      const ends = [left, top, left + layer.tile, top + layer.tile, about.width, about.height];
      for (let i = 0; i < tile.count; ++i) {
        const b = 4 * i;
        if (tile.boxes[b] > right || tile.boxes[b + 1] > bottom || tile.boxes[b + 2] < view.x || tile.boxes[b + 3] < view.y) continue;
        const rgb = colourOf(tile.names[i]);
        const isChosen = tile.names[i] === selected;
        if (rgb < 0 && !isChosen) continue;
        if (!paths.has(rgb)) paths.set(rgb, new Path2D());
        objects.trace(tile, i, isChosen ? chosen : paths.get(rgb), view, ends);
      }
    });
    context.lineWidth = Math.max(1, Math.min(2, view.scale)) * view.ratio;
    for (const [rgb, path] of paths) {
      context.strokeStyle = colours.css(rgb < 0 ? colours.unknown : rgb);
      context.stroke(path);
    }
    context.strokeStyle = colours.selectedColour;
    context.lineWidth = 3 * view.ratio;
    context.stroke(chosen);
  }

  function draw() {
    if (!context || !view.scale) return;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, canvas.width, canvas.height);
    jobs = [];
    context.save();
    if (view.end !== undefined) { context.beginPath(); context.rect(0, 0, view.end, canvas.height); context.clip(); }
    if (layer && shown) {
      const halvings = Math.max(0, Math.floor(-Math.log2(view.scale) + 1e-6)), {first, levels} = layer.raster;
      const outlines = view.scale > 0.99;
      context.globalAlpha = outlines ? opacity / 2 : opacity;
      context.imageSmoothingEnabled = view.scale < 1;
      if (halvings < first) drawNear(halvings);
      else drawFar(Math.min(halvings, first + levels - 1));
      context.globalAlpha = 1;
      if (outlines) drawOutlines();
    }
    if (outline && shown && outlineShown) {
      context.setTransform(view.scale, 0, 0, view.scale, -view.x * view.scale, -view.y * view.scale);
      context.lineWidth = 2 * view.ratio / view.scale;
      context.strokeStyle = "#1a9850";
      context.stroke(outline);
    }
    context.restore();
    work();
  }

  // Pictures that are missing are made for some milliseconds of each frame.
  function work() {
    const end = performance.now() + 12;
    let made = false;
    while (jobs.length && performance.now() < end) made = jobs.shift()() || made;
    if (made) later();
  }

  // The name of the object at a point of the image; 0 if there is none.
  async function find(x, y) {
    if (!layer || x < 0 || y < 0 || x >= about.width || y >= about.height) return 0;
    const {tile} = await objectTile(Math.floor(y / layer.tile), Math.floor(x / layer.tile)).ready || {};
    if (!tile || !tile.count) return 0;
    const i = objects.find(tile, x, y, 4 / view.scale);
    return i < 0 || colourOf(tile.names[i]) < 0 ? 0 : tile.names[i];
  }

  return {
    open, draw, later, restyle, find,
    select(name) { selected = name; later(); },
    show(on) { shown = on; later(); },
    showOutline(on) { outlineShown = on; later(); },
    setOpacity(value) { opacity = value; later(); },
    refresh() { rasters.clear(); restyle(); },
    setSlice(index) { slice = index; later(); },
    get shown() { return shown; },
    get selected() { return selected; },
    get idle() { return !waiting && !bumped && !jobs.length && [...tiles.values(), ...rasters.values()].every(one => one.tile || one.bytes || one.failed); }
  };
})();
