// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Recorded loads as arrows: the force that the parent exerts on a body through its hinge, and the force of a loop on its
// second node. Both are recorded in the axes of a node.
import * as T from "three";
import { Arrows } from "./arrows";
import { Data, Numbers, findColumn, findRow, readColumn, readTimes } from "./data";
import { holdsAt } from "./marks";
import { Motion } from "./motion";

const LOADS_MAX = 300;

interface Load {
  /** where it acts, and the node in whose axes it is recorded */
  at: number;
  axes: number;
  parts: Numbers[];
  acts: (t: number) => boolean;
}

export class Loads {
  readonly arrows: Arrows;
  /** largest force of the run, N */
  largest = 0;
  private readonly loads: Load[] = [];
  private readonly times: Float64Array;

  constructor(data: Data, private readonly motion: Motion) {
    const model = data.model!;
    this.times = readTimes(data);
    const add = (name: string, at: number, axes: number, acts: (t: number) => boolean) => {
      const columns = ["x", "y", "z"].map((axis) => findColumn(data, `${name}.${axis}`));
      if (columns.every((c) => c !== null) && this.loads.length < LOADS_MAX) {
        this.loads.push({ at, axes, parts: columns.map((c) => readColumn(data, c!)), acts });
      }
    };
    if (data.tables.some((table) => table.name === "reactions")) {
      for (const body of model.bodies.slice(0, LOADS_MAX)) {
        add(`${body.name}.reaction_force`, body.hingeNode, body.hingeNode, () => true);
      }
    }
    for (const loop of model.loops) {
      add(`loop/${loop.name}.force`, loop.b, loop.a, (t) => holdsAt(loop, t));
    }
    for (const { parts: [x, y, z] } of this.loads) {
      for (let i = 0; i < x.length; ++i) {
        const force = Math.hypot(x[i], y[i], z[i]);
        this.largest = force > this.largest ? force : this.largest;
      }
    }
    this.arrows = new Arrows(this.loads.length, 0xb0308f, model.size);
    this.arrows.group.visible = false;
  }

  get empty(): boolean {
    return !(this.largest > 0);
  }

  update() {
    if (!this.arrows.group.visible) {
      return;
    }
    const { motion } = this;
    const row = findRow(this.times, motion.time);
    const q = new T.Quaternion();
    this.arrows.update((i, start, vector) => {
      const { at, axes, parts, acts } = this.loads[i];
      start.fromArray(motion.places, 3 * at);
      vector.set(parts[0][row], parts[1][row], parts[2][row]);
      const [w, x, y, z] = motion.model.nodes[axes].r;
      motion.direct(axes, vector.applyQuaternion(q.set(x, y, z, w)));
      return acts(motion.time) ? this.largest : 0;
    });
  }
}
