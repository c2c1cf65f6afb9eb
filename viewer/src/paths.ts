// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The path of a node in a plane, drawn with the same scale along both axes: a circle looks like one.
import { Model, findRow } from "./data";
import { curves } from "./colours";
import { element } from "./dom";
import { Motion } from "./motion";
import { labelTicks, makeTicks } from "./ticks";

const SVG = "http://www.w3.org/2000/svg";
const W = 376;
const H = 260;
const frame = { left: 48, top: 10, right: 12, bottom: 34 };
const NODES_MAX = 300;

type Plane = [number, number];
const planes: [string, Plane][] = [["x y", [0, 1]], ["x z", [0, 2]], ["y z", [1, 2]]];

function add(parent: Element, tag: string, values: Record<string, string | number>, text = ""): SVGElement {
  const e = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(values)) {
    e.setAttribute(name, String(value));
  }
  e.textContent = text;
  parent.append(e);
  return e;
}

export class Paths {
  private readonly drawing = document.createElementNS(SVG, "svg");
  private readonly node = element("select");
  private readonly plane = element("select");
  private path: Float32Array | null = null;
  private dot: SVGElement | null = null;
  private place: (frame: number) => [number, number] = () => [0, 0];

  constructor(
    private readonly model: Model,
    private readonly motion: Motion,
    panel: HTMLElement,
  ) {
    const head = element("div", "bar");
    const nodes = [...new Set([...model.traces, ...model.nodes.map((_, i) => i).filter((i) => model.nodes[i].body >= 0)])];
    this.addOption(this.node, "none", "-1");
    for (const i of nodes.slice(0, NODES_MAX)) {
      const { body, name } = model.nodes[i];
      this.addOption(this.node, `${model.bodies[body]?.name ?? "ground"}/${name}`, String(i));
    }
    planes.forEach(([name], i) => this.addOption(this.plane, name, String(i)));
    head.append(element("span", "unit", "path of"), this.node, element("span", "", "in"), this.plane);
    this.drawing.setAttribute("viewBox", `0 0 ${W} ${H}`);
    this.drawing.setAttribute("class", "path");
    const box = element("div", "path-box");
    box.append(head, this.drawing);
    panel.append(box);
    this.node.setAttribute("aria-label", "node whose path is drawn");
    this.plane.setAttribute("aria-label", "plane of the path");
    this.node.addEventListener("change", () => this.choose(Number(this.node.value)));
    this.plane.addEventListener("change", () => this.draw());
    this.choose(model.traces[0] ?? -1);
  }

  private addOption(select: HTMLSelectElement, text: string, value: string) {
    const option = element("option", "", text);
    option.value = value;
    select.append(option);
  }

  choose(node: number) {
    this.node.value = String(node);
    this.path = node < 0 ? null : this.motion.trace(node);
    if (this.path) {
      // the plane in which it moves most
      const span = [0, 1, 2].map((k) => {
        const values = this.path!.filter((_, i) => i % 3 === k);
        return values.reduce((a, b) => Math.max(a, b), -Infinity) - values.reduce((a, b) => Math.min(a, b), Infinity);
      });
      const least = span.indexOf(Math.min(...span));
      this.plane.value = String([2, 1, 0][least]);
    }
    this.draw();
  }

  private draw() {
    this.drawing.replaceChildren();
    this.drawing.toggleAttribute("hidden", !this.path);
    this.plane.disabled = !this.path;
    this.dot = null;
    if (!this.path) {
      return;
    }
    const path = this.path;
    const [name, [i, j]] = planes[Number(this.plane.value)];
    const low = [Infinity, Infinity];
    const high = [-Infinity, -Infinity];
    for (let f = 0; f < path.length; f += 3) {
      [path[f + i], path[f + j]].forEach((x, k) => {
        low[k] = Math.min(low[k], x);
        high[k] = Math.max(high[k], x);
      });
    }
    const w = W - frame.left - frame.right;
    const h = H - frame.top - frame.bottom;
    const reach = Math.max(high[0] - low[0], high[1] - low[1], 1e-9 * this.model.size);
    const unit = Math.min(w / Math.max(high[0] - low[0], 0.02 * reach), h / Math.max(high[1] - low[1], 0.02 * reach)) / 1.12;
    const middle = [0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1])];
    const px = (x: number) => frame.left + w / 2 + unit * (x - middle[0]);
    const py = (y: number) => frame.top + h / 2 - unit * (y - middle[1]);
    this.drawing.dataset.unit = String(unit);
    // one step for both axes
    const step = w / unit / 6;
    const marks = [0, 1].map((k) => {
      const half = (k === 0 ? w : h) / unit / 2;
      return makeTicks(middle[k] - half, middle[k] + half, Math.max(1, Math.round((2 * half) / step)));
    });
    labelTicks(marks[0]).forEach((text, k) => {
      const x = px(marks[0][k]);
      add(this.drawing, "line", { x1: x, x2: x, y1: frame.top, y2: frame.top + h, class: "grid" });
      add(this.drawing, "text", { x, y: frame.top + h + 13, "text-anchor": "middle" }, text);
    });
    labelTicks(marks[1]).forEach((text, k) => {
      const y = py(marks[1][k]);
      add(this.drawing, "line", { x1: frame.left, x2: frame.left + w, y1: y, y2: y, class: "grid" });
      add(this.drawing, "text", { x: frame.left - 4, y: y + 4, "text-anchor": "end" }, text);
    });
    const [a, b] = name.split(" ");
    add(this.drawing, "text", { x: frame.left + w, y: H - 6, "text-anchor": "end" }, `${a}, m`);
    add(this.drawing, "text", { x: frame.left + 4, y: frame.top + 10 }, `${b}, m`);
    const points: string[] = [];
    for (let f = 0; f < path.length; f += 3) {
      points.push(`${px(path[f + i]).toFixed(1)},${py(path[f + j]).toFixed(1)}`);
    }
    add(this.drawing, "polyline", { points: points.join(" "), fill: "none", stroke: curves[0], "stroke-width": 1.5 });
    this.dot = add(this.drawing, "circle", { r: 4, fill: curves[1] });
    this.place = (f) => [px(path[3 * f + i]), py(path[3 * f + j])];
    this.moveTo(this.motion.time);
  }

  moveTo(t: number) {
    if (this.dot) {
      const [x, y] = this.place(findRow(this.motion.times, t));
      this.dot.setAttribute("cx", x.toFixed(1));
      this.dot.setAttribute("cy", y.toFixed(1));
    }
  }
}
