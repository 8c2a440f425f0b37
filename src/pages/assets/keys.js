// Keys, and dark or light.
"use strict";

macareu.keys = (() => {
  const {viewer, overlay, panel} = macareu;
  const at = id => document.getElementById(id);
  let about;

  function dark() {
    document.documentElement.classList.toggle("dark");
    macareu.histograms.redraw();
  }

  function toggleOverlay() {
    const box = at("shown");
    if (!box) return;
    box.checked = !box.checked;
    overlay.show(box.checked);
  }

  function nextColour() {
    const choice = at("colour");
    if (!choice) return;
    choice.selectedIndex = (choice.selectedIndex + 1) % choice.options.length;
    choice.onchange();
  }

  function moveSlice(step) {
    const slider = at("slice");
    if (!slider) return;
    slider.value = Number(slider.value) + step;
    slider.oninput();
  }

  function otherMode() {
    const choice = at("mode");
    if (!choice) return;
    choice.value = choice.value === "side" ? "slider" : "side";
    choice.onchange();
  }

  const list = [
    [["ArrowLeft"], "←", "move left", () => viewer.pan(-0.125, 0)],
    [["ArrowRight"], "→", "move right", () => viewer.pan(0.125, 0)],
    [["ArrowUp"], "↑", "move up", () => viewer.pan(0, -0.125)],
    [["ArrowDown"], "↓", "move down", () => viewer.pan(0, 0.125)],
    [["+", "="], "+", "zoom in", () => viewer.zoom(1.5)],
    [["-"], "-", "zoom out", () => viewer.zoom(1 / 1.5)],
    [["0", "Home"], "0", "whole image", () => viewer.home()],
    [["1"], "1", "one pixel of the image for one of the screen", () => {
      const {view} = viewer, canvas = at("overlay");
      viewer.goTo(view.x + canvas.width / view.scale / 2, view.y + canvas.height / view.scale / 2, 1);
    }],
    [["o"], "o", "overlay on or off", toggleOverlay],
    [["c"], "c", "colour by the next column", nextColour],
    [["["], "[", "slice before", () => moveSlice(-1)],
    [["]"], "]", "slice after", () => moveSlice(1)],
    [[","], ",", "divider to the left", () => viewer.setSplit(viewer.split - 0.05)],
    [["."], ".", "divider to the right", () => viewer.setSplit(viewer.split + 0.05)],
    [["s"], "s", "slider or side by side", otherMode],
    [["d"], "d", "dark or light", dark],
    [["Escape"], "Esc", "no object selected", () => panel.select(0)],
    [["?"], "?", "this list", help]
  ];

  function help() {
    const dialog = at("keys"), {make} = panel;
    if (dialog.open) { dialog.close(); return; }
    dialog.replaceChildren(make("table", {}, make("tbody", {}, ...list.map(([, sign, text]) =>
      make("tr", {}, make("td", {textContent: sign}), make("td", {textContent: text}))))));
    dialog.showModal();
  }

  function open(meta) {
    about = meta;
    if (matchMedia("(prefers-color-scheme: dark)").matches) document.documentElement.classList.add("dark");
    document.addEventListener("keydown", event => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const typing = event.target.matches("input[type=number], select") || (event.target.matches("input[type=range]") && event.key.startsWith("Arrow"));
      if (typing && event.key !== "Escape") return;
      const found = list.find(([names]) => names.includes(event.key));
      if (!found || (at("keys").open && event.key === "Escape")) return;
      event.preventDefault();
      found[3]();
    });
  }

  return {open, dark, help};
})();
