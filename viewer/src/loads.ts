// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Recorded loads as arrows: the force and the moment that the parent exerts on a body through its hinge, and those of a loop
// on its second node. They are recorded in the axes of a node.
import * as T from "three";
import { Arrows } from "./arrows";
import { Data, Numbers, findColumn, findRow, readColumn, readTimes } from "./data";
import { holdsAt } from "./marks";
import { Motion } from "./motion";

/** Arrows beyond which no more are drawn: two per body. */
const LOADS_MAX = 600;

interface Load {
  /** where it acts, and the node in whose axes it is recorded */
  at: number;
  axes: number;
  isMoment: boolean;
  parts: Numbers[];
  acts: (t: number) => boolean;
}

export class Loads {
  readonly arrows: Arrows;
  /** largest force and moment of the run, N and N m */
  largest = { force: 0, moment: 0 };
  private readonly loads: Load[] = [];
  private readonly times: Float64Array;

  constructor(data: Data, private readonly motion: Motion) {
    const model = data.model!;
    this.times = readTimes(data);
    const add = (name: string, at: number, axes: number, acts: (t: number) => boolean) => {
      for (const kind of ["force", "moment"]) {
        const columns = ["x", "y", "z"].map((axis) => findColumn(data, `${name}${kind}.${axis}`));
        if (columns.every((c) => c !== null) && this.loads.length < LOADS_MAX) {
          this.loads.push({ at, axes, isMoment: kind === "moment", parts: columns.map((c) => readColumn(data, c!)), acts });
        }
      }
    };
    if (data.tables.some((table) => table.name === "reactions")) {
      for (const body of model.bodies.slice(0, LOADS_MAX / 2)) {
        add(`${body.name}.reaction_`, body.hingeNode, body.hingeNode, () => true);
      }
    }
    for (const loop of model.loops) {
      add(`loop/${loop.name}.`, loop.b, loop.a, (t) => holdsAt(loop, t));
    }
    for (const { isMoment, parts: [x, y, z] } of this.loads) {
      const kind = isMoment ? "moment" : "force";
      for (let i = 0; i < x.length; ++i) {
        const load = Math.hypot(x[i], y[i], z[i]);
        this.largest[kind] = load > this.largest[kind] ? load : this.largest[kind];
      }
    }
    this.arrows = new Arrows(this.loads.length, 0xb0308f, model.size, (i) => this.loads[i].isMoment);
    this.arrows.group.visible = false;
  }

  get empty(): boolean {
    return !(this.largest.force > 0 || this.largest.moment > 0);
  }

  update() {
    if (!this.arrows.group.visible) {
      return;
    }
    const { motion } = this;
    const row = findRow(this.times, motion.time);
    const q = new T.Quaternion();
    this.arrows.update((i, start, vector) => {
      const { at, axes, isMoment, parts, acts } = this.loads[i];
      start.fromArray(motion.places, 3 * at);
      vector.set(parts[0][row], parts[1][row], parts[2][row]);
      const [w, x, y, z] = motion.model.nodes[axes].r;
      motion.direct(axes, vector.applyQuaternion(q.set(x, y, z, w)));
      return acts(motion.time) ? this.largest[isMoment ? "moment" : "force"] : 0;
    });
  }
}
