// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// screens.mjs LIMBER WORK DOCS FOLDER: pictures of the manual in DOCS and of pages of `limber view`, into FOLDER. Whoever
// makes them looks at each of them.
import { execFileSync } from "node:child_process";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { openPage, startBrowser, waitForFrames } from "./browser.mjs";

const [limber, work, docs, folder] = process.argv.slice(2).map((path) => resolve(path));
const complaints = [];

const run = (...words) => execFileSync(limber, words, { cwd: work, stdio: ["ignore", "pipe", "inherit"] });

function makePage(file, name, duration, ...words) {
  run("run", resolve(file), "-o", `${name}.h5`, "--quiet", "--duration", duration);
  run("view", `${name}.h5`, ...words, "-o", `${name}.html`, "--no-open");
  return join(work, name + ".html");
}

/** A page of the manual, offline: its equations are drawn when MathJax has finished. */
async function shootManual(browser, path, picture) {
  const page = await browser.context.newPage();
  page.on("pageerror", (e) => complaints.push(`${path}: ${e.message}`));
  page.on("request", (r) => r.url().startsWith("http") && complaints.push(`${path}: ${r.url()}`));
  await page.goto(pathToFileURL(join(docs, path)).href);
  await page.evaluate(() => window.MathJax && new Promise((done) => window.MathJax.Hub.Queue(done)));
  await page.waitForTimeout(500);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  if (wide > 0) {
    complaints.push(`${path}: ${wide} pixels wider than the window`);
  }
  await page.screenshot({ path: join(folder, picture) });
  await page.close();
}

/** A page of `limber view` at a time, after what `act` does to it. */
async function shootRun(browser, file, picture, time, act) {
  const { page, complaints: own } = await openPage(browser, file);
  await page.evaluate((t) => window.limber.setTime(t), time);
  await act?.(page);
  await waitForFrames(page);
  await page.screenshot({ path: join(folder, picture) });
  complaints.push(...own.map((text) => `${picture}: ${text}`));
  await page.close();
}

run("demo", "demo");
const demo = join(work, "demo/report.html");
run("run", resolve("examples/controlled_arm.yaml"), "-o", "modes.h5", "--quiet");
run("modes", resolve("examples/controlled_arm.yaml"), "--json", "-o", "modes.json");
run("view", "modes.h5", "--modes", "modes.json", "-o", "modes.html", "--no-open");
const arm = makePage("examples/arm.yaml", "arm", "4", "waist.angle", "forearm.angle", "hand.angle");
const humanoid = makePage("bench/models/humanoid.urdf", "humanoid", "2");

const wide = await startBrowser({ viewport: { width: 1400, height: 860 }, deviceScaleFactor: 0.6 });
await shootManual(wide, "index.html", "screen-landing.png");
await shootManual(wide, "theory/flexible.html", "screen-equations.png");
await shootManual(wide, "gallery/index.html", "screen-gallery.png");
for (const [name, time] of [["start", 0], ["caught", 7], ["end", 14]]) {
  await shootRun(wide, demo, `screen-demo-${name}.png`, time);
}
await shootRun(wide, join(work, "modes.html"), "screen-modes.png", 0, async (page) => {
  await page.locator(".tab", { hasText: "Modes" }).click();
  await page.locator(".mode").nth(4).click();
});
await shootRun(wide, arm, "screen-arm.png", 1.3);
await shootRun(wide, humanoid, "screen-humanoid.png", 0.5);
await wide.close();

const phone = await startBrowser({ viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true, deviceScaleFactor: 1 });
await shootManual(phone, "index.html", "screen-phone-landing.png");
await shootManual(phone, "theory/flexible.html", "screen-phone-equations.png");
await shootRun(phone, demo, "screen-phone-demo.png", 7);
await phone.close();
complaints.forEach((text) => console.log(text));
process.exit(complaints.length > 0 ? 1 : 0);
