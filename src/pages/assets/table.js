// Columns of the table, in blocks of rows that are loaded when they are needed, and filters on them.
"use strict";

macareu.table = (() => {
  let about = null, changed = () => {};
  let columns = [], places = [];
  const filters = new Map();  // column -> [low, high]
  let mask = null, passing = 0;

  class Column {
    constructor(kind, index, about, rows, block) {
      Object.assign(this, about, {kind, index, rows, block});
      this.asked = new Map();  // block -> promise
    }
    values() {
      if (!this.array) this.array = new (this.whole ? Float64Array : Float32Array)(this.rows).fill(NaN);
      return this.array;
    }
    need(number) {
      if (!this.asked.has(number)) this.asked.set(number, this.load(number));
      return this.asked.get(number);
    }
    needAll() {
      const all = [];
      for (let b = 0; b * this.block < this.rows; ++b) all.push(this.need(b));
      return Promise.all(all);
    }
    async load(number) {
      const planes = await macareu.data.load(this.kind + "/" + this.index + "-" + number);
      const count = planes.length / 4, first = number * this.block, values = this.values();
      const bits = new Uint32Array(count);
      for (let plane = 3; plane >= 0; --plane)
        for (let i = 0; i < count; ++i) bits[i] = bits[i] << 8 | planes[plane * count + i];
      if (this.whole) for (let i = 0; i < count; ++i) values[first + i] = this.low + bits[i];
      else values.set(new Float32Array(bits.buffer), first);
      changed();
    }
  }

  function open(objects, whenChanged) {
    about = objects;
    changed = whenChanged;
    const make = kind => (one, i) => new Column(kind, i, one, objects.rows, objects.block);
    columns = objects.columns.map(make("columns"));
    places = (objects.places || []).map(make("places"));
    passing = objects.rows || 0;
  }

  // Rows are hidden when their values are known not to pass; a value that is missing passes no filter.
  async function filter(index, range) {
    if (range) filters.set(index, range);
    else filters.delete(index);
    await Promise.all([...filters.keys()].map(i => columns[i].needAll()));
    mask = filters.size ? new Uint8Array(about.rows).fill(1) : null;
    for (const [i, [low, high]] of filters) {
      const values = columns[i].values();
      for (let r = 0; r < mask.length; ++r) if (!(values[r] >= low && values[r] <= high)) mask[r] = 0;
    }
    passing = mask ? mask.reduce((sum, one) => sum + one, 0) : about.rows;
    changed();
  }

  const shows = row => !mask || mask[row] === 1;

  async function row(index) {
    const block = Math.floor(index / about.block);
    await Promise.all(columns.map(column => column.need(block)));
    return columns.map(column => ({name: column.name, value: column.values()[index], whole: column.whole}));
  }

  // The row of a label; -1 if there is none.
  async function rowOf(label) {
    const column = columns.find(one => one.name === "label");
    await column.needAll();
    return column.values().indexOf(label);
  }

  return {
    open, filter, shows, row, rowOf,
    get columns() { return columns; },
    get places() { return places; },
    get filtered() { return filters.size > 0; },
    get count() { return passing; },
    filterOf: index => filters.get(index)
  };
})();

// Four significant digits; whole numbers as they are.
macareu.numberText = (value, whole) => {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "none" : value > 0 ? "infinite" : "-infinite";
  return whole ? String(value) : String(Number(value.toPrecision(4)));
};
