// The image: OpenSeadragon, comparison of two images, scale bar.
"use strict";

macareu.viewer = (() => {
  const {data, overlay} = macareu;
  // What is in view: the image's point at the top left, and pixels of the screen for one of the image.
  const view = {x: 0, y: 0, scale: 0, ratio: 1};
  let about, osd, slice = 0, mode = "slider", split = 0.5, second = 1, ready = false, finished = false;
  // Of what a server makes finer, by image; how often it was asked; whether something was loaded since then.
  let versions, asked = 0, news = false;
  // The first image and the one compared with it: what is shown, and before it what is shown until that is loaded.
  const layers = [[], []];

  const at = id => document.getElementById(id);

  function source(image) {
    const {width, height, tile, halvings, images} = about, {type, coarseFrom} = images[image];
    const top = Math.ceil(Math.log2(Math.max(width, height, 2)));
    const depth = Math.max(width, height) === 1 ? 0 : top;
    const now = slice, fresh = "?" + versions[image];
    const refined = level => coarseFrom !== null && halvings - level >= coarseFrom;
    return {
      width, height, tileSize: tile, tileOverlap: 0, minLevel: 0, maxLevel: halvings,
      getTileUrl: (level, x, y) => data.imageUrl("page/data/image-" + image + "-" + now + "_files/" +
        (depth - halvings + level) + "/" + x + "_" + y + "." + type) + (refined(level) ? fresh : "")
    };
  }

  function open(meta) {
    about = meta;
    mode = meta.mode;
    versions = meta.images.map(image => image.version);
    osd = OpenSeadragon({
      element: at("viewer"), drawer: "canvas", showNavigationControl: false, showNavigator: false,
      animationTime: 0.4, springStiffness: 10, maxZoomPixelRatio: 32, minZoomImageRatio: 0.5, visibilityRatio: 0.2,
      imageSmoothingEnabled: true, gestureSettingsMouse: {clickToZoom: false, dblClickToZoom: true},
      imageLoaderLimit: 6, maxImageCacheCount: 300, preserveViewport: true
    });
    // Both panes zoom about the point under the pointer.
    for (const name of ["canvas-scroll", "canvas-double-click", "canvas-pinch"])
      osd.addHandler(name, event => {
        for (const point of [event.position, event.center, event.lastCenter])
          if (point) point.x = inPane(point.x);
      });
    osd.addHandler("update-viewport", update);
    osd.addHandler("resize", () => requestAnimationFrame(update));
    osd.addHandler("canvas-key", event => { event.preventDefaultAction = true; });
    osd.addHandler("tile-loaded", () => { ready = true; });
    osd.addHandler("tile-load-failed", event => {
      macareu.say("A tile of the image is missing: " + (event.tile ? event.tile.getUrl() : event.message));
      askAgain();
    });
    osd.addHandler("canvas-click", event => {
      if (!event.quick) return;
      const point = imagePoint(event.position);
      osd.raiseEvent("macareu-click", {x: point.x, y: point.y});
    });
    new OpenSeadragon.MouseTracker({
      element: at("viewer"),
      moveHandler: event => {
        const point = imagePoint(event.position), x = Math.floor(point.x), y = Math.floor(point.y);
        const inside = x >= 0 && y >= 0 && x < about.width && y < about.height;
        at("position").textContent = inside ? "x " + x + ", y " + y : "";
      },
      leaveHandler: () => { at("position").textContent = ""; }
    });
    showImages();
    if (about.live) watch();
    overlay.open(about, at("overlay"), view);
    moveDivider();
  }

  const compares = () => about.images.length > 1;
  const sideBySide = () => compares() && mode === "side";

  // Loads images anew; what was there stays in view until then, and tiles with the same address are kept.
  function showImages(wanted = () => true) {
    (compares() ? [0, second] : [0]).forEach((image, slot) => wanted(image) && osd.addTiledImage({
      tileSource: source(image), x: 0, y: 0, width: 1, success: ({item}) => addLayer(slot, item)
    }));
  }

  // OpenSeadragon enlarges tiles by a pixel of the screen against seams, which moves the image under its objects.
  // Tiles have their exact size here and meet on whole pixels of the screen.
  function placeExactly(item) {
    item._positionTile = function (tile, ...others) {
      OpenSeadragon.TiledImage.prototype._positionTile.call(this, tile, ...others);
      const ratio = OpenSeadragon.pixelDensityRatio, {width, height} = tile.positionedBounds;
      const size = osd.viewport.deltaPixelsFromPointsNoRotate(new OpenSeadragon.Point(width, height), true);
      for (const [axis, last] of [["x", tile.isRightMost], ["y", tile.isBottomMost]]) {
        const first = Math.round(tile.position[axis] * ratio) / ratio, end = tile.position[axis] + size[axis];
        tile.position[axis] = first;
        tile.size[axis] = (last ? end : Math.round(end * ratio) / ratio) - first;
      }
    };
  }

  function addLayer(slot, item) {
    placeExactly(item);
    const layer = layers[slot], {world} = osd, first = !layers[0].length;
    const drop = old => { layer.splice(layer.indexOf(old), 1); world.removeItem(old); };
    layer.push(item);
    world.setItemIndex(item, slot === 0 ? layer.length - 1 : world.getItemCount() - 1);
    lastClip = "";
    if (first) home(true);
    if (layer.length > 2) drop(layer[0]);
    item.addHandler("fully-loaded-change", ({fullyLoaded}) => {
      if (!fullyLoaded) return;
      askAgain();
      layer.slice(0, Math.max(0, layer.indexOf(item))).forEach(drop);
    });
  }

  // A server reads files while they are looked at: coarse tiles of large images become finer, and parts may be damaged.
  async function ask() {
    const bytes = await data.load("progress/" + asked++), now = JSON.parse(new TextDecoder().decode(bytes));
    now.messages.forEach(text => macareu.say(text));
    const finer = now.images.map((version, image) => version > versions[image]);
    versions = now.images;
    if (finer.some(Boolean)) showImages(image => finer[image]);
    if (about.objects && now.raster > about.objects.raster.version) {
      about.objects.raster.version = now.raster;
      overlay.refresh();
    }
    if (about.objects && !about.objects.raster.exact && !now.refines) {
      about.objects.raster.exact = true;
      overlay.refresh();
    }
    return now;
  }

  async function watch() {
    finished = false;
    try {
      for (let n = 0; !finished; ++n) {
        if (n > 0) await new Promise(done => setTimeout(done, n < 8 ? 250 : 1000));
        news = false;
        const now = await ask();
        finished = !now.refines && ready && overlay.idle && !news;
      }
    } catch {
      finished = true;
      macareu.say("The server has ended: start it again and load this page anew.");
    }
  }

  // What was loaded since the last answer may be damaged or not fit the table.
  function askAgain() {
    news = true;
    if (finished) watch();
  }

  // A place across the viewer, or the same place in the first of two panes.
  function inPane(x) {
    const half = osd.viewport.getContainerSize().x / 2;
    return sideBySide() && x > half ? x - half : x;
  }

  const imagePoint = position => ({
    x: view.x + inPane(position.x) * view.ratio / view.scale, y: view.y + position.y * view.ratio / view.scale
  });

  function update() {
    const bounds = osd.viewport.getBounds(true), size = osd.viewport.getContainerSize(), canvas = at("overlay");
    view.ratio = window.devicePixelRatio || 1;
    const width = Math.round(size.x * view.ratio), height = Math.round(size.y * view.ratio);
    if (canvas.width !== width || canvas.height !== height) { canvas.width = width; canvas.height = height; }
    view.scale = width / (bounds.width * about.width);
    view.x = bounds.x * about.width;
    view.y = bounds.y * about.width;
    compare(bounds);
    overlay.draw();
    drawScale();
    osd.world.getItemCount() && sharpen();
  }

  // Pixels are squares when they are enlarged.
  function sharpen() {
    const smooth = view.scale < 1.5;
    if (osd.drawer._macareuSmooth === smooth) return;
    osd.drawer._macareuSmooth = smooth;
    osd.drawer.setImageSmoothingEnabled(smooth);
  }

  // The second image is clipped to the right of the divider; side by side it shows what the first one shows.
  let lastClip = "";
  function compare(bounds) {
    if (!compares() || !layers[1].length) return;
    const side = mode === "side", shift = side ? bounds.width / 2 : 0;
    const left = bounds.x + bounds.width * (side ? 0.5 : split) - shift, clip = [left, shift, mode].join(" ");
    view.end = side ? at("overlay").width / 2 : undefined;
    if (clip === lastClip) return;
    lastClip = clip;
    const inside = x => Math.max(0, Math.min(x * about.width, about.width));
    const between = (x0, x1) => new OpenSeadragon.Rect(inside(x0), 0, inside(x1) - inside(x0), about.height);
    for (const item of layers[1]) {
      if (item.getBounds(true).x !== shift) item.setPosition(new OpenSeadragon.Point(shift, 0), true);
      item.setClip(between(left, 1));
    }
    for (const item of layers[0]) item.setClip(side ? between(0, bounds.x + bounds.width / 2) : null);
  }

  function moveDivider() {
    const bar = at("divider"), share = mode === "side" ? 50 : split * 100;
    bar.hidden = !compares();
    bar.style.left = share + "%";
    bar.classList.toggle("fixed", mode === "side");
    bar.setAttribute("aria-valuenow", Math.round(share));
    if (bar.hidden) return;
    at("before").textContent = about.images[0].name;
    at("after").textContent = about.images[second].name;
  }

  function watchDivider() {
    const bar = at("divider");
    bar.addEventListener("pointerdown", event => bar.setPointerCapture(event.pointerId));
    bar.addEventListener("pointermove", event => {
      if (!bar.hasPointerCapture(event.pointerId)) return;
      const box = at("viewer").getBoundingClientRect();
      setSplit((event.clientX - box.left) / box.width);
    });
  }

  // The whole image, in the first pane if there are two.
  function homeBounds() {
    const size = osd.viewport.getContainerSize(), aspect = size.x / size.y, tall = about.height / about.width;
    const panes = sideBySide() ? 2 : 1, width = Math.max(panes, tall * aspect);
    return new OpenSeadragon.Rect(0.5 - width / panes / 2, tall / 2 - width / aspect / 2, width, width / aspect);
  }

  function home(immediately = false) { osd.viewport.fitBounds(homeBounds(), immediately === true); }

  const paneCentre = bounds => new OpenSeadragon.Point(bounds.x + bounds.width / (sideBySide() ? 4 : 2), bounds.y + bounds.height / 2);

  // What is in the middle stays there; a view of the whole image stays one.
  function setMode(value) {
    const bounds = osd.viewport.getBounds(true), whole = homeBounds(), before = paneCentre(bounds);
    const atHome = Math.abs(bounds.width - whole.width) < whole.width / 100 && Math.abs(bounds.x - whole.x) < whole.width / 100;
    mode = value;
    view.end = undefined;
    lastClip = "";
    moveDivider();
    if (atHome) home(true);
    else osd.viewport.panBy(before.minus(paneCentre(bounds)), true);
    osd.forceRedraw();
  }

  function setSplit(value) {
    if (!compares() || mode === "side") return;
    split = Math.max(0, Math.min(1, value));
    moveDivider();
    osd.forceRedraw();
  }

  // A round length of at most 150 pixels of the screen: 1, 2 or 5 times a power of ten.
  function drawScale() {
    const size = about.pixelSize ? about.pixelSize[1] : 1, longest = 150 * view.ratio / view.scale * size;
    const power = 10 ** Math.floor(Math.log10(longest));
    const length = [5, 2, 1].find(n => n * power <= longest) * power;
    at("scale-bar").style.width = length / size * view.scale / view.ratio + "px";
    const number = (value, unit) => Number(value.toPrecision(3)) + " " + unit;
    at("scale-text").textContent = !about.pixelSize ? number(length, "px")
      : length >= 1000 ? number(length / 1000, "mm") : length < 1 ? number(length * 1000, "nm") : number(length, "µm");
  }

  return {
    open, view, watchDivider, setSplit, imagePoint, askAgain,
    get osd() { return osd; },
    get ready() { return ready; },
    get finished() { return finished; },
    get loaded() { return layers.flat().every(item => item.getFullyLoaded()); },
    get split() { return split; },
    setMode,
    setSecond(index) { second = index; moveDivider(); showImages(); },
    setSlice(index) {
      slice = Math.max(0, Math.min(about.slices - 1, index));
      showImages();
      overlay.setSlice(slice);
    },
    get slice() { return slice; },
    get versions() { return versions; },
    pan(x, y) {
      const bounds = osd.viewport.getBounds();
      osd.viewport.panBy(new OpenSeadragon.Point(x * bounds.width, y * bounds.height));
      osd.viewport.applyConstraints();
    },
    zoom(factor) { osd.viewport.zoomBy(factor, paneCentre(osd.viewport.getBounds())); osd.viewport.applyConstraints(); },
    home,
    // Shows a point in the middle; scale is in pixels of the screen for one of the image.
    goTo(x, y, scale, immediately = false) {
      const width = about.width, zoom = scale * width / (osd.viewport.getContainerSize().x * view.ratio);
      osd.viewport.zoomTo(zoom, undefined, immediately);
      osd.viewport.panTo(new OpenSeadragon.Point(x / width, y / width), immediately);
    }
  };
})();
