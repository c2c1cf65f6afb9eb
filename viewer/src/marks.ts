// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What can be switched on and off: hinges, loops, frames, forces, traces, the grid.
import * as T from "three";
import { Model } from "./data";
import { Motion } from "./motion";

export type Switch = "hinges" | "loops" | "frames" | "forces" | "traces" | "grid";

const TRACE_MAX = 12;

export class Marks {
  readonly group = new T.Group();
  private readonly hinges: T.InstancedMesh;
  private readonly frames: T.LineSegments;
  private readonly loops: T.LineSegments;
  private readonly loopEnds: T.InstancedMesh;
  private readonly arrows: T.LineSegments;
  private readonly heads: T.InstancedMesh;
  private readonly traces = new T.Group();
  private readonly grid = new T.Group();
  private readonly arrowLength: number;
  private largestLoad: [number, number] = [0, 0];

  constructor(
    private readonly model: Model,
    private readonly motion: Motion,
  ) {
    const size = model.size;
    this.arrowLength = 0.25 * size;
    const dot = new T.OctahedronGeometry(0.012 * size, 1);
    this.hinges = new T.InstancedMesh(dot, new T.MeshBasicMaterial({ color: 0xd0433a }), Math.max(1, model.bodies.length));
    this.loopEnds = new T.InstancedMesh(dot, new T.MeshBasicMaterial({ color: 0x9b2fae }), Math.max(1, 2 * model.loops.length));
    this.frames = lines(3 * model.bodies.length, undefined);
    this.loops = lines(model.loops.length, 0x9b2fae);
    this.arrows = lines(model.arrows.length, 0x1f9d55);
    this.heads = new T.InstancedMesh(
      new T.ConeGeometry(0.012 * size, 0.045 * size, 12).translate(0, -0.0225 * size, 0),
      new T.MeshBasicMaterial({ color: 0x1f9d55 }),
      Math.max(1, model.arrows.length),
    );
    for (const mesh of [this.hinges, this.loopEnds, this.heads]) {
      mesh.frustumCulled = false;
      mesh.count = 0;
    }
    this.group.add(this.hinges, this.frames, this.loops, this.loopEnds, this.arrows, this.heads, this.traces, this.grid);
    this.frames.visible = false;
    this.hinges.visible = false;
    this.traces.visible = false;
    // arrows are as long as their force beside the largest of the run
    for (let i = 0; i < 60; ++i) {
      motion.moveTo((motion.duration * i) / 59, 1);
      model.arrows.forEach((arrow, k) => {
        const kind = arrow.torque ? 1 : 0;
        this.largestLoad[kind] = Math.max(this.largestLoad[kind], Math.hypot(...motion.loads.subarray(3 * k, 3 * k + 3)));
      });
    }
    this.addGrid();
  }

  /** What there is to switch. */
  get available(): Switch[] {
    const all: Switch[] = ["hinges", "frames", "traces", "grid"];
    if (this.model.loops.length > 0) {
      all.push("loops");
    }
    if (this.model.arrows.length > 0) {
      all.push("forces");
    }
    return all;
  }

  isOn(name: Switch): boolean {
    return { hinges: this.hinges, frames: this.frames, loops: this.loops, forces: this.arrows, traces: this.traces, grid: this.grid }[name].visible;
  }

  setSwitch(name: Switch, on: boolean) {
    const parts: Record<Switch, T.Object3D[]> = {
      hinges: [this.hinges],
      frames: [this.frames],
      loops: [this.loops, this.loopEnds],
      forces: [this.arrows, this.heads],
      traces: [this.traces],
      grid: [this.grid],
    };
    if (name === "traces" && on && this.traces.children.length === 0) {
      this.addTraces();
    }
    for (const part of parts[name]) {
      part.visible = on;
    }
  }

  setDark(dark: boolean) {
    for (const child of this.grid.children) {
      ((child as T.LineSegments).material as T.LineBasicMaterial).color.set(dark ? 0x3a4350 : 0xc4ccd6);
    }
  }

  // A square of lines across gravity, below everything.
  private addGrid() {
    const size = this.model.size;
    const step = Math.pow(10, Math.floor(Math.log10(size / 2)));
    const count = Math.min(20, Math.ceil((1.5 * size) / step));
    const points: number[] = [];
    for (let i = -count; i <= count; ++i) {
      points.push(i * step, -count * step, 0, i * step, count * step, 0);
      points.push(-count * step, i * step, 0, count * step, i * step, 0);
    }
    const geometry = new T.BufferGeometry();
    geometry.setAttribute("position", new T.Float32BufferAttribute(points, 3));
    const grid = new T.LineSegments(geometry, new T.LineBasicMaterial());
    const g = new T.Vector3(...(this.model.gravity as [number, number, number]));
    const up = g.length() > 0 ? g.negate().normalize() : new T.Vector3(0, 0, 1);
    grid.quaternion.setFromUnitVectors(new T.Vector3(0, 0, 1), up);
    let lowest = 0;
    const p = new T.Vector3();
    for (let i = 0; i < 20; ++i) {
      this.motion.moveTo((this.motion.duration * i) / 19, 1);
      for (let n = 0; n < this.model.nodes.length; ++n) {
        lowest = Math.min(lowest, p.fromArray(this.motion.places, 3 * n).dot(up));
      }
    }
    grid.position.copy(up).multiplyScalar(lowest - 0.02 * size);
    this.grid.add(grid);
    this.grid.visible = this.model.gravity.some((x) => x !== 0);
  }

  // Those that the model names; else the last node of each body at the end of a branch.
  private addTraces() {
    let nodes = this.model.traces;
    if (nodes.length === 0) {
      const parents = new Set(this.model.bodies.map((body) => body.parent));
      const last = new Map<number, number>();
      this.model.nodes.forEach((node, i) => last.set(node.body, i));
      nodes = this.model.bodies.map((_, k) => k).filter((k) => !parents.has(k)).map((k) => last.get(k)!);
    }
    nodes.slice(0, TRACE_MAX).forEach((node) => {
      const geometry = new T.BufferGeometry();
      geometry.setAttribute("position", new T.BufferAttribute(this.motion.trace(node), 3));
      this.traces.add(new T.Line(geometry, new T.LineBasicMaterial({ color: 0x2f7de0 })));
    });
  }

  update() {
    const { model, motion } = this;
    const m = new T.Matrix4();
    if (this.hinges.visible) {
      model.bodies.forEach((body, k) => {
        this.hinges.setMatrixAt(k, m.makeTranslation(at(motion.places, body.hingeNode)));
      });
      this.hinges.count = model.bodies.length;
      this.hinges.instanceMatrix.needsUpdate = true;
    }
    if (this.frames.visible) {
      const axis = new T.Vector3();
      const origin = new T.Vector3();
      const p = this.frames.geometry.getAttribute("position") as T.BufferAttribute;
      motion.poses.forEach((pose, k) => {
        origin.setFromMatrixPosition(pose);
        for (let i = 0; i < 3; ++i) {
          axis.setFromMatrixColumn(pose, i).multiplyScalar(0.06 * model.size).add(origin);
          origin.toArray(p.array, 3 * (6 * k + 2 * i));
          axis.toArray(p.array, 3 * (6 * k + 2 * i + 1));
        }
      });
      p.needsUpdate = true;
    }
    if (this.loops.visible) {
      const p = this.loops.geometry.getAttribute("position") as T.BufferAttribute;
      model.loops.forEach((loop, i) => {
        // one that does not hold now is a point nobody sees
        const holds = loop.holds.filter((t) => t <= motion.time).length % 2 === 1;
        [loop.a, loop.b].forEach((node, end) => {
          const place = holds ? at(motion.places, node) : new T.Vector3(1e9, 1e9, 1e9);
          place.toArray(p.array, 3 * (2 * i + end));
          this.loopEnds.setMatrixAt(2 * i + end, m.makeTranslation(place));
        });
      });
      p.needsUpdate = true;
      this.loopEnds.count = 2 * model.loops.length;
      this.loopEnds.instanceMatrix.needsUpdate = true;
    }
    if (this.arrows.visible) {
      this.updateArrows();
    }
  }

  private updateArrows() {
    const { model, motion } = this;
    const p = this.arrows.geometry.getAttribute("position") as T.BufferAttribute;
    const turn = new T.Quaternion();
    const up = new T.Vector3(0, 1, 0);
    const m = new T.Matrix4();
    let heads = 0;
    model.arrows.forEach((arrow, i) => {
      const start = at(motion.places, arrow.node);
      const force = new T.Vector3().fromArray(motion.loads, 3 * i);
      const largest = this.largestLoad[arrow.torque ? 1 : 0];
      const length = largest > 0 ? (this.arrowLength * force.length()) / largest : 0;
      const end = start.clone();
      if (length > 1e-3 * this.arrowLength) {
        force.normalize();
        end.addScaledVector(force, length);
        this.heads.setMatrixAt(heads++, m.compose(end, turn.setFromUnitVectors(up, force), new T.Vector3(1, 1, 1)));
      }
      start.toArray(p.array, 6 * i);
      end.toArray(p.array, 6 * i + 3);
    });
    p.needsUpdate = true;
    this.heads.count = heads;
    this.heads.instanceMatrix.needsUpdate = true;
  }
}

function at(places: Float32Array, node: number): T.Vector3 {
  return new T.Vector3().fromArray(places, 3 * node);
}

// Segments; coloured red, green, blue in turn if there is no colour.
function lines(count: number, colour: number | undefined): T.LineSegments {
  const geometry = new T.BufferGeometry();
  geometry.setAttribute("position", new T.BufferAttribute(new Float32Array(6 * count), 3));
  if (colour === undefined) {
    const colours = new Float32Array(6 * count);
    for (let i = 0; i < 2 * count; ++i) {
      colours[3 * i + (Math.floor(i / 2) % 3)] = 0.85;
    }
    geometry.setAttribute("color", new T.BufferAttribute(colours, 3));
  }
  const material = new T.LineBasicMaterial(colour === undefined ? { vertexColors: true } : { color: colour });
  const segments = new T.LineSegments(geometry, material);
  segments.frustumCulled = false;
  return segments;
}
