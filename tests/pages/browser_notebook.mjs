// What macareu.view() gives a notebook: a frame with the page inside.
import assert from "node:assert/strict";
import {execFileSync} from "node:child_process";
import {after, before, test} from "node:test";
import {close, inFolder, open, settled, textOf} from "./browser.mjs";

let frame, errors, objects;
before(async () => {
  objects = execFileSync(process.env.PYTHON, ["-c", `
import macareu
image = macareu.generate("tissue", (700, 900))[0]
labels = macareu.label(image > 60)
table = macareu.measure(labels)
with open("notebook.html", "w", encoding="utf-8") as file:
    file.write("<!doctype html><meta charset=utf-8><body>" + macareu.view(image, labels=labels, table=table, pixel_size=0.5)._repr_html_())
print(len(table["label"]))`], {cwd: inFolder(".")}).toString().trim();
  const opened = await open("file://" + inFolder("notebook.html"));
  errors = opened.errors;
  frame = await (await opened.page.waitForSelector("iframe")).contentFrame();
  await settled(frame);
});
after(close);

test("shows the image and its objects", async () => {
  assert.equal(await textOf(frame, "count"), Number(objects).toLocaleString("en") + " objects");
  const opaque = await frame.evaluate(() => {
    const canvas = document.getElementById("overlay"), {data} = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    return data.filter((value, i) => i % 4 === 3 && value > 0).length;
  });
  assert.ok(opaque > 1000, String(opaque));
  assert.match(await textOf(frame, "scale-text"), /µm$/);
});

test("finds the row of an object", async () => {
  await frame.evaluate("macareu.panel.select(1)");
  await frame.waitForFunction("document.querySelectorAll('#row tr').length > 2", {timeout: 180000});
  assert.equal(await frame.evaluate("document.querySelector('#row tr td:last-child').textContent"), "1");
});

test("console has no errors", () => assert.deepEqual(errors, []));
