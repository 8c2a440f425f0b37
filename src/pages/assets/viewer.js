// The image: OpenSeadragon, comparison of two images, scale bar.
"use strict";

macareu.viewer = (() => {
  const {data, overlay} = macareu;
  // What is in view: the image's point at the top left, and pixels of the screen for one of the image.
  const view = {x: 0, y: 0, scale: 0, ratio: 1};
  let about, osd, version = 0, slice = 0, mode = "slider", split = 0.5, second = 1, ready = false;

  const at = id => document.getElementById(id);

  function source(image) {
    const {width, height, tile, halvings, images} = about;
    const top = Math.ceil(Math.log2(Math.max(width, height, 2)));
    const depth = Math.max(width, height) === 1 ? 0 : top;
    const now = slice, fresh = version ? "?" + version : "";
    return {
      width, height, tileSize: tile, tileOverlap: 0, minLevel: 0, maxLevel: halvings,
      getTileUrl: (level, x, y) => data.imageUrl("page/data/image-" + image + "-" + now + "_files/" +
        (depth - halvings + level) + "/" + x + "_" + y + "." + images[image].type) + fresh
    };
  }

  function open(meta) {
    about = meta;
    mode = meta.mode;
    osd = OpenSeadragon({
      element: at("viewer"), drawer: "canvas", showNavigationControl: false, showNavigator: false,
      animationTime: 0.4, springStiffness: 10, maxZoomPixelRatio: 32, minZoomImageRatio: 0.5, visibilityRatio: 0.2,
      imageSmoothingEnabled: true, gestureSettingsMouse: {clickToZoom: false, dblClickToZoom: true},
      imageLoaderLimit: 6, maxImageCacheCount: 300
    });
    osd.addHandler("update-viewport", update);
    osd.addHandler("resize", () => requestAnimationFrame(update));
    osd.addHandler("canvas-key", event => { event.preventDefaultAction = true; });
    osd.addHandler("tile-loaded", () => { ready = true; });
    osd.addHandler("tile-load-failed", event => {
      macareu.say("A tile of the image is missing: " + (event.tile ? event.tile.getUrl() : event.message));
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
    addImages();
    if (about.live) watch().catch(() => macareu.say("The server has ended: start it again and load this page anew."));
    overlay.open(about, at("overlay"), view);
    moveDivider();
  }

  function addImages() {
    osd.world.removeAll();
    const wanted = about.images.length > 1 ? [0, second] : [0];
    wanted.forEach((image, index) => osd.addTiledImage({tileSource: source(image), index, x: 0, y: 0, width: 1}));
  }

  // A server refines coarse tiles of large images while it reads them.
  async function watch() {
    for (let n = 0;; ++n) {
      const bytes = await data.load("progress/" + n), now = JSON.parse(new TextDecoder().decode(bytes));
      if (now.version > version && n > 0) { version = now.version; lastClip = ""; refresh(); overlay.refresh(); }
      version = Math.max(version, now.version);
      if (!now.refines && n > 0) return;
      await new Promise(done => setTimeout(done, 500));
    }
  }

  function refresh() {
    for (let i = 0; i < osd.world.getItemCount(); ++i) {
      const image = i === 0 ? 0 : second;
      osd.addTiledImage({tileSource: source(image), index: i, replace: true, x: 0, y: 0, width: 1});
    }
  }

  const imagePoint = position => ({
    x: view.x + position.x * view.ratio / view.scale, y: view.y + position.y * view.ratio / view.scale
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
    const other = osd.world.getItemAt(1);
    if (!other) return;
    const side = mode === "side", from = side ? 0.5 : split;
    const shift = side ? bounds.width / 2 : 0;
    const clip = [bounds.x + bounds.width * from - shift, shift, mode].join(" ");
    view.end = side ? at("overlay").width / 2 : undefined;
    if (clip === lastClip) return;
    lastClip = clip;
    if (other.getBounds(true).x !== shift) other.setPosition(new OpenSeadragon.Point(shift, 0), true);
    const left = Math.max(0, (bounds.x + bounds.width * from - shift) * about.width);
    const first = osd.world.getItemAt(0);
    other.setClip(new OpenSeadragon.Rect(Math.min(left, about.width), 0, Math.max(0, about.width - left), about.height));
    const end = (bounds.x + bounds.width / 2) * about.width;
    first.setClip(side ? new OpenSeadragon.Rect(0, 0, Math.max(0, Math.min(end, about.width)), about.height) : null);
  }

  function moveDivider() {
    const bar = at("divider");
    bar.hidden = about.images.length < 2;
    bar.style.left = (mode === "side" ? 50 : split * 100) + "%";
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

  function setSplit(value) {
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
    open, view, watchDivider, setSplit, imagePoint,
    get osd() { return osd; },
    get ready() { return ready; },
    get split() { return split; },
    setMode(value) { mode = value; lastClip = ""; moveDivider(); osd.forceRedraw(); },
    setSecond(index) { second = index; lastClip = ""; addImages(); },
    setSlice(index) {
      slice = Math.max(0, Math.min(about.slices - 1, index));
      lastClip = "";
      addImages();
      overlay.setSlice(slice);
    },
    get slice() { return slice; },
    get version() { return version; },
    pan(x, y) {
      const bounds = osd.viewport.getBounds();
      osd.viewport.panBy(new OpenSeadragon.Point(x * bounds.width, y * bounds.height));
      osd.viewport.applyConstraints();
    },
    zoom(factor) { osd.viewport.zoomBy(factor); osd.viewport.applyConstraints(); },
    home() { osd.viewport.goHome(); },
    // Shows a point in the middle; scale is in pixels of the screen for one of the image.
    goTo(x, y, scale, immediately = false) {
      const width = about.width, zoom = scale * width / (osd.viewport.getContainerSize().x * view.ratio);
      osd.viewport.zoomTo(zoom, undefined, immediately);
      osd.viewport.panTo(new OpenSeadragon.Point(x / width, y / width), immediately);
    }
  };
})();
