// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What deforms: tubes along lines between nodes and sheets over nodes, all in one mesh, coloured by
// values at the nodes, or else by how far nodes are from where they are without deformation.
import * as T from "three";
import { Model } from "./data";
import { Motion } from "./motion";
import { colourByLevel, highlight, noLevel, shapeColour } from "./colours";

const SIDES = 10;
/** Pieces of a line between two nodes; few where there are many lines. */
const PIECES = 8;

/** What the colours of a shape come from; `values` has one entry per node, none if there are no values. */
interface Look {
  body: number;
  base: T.Color;
  values: number[];
  scale: { low: number; high: number } | null;
}

export class SoftMesh {
  readonly mesh: T.Mesh;
  private readonly tubes: (Look & { a: number; b: number; radius: number; first: number; rest: T.Vector3 })[] = [];
  private readonly sheets: (Look & { nodes: number[]; first: number; corners: number[] })[] = [];
  private readonly bodies: number[] = [];
  private readonly position: T.BufferAttribute;
  private readonly normal: T.BufferAttribute;
  private readonly colour: T.BufferAttribute;
  private readonly level: T.BufferAttribute;
  private readonly pieces: number;
  coloured = true;
  /** whether shapes with values are coloured by them */
  valued = true;
  largest: number;

  constructor(
    model: Model,
    private readonly motion: Motion,
  ) {
    this.largest = motion.largest;
    const index: number[] = [];
    let count = 0;
    const lineCount = model.shapes.reduce((n, s) => n + (s.kind === "tube" ? s.nodes!.length / 2 : 0), 0);
    this.pieces = lineCount > 1500 ? 1 : PIECES;
    const claim = (body: number, points: number) => {
      const first = count;
      count += points;
      for (let i = 0; i < points; ++i) {
        this.bodies.push(body);
      }
      return first;
    };
    for (const s of model.shapes) {
      const scale = s.values ? model.scales[s.scale!] : null;
      if (s.kind === "tube") {
        for (let i = 0; i + 1 < s.nodes!.length; i += 2) {
          const first = claim(s.body, (this.pieces + 1) * SIDES);
          const [from, to] = [s.nodes![i], s.nodes![i + 1]];
          const rest = new T.Vector3().fromArray(model.nodes[to].p).sub(new T.Vector3().fromArray(model.nodes[from].p));
          const values = s.values?.slice(i, i + 2) ?? [];
          this.tubes.push({ a: from, b: to, radius: s.size[0], first, body: s.body, base: shapeColour(s), rest, values, scale });
          for (let ring = 0; ring < this.pieces; ++ring) {
            for (let k = 0; k < SIDES; ++k) {
              const l = (k + 1) % SIDES;
              const at = first + ring * SIDES;
              index.push(at + k, at + l, at + SIDES + k, at + l, at + SIDES + l, at + SIDES + k);
            }
          }
        }
      } else if (s.kind === "sheet") {
        const nodes = [...new Set(s.nodes!)];
        const first = claim(s.body, nodes.length);
        const corners = s.nodes!.map((n) => first + nodes.indexOf(n));
        const values = s.values ? nodes.map((n) => s.values![s.nodes!.indexOf(n)]) : [];
        this.sheets.push({ nodes, first, corners, body: s.body, base: shapeColour(s), values, scale });
        index.push(...corners);
      }
    }
    const geometry = new T.BufferGeometry();
    this.position = new T.BufferAttribute(new Float32Array(3 * count), 3).setUsage(T.DynamicDrawUsage);
    this.normal = new T.BufferAttribute(new Float32Array(3 * count), 3).setUsage(T.DynamicDrawUsage);
    this.colour = new T.BufferAttribute(new Float32Array(3 * count), 3).setUsage(T.DynamicDrawUsage);
    this.level = new T.BufferAttribute(new Float32Array(count), 1).setUsage(T.DynamicDrawUsage);
    geometry.setAttribute("level", this.level);
    geometry.setAttribute("position", this.position);
    geometry.setAttribute("normal", this.normal);
    geometry.setAttribute("color", this.colour);
    geometry.setIndex(new T.BufferAttribute(new Uint32Array(index), 1));
    const material = new T.MeshLambertMaterial({ vertexColors: true, side: T.DoubleSide });
    colourByLevel(material);
    this.mesh = new T.Mesh(geometry, material);
    this.mesh.frustumCulled = false;
  }

  get empty(): boolean {
    return this.tubes.length === 0 && this.sheets.length === 0;
  }

  /** Whether some shape is coloured by displacement. */
  get showsShifts(): boolean {
    return this.coloured && [...this.tubes, ...this.sheets].some((s) => !(this.valued && s.scale));
  }

  bodyAt(point: number): number {
    return this.bodies[point];
  }

  /** Where entry i of a shape's values, or its node, is between the first and the last colour; NaN for none. */
  private levelOf(look: Look, i: number, node: number): number {
    if (this.valued && look.scale) {
      const { low, high } = look.scale;
      return (this.motion.values[look.values[i]] - low) / (high - low);
    }
    return this.coloured && this.largest > 0 ? this.motion.shifts[node] / this.largest : NaN;
  }

  private paint(point: number, level: number, look: Look, selected: number) {
    const marked = look.body === selected;
    (marked ? tint.set(highlight) : look.base).toArray(this.colour.array as Float32Array, 3 * point);
    this.level.array[point] = marked || Number.isNaN(level) ? noLevel : level;
  }

  update(selected: number) {
    const places = this.motion.places;
    const p = this.position.array as Float32Array;
    const n = this.normal.array as Float32Array;
    for (const tube of this.tubes) {
      a.fromArray(places, 3 * tube.a);
      b.fromArray(places, 3 * tube.b);
      // a cubic that leaves and arrives as the nodes are turned
      m0.copy(tube.rest);
      m1.copy(tube.rest);
      this.motion.direct(tube.a, m0);
      this.motion.direct(tube.b, m1);
      const level0 = this.levelOf(tube, 0, tube.a);
      const level1 = this.levelOf(tube, 1, tube.b);
      for (let ring = 0; ring <= this.pieces; ++ring) {
        const t = ring / this.pieces;
        const h = t * t * (3 - 2 * t);
        middle.copy(a).lerp(b, h).addScaledVector(m0, t * (1 - t) * (1 - t)).addScaledVector(m1, t * t * (t - 1));
        const g = 6 * t * (1 - t);
        d.subVectors(b, a).multiplyScalar(g).addScaledVector(m0, (1 - t) * (1 - 3 * t)).addScaledVector(m1, t * (3 * t - 2)).normalize();
        u.set(Math.abs(d.x) < 0.7 ? 1 : 0, Math.abs(d.x) < 0.7 ? 0 : 1, 0).cross(d).normalize();
        v.crossVectors(d, u);
        for (let k = 0; k < SIDES; ++k) {
          const angle = (2 * Math.PI * k) / SIDES;
          const c = Math.cos(angle);
          const s = Math.sin(angle);
          const point = tube.first + ring * SIDES + k;
          const at = 3 * point;
          n[at] = c * u.x + s * v.x;
          n[at + 1] = c * u.y + s * v.y;
          n[at + 2] = c * u.z + s * v.z;
          p[at] = middle.x + tube.radius * n[at];
          p[at + 1] = middle.y + tube.radius * n[at + 1];
          p[at + 2] = middle.z + tube.radius * n[at + 2];
          this.paint(point, level0 + t * (level1 - level0), tube, selected);
        }
      }
    }
    for (const sheet of this.sheets) {
      sheet.nodes.forEach((node, i) => {
        const at = 3 * (sheet.first + i);
        for (let k = 0; k < 3; ++k) {
          p[at + k] = places[3 * node + k];
          n[at + k] = 0;
        }
        this.paint(sheet.first + i, this.levelOf(sheet, i, node), sheet, selected);
      });
      for (let i = 0; i < sheet.corners.length; i += 3) {
        const [i0, i1, i2] = [3 * sheet.corners[i], 3 * sheet.corners[i + 1], 3 * sheet.corners[i + 2]];
        a.fromArray(p, i0);
        u.fromArray(p, i1).sub(a);
        v.fromArray(p, i2).sub(a);
        d.crossVectors(u, v);
        for (const at of [i0, i1, i2]) {
          n[at] += d.x;
          n[at + 1] += d.y;
          n[at + 2] += d.z;
        }
      }
    }
    this.position.needsUpdate = true;
    this.normal.needsUpdate = true;
    this.colour.needsUpdate = true;
    this.level.needsUpdate = true;
    this.mesh.geometry.boundingSphere = null;
    this.mesh.geometry.boundingBox = null;
  }
}

const a = new T.Vector3();
const m0 = new T.Vector3();
const m1 = new T.Vector3();
const middle = new T.Vector3();
const b = new T.Vector3();
const d = new T.Vector3();
const u = new T.Vector3();
const v = new T.Vector3();
const tint = new T.Color();
