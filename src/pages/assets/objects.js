// Objects of a tile: outlines along the edges of pixels, and what they cover.
"use strict";

macareu.objects = (() => {
  // {count, names, boxes, rings, starts, corners}: names are rows plus one, or labels where there is no table.
  // Object i has the rings firstRing[i] to firstRing[i + 1], ring r the corners firstCorner[r] to firstCorner[r + 1].
  function decode(bytes, left, top) {
    let at = 0;
    const varint = () => {
      let value = 0, scale = 1, byte;
      do { byte = bytes[at++]; value += (byte & 127) * scale; scale *= 128; } while (byte > 127);
      return value;
    };
    const signed = () => { const value = varint(); return value % 2 ? -(value + 1) / 2 : value / 2; };
    const headBytes = bytes.length ? varint() : 0;
    const headEnd = at + headBytes;
    const count = headBytes ? varint() : 0;
    const names = new Float64Array(count), firstRing = new Uint32Array(count + 1);
    const ringX = [], ringY = [], ringSize = [];
    let name = 0, x = left, y = top, corners = 0;
    for (let i = 0; i < count; ++i) {
      names[i] = name += signed();
      for (let n = varint(); n > 0; --n) {
        ringX.push(x += signed());
        ringY.push(y += signed());
        const size = varint();
        ringSize.push(size);
        corners += size - size % 2;
      }
      firstRing[i + 1] = ringX.length;
    }
    at = headEnd;
    const firstCorner = new Uint32Array(ringX.length + 1), xs = new Int32Array(corners), ys = new Int32Array(corners);
    const boxes = new Int32Array(4 * count);
    let c = 0, ring = 0;
    for (let i = 0; i < count; ++i) {
      let x0 = Infinity, y0 = Infinity, x1 = -Infinity, y1 = -Infinity;
      for (; ring < firstRing[i + 1]; ++ring) {
        let u = ringX[ring], v = ringY[ring], vertical = ringSize[ring] % 2;
        const end = c + ringSize[ring] - vertical;
        for (;;) {
          xs[c] = u; ys[c] = v;
          if (u < x0) x0 = u;
          if (u > x1) x1 = u;
          if (v < y0) y0 = v;
          if (v > y1) y1 = v;
          if (++c === end) break;
          const step = signed();
          if (vertical) v += step; else u += step;
          vertical = 1 - vertical;
        }
        firstCorner[ring + 1] = c;
      }
      boxes.set([x0, y0, x1, y1], 4 * i);
    }
    return {count, names, boxes, firstRing, firstCorner, xs, ys};
  }

  // Calls edge(x, from y, to y) for the vertical edges of an object: upwards on its left, downwards on its right.
  function verticalEdges(tile, i, edge) {
    for (let r = tile.firstRing[i]; r < tile.firstRing[i + 1]; ++r) {
      const first = tile.firstCorner[r], end = tile.firstCorner[r + 1];
      for (let a = first; a < end; ++a) {
        const b = a + 1 < end ? a + 1 : first;
        if (tile.xs[a] === tile.xs[b]) edge(tile.xs[a], tile.ys[a], tile.ys[b]);
      }
    }
  }

  // The object with the pixel that contains the point; -1 if there is none. With a distance above 0 the nearest
  // box within it.
  function find(tile, x, y, distance) {
    const px = Math.floor(x), py = Math.floor(y), {boxes} = tile;
    let best = -1, least = distance;
    for (let i = 0; i < tile.count; ++i) {
      const [x0, y0, x1, y1] = boxes.subarray(4 * i, 4 * i + 4);
      if (px >= x0 && px < x1 && py >= y0 && py < y1) {
        let inside = false;
        verticalEdges(tile, i, (ex, from, to) => {
          if (ex <= px && Math.min(from, to) <= py && py < Math.max(from, to)) inside = !inside;
        });
        if (inside) return i;
      }
      const away = Math.hypot(x - (x0 + x1) / 2, y - (y0 + y1) / 2);
      if (away < least) { least = away; best = i; }
    }
    return best;
  }

  // Adds the share of each cell of 2^halvings pixels that objects cover: red, green, blue (weighted by it) and
  // itself, four numbers a cell. colour(name) gives a packed colour, or -1 for none.
  function cover(tile, left, top, halvings, width, height, colour, sums) {
    const side = 1 << halvings, whole = side * side;
    let part = new Int32Array(4096);
    for (let i = 0; i < tile.count; ++i) {
      const rgb = colour(tile.names[i]);
      if (rgb < 0) continue;
      const red = rgb >> 16, green = rgb >> 8 & 255, blue = rgb & 255;
      const b = 4 * i;
      const x0 = tile.boxes[b] - left >> halvings, y0 = tile.boxes[b + 1] - top >> halvings;
      const x1 = (tile.boxes[b + 2] - left - 1 >> halvings) + 1, y1 = (tile.boxes[b + 3] - top - 1 >> halvings) + 1;
      const wide = x1 - x0 + 1, size = wide * (y1 - y0);
      if (part.length < size) part = new Int32Array(2 * size);
      part.fill(0, 0, size);
      // Sums along a row of cells then count pixels: a left edge adds those of its own cell, and side for cells
      // behind it; a right edge takes them away.
      verticalEdges(tile, i, (x, from, to) => {
        const up = from > to, sign = up ? 1 : -1;
        let v = (up ? to : from) - top;
        const end = (up ? from : to) - top, u = x - left, column = (u >> halvings) - x0, within = u & side - 1;
        while (v < end) {
          const next = Math.min(end, (v >> halvings) + 1 << halvings), length = sign * (next - v);
          const cell = ((v >> halvings) - y0) * wide + column;
          part[cell] += length * (side - within);
          part[cell + 1] += length * within;
          v = next;
        }
      });
      for (let y = y0; y < y1; ++y) {
        let pixels = 0;
        for (let x = x0; x < x1; ++x) {
          pixels += part[(y - y0) * wide + x - x0];
          if (pixels === 0 || x < 0 || y < 0 || x >= width || y >= height) continue;
          const share = pixels / whole, to = 4 * (y * width + x);
          sums[to] += share * red;
          sums[to + 1] += share * green;
          sums[to + 2] += share * blue;
          sums[to + 3] += share;
        }
      }
    }
  }

  // Adds a square of the object's size at its middle, for levels where it is about a pixel.
  function coverPlace(x, y, size, rgb, left, top, halvings, width, height, sums) {
    const scale = 1 / (1 << halvings), side = Math.max(Math.sqrt(size) * scale, 1e-9);
    const fit = (middle, most) => Math.max(0, Math.min((middle) * scale - side / 2, most - side));
    const x0 = fit(x - left, width), y0 = fit(y - top, height), x1 = x0 + side, y1 = y0 + side;
    for (let v = Math.floor(y0); v < y1 && v < height; ++v)
      for (let u = Math.floor(x0); u < x1 && u < width; ++u) {
        const share = (Math.min(x1, u + 1) - Math.max(x0, u)) * (Math.min(y1, v + 1) - Math.max(y0, v));
        const to = 4 * (v * width + u);
        sums[to] += share * (rgb >> 16);
        sums[to + 1] += share * (rgb >> 8 & 255);
        sums[to + 2] += share * (rgb & 255);
        sums[to + 3] += share;
      }
  }

  // Adds an object's outline to a path, on the screen. Edges between tiles are no outlines, those of the image are.
  function trace(tile, i, path, view, [left, top, right, bottom, width, height]) {
    const {scale} = view, screen = (x, y) => [(x - view.x) * scale, (y - view.y) * scale];
    for (let r = tile.firstRing[i]; r < tile.firstRing[i + 1]; ++r) {
      const first = tile.firstCorner[r], count = tile.firstCorner[r + 1] - first;
      path.moveTo(...screen(tile.xs[first], tile.ys[first]));
      for (let k = 1; k <= count; ++k) {
        const a = first + k - 1, b = first + k % count, x = tile.xs[b], y = tile.ys[b];
        const between = (x === tile.xs[a] && (x === left || x === right) && x > 0 && x < width) ||
          (y === tile.ys[a] && (y === top || y === bottom) && y > 0 && y < height);
        if (between) path.moveTo(...screen(x, y));
        else path.lineTo(...screen(x, y));
      }
    }
  }

  return {decode, find, cover, coverPlace, trace};
})();
