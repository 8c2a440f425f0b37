// A histogram of each column. Dragging over it, or two numbers, filter the objects.
"use strict";

macareu.histograms = (() => {
  const {table, panel} = macareu;
  const {make} = panel;
  const at = id => document.getElementById(id);

  function open(columns) {
    if (!columns.length) return;
    const box = at("histograms");
    box.hidden = false;
    // Numbers and places of objects come last: people seldom filter by them.
    const isPlace = ({name}) => /^(label|centroid|bbox)([-_]|$)/.test(name);
    const shown = wanted => columns.map((column, i) => wanted(column) && histogram(column, i)).filter(Boolean);
    box.append(make("h2", {textContent: "Filters"}), ...shown(column => !isPlace(column)));
    if (columns.some(isPlace)) box.append(make("details", {}, make("summary", {textContent: "Places"}), ...shown(isPlace)));
  }

  function histogram(column, index) {
    const canvas = make("canvas", {width: 592, height: 80}), reset = make("button", {textContent: "all", hidden: true});
    const field = title => make("input", {type: "number", step: "any", title: title + " of " + column.name});
    const low = field("least"), high = field("greatest");
    let range = null, start = null;

    const draw = () => {
      const context = canvas.getContext("2d"), {width, height} = canvas, most = Math.max(1, ...column.bins);
      const css = name => getComputedStyle(document.documentElement).getPropertyValue(name);
      context.clearRect(0, 0, width, height);
      const bar = width / column.bins.length, step = (column.last - column.first) / column.bins.length;
      column.bins.forEach((count, b) => {
        const middle = column.first + (b + 0.5) * step, inside = !range || (middle >= range[0] && middle <= range[1]);
        context.fillStyle = css(inside ? "--accent" : "--line");
        // A bin with few rows is visible too.
        const tall = count ? Math.max(2, count / most * (height - 2)) : 0;
        context.fillRect(b * bar, height - tall, bar - 1, tall);
      });
    };

    const set = wanted => {
      range = wanted && wanted[0] <= column.low && wanted[1] >= column.high ? null : wanted;
      reset.hidden = !range;
      low.value = macareu.numberText(range ? range[0] : column.low, column.whole);
      high.value = macareu.numberText(range ? range[1] : column.high, column.whole);
      draw();
      table.filter(index, range).then(panel.count).catch(error => macareu.say(error.message));
    };

    const valueAt = event => {
      const box = canvas.getBoundingClientRect(), share = Math.max(0, Math.min(1, (event.clientX - box.left) / box.width));
      // The first and last bin hold outliers too.
      return share <= 0 ? column.low : share >= 1 ? column.high : column.first + share * (column.last - column.first);
    };
    canvas.addEventListener("pointerdown", event => { canvas.setPointerCapture(event.pointerId); start = valueAt(event); });
    canvas.addEventListener("pointermove", event => {
      if (start === null) return;
      const end = valueAt(event);
      range = [Math.min(start, end), Math.max(start, end)];
      draw();
    });
    canvas.addEventListener("pointerup", event => {
      const end = valueAt(event), wide = Math.abs(end - start) > (column.last - column.first) / 200;
      set(wide ? [Math.min(start, end), Math.max(start, end)] : null);
      start = null;
    });
    const fromFields = () => {
      const wanted = [low.value === "" ? column.low : Number(low.value), high.value === "" ? column.high : Number(high.value)];
      set(wanted);
    };
    low.onchange = high.onchange = fromFields;
    reset.onclick = () => set(null);
    low.value = macareu.numberText(column.low, column.whole);
    high.value = macareu.numberText(column.high, column.whole);
    redraws.push(draw);
    draw();
    const box = make("div", {className: "histogram"}, make("header", {}, make("span", {textContent: column.name}), reset),
      canvas, make("div", {className: "range"}, low, high));
    box.dataset.column = column.name;
    return box;
  }

  const redraws = [];
  return {open, redraw: () => redraws.forEach(draw => draw())};
})();
