// The pictures of pages in docs, of a generated slide:
// MACAREU_TOOL=... tests/pages/browser.sh BUILD/puppeteer scripts/screenshots.mjs
import path from "node:path";
import {close, fileUrl, open, settled, tool} from "../tests/pages/browser.mjs";

const pictures = path.join(path.dirname(new URL(import.meta.url).pathname), "../docs/pictures/");

async function shot(name, url, scheme, prepare) {
  const {page} = await open(url);
  await page.setViewport({width: 1100, height: 620});
  await page.emulateMediaFeatures([{name: "prefers-color-scheme", value: scheme}]);
  await page.reload();
  await settled(page);
  await page.evaluate(prepare);
  await new Promise(done => setTimeout(done, 2000));
  await settled(page);
  await page.screenshot({path: pictures + name, type: "jpeg", quality: 85});
}

const colourBy = name => `{
  const choice = document.getElementById("colour");
  choice.selectedIndex = [...choice.options].findIndex(option => option.textContent === "${name}");
  choice.onchange();
}`;

try {
  tool("generate", "slide", "--shape", "4000,6000", "--seed", "5", "--coverage", "50", "-o", "slide.tif");
  tool("nuclei", "slide.tif", "-o", "nuclei", "--quiet");
  tool("unmix", "slide.tif", "--give", "first", "-o", "haematoxylin.tif", "--page", "stain", "--quiet");
  await shot("page-nuclei.jpg", fileUrl("nuclei"), "light",
    colourBy("eccentricity") + "macareu.viewer.goTo(1450, 1900, 1.1, true)");
  await shot("page-dark.jpg", fileUrl("nuclei"), "dark", colourBy("circularity") + `{
    const least = document.querySelector("[data-column=area_um2] input");
    least.value = 25;
    least.onchange();
  }`);
  await shot("page-slider.jpg", fileUrl("stain"), "light", "macareu.viewer.goTo(1450, 1900, 1, true)");
} finally {
  await close();
}
