// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What deforms: tubes along lines between nodes and sheets over nodes, all in one mesh, coloured by
// how far nodes are from where they are without deformation.
import * as T from "three";
import { Model } from "./data";
import { Motion } from "./motion";
import { heat, highlight, shapeColour } from "./colours";

const SIDES = 10;
/** Pieces of a line between two nodes; few where there are many lines. */
const PIECES = 8;

export class SoftMesh {
  readonly mesh: T.Mesh;
  private readonly tubes: { a: number; b: number; radius: number; first: number; body: number; base: T.Color; rest: T.Vector3 }[] = [];
  private readonly sheets: { nodes: number[]; first: number; corners: number[]; body: number; base: T.Color }[] = [];
  private readonly bodies: number[] = [];
  private readonly position: T.BufferAttribute;
  private readonly normal: T.BufferAttribute;
  private readonly colour: T.BufferAttribute;
  private readonly pieces: number;
  coloured = true;
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
      if (s.kind === "tube") {
        for (let i = 0; i + 1 < s.nodes!.length; i += 2) {
          const first = claim(s.body, (this.pieces + 1) * SIDES);
          const [from, to] = [s.nodes![i], s.nodes![i + 1]];
          const rest = new T.Vector3().fromArray(model.nodes[to].p).sub(new T.Vector3().fromArray(model.nodes[from].p));
          this.tubes.push({ a: from, b: to, radius: s.size[0], first, body: s.body, base: shapeColour(s), rest });
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
        this.sheets.push({ nodes, first, corners, body: s.body, base: shapeColour(s) });
        index.push(...corners);
      }
    }
    const geometry = new T.BufferGeometry();
    this.position = new T.BufferAttribute(new Float32Array(3 * count), 3).setUsage(T.DynamicDrawUsage);
    this.normal = new T.BufferAttribute(new Float32Array(3 * count), 3).setUsage(T.DynamicDrawUsage);
    this.colour = new T.BufferAttribute(new Float32Array(3 * count), 3).setUsage(T.DynamicDrawUsage);
    geometry.setAttribute("position", this.position);
    geometry.setAttribute("normal", this.normal);
    geometry.setAttribute("color", this.colour);
    geometry.setIndex(new T.BufferAttribute(new Uint32Array(index), 1));
    this.mesh = new T.Mesh(geometry, new T.MeshLambertMaterial({ vertexColors: true, side: T.DoubleSide }));
    this.mesh.frustumCulled = false;
  }

  get empty(): boolean {
    return this.tubes.length === 0 && this.sheets.length === 0;
  }

  bodyAt(point: number): number {
    return this.bodies[point];
  }

  private paint(point: number, shift: number, body: number, base: T.Color, selected: number) {
    const c = tint;
    if (body === selected) {
      c.set(highlight);
    } else if (this.coloured && this.largest > 0) {
      heat(shift / this.largest, c);
    } else {
      c.copy(base);
    }
    c.toArray(this.colour.array as Float32Array, 3 * point);
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
      const shift0 = this.motion.shifts[tube.a];
      const shift1 = this.motion.shifts[tube.b];
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
          this.paint(point, shift0 + t * (shift1 - shift0), tube.body, tube.base, selected);
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
        this.paint(sheet.first + i, this.motion.shifts[node], sheet.body, sheet.base, selected);
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
