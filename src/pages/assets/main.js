// Starts the page.
"use strict";

(() => {
  const {about} = macareu;
  if (!about || !window.OpenSeadragon) {
    macareu.say("This page is not complete: " + (about ? "page/openseadragon.min.js" : "page/data/meta.js") + " is missing or damaged.");
    return;
  }
  window.addEventListener("error", event => macareu.say("The page failed: " + event.message));
  // Before the viewer, which fits the image to its place.
  document.body.classList.toggle("alone", !about.objects && !about.outline && !about.summary);
  macareu.keys.open(about);
  if (about.objects) macareu.table.open(about.objects, () => macareu.overlay.restyle());
  if (about.note) macareu.say(about.note);
  macareu.viewer.open(about);
  macareu.viewer.watchDivider();
  macareu.panel.open(about);
  if (about.objects) macareu.histograms.open(about.objects.columns);
  macareu.viewer.osd.addHandler("macareu-click", async ({x, y}) => macareu.panel.select(await macareu.overlay.find(x, y)));
})();
