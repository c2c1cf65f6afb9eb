// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Compares the scene with a picture of it that somebody has looked at. The scene is made small: each pixel of the
// reference is the mean of many, so that the edges of shapes, where drivers and versions of a browser round
// differently, count little, and a shape that is elsewhere, or has another colour, counts much. To renew a reference,
// look at picture-NAME-TIME.png, which the test leaves in its folder, and copy it to pictures/NAME.png.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const home = join(dirname(fileURLToPath(import.meta.url)), "pictures");
const WIDTH = 96;

/**
 * Largest mean difference of a colour, of 255, over the pixels in which either picture shows something. Thin shapes are all
 * edges: one that is off by a third of a pixel of the screen changes a pixel of the reference, which is six times as
 * wide, by an eighteenth of the contrast, at most 200.
 */
const BOUND = 200 / 18;

/** The picture is also written to a file, for whoever wants to look at it or to keep it as the reference. */
export async function comparePicture(page, name, target) {
  const file = join(home, name + ".png");
  const reference = existsSync(file) ? readFileSync(file).toString("base64") : null;
  const { distance, picture } = await page.evaluate(async ([data, width]) => {
    const scene = document.getElementById("scene");
    const height = Math.round((width * scene.height) / scene.width);
    const small = () => {
      const canvas = document.createElement("canvas");
      canvas.width = width;
      canvas.height = height;
      return canvas;
    };
    // halved again and again: each pixel of the scene counts
    let from = scene;
    while (from.width >= 2 * width) {
      const half = document.createElement("canvas");
      half.width = Math.floor(from.width / 2);
      half.height = Math.floor(from.height / 2);
      half.getContext("2d").drawImage(from, 0, 0, half.width, half.height);
      from = half;
    }
    const now = small();
    now.getContext("2d").drawImage(from, 0, 0, width, height);
    const picture = now.toDataURL("image/png").split(",")[1];
    if (!data) {
      return { distance: 255, picture };
    }
    const image = new Image();
    image.src = "data:image/png;base64," + data;
    await image.decode();
    const then = small();
    then.getContext("2d").drawImage(image, 0, 0);
    const [a, b] = [now, then].map((c) => c.getContext("2d").getImageData(0, 0, width, height).data);
    // the corner at the top left shows the background; the thin lines of the grid are hardly unlike it
    const differs = (p, i, q, j) => Math.abs(p[i] - q[j]) + Math.abs(p[i + 1] - q[j + 1]) + Math.abs(p[i + 2] - q[j + 2]);
    let sum = 0;
    let count = 0;
    for (let i = 0; i < a.length; i += 4) {
      if (differs(a, i, a, 0) > 45 || differs(b, i, b, 0) > 45) {
        sum += differs(a, i, b, i);
        count += 3;
      }
    }
    return { distance: sum / Math.max(1, count), picture };
  }, [reference, WIDTH]);
  writeFileSync(target, Buffer.from(picture, "base64"));
  return { distance, bound: BOUND };
}
