// Colours of objects: one for all, by number, or by a column.
"use strict";

macareu.colours = (() => {
  // Viridis at nine places; between them colours are mixed.
  const stops = [0x440154, 0x472d7b, 0x3b528b, 0x2c728e, 0x21918c, 0x28ae80, 0x5ec962, 0xaddc30, 0xfde725];
  const scale = Array.from({length: 256}, (_, i) => {
    const at = i / 255 * (stops.length - 1), k = Math.min(Math.floor(at), stops.length - 2), t = at - k;
    const mix = shift => Math.round((stops[k] >> shift & 255) * (1 - t) + (stops[k + 1] >> shift & 255) * t);
    return mix(16) << 16 | mix(8) << 8 | mix(0);
  });
  const plain = 0xffc20a, unknown = 0x9aa0a6, selectedColour = "#ff2a6d";

  let column = null, low = 0, high = 1;

  function by(one) {
    column = one;
    if (column) [low, high] = [column.first, column.last];
  }

  // Neighbouring numbers get different hues.
  function ofNumber(number) {
    const hue = number * 0.618034 % 1 * 6, x = Math.round(255 * (1 - Math.abs(hue % 2 - 1)));
    return [255 << 16 | x << 8, x << 16 | 255 << 8, 255 << 8 | x, x << 8 | 255, x << 16 | 255, 255 << 16 | x][Math.floor(hue)];
  }

  function ofRow(row) {
    if (!column) return plain;
    const value = column.values()[row];
    if (Number.isNaN(value)) return unknown;
    return scale[Math.max(0, Math.min(255, Math.floor((value - low) / (high - low || 1) * 256)))];
  }

  const css = rgb => "#" + rgb.toString(16).padStart(6, "0");

  return {by, ofRow, ofNumber, css, scale, plain, unknown, selectedColour, get column() { return column; }, get range() { return [low, high]; }};
})();
