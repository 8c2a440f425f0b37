// Outlines, such as that of tissue.
"use strict";

// Lines of GeoJSON of any kind, in pixels.
macareu.geojsonPath = text => {
  const path = new Path2D();
  const add = part => {
    if (!part) return;
    if (Array.isArray(part)) {
      if (part.length && Array.isArray(part[0]) && typeof part[0][0] === "number") {
        part.forEach(([x, y], i) => i ? path.lineTo(x, y) : path.moveTo(x, y));
        path.closePath();
      } else part.forEach(add);
    } else add(part.features || part.geometries || part.geometry || part.coordinates);
  };
  try { add(JSON.parse(text)); } catch { macareu.say("The outline of this page is not valid GeoJSON."); }
  return path;
};
