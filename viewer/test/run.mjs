// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// run.mjs LIMBER FOLDER: what a person does with a page of `limber view`, done by a program in a real
// browser. Each check is a sentence; all that fail are listed at the end.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync, statSync, truncateSync, copyFileSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { openPage, startBrowser } from "./browser.mjs";
import { arm, broken, chain, evil, modes, square } from "./models.mjs";

const [limber, folder] = process.argv.slice(2);
const failed = [];
let count = 0;

function check(what, truth, seen = "") {
  ++count;
  if (!truth) {
    failed.push(`${what}${seen !== "" ? `: ${JSON.stringify(seen)}` : ""}`);
    console.log(`  FAILED ${what} ${JSON.stringify(seen)}`);
  }
}

function record(name, model) {
  const file = join(folder, name + ".yaml");
  const result = join(folder, name + ".h5");
  writeFileSync(file, model);
  spawnSync(limber, ["run", file, "-o", result, "--quiet"], { stdio: "pipe" });
  return result;
}

function makePage(result, ...words) {
  const page = result.replace(/\.h5$/, "") + ".html";
  execFileSync(limber, ["view", result, "-o", page, "--no-open", ...words], { stdio: "pipe" });
  return page;
}

const browser = await startBrowser();
const canvas = await browser.context.newPage();

/** Colours of a region of a screenshot: how many pixels, how bright, how many unlike the corner. */
async function look(png, region) {
  return canvas.evaluate(async ([data, box]) => {
    const image = new Image();
    image.src = "data:image/png;base64," + data;
    await image.decode();
    const c = document.createElement("canvas");
    c.width = box.width;
    c.height = box.height;
    const g = c.getContext("2d");
    g.drawImage(image, box.x, box.y, box.width, box.height, 0, 0, box.width, box.height);
    const p = g.getImageData(0, 0, box.width, box.height).data;
    let unlike = 0;
    let bright = 0;
    let vivid = 0;
    for (let i = 0; i < p.length; i += 4) {
      const d = Math.abs(p[i] - p[0]) + Math.abs(p[i + 1] - p[1]) + Math.abs(p[i + 2] - p[2]);
      unlike += d > 60;
      vivid += Math.max(p[i], p[i + 1], p[i + 2]) - Math.min(p[i], p[i + 1], p[i + 2]) > 60;
      bright += p[i] + p[i + 1] + p[i + 2];
    }
    return { unlike, vivid, bright: (bright / p.length) * (4 / 3) };
  }, [png.toString("base64"), region]);
}

async function boxOf(page, selector) {
  const b = await page.locator(selector).first().boundingBox();
  return { x: Math.ceil(b.x), y: Math.ceil(b.y), width: Math.floor(b.width), height: Math.floor(b.height) };
}

const state = (page, what) => page.evaluate((name) => window.limber[name], what);

async function download(page, button) {
  const [file] = await Promise.all([page.waitForEvent("download"), button.click()]);
  const path = join(folder, "export-" + file.suggestedFilename());
  await file.saveAs(path);
  return readFileSync(path);
}

async function checkArm(result) {
  console.log("an arm that bends");
  writeFileSync(join(folder, "modes.json"), modes);
  const file = makePage(result, "lower/n4.position.y", "--modes", join(folder, "modes.json"));
  const { page, complaints } = await openPage(browser, file);
  check("the title is the model's", (await page.textContent("#title")) === "bending arm");

  // the scene shows something coloured, and something else later
  const stage = await boxOf(page, "#scene");
  await page.waitForTimeout(300);
  const first = await page.screenshot();
  const before = await look(first, { ...stage, y: stage.y + 40, height: stage.height - 90 });
  check("the scene is drawn", before.vivid > 300, before);
  await page.evaluate(() => window.limber.setTime(1.2));
  await page.waitForTimeout(300);
  check("the scene changes with time", Buffer.compare(first, await page.screenshot()) !== 0);

  // play and pause
  await page.evaluate(() => window.limber.setTime(0));
  await page.click("#play");
  await page.waitForFunction(() => window.limber.t > 0.05, null, { timeout: 10000 });
  check("it plays", await state(page, "playing"));
  await page.keyboard.press("Space");
  const stopped = await state(page, "t");
  await page.waitForTimeout(300);
  check("it pauses", !(await state(page, "playing")) && (await state(page, "t")) === stopped);

  // scrub
  const slider = await boxOf(page, "#time");
  await page.mouse.click(slider.x + slider.width / 2, slider.y + slider.height / 2);
  const half = await state(page, "t");
  check("the slider sets the time", Math.abs(half - 1) < 0.1, half);
  check("the clock says so", (await page.textContent("#clock")).startsWith(half.toFixed(3)));

  // select in the tree, then in the scene
  await page.click("#tree .row >> text=lower");
  check("the tree selects", (await page.textContent("#numbers h2")) === "lower");
  check("numbers of the body are shown", /angle/.test(await page.textContent("#numbers")));
  const glow = await look(await page.screenshot(), stage);
  await page.click("#tree .row >> text=lower");
  check("a second click lets go", (await page.textContent("#numbers")) === "");
  const hit = await page.evaluate(() => {
    const v = window.limber;
    const node = v.motion.model.nodes.findIndex((n) => n.name === "n2" && n.body === 0);
    const p = v.scene.camera.position.clone().fromArray(v.motion.places, 3 * node).project(v.scene.camera);
    const r = document.getElementById("scene").getBoundingClientRect();
    return [r.left + (r.width * (p.x + 1)) / 2, r.top + (r.height * (1 - p.y)) / 2];
  });
  await page.mouse.click(hit[0], hit[1]);
  check("a click in the scene selects", (await page.textContent("#numbers h2")) === "upper", glow);

  // deformation drawn larger; its colours; switches
  const at = () => page.evaluate(() => Array.from(window.limber.motion.places.slice(-30)));
  const plain = await at();
  await page.evaluate(() => {
    const s = document.getElementById("scale");
    s.value = "1";
    s.dispatchEvent(new Event("input"));
  });
  const large = await at();
  check("the slider enlarges deformation", plain.some((x, i) => Math.abs(x - large[i]) > 1e-3));
  check("and says by how much", (await page.textContent("#scale-value")) === "10×");
  for (const name of ["hinges", "frames", "traces", "grid", "forces", "displacement"]) {
    const box = page.locator(`#switches input[name=${name}]`);
    await page.waitForTimeout(100);
    const one = await page.screenshot({ clip: stage });
    await box.click();
    await page.waitForTimeout(200);
    check(`${name} can be switched`, Buffer.compare(one, await page.screenshot({ clip: stage })) !== 0);
  }
  check("the event switched its force off", await page.evaluate(() => {
    const m = window.limber.motion;
    m.moveTo(0.5, 1);
    const early = m.loads[4];
    m.moveTo(1.5, 1);
    return early === 3 && m.loads[4] === 0;
  }));

  // turning the view
  const camera = await page.evaluate(() => window.limber.scene.camera.position.x);
  await page.mouse.move(stage.x + 300, stage.y + 500);
  await page.mouse.down();
  await page.mouse.move(stage.x + 420, stage.y + 470, { steps: 4 });
  await page.mouse.up();
  check("the mouse turns the view", camera !== (await page.evaluate(() => window.limber.scene.camera.position.x)));

  // plots
  check("the asked signal is plotted", (await page.locator(".plot").count()) === 1);
  await page.fill(".search", "upper.angle");
  await page.locator(".signal input").first().check();
  check("another signal is plotted", (await page.locator(".plot").count()) === 2);
  const plot = await boxOf(page, ".plot .u-over");
  const ink = await look(await page.screenshot(), plot);
  check("the plot has a curve", ink.vivid > 100, ink);
  await page.mouse.click(plot.x + plot.width / 4, plot.y + plot.height / 2);
  check("a click in a plot sets the time", Math.abs((await state(page, "t")) - 0.5) < 0.05, await state(page, "t"));
  await page.mouse.move(plot.x + plot.width * 0.2, plot.y + 50);
  await page.mouse.down();
  await page.mouse.move(plot.x + plot.width * 0.6, plot.y + 60, { steps: 5 });
  await page.mouse.up();
  const shown = await page.evaluate(() => window.limber.plots.shown);
  check("dragging zooms", shown && Math.abs(shown[0] - 0.4) < 0.05 && Math.abs(shown[1] - 1.2) < 0.05, shown);
  const csv = (await download(page, page.locator(".plot .bar button >> text=CSV").first())).toString();
  const rows = csv.trim().split("\n");
  check("CSV has a header and the rows shown", rows[0] === "t,lower/n4.position.y" && rows.length > 70 && rows.length < 100, [rows[0], rows.length]);
  await page.locator(".plot .bar button >> text=all").first().click();
  const svg = (await download(page, page.locator(".plot .bar button >> text=SVG").first())).toString();
  check("SVG is one", svg.startsWith("<svg") && svg.trim().endsWith("</svg>") && svg.includes("polyline"));
  const png = await download(page, page.locator(".plot .bar button >> text=PNG").first());
  check("PNG is one", png.subarray(1, 4).toString() === "PNG" && png.length > 1000, png.length);

  // audit, events, modes
  await page.click(".tab >> text=Audit");
  check("the audit is there", /energy balance/.test(await page.textContent(".audit")));
  await page.click(".event");
  check("an event sets the time", Math.abs((await state(page, "t")) - 1) < 1e-6);
  await page.click(".tab >> text=Modes");
  await page.locator(".mode").nth(1).click();
  check("modes have their frequency", /1\.5 Hz/.test(await page.locator(".mode").nth(1).textContent()));
  const swing = await at();
  await page.waitForTimeout(300);
  check("a mode shape moves", (await at()).some((x, i) => x !== swing[i]));
  await page.locator(".mode").nth(0).click();

  // light and dark
  const light = await look(await page.screenshot(), stage);
  await page.click("#theme");
  await page.waitForTimeout(300);
  const dark = await look(await page.screenshot(), stage);
  check("dark is dark", light.bright > 200 && dark.bright < 90, [light.bright, dark.bright]);
  check("no complaint, no request", complaints.length === 0, complaints);
  await page.close();
}

// The strongest part of the colour at points on the line between two nodes: "r", "g" or "b" each.
async function huesBetween(page, from, to, shares) {
  const points = await page.evaluate(([names, parts]) => {
    const v = window.limber;
    const r = document.getElementById("scene").getBoundingClientRect();
    const [a, b] = names.map((name) => {
      const node = v.motion.model.nodes.findIndex((n) => n.name === name);
      const p = v.scene.camera.position.clone().fromArray(v.motion.places, 3 * node).project(v.scene.camera);
      return [r.left + (r.width * (p.x + 1)) / 2, r.top + (r.height * (1 - p.y)) / 2];
    });
    return parts.map((s) => a.map((x, i) => Math.round(x + s * (b[i] - x))));
  }, [[from, to], shares]);
  return canvas.evaluate(async ([data, places]) => {
    const image = new Image();
    image.src = "data:image/png;base64," + data;
    await image.decode();
    const c = document.createElement("canvas");
    c.width = image.width;
    c.height = image.height;
    const g = c.getContext("2d");
    g.drawImage(image, 0, 0);
    return places.map(([x, y]) => {
      const p = Array.from(g.getImageData(x, y, 1, 1).data.slice(0, 3));
      return "rgb"[p.indexOf(Math.max(...p))];
    }).join("");
  }, [(await page.screenshot()).toString("base64"), points]);
}

async function checkValues(result) {
  console.log("a sheet coloured by values");
  const { page, complaints } = await openPage(browser, makePage(result));
  const hues = async (t) => {
    await page.evaluate((time) => window.limber.setTime(time), t);
    await page.waitForTimeout(300);
    return huesBetween(page, "a", "d", [0.05, 0.5, 0.95]);
  };
  // green is in the middle of the scale: no mixture of the colours at the edges
  check("the smallest value is blue, the largest red", (await hues(0)) === "bgr", await hues(0));
  check("half a period later it is the other way round", (await hues(0.37024)) === "rgb", await hues(0.37024));
  const legend = () => page.locator("#legend").innerText().then((text) => text.replace(/\s+/g, " ").trim());
  check("the bar has caption and range", (await legend()) === "stress, MPa -0.3 0.3", await legend());
  await page.locator("#switches input[name=values]").click();
  check("without values there is the displacement", (await legend()) === "displacement 0 100 mm", await legend());
  check("which is none at a, and largest at d", (await hues(0)).match(/^b.r$/), await hues(0));
  check("the colours are others then", (await hues(0.37024)).match(/^b.r$/), await hues(0.37024));
  await page.locator("#switches input[name=displacement]").click();
  check("without both there is no bar", !(await page.locator("#legend").isVisible()));
  check("no complaint, no request", complaints.length === 0, complaints);
  await page.close();
}

async function checkEvil(result) {
  console.log("names that are markup");
  const { page, complaints } = await openPage(browser, makePage(result));
  await page.click("#tree .row >> nth=1");
  for (const tab of await page.locator(".tab").all()) {
    await tab.click();
  }
  check("no script ran", (await page.evaluate(() => window.evil)) === undefined);
  check("no image came to be", (await page.locator("img").count()) === 0);
  check("the caption is text", (await page.textContent("#legend")).includes("<img src=x"));
  check("the name is text", (await page.textContent("#title")).includes("</script>"));
  check("no complaint, no request", complaints.length === 0, complaints);
  await page.close();
}

async function checkSize(name, result, atLeast, play) {
  const megabytes = statSync(result).size / 1e6;
  console.log(`${name}: ${megabytes.toFixed(0)} MB`);
  check("it is as large as it should be", megabytes > atLeast, megabytes);
  const page = makePage(result);
  await browser.context.addInitScript(() => {
    let last = performance.now();
    window.longest = 0;
    setInterval(() => {
      window.longest = Math.max(window.longest, performance.now() - last);
      last = performance.now();
    }, 20);
  });
  const opened = await openPage(browser, page);
  const longest = await opened.page.evaluate(() => window.longest);
  console.log(`  page of ${(statSync(page).size / 1e6).toFixed(0)} MB, ready after ${opened.loadTime} ms, never silent for longer than ${longest.toFixed(0)} ms`);
  // two cores that others use as well: a freeze would be many seconds
  check("it does not freeze while loading", longest < 2500, longest);
  check("it says what was left out, or nothing was", (await opened.page.locator(".notice").count()) > 0 || play);
  await opened.page.evaluate(() => {
    window.limber.setTime(0);
    window.longest = 0;
  });
  const from = await state(opened.page, "frames");
  await opened.page.click("#play");
  await opened.page.waitForTimeout(2000);
  const frames = (await state(opened.page, "frames")) - from;
  console.log(`  ${(frames / 2).toFixed(1)} frames a second by software`);
  check("it plays", (await state(opened.page, "t")) > 0 && frames >= 6, frames);
  check("no complaint, no request", opened.complaints.length === 0, opened.complaints);
  await opened.page.close();
}

async function checkDamage(result) {
  console.log("unfinished and damaged results");
  record("broken", broken);
  const part = join(folder, "broken.h5.part");
  check("an unfinished file is there", existsSync(part));
  let opened = await openPage(browser, makePage(join(folder, "broken.h5")));
  check("it says that it is not finished", /not finished/.test(await opened.page.textContent("#notices")));
  check("its rows are there", (await opened.page.evaluate(() => window.limber.data.rows)) > 100);
  check("no complaint", opened.complaints.length === 0, opened.complaints);
  await opened.page.close();

  const cut = join(folder, "cut.h5");
  copyFileSync(result, cut);
  truncateSync(cut, Math.floor(0.6 * statSync(result).size));
  opened = await openPage(browser, makePage(cut));
  check("it says that it is damaged", /damaged: it was cut off/.test(await opened.page.textContent("#notices")));
  check("the scene is there nevertheless", await opened.page.evaluate(() => window.limber.scene !== null));
  check("no complaint", opened.complaints.length === 0, opened.complaints);
  await opened.page.close();
}

async function checkTouch(result) {
  console.log("a telephone");
  const phone = await startBrowser({ viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true });
  const { page, complaints } = await openPage(phone, makePage(result));
  check("the tree is put away", !(await page.isVisible("#tree")));
  await page.tap("#show-left");
  check("and comes by a tap", await page.isVisible("#tree"));
  await page.tap("#tree .row >> text=lower");
  check("a tap selects", (await page.textContent("#numbers h2")) === "lower");
  await page.tap("#show-left");
  await page.tap("#play");
  await page.waitForFunction(() => window.limber.t > 0.02, null, { timeout: 10000 });
  check("no complaint, no request", complaints.length === 0, complaints);
  await phone.close();
}

// The page over HTTP, on this machine only, and only for those who ask by its name.
async function checkServe(result) {
  console.log("limber view --serve");
  const server = spawn(limber, ["view", result, "--serve"], { stdio: ["ignore", "pipe", "inherit"], env: { ...process.env, DISPLAY: "", WAYLAND_DISPLAY: "" } });
  const port = await new Promise((done) => server.stdout.once("data", (text) => done(Number(/:(\d+)\//.exec(text)[1]))));
  const ask = (path, host) => new Promise((done, fail) => {
    request({ host: "127.0.0.1", port, path, headers: { Host: host } }, (answer) => {
      const parts = [];
      answer.on("data", (d) => parts.push(d));
      answer.on("end", () => done([answer.statusCode, Buffer.concat(parts).toString()]));
    }).on("error", fail).end();
  });
  const [status, text] = await ask("/", `127.0.0.1:${port}`);
  check("it answers with the page", status === 200 && text.includes("limber-view-1"), status);
  check("it has no other page", (await ask("/etc/passwd", "localhost"))[0] === 404);
  check("it does not answer to other names", (await ask("/", "example.org"))[0] === 403);
  const ended = new Promise((done) => server.once("exit", done));
  server.kill("SIGINT");
  check("Ctrl-C ends it", (await ended) === 0);
}

const swing = record("arm", arm);
await checkArm(swing);
await checkValues(record("square", square));
await checkEvil(record("evil", evil));
await checkDamage(swing);
await checkTouch(swing);
await checkServe(swing);
await checkSize("a result of 50 MB", record("large", chain(22, "{duration: 60, interval: 0.0008, integrator: {type: rk4, step: 0.0008}}")), 50, false);
await checkSize("a chain of 1000 bodies", record("long", chain(1000, "{duration: 0.5, interval: 0.005, integrator: {type: rk4, step: 0.0005}}")), 1, true);
await browser.close();
console.log(`${count} checks, ${failed.length} failed`);
failed.forEach((text) => console.log("  " + text));
process.exit(failed.length > 0 ? 1 : 0);
