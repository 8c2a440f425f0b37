// The panel beside the image: what is counted, how objects are coloured, one object's row, the summary.
"use strict";

macareu.panel = (() => {
  const {table, colours, overlay, viewer} = macareu;
  const at = id => document.getElementById(id);
  let about;

  const make = (tag, properties = {}, ...children) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  };

  function open(meta) {
    about = meta;
    document.title = at("title").textContent = meta.title || "Macareu";
    addTools();
    addStyle();
    addSummary();
    count();
  }

  function count() {
    if (!about.objects) return;
    const {rows} = about.objects, number = n => n.toLocaleString("en");
    at("count").textContent = rows === null ? "Objects of " + about.objects.name
      : table.filtered ? number(table.count) + " of " + number(rows) + " objects" : number(rows) + " objects";
  }

  function addTools() {
    const button = (text, title, click) => make("button", {textContent: text, title, onclick: click});
    const tools = at("tools");
    tools.append(
      button("+", "zoom in (+)", () => viewer.zoom(2)), button("−", "zoom out (-)", () => viewer.zoom(0.5)),
      button("⌂", "whole image (0)", () => viewer.home()), button("◐", "dark or light (d)", () => macareu.keys.dark()),
      button("?", "keys (?)", () => macareu.keys.help()));
    if (about.images.length > 1) {
      const mode = make("select", {id: "mode", title: "comparison"},
        make("option", {value: "slider", textContent: "slider"}), make("option", {value: "side", textContent: "side by side"}));
      mode.value = about.mode;
      mode.onchange = () => viewer.setMode(mode.value);
      const other = make("select", {id: "second", title: "compared with " + about.images[0].name},
        ...about.images.slice(1).map((image, i) => make("option", {value: i + 1, textContent: image.name})));
      other.onchange = () => viewer.setSecond(Number(other.value));
      tools.append(mode, other);
    }
    if (about.slices > 1) {
      const text = make("span"), slider = make("input", {type: "range", id: "slice", min: 0, max: about.slices - 1, value: 0});
      const tell = () => { text.textContent = " slice " + slider.value + " of " + about.slices; };
      slider.oninput = () => { viewer.setSlice(Number(slider.value)); tell(); };
      tell();
      tools.append(make("label", {}, slider, text));
    }
  }

  function addStyle() {
    if (!about.objects && !about.outline) return;
    at("objects").hidden = false;
    const style = at("style"), add = (text, element) => style.append(make("label", {htmlFor: element.id, textContent: text}), element);
    const box = (id, change) => make("input", {type: "checkbox", id, checked: true, onchange: event => change(event.target.checked)});
    add("Overlay (o)", box("shown", overlay.show));
    if (about.outline) add("Outline", box("outline", overlay.showOutline));
    if (!about.objects) return;
    add("Opacity", make("input", {type: "range", id: "opacity", min: 0, max: 1, step: 0.05, value: 0.6,
      oninput: event => overlay.setOpacity(Number(event.target.value))}));
    const {columns} = about.objects;
    if (!columns.length) return;
    const choice = make("select", {id: "colour"}, make("option", {value: "", textContent: "one colour"}),
      ...columns.map((column, i) => make("option", {value: i, textContent: column.name})));
    choice.onchange = () => colourBy(choice.value === "" ? null : Number(choice.value));
    add("Colour by (c)", choice);
  }

  function colourBy(index) {
    colours.by(index === null ? null : table.columns[index]);
    overlay.restyle();
    const legend = at("legend");
    legend.hidden = index === null;
    if (index === null) return;
    const bar = make("canvas", {width: 256, height: 1}), context = bar.getContext("2d");
    colours.scale.forEach((rgb, i) => { context.fillStyle = colours.css(rgb); context.fillRect(i, 0, 1, 1); });
    const [low, high] = colours.range.map(value => macareu.numberText(value, false));
    legend.replaceChildren(low, bar, high);
  }

  const rowsOf = entries => make("table", {}, make("tbody", {}, ...entries.map(([name, value]) =>
    make("tr", {}, make("td", {textContent: name}), make("td", {textContent: value})))));

  async function select(name) {
    overlay.select(name);
    const panel = at("row");
    panel.hidden = name === 0;
    if (name === 0) return;
    const heading = make("h2", {textContent: "Object"});
    if (about.objects.rows === null) {
      panel.replaceChildren(heading, rowsOf([["label", String(name)]]));
      return;
    }
    try {
      const values = await table.row(name - 1);
      if (overlay.selected !== name) return;
      panel.replaceChildren(heading, rowsOf(values.map(one => [one.name, macareu.numberText(one.value, one.whole)])));
    } catch (error) { macareu.say(error.message); }
  }

  function addSummary() {
    if (!about.summary) return;
    const entries = [];
    const add = (name, value) => {
      if (value !== null && typeof value === "object" && !Array.isArray(value))
        for (const [key, inner] of Object.entries(value)) add(name ? name + " " + key : key, inner);
      else entries.push([name, typeof value === "number" ? macareu.numberText(value, Number.isInteger(value)) : Array.isArray(value) ? JSON.stringify(value) : String(value)]);
    };
    try { add("", JSON.parse(about.summary)); } catch { macareu.say("The summary of this page is not valid JSON."); }
    at("summary").hidden = false;
    at("summary").append(make("h2", {textContent: "Summary"}), rowsOf(entries));
  }

  return {open, count, select, colourBy, make};
})();
