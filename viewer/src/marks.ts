// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What can be switched on and off: hinges, loops, frames, forces, traces, the grid.
import * as T from "three";
import { Arrows } from "./arrows";
import { Model } from "./data";
import { highlight } from "./colours";
import { Motion } from "./motion";

export type Switch = "hinges" | "loops" | "frames" | "forces" | "traces" | "grid";

const TRACE_MAX = 12;

export class Marks {
  readonly group = new T.Group();
  private readonly hinges: T.InstancedMesh;
  private readonly frames: T.LineSegments;
  private readonly loops: T.LineSegments;
  private readonly loopEnds: T.InstancedMesh;
  private readonly arrows: Arrows;
  private readonly traces = new T.Group();
  private readonly grid = new T.Group();
  private readonly rings: T.InstancedMesh;
  private chosen: number[] = [];
  /** receives shadows */
  readonly floor = new T.Mesh(new T.PlaneGeometry(1, 1), new T.ShadowMaterial({ opacity: 0.25 }));
  private largestLoad: [number, number] = [0, 0];

  constructor(
    private readonly model: Model,
    private readonly motion: Motion,
  ) {
    const size = model.size;
    const dot = new T.OctahedronGeometry(0.012 * size, 1);
    this.hinges = new T.InstancedMesh(dot, new T.MeshBasicMaterial({ color: 0xd0433a }), Math.max(1, model.bodies.length));
    this.loopEnds = new T.InstancedMesh(dot, new T.MeshBasicMaterial({ color: 0x9b2fae }), Math.max(1, 2 * model.loops.length));
    this.frames = lines(3 * model.bodies.length, undefined);
    this.loops = lines(model.loops.length, 0x9b2fae);
    this.arrows = new Arrows(model.arrows.length, 0x1f9d55, size, (i) => model.arrows[i].torque);
    for (const mesh of [this.hinges, this.loopEnds]) {
      mesh.frustumCulled = false;
      mesh.count = 0;
    }
    this.rings = new T.InstancedMesh(
      new T.SphereGeometry(0.025 * size, 16, 12),
      new T.MeshBasicMaterial({ color: highlight, transparent: true, opacity: 0.6, depthTest: false }),
      4,
    );
    this.rings.frustumCulled = false;
    this.rings.count = 0;
    this.group.add(this.rings, this.hinges, this.frames, this.loops, this.loopEnds, this.arrows.group, this.traces, this.grid);
    this.frames.visible = false;
    this.hinges.visible = false;
    this.traces.visible = false;
    // arrows are as long as their force beside the largest of the run
    for (let i = 0; i < 60 && model.arrows.length > 0; ++i) {
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
    return { hinges: this.hinges, frames: this.frames, loops: this.loops, forces: this.arrows.group, traces: this.traces, grid: this.grid }[name].visible;
  }

  setSwitch(name: Switch, on: boolean) {
    const parts: Record<Switch, T.Object3D[]> = {
      hinges: [this.hinges],
      frames: [this.frames],
      loops: [this.loops, this.loopEnds],
      forces: [this.arrows.group],
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
      if (child instanceof T.LineSegments) {
        (child.material as T.LineBasicMaterial).color.set(dark ? 0x3a4350 : 0xc4ccd6);
      }
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
    const up = new T.Vector3().fromArray(this.model.extent.up);
    grid.quaternion.setFromUnitVectors(new T.Vector3(0, 0, 1), up);
    grid.position.copy(up).multiplyScalar(this.model.extent.floor);
    this.floor.quaternion.copy(grid.quaternion);
    this.floor.position.copy(grid.position).addScaledVector(up, -1e-3 * size);
    this.floor.scale.setScalar(2 * count * step);
    this.floor.receiveShadow = true;
    this.grid.add(grid, this.floor);
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

  /** Shows where a selected loop or force acts. */
  choose(nodes: number[]) {
    this.chosen = nodes.slice(0, 4);
    this.update();
  }

  /** Largest force in N and torque in N m of the run, which the longest arrows stand for. */
  get largest(): { force: number; torque: number } {
    return { force: this.largestLoad[0], torque: this.largestLoad[1] };
  }

  update() {
    const { model, motion } = this;
    const m = new T.Matrix4();
    this.chosen.forEach((node, i) => this.rings.setMatrixAt(i, m.makeTranslation(at(motion.places, node))));
    this.rings.count = this.chosen.length;
    this.rings.instanceMatrix.needsUpdate = true;
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
        const holds = holdsAt(loop, motion.time);
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
    if (this.arrows.group.visible) {
      this.arrows.update((i, start, vector) => {
        start.fromArray(motion.places, 3 * model.arrows[i].node);
        vector.fromArray(motion.loads, 3 * i);
        return this.largestLoad[model.arrows[i].torque ? 1 : 0];
      });
    }
  }
}

/** Whether a loop is closed at a time. */
export function holdsAt(loop: Model["loops"][number], time: number): boolean {
  return loop.holds.filter((t) => t <= time).length % 2 === 1;
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
