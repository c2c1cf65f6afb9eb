// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// run.mjs LIMBER FOLDER [PART...]: what a person does with a page of `limber view`, done by a program in a real
// browser. Each check is a sentence; all that fail are listed at the end.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync, statSync, truncateSync, copyFileSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { openPage, startBrowser, waitForFrames } from "./browser.mjs";
import { arm, broken, chain, evil, hanger, modes, shelf, square, tumbler } from "./models.mjs";
import { comparePicture } from "./pictures.mjs";

const [limber, folder, ...parts] = process.argv.slice(2);
const failed = [];
let count = 0;

function check(what, truth, seen = "") {
  ++count;
  if (!truth) {
    failed.push(`${what}${seen !== "" ? `: ${JSON.stringify(seen)}` : ""}`);
    console.log(`  FAILED ${what} ${JSON.stringify(seen)}`);
  }
}

const recorded = new Set();

function record(name, model) {
  const file = join(folder, name + ".yaml");
  const result = join(folder, name + ".h5");
  if (recorded.has(name)) {
    return result;
  }
  recorded.add(name);
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
  await waitForFrames(page);
  const first = await page.screenshot();
  const before = await look(first, { ...stage, y: stage.y + 40, height: stage.height - 90 });
  check("the scene is drawn", before.vivid > 300, before);
  await page.evaluate(() => window.limber.setTime(1.2));
  await waitForFrames(page);
  check("the scene changes with time", Buffer.compare(first, await page.screenshot()) !== 0);

  // play and pause
  await page.evaluate(() => {
    window.limber.setTime(0);
    window.limber.setLooping(true); // it goes on until it is stopped
  });
  await page.click("#play");
  await page.waitForFunction(() => window.limber.t > 0.05);
  check("it plays", await state(page, "playing"));
  await page.keyboard.press("Space");
  const stopped = await state(page, "t");
  await waitForFrames(page);
  check("it pauses", !(await state(page, "playing")) && (await state(page, "t")) === stopped);
  await page.evaluate(() => window.limber.setLooping(false));

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
  for (const name of ["hinges", "frames", "traces", "grid", "shadows", "forces", "displacement"]) {
    const box = page.locator(`#switches input[name=${name}]`);
    await waitForFrames(page);
    const one = await page.screenshot({ clip: stage });
    await box.click();
    await waitForFrames(page);
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
  check("and what they are made of", /upper.angle 75%, lower.eta.0 25%/.test(await page.locator(".mode").nth(1).textContent()));
  check("a rigid mode is told apart", /rigid/.test(await page.locator(".mode.rigid").textContent()) && (await page.locator(".mode.rigid").count()) === 1);
  const swing = await at();
  await waitForFrames(page);
  check("a mode shape moves", (await at()).some((x, i) => x !== swing[i]));
  await page.locator(".mode").nth(0).click();

  // light and dark
  const light = await look(await page.screenshot(), stage);
  await page.click("#theme");
  await waitForFrames(page);
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
    await waitForFrames(page);
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
    const own = window.setTimeout;
    window.pieces = 0;
    window.setTimeout = (f, ...rest) => own(() => {
      ++window.pieces;
      f();
    }, ...rest);
  });
  const opened = await openPage(browser, page);
  const pieces = await opened.page.evaluate(() => window.pieces);
  console.log(`  page of ${(statSync(page).size / 1e6).toFixed(0)} MB, ready after ${opened.loadTime} ms, in ${pieces} pieces`);
  // between its five steps, and between blocks of numbers
  check("it does not freeze while loading", pieces > 5, pieces);
  check("it says what was left out, or nothing was", (await opened.page.locator(".notice").count()) > 0 || play);
  await opened.page.evaluate(() => window.limber.setTime(0));
  await opened.page.click("#play");
  await waitForFrames(opened.page, 6);
  check("it plays", (await state(opened.page, "t")) > 0);
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
  await page.waitForFunction(() => window.limber.t > 0.02);
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

async function checkStory(result) {
  console.log("what the first screen says");
  const { page, complaints } = await openPage(browser, makePage(result));
  const story = await page.textContent("#story");
  check("the comment of the model is there", story.includes("An arm of two flexible links falls"), story);
  check("what is between backticks is code", (await page.textContent("#story code")) === "half of it");
  check("parts are counted", story.includes("2 bodies, 2 flexible · 2 forces · gravity 9.81 m/s²"), story);
  check("the event is there, with what it does", /1\.000 s\s*half way: disable lift/.test(story), story);
  check("and when bodies are bent most", /upper is bent most: [\d.]+ mm/.test(story), story);
  const mark = await boxOf(page, ".mark");
  const slider = await boxOf(page, "#time");
  check("the timeline has a mark half way", Math.abs(mark.x + 2 - (slider.x + slider.width / 2)) < 2, [mark, slider]);
  check("with its name", (await page.textContent(".mark-name")) === "half way");
  await page.click(".mark");
  check("a click on it sets the time", Math.abs((await state(page, "t")) - 1) < 1e-6);
  const said = async (time) => {
    await page.evaluate((t) => window.limber.setTime(t), time);
    return page.isVisible("#caption").then((shown) => (shown ? page.textContent("#caption") : ""));
  };
  check("the caption has the last event", (await said(1.99)).startsWith("1.000 s: half way: disable lift") || /bent most/.test(await said(1.99)), await said(1.99));
  check("and nothing before there is one", (await said(0)) === "" || /^0.000 s/.test(await said(0)), await said(0));
  const bent = await page.evaluate(() => window.limber.story.moments.find((m) => !m.event));
  check("what has just been reached is in it", (await said(bent.t + 0.02)).includes("is bent most"), await said(bent.t + 0.02));
  check("and no longer soon after", !(await said(bent.t + 0.13)).includes(bent.text), await said(bent.t + 0.13));

  // keys, loop, views
  await page.keyboard.press("End");
  check("End goes to the end", (await state(page, "t")) === 2);
  await page.keyboard.press("Home");
  check("Home goes to the start", (await state(page, "t")) === 0);
  await page.click("#loop");
  await page.evaluate(() => {
    window.limber.setTime(1.95);
    window.limber.setPlaying(true);
  });
  await page.waitForFunction(() => window.limber.t < 1.5);
  check("a loop starts again", await state(page, "playing"));
  await page.evaluate(() => window.limber.setPlaying(false));
  for (const [axis, at] of [["x", [1, 0, 0]], ["y", [0, -1, 0]], ["z", [0, 0, 1]]]) {
    await page.locator("#views button", { hasText: new RegExp(`^${axis}$`) }).click();
    const from = await page.evaluate(() => {
      const { camera, controls } = window.limber.scene;
      return camera.position.clone().sub(controls.target).normalize().toArray();
    });
    check(`the view along ${axis}`, from.every((v, i) => Math.abs(v - at[i]) < 1e-3), from);
  }
  await page.locator("#views button >> text=fit").click();
  const png = await download(page, page.locator("#picture"));
  check("the picture is one", png.subarray(1, 4).toString() === "PNG" && png.length > 3000, png.length);
  await page.click("#fullscreen");
  await page.waitForFunction(() => document.fullscreenElement);
  check("scene and timeline fill the screen", (await boxOf(page, "#stage")).width >= 1280 && (await page.isVisible("#time")) && !(await page.isVisible("#tree")));
  await page.evaluate(() => document.exitFullscreen());

  // rows of forces
  await page.evaluate(() => window.limber.setTime(0.5));
  await page.click("#tree .row >> text=lift");
  check("a force can be selected", /lift/.test(await page.textContent("#numbers")) && /0, 3, 0 N/.test(await page.textContent("#numbers")), await page.textContent("#numbers"));
  check("and is marked in the scene", await page.evaluate(() => window.limber.scene.marks.rings.count === 1));
  await page.click("#tree .row >> text=lift");
  check("and let go", await page.evaluate(() => window.limber.scene.marks.rings.count === 0));
  check("the longest arrow has its force", /forces\s*longest arrow 3 N/.test(await page.textContent("#legend")), await page.textContent("#legend"));

  // signals in groups
  await page.fill(".search", "energy");
  const found = await page.locator(".signal").allTextContents();
  check("energy is found", found.some((s) => s.includes("kinetic energy")) && found.some((s) => s.includes("potential energy")), found);
  check("with its unit", found.every((s) => !s.includes("kinetic energy") || s.includes("J")), found);
  await page.fill(".search", "no such thing");
  check("what is not found is said", /no signal/.test(await page.textContent(".signals")));
  await page.fill(".search", "");
  check("groups have names", (await page.locator(".group summary").allTextContents()).some((s) => s.startsWith("Coordinates")));

  // a legend that stays, and labels that differ
  const plot = await boxOf(page, ".plot .u-over");
  await page.mouse.move(plot.x + 50, plot.y + 50);
  await page.mouse.move(2, 2);
  check("values stay beside the names", (await page.locator(".curve .value").allTextContents()).every((s) => /\d/.test(s)));
  await checkLabels(page);
  check("no complaint, no request", complaints.length === 0, complaints);
  await page.close();
}

// Labels of the vertical axes: no two the same.
async function checkLabels(page) {
  const labels = await page.evaluate(() => window.limber.plots.plots.map((p) => p.chart.axes[1]._values));
  check("labels of an axis differ", labels.length > 0 && labels.every((l) => l.length > 1 && new Set(l).size === l.length), labels);
}

async function checkConstant(result) {
  console.log("signals that hardly vary");
  const { page, complaints } = await openPage(browser, makePage(result, "system.angular_momentum.y", "system.linear_momentum.x"));
  const units = await page.locator(".plots .unit").allTextContents();
  check("what varies little is drawn as a change", /^change from 8(\.0+)? N m s$/.test(units[0]) || /^change from (7\.99|8\.0)\d* N m s$/.test(units[0]), units);
  check("what does not vary is not", units[1] === "N s", units);
  await checkLabels(page);
  const [low, high] = await page.evaluate(() => {
    const v = window.limber.plots.plots[0].values[0];
    return [Math.min(...v), Math.max(...v)];
  });
  check("the change has more digits than a float of the value", high > low && high - low < 1e-3 && new Set([low, high, 0]).size >= 2, [low, high]);
  // a path has one scale for both axes
  const scales = await page.evaluate(() => {
    const motion = window.limber.motion;
    const node = motion.model.traces[0];
    const path = motion.trace(node);
    const i = "xyz".indexOf(document.querySelectorAll(".bar select")[1].selectedOptions[0].text[0]);
    const j = "xyz".indexOf(document.querySelectorAll(".bar select")[1].selectedOptions[0].text[2]);
    const span = (v) => Math.max(...v) - Math.min(...v);
    const real = [i, j].map((k) => span(path.filter((_, n) => n % 3 === k)));
    const points = document.querySelector("svg.path polyline").getAttribute("points").split(" ").map((p) => p.split(",").map(Number));
    return [0, 1].map((k) => span(points.map((p) => p[k])) / real[k]);
  });
  check("a path has one scale for both axes", Math.abs(scales[0] / scales[1] - 1) < 0.01, scales);
  check("no complaint, no request", complaints.length === 0, complaints);
  await page.close();
}

async function checkTwo(first, second) {
  console.log("two runs side by side");
  const { page, complaints } = await openPage(browser, makePage(first, second, "bob.angle"));
  check("both are named", (await page.locator(".pane-name").allTextContents()).join() === "A: hanger.h5,B: swing.h5");
  const [a, b] = [await boxOf(page, "#scene"), await boxOf(page, "#scene-2")];
  check("they are side by side", a.x + a.width <= b.x + 1 && Math.abs(a.width - b.width) < 4, [a, b]);
  check("signals of both are plotted", (await page.locator(".curve .name").allTextContents()).join() === "bob.angle (A),bob.angle (B)");
  const values = await page.locator(".curve .value").allTextContents();
  check("each with its own value", Number(values[0]) === 0 && Number(values[1]) === 0.5, values);
  await page.evaluate(() => window.limber.setTime(0.4));
  const angle = await page.evaluate(() => {
    const node = window.limber.motion.model.nodes.findIndex((n) => n.name === "tip");
    return [window.limber.motion, window.limber.other.motion].map((m) => m.places[3 * node]);
  });
  check("both move", Math.abs(angle[0]) < 1e-6 && Math.abs(angle[1]) > 0.01, angle);
  await page.locator("#views button", { hasText: /^x$/ }).click();
  check("both are seen from the same place", await page.evaluate(() => {
    const { scene, other } = window.limber;
    return scene.camera.position.equals(other.scene.camera.position) && scene.camera.position.x > 1;
  }));
  // the hinge carries the weight, upwards
  await page.locator("#switches input[name=loads]").click();
  const arrow = await page.evaluate(() => {
    window.limber.setTime(0);
    return Array.from(window.limber.scene.loads.arrows.lines.geometry.getAttribute("position").array);
  });
  const largest = await page.evaluate(() => window.limber.scene.loads.largest.force);
  const size = await page.evaluate(() => window.limber.motion.model.size);
  const length = (0.25 * size * 19.62) / largest;
  check("the load in a hinge is an arrow", Math.abs(arrow[5] - arrow[2] - length) < 1e-3 * length && Math.abs(arrow[3]) < 1e-6, [arrow, length]);
  // a hinge that swings carries no moment about its axis, and none about others here
  check("there is no moment", (await page.evaluate(() => window.limber.scene.loads.largest.moment)) < 1e-9);
  check("with a caption", /loads in hinges and loops\s*longest arrow [\d.]+ N$/.test(await page.textContent("#legend")) && (await page.isVisible("#legend")));
  check("no complaint, no request", complaints.length === 0, complaints);
  await page.close();
}

// A moment is an arrow with two heads along its axis: right-handed, as long as it is beside the largest.
async function checkMoments(result) {
  console.log("moments");
  const { page, complaints } = await openPage(browser, makePage(result));
  await page.locator("#switches input[name=loads]").click();
  const seen = await page.evaluate(() => {
    const { scene, motion } = window.limber;
    const arrows = scene.loads.arrows;
    const position = Array.from(arrows.lines.geometry.getAttribute("position").array);
    const heads = Array.from({ length: arrows.heads.count }, (_, i) => Array.from(arrows.heads.instanceMatrix.array.slice(16 * i + 12, 16 * i + 15)));
    return { force: position.slice(0, 6), moment: position.slice(6, 12), heads, largest: scene.loads.largest, longest: 0.25 * motion.model.size };
  });
  // the weight of 2 kg at 0.5 m along x: 19.62 N upwards, and 9.81 N m about -y hold it
  const close = (a, b) => a.every((x, i) => Math.abs(x - b[i]) < 1e-4 * seen.longest);
  check("the weight is held", Math.abs(seen.largest.force - 19.62) < 1e-4 && close(seen.force, [0, 0, 0, 0, 0, seen.longest]), seen);
  check("and so is its moment", Math.abs(seen.largest.moment - 9.81) < 1e-4 && close(seen.moment, [0, 0, 0, 0, -seen.longest, 0]), seen);
  check("one head for the force, two for the moment", seen.heads.length === 3 && close(seen.heads[1], [0, -seen.longest, 0]) &&
    seen.heads[2][1] > seen.heads[1][1] && Math.abs(seen.heads[2][0]) < 1e-6, seen.heads);
  check("the caption has both", /longest arrow 19\.62 N, 9\.81 N m with two heads/.test(await page.textContent("#legend")), await page.textContent("#legend"));
  check("no complaint, no request", complaints.length === 0, complaints);
  await page.close();
}

// The page begins with the view of `limber render`: what is coloured has the same place in both.
async function checkView(result) {
  console.log("the first view");
  const { page } = await openPage(browser, makePage(result));
  await waitForFrames(page);
  const box = await boxOf(page, "#scene");
  const picture = join(folder, "view.png");
  execFileSync(limber, ["render", result, "-o", picture, "--to", "0", "--size", `${2 * Math.round(box.width / 2)}x${2 * Math.round(box.height / 2)}`], { stdio: "pipe" });
  const places = [];
  for (const [png, at] of [[await page.screenshot(), box], [readFileSync(picture), { ...box, x: 0, y: 0 }]]) {
    places.push(await canvas.evaluate(async ([data, region]) => {
      const image = new Image();
      image.src = "data:image/png;base64," + data;
      await image.decode();
      const c = document.createElement("canvas");
      c.width = region.width;
      c.height = region.height;
      const g = c.getContext("2d");
      g.drawImage(image, -region.x, -region.y);
      // without the corner of the axes, the buttons above and the legend below
      const [top, bottom] = [90, region.height - 100];
      const p = g.getImageData(0, top, region.width, bottom - top).data;
      let found = [1e9, 1e9, -1, -1];
      for (let i = 0; i < p.length; i += 4) {
        if (Math.max(p[i], p[i + 1], p[i + 2]) - Math.min(p[i], p[i + 1], p[i + 2]) > 50) {
          const x = (i / 4) % region.width;
          const y = top + Math.floor(i / 4 / region.width);
          found = [Math.min(found[0], x), Math.min(found[1], y), Math.max(found[2], x), Math.max(found[3], y)];
        }
      }
      return found;
    }, [png.toString("base64"), at]));
  }
  // edges are smoothed differently, and a width may be odd
  check("page and picture show the same", places[0].every((x, i) => Math.abs(x - places[1][i]) <= 4), places);
  await page.close();
}

// Pieces that would cover each other, or stick out.
async function checkLayout(page, where) {
  const trouble = await page.evaluate(() => {
    const shown = ["#views", "#switches", "#caption", "#legend"].map((s) => [s, document.querySelector(s)])
      .filter(([, e]) => e && !e.hidden && e.getClientRects().length > 0).map(([s, e]) => [s, e.getBoundingClientRect()]);
    const stage = document.getElementById("stage").getBoundingClientRect();
    shown.push(["triad", new DOMRect(stage.right - 92, stage.bottom - 92, 84, 84)]);
    const found = [];
    shown.forEach(([a, r], i) => {
      if (r.left < stage.left || r.right > stage.right || r.top < stage.top || r.bottom > stage.bottom) {
        found.push(`${a} sticks out`);
      }
      for (const [b, s] of shown.slice(i + 1)) {
        if (r.left < s.right && s.left < r.right && r.top < s.bottom && s.top < r.bottom) {
          found.push(`${a} covers ${b}`);
        }
      }
    });
    if (document.documentElement.scrollWidth > window.innerWidth) {
      found.push("the page is wider than the window");
    }
    for (const e of document.querySelectorAll("header *, footer *, #story *, #top *, #bottom *")) {
      const r = e.getBoundingClientRect();
      if (r.width > 0 && (r.right > window.innerWidth + 1 || r.left < -1)) {
        found.push(`${e.tagName} ${e.id} ${e.className} is cut off`);
      }
    }
    return found;
  });
  check(`nothing covers or is cut off, ${where}`, trouble.length === 0, trouble);
}

async function checkLayouts(results) {
  console.log("layout");
  for (const [width, height] of [[1400, 860], [390, 780]]) {
    const own = await startBrowser({ viewport: { width, height }, hasTouch: width < 500, isMobile: width < 500 });
    for (const result of results) {
      const { page } = await openPage(own, makePage(result));
      await page.keyboard.press("End");
      await waitForFrames(page);
      await checkLayout(page, `${result.replace(/^.*\//, "")} at ${width} pixels`);
      if (width < 500) {
        await page.tap("#show-switches");
        await checkLayout(page, `${result.replace(/^.*\//, "")} at ${width} pixels with switches`);
      }
      await page.close();
    }
    await own.close();
  }
}

async function checkPictures(pages) {
  console.log("pictures");
  for (const [name, result, t, other] of pages) {
    const { page } = await openPage(browser, makePage(result));
    const at = async (time) => {
      await page.evaluate((x) => window.limber.setTime(x), time);
      await waitForFrames(page);
      return comparePicture(page, name, join(folder, `picture-${name}-${time}.png`));
    };
    const same = await at(t);
    check(`${name} looks as before`, same.distance <= same.bound, same);
    const moved = await at(other);
    check(`${name} looks otherwise at another time`, moved.distance > same.bound, moved);
    console.log(`  ${name}: ${same.distance.toFixed(3)} from the reference, ${moved.distance.toFixed(3)} at another time, ${same.bound.toFixed(1)} is the bound`);
    await page.close();
  }
}

const all = {
  arm: () => checkArm(record("arm", arm)),
  story: () => checkStory(record("arm", arm)),
  constant: () => checkConstant(record("tumbler", tumbler)),
  two: () => checkTwo(record("hanger", hanger(0)), record("swing", hanger(0.5))),
  moments: () => checkMoments(record("shelf", shelf)),
  view: () => checkView(record("shelf", shelf)),
  values: () => checkValues(record("square", square)),
  pictures: () => checkPictures([["arm", record("arm", arm), 0.6, 0.9], ["square", record("square", square), 0, 0.37]]),
  layout: () => checkLayouts([record("arm", arm), record("square", square)]),
  evil: () => checkEvil(record("evil", evil)),
  damage: () => checkDamage(record("arm", arm)),
  touch: () => checkTouch(record("arm", arm)),
  serve: () => checkServe(record("arm", arm)),
  large: () => checkSize("a result of 50 MB", record("large", chain(22, "{duration: 60, interval: 0.0008, integrator: {type: rk4, step: 0.0008}}")), 50, false),
  long: () => checkSize("a chain of 1000 bodies", record("long", chain(1000, "{duration: 0.5, interval: 0.005, integrator: {type: rk4, step: 0.0005}}")), 1, true),
};
for (const [name, run] of Object.entries(all)) {
  if (parts.length === 0 || parts.includes(name)) {
    await run();
  }
}
await browser.close();
console.log(`${count} checks, ${failed.length} failed`);
failed.forEach((text) => console.log("  " + text));
process.exit(failed.length > 0 ? 1 : 0);
