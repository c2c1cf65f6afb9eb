// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// shoot.mjs PAGE PICTURE.png [TIME [WIDTH [SCALE]]]: what a browser shows of a page of `limber view`, for the guide. A width
// below 500 pixels is a telephone.
import { openPage, startBrowser, waitForFrames } from "./browser.mjs";

const [file, picture, time = "0", width = "1400", scale = "0.7"] = process.argv.slice(2);
const narrow = Number(width) < 500;
const browser = await startBrowser({
  viewport: { width: Number(width), height: narrow ? 780 : 860 },
  deviceScaleFactor: Number(scale),
  hasTouch: narrow,
  isMobile: narrow,
});
const { page, complaints } = await openPage(browser, file);
await page.evaluate((t) => window.limber.setTime(t), Number(time));
await waitForFrames(page);
await page.screenshot({ path: picture });
await browser.close();
complaints.forEach((text) => console.log(text));
process.exit(complaints.length > 0 ? 1 : 0);
