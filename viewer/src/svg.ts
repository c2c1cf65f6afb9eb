// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// A plot as SVG, for papers and slides.
import { Numbers, show } from "./data";
import { labelTicks, makeRange, makeTicks } from "./ticks";
import { curves } from "./colours";

const W = 640;
const H = 360;
const frame = { left: 70, top: 12, right: 12, bottom: 44 };

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
}

export function writeSvg(x: Float64Array, ys: Numbers[], names: string[], label: string): string {
  let low = Infinity;
  let high = -Infinity;
  for (const y of ys) {
    for (const v of y) {
      if (Number.isFinite(v)) {
        low = Math.min(low, v);
        high = Math.max(high, v);
      }
    }
  }
  [low, high] = makeRange(low, high);
  const legend = 16 * names.length;
  const height = H + legend;
  const w = W - frame.left - frame.right;
  const h = H - frame.top - frame.bottom;
  const span = Math.max(1e-300, x[x.length - 1] - x[0]);
  const px = (v: number) => frame.left + (w * (v - x[0])) / span;
  const py = (v: number) => frame.top + h * (1 - (v - low) / (high - low));
  const out = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${W}" height="${height}" viewBox="0 0 ${W} ${height}" font-family="sans-serif" font-size="12">`,
    `<rect width="${W}" height="${height}" fill="#fff"/>`,
  ];
  for (const t of makeTicks(x[0], x[0] + span, 8)) {
    out.push(`<line x1="${px(t)}" y1="${frame.top}" x2="${px(t)}" y2="${frame.top + h}" stroke="#ddd"/>`);
    out.push(`<text x="${px(t)}" y="${frame.top + h + 16}" text-anchor="middle">${show(t)}</text>`);
  }
  const marks = makeTicks(low, high, 6);
  labelTicks(marks).forEach((text, i) => {
    const y = py(marks[i]);
    out.push(`<line x1="${frame.left}" y1="${y}" x2="${frame.left + w}" y2="${y}" stroke="#ddd"/>`);
    out.push(`<text x="${frame.left - 6}" y="${y + 4}" text-anchor="end">${text}</text>`);
  });
  out.push(`<rect x="${frame.left}" y="${frame.top}" width="${w}" height="${h}" fill="none" stroke="#000"/>`);
  out.push(`<text x="${frame.left + w / 2}" y="${H - 10}" text-anchor="middle">t [s]</text>`);
  if (label) {
    out.push(`<text transform="translate(14 ${frame.top + h / 2}) rotate(-90)" text-anchor="middle">${escape(label)}</text>`);
  }
  ys.forEach((y, i) => {
    const points: string[] = [];
    for (let k = 0; k < y.length; ++k) {
      if (Number.isFinite(y[k])) {
        points.push(`${px(x[k]).toFixed(2)},${py(y[k]).toFixed(2)}`);
      }
    }
    const colour = curves[i % curves.length];
    out.push(`<polyline fill="none" stroke="${colour}" stroke-width="1.5" points="${points.join(" ")}"/>`);
    out.push(`<line x1="${frame.left}" y1="${H + 16 * i + 2}" x2="${frame.left + 24}" y2="${H + 16 * i + 2}" stroke="${colour}" stroke-width="2"/>`);
    out.push(`<text x="${frame.left + 30}" y="${H + 16 * i + 6}">${escape(names[i])}</text>`);
  });
  out.push("</svg>\n");
  return out.join("\n");
}
