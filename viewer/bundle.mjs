// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Puts script and style into the page: dist/viewer.html, which is committed and built into the
// command. It carries the hash of what it was made from; test/view/check_bundle.sh compares.
import { createHash } from "node:crypto";
import { readFileSync, readdirSync, writeFileSync, mkdirSync } from "node:fs";

const sources = [
  "bundle.mjs",
  "index.html",
  "package-lock.json",
  "package.json",
  ...readdirSync("src").map((name) => "src/" + name),
  "tsconfig.json",
  "vite.config.mjs",
].sort((a, b) => (a < b ? -1 : 1));

const hash = createHash("sha256");
for (const name of sources) {
  hash.update(name + "\n");
  hash.update(readFileSync(name));
}
const stamp = hash.digest("hex");

const script = readFileSync("build/viewer.js", "utf8").trim();
const style = readFileSync("build/viewer.css", "utf8").trim();
for (const text of [script, style]) {
  if (/<\/(script|style)|<!--|<script/i.test(text)) {
    throw new Error("the bundle has text that would end its element");
  }
}
const digest = (text) => "'sha256-" + createHash("sha256").update(text).digest("base64") + "'";
const policy = [
  "default-src 'none'",
  `script-src ${digest(script)}`,
  `style-src ${digest(style)}`,
  "img-src data: blob:",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

const page = readFileSync("index.html", "utf8")
  .replace("<!--limber:head-->", () =>
    `<meta http-equiv="Content-Security-Policy" content="${policy}">\n` +
    `<meta name="limber-sources" content="${stamp}">\n<style>${style}</style>`)
  .replace("<!--limber:script-->", () => `<script>${script}</script>`);
mkdirSync("dist", { recursive: true });
writeFileSync("dist/viewer.html", page);
console.log(`dist/viewer.html: ${page.length} bytes, sources ${stamp}`);
