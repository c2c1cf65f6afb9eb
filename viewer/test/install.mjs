// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Gets playwright-core into ./node_modules, as package-lock.json has it: by npm, or, where there is
// none, the package itself, whose hash is compared. Exit status 77 if the registry cannot be reached.
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";

const lock = JSON.parse(readFileSync("package-lock.json", "utf8")).packages["node_modules/playwright-core"];
// npm may leave out where a package came from
const address = lock.resolved ?? `https://registry.npmjs.org/playwright-core/-/playwright-core-${lock.version}.tgz`;
const home = "node_modules/playwright-core";

function installed() {
  return existsSync(home + "/package.json") &&
    JSON.parse(readFileSync(home + "/package.json", "utf8")).version === lock.version;
}

function skip(why) {
  console.log(`playwright-core is not here and cannot be had: ${why}`);
  process.exit(77);
}

async function download() {
  let bytes;
  try {
    const answer = await fetch(address, { signal: AbortSignal.timeout(60000) });
    if (!answer.ok) {
      skip(`${address}: ${answer.status}`);
    }
    bytes = Buffer.from(await answer.arrayBuffer());
  } catch (error) {
    skip(`${address}: ${error.message}`);
  }
  const hash = "sha512-" + createHash("sha512").update(bytes).digest("base64");
  if (hash !== lock.integrity) {
    throw new Error("playwright-core is not what package-lock.json says");
  }
  rmSync("node_modules", { recursive: true, force: true });
  mkdirSync("node_modules");
  writeFileSync("node_modules/package.tgz", bytes);
  execFileSync("tar", ["-xzf", "package.tgz"], { cwd: "node_modules" });
  renameSync("node_modules/package", home);
  rmSync("node_modules/package.tgz");
}

if (!installed()) {
  const npm = spawnSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], { timeout: 120000 });
  if (npm.status !== 0 || !installed()) {
    await download();
  }
}
