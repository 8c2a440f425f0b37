// Data files: scripts that call macareu.take(name, base64), loaded when they are needed. Pages from the disk
// may load scripts, but neither fetch() nor modules.
"use strict";
window.macareu = {};

macareu.data = (() => {
  const texts = new Map();    // arrived before anyone asked: pages with inline data
  const waiting = new Map();  // name -> function that takes the text
  const loading = new Map();  // name -> promise of its script's end
  const images = new Map();

  macareu.take = (name, text) => {
    const resolve = waiting.get(name);
    if (resolve) resolve(text);
    else texts.set(name, text);
  };
  macareu.takeImage = (name, text) => images.set(name, "data:image/png;base64," + text);
  macareu.meta = about => { macareu.about = about; };

  function bytesOf(text) {
    if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
    const binary = atob(text), bytes = new Uint8Array(binary.length);
    for (let i = 0; i < binary.length; ++i) bytes[i] = binary.charCodeAt(i);
    return bytes;
  }

  async function inflated(text) {
    if (!text) return new Uint8Array(0);
    const stream = new Blob([bytesOf(text)]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  }

  async function fetched(name) {
    if (texts.has(name)) return texts.get(name);
    while (loading.has(name)) await loading.get(name);  // a finer version of it may have been made since
    return new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = "page/data/" + name + ".js";
      loading.set(name, new Promise(ended => {
        script.onload = script.onerror = () => {
          script.remove();
          waiting.delete(name);
          loading.delete(name);
          ended();
          reject(new Error("page/data/" + name + ".js is missing or damaged"));  // nothing happens if it was taken
        };
      }));
      waiting.set(name, resolve);
      document.head.append(script);
    });
  }

  // The bytes of a data file. Each is asked for once: callers keep what they make of it.
  const load = async name => inflated(await fetched(name));

  // Where a tile of an image is: its place on the disk or server, or inline.
  const imageUrl = name => images.get(name) || name;

  return {load, imageUrl};
})();

// Messages above the image. Those that differ only in numbers, such as names of tiles, share a line with their count.
macareu.say = (() => {
  const lines = new Map();  // text without numbers -> {line, text, all}
  return text => {
    const kind = text.replace(/\d+/g, "0");
    let one = lines.get(kind);
    if (!one) {
      lines.set(kind, one = {line: document.createElement("p"), text, all: new Set()});
      document.getElementById("messages").append(one.line);
    }
    one.all.add(text);
    one.line.textContent = one.text + (one.all.size > 1 ? " (and " + (one.all.size - 1) + " more)" : "");
  };
})();
