// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A real browser with a page from disk, and what it complained about.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const path = process.env.CHROMIUM ?? "/usr/bin/chromium";

export async function startBrowser(options = {}) {
  const profile = mkdtempSync(join(tmpdir(), "limber-browser-"));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: path,
    headless: true,
    timeout: 0,
    acceptDownloads: true,
    viewport: { width: 1280, height: 800 },
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
      "--disable-background-networking", "--disable-component-update", "--disable-sync",
      "--enable-unsafe-swiftshader"],
    ...options,
  });
  // ctest has a limit, for what hangs
  context.setDefaultTimeout(0);
  return {
    context,
    async close() {
      await context.close();
      rmSync(profile, { recursive: true, force: true });
    },
  };
}

/** Opens a file; `complaints` gathers console errors, exceptions and requests that leave it. */
export async function openPage(browser, file) {
  const page = await browser.context.newPage();
  const complaints = [];
  const url = pathToFileURL(file).href;
  page.on("console", (m) => {
    if (m.type() === "error") {
      complaints.push("console: " + m.text());
    }
  });
  page.on("pageerror", (e) => complaints.push("exception: " + e.message));
  page.on("request", (r) => {
    if (r.url().split("#")[0] !== url && !r.url().startsWith("blob:") && !r.url().startsWith("data:")) {
      complaints.push("request: " + r.url());
    }
  });
  const start = Date.now();
  await page.goto(url);
  await page.waitForSelector("html[data-ready=yes]");
  return { page, complaints, loadTime: Date.now() - start };
}

/** Waits until the page has drawn so many more frames, so that the last but one is on the screen. */
export const waitForFrames = (page, count = 2) => page.evaluate((more) => new Promise((done) => {
  const end = window.limber.frames + more;
  const look = () => (window.limber.frames >= end ? done() : requestAnimationFrame(look));
  look();
}), count);
