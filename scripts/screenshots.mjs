// The pictures of pages in docs: MACAREU_TOOL=... tests/pages/browser.sh BUILD/puppeteer scripts/screenshots.mjs
import path from "node:path";
import {close, fileUrl, open, settled, tool} from "../tests/pages/browser.mjs";

const pictures = path.join(import.meta.dirname || path.dirname(new URL(import.meta.url).pathname), "../docs/pictures/");

async function shot(name, url, prepare) {
  const {page} = await open(url);
  await page.setViewport({width: 1000, height: 560});
  await settled(page);
  await page.evaluate(prepare);
  await new Promise(done => setTimeout(done, 3000));
  await settled(page);
  await page.screenshot({path: pictures + name});
}

try {
  tool("generate", "tissue", "--shape", "1200,1600", "--seed", "5", "--coverage", "75", "-o", "tissue.npy");
  tool("threshold", "tissue.npy", "--value", "70", "-o", "nuclei.npy");
  tool("label", "nuclei.npy", "-o", "labels.npy", "--min-size", "30", "--table", "objects.csv");
  tool("view", "tissue.npy", "--labels", "labels.npy", "--table", "objects.csv", "--page", "objects");
  tool("canny", "tissue.npy", "-o", "edges.npy", "--page", "edges");
  await shot("page-objects.png", fileUrl("objects"), `(async () => {
    macareu.viewer.goTo(700, 500, 1.5, true);
    const choice = document.getElementById("colour");
    choice.selectedIndex = [...choice.options].findIndex(option => option.textContent === "eccentricity");
    choice.onchange();
  })()`);
  await shot("page-slider.png", fileUrl("edges"), "macareu.viewer.goTo(700, 500, 1.5, true)");
} finally {
  await close();
}
