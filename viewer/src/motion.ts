// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Where everything is: poses of bodies and places of nodes at a time, with the deformation drawn
// larger or smaller than it is, or in a mode shape.
import { Matrix4, Quaternion, Vector3 } from "three";
import { Data, Mode, Model, findRow, readBlock, readFloats } from "./data";

const one = new Vector3(1, 1, 1);

export class Motion {
  readonly times: Float64Array;
  /** of each body, in the world */
  readonly poses: Matrix4[];
  /** of each node, in the world: x y z */
  readonly places: Float32Array;
  /** how far each node is from its place in the undeformed body, m */
  readonly shifts: Float32Array;
  /** forces at this time: x y z of each arrow */
  readonly loads: Float32Array;
  /** values that colour shapes, at this time */
  readonly values: Float32Array;
  /** largest shift in the whole run */
  largest = 0;

  /** in a mode shape: how nodes turn besides, in the world: x y z */
  private extra: Float32Array | null = null;
  private scale = 1;
  /** the time that everything is at */
  time = 0;
  private readonly order: number[] = [];
  private readonly flat: Matrix4[];
  private readonly bends: Float32Array;
  private posesOf!: Float32Array;
  private bendsOf!: Float32Array;
  private loadsOf!: Float32Array;
  private valuesOf!: Float32Array;
  private modePoses: Float32Array | null = null;
  private modeBends: Float32Array | null = null;

  private constructor(readonly model: Model) {
    this.times = new Float64Array(readBlock(model.times));
    this.poses = model.bodies.map(() => new Matrix4());
    this.flat = model.bodies.map(() => new Matrix4());
    this.places = new Float32Array(3 * model.nodes.length);
    this.shifts = new Float32Array(model.nodes.length);
    this.bends = new Float32Array(6 * model.flexible);
    this.loads = new Float32Array(3 * model.arrows.length);
    this.values = new Float32Array(model.valueCount);
    // parents before children
    const depth = model.bodies.map(() => -1);
    const find = (k: number): number => {
      const path: number[] = [];
      while (k >= 0 && depth[k] < 0) {
        path.push(k);
        k = model.bodies[k].parent;
      }
      let d = k < 0 ? 0 : depth[k] + 1;
      while (path.length > 0) {
        depth[path.pop()!] = d++;
      }
      return d;
    };
    model.bodies.forEach((_, k) => find(k));
    this.order = model.bodies.map((_, k) => k).sort((a, b) => depth[a] - depth[b]);
  }

  static async read(data: Data): Promise<Motion> {
    const model = data.model!;
    const motion = new Motion(model);
    const frames = model.frames;
    motion.posesOf = await readFloats(model.poses, frames * model.bodies.length * 7);
    motion.bendsOf = await readFloats(model.bends, frames * model.flexible * 6);
    motion.loadsOf = await readFloats(model.loads, frames * model.arrows.length * 3);
    motion.valuesOf = await readFloats(model.values, frames * model.valueCount);
    if (model.modePoses && model.modeBends) {
      motion.modePoses = await readFloats(model.modePoses, model.bodies.length * 7);
      motion.modeBends = await readFloats(model.modeBends, model.flexible * 6);
    }
    const b = motion.bendsOf;
    for (let i = 0; i < b.length; i += 6) {
      motion.largest = Math.max(motion.largest, Math.hypot(b[i], b[i + 1], b[i + 2]));
    }
    return motion;
  }

  get duration(): number {
    return this.times.length > 0 ? this.times[this.times.length - 1] : 0;
  }

  private blend(values: Float32Array, width: number, frame: number, weight: number, out: Float32Array) {
    const a = frame * width;
    const b = Math.min(frame + 1, this.model.frames - 1) * width;
    for (let i = 0; i < width; ++i) {
      out[i] = values[a + i] + weight * (values[b + i] - values[a + i]);
    }
  }

  /** Moves everything to a time; `scale` is how much larger deformation is drawn than it is. */
  moveTo(t: number, scale: number) {
    const model = this.model;
    if (model.frames === 0) {
      return;
    }
    this.extra = null;
    this.scale = scale;
    this.time = t;
    const frame = findRow(this.times, t);
    const next = Math.min(frame + 1, model.frames - 1);
    const gap = this.times[next] - this.times[frame];
    const weight = gap > 0 ? Math.min(1, Math.max(0, (t - this.times[frame]) / gap)) : 0;
    this.blend(this.bendsOf, this.bends.length, frame, weight, this.bends);
    this.blend(this.loadsOf, this.loads.length, frame, weight, this.loads);
    this.blend(this.valuesOf, this.values.length, frame, weight, this.values);
    const n = model.bodies.length;
    const p = new Vector3();
    const r = new Quaternion();
    const r1 = new Quaternion();
    const v = this.posesOf;
    for (let k = 0; k < n; ++k) {
      const a = 7 * (frame * n + k);
      const b = 7 * (next * n + k);
      p.set(
        v[a] + weight * (v[b] - v[a]),
        v[a + 1] + weight * (v[b + 1] - v[a + 1]),
        v[a + 2] + weight * (v[b + 2] - v[a + 2]),
      );
      r.set(v[a + 4], v[a + 5], v[a + 6], v[a + 3]);
      r1.set(v[b + 4], v[b + 5], v[b + 6], v[b + 3]);
      r.slerp(r1, weight);
      this.flat[k].compose(p, r, one);
      this.poses[k].copy(this.flat[k]);
    }
    if (scale !== 1) {
      this.rescale(scale);
    }
    this.placeNodes(scale);
  }

  /** Pose of a node in its body's frame, its deformation times `scale`. */
  private localPose(node: number, scale: number, out: Matrix4): Matrix4 {
    const n = this.model.nodes[node];
    const p = new Vector3(n.p[0], n.p[1], n.p[2]);
    const r = new Quaternion(n.r[1], n.r[2], n.r[3], n.r[0]);
    if (n.flex >= 0) {
      const b = this.bends;
      const i = 6 * n.flex;
      p.x += scale * b[i];
      p.y += scale * b[i + 1];
      p.z += scale * b[i + 2];
      const turn = new Vector3(b[i + 3], b[i + 4], b[i + 5]);
      const angle = turn.length();
      if (angle > 0) {
        r.premultiply(new Quaternion().setFromAxisAngle(turn.divideScalar(angle), scale * angle));
      }
    }
    return out.compose(p, r, one);
  }

  // From the ground outwards: each hinge keeps its coordinates, what carries it is bent more.
  private rescale(scale: number) {
    const carry = new Matrix4();
    const own = new Matrix4();
    const hinge = new Matrix4();
    for (const k of this.order) {
      const body = this.model.bodies[k];
      const bent = this.model.nodes[body.parentNode].flex >= 0;
      const ownBent = this.model.nodes[body.hingeNode].flex >= 0;
      if (body.parent < 0 && !ownBent) {
        continue;
      }
      const parent = body.parent;
      // hinge = (X_parent N)^-1 X_body H
      this.localPose(body.parentNode, 1, carry);
      if (parent >= 0) {
        carry.premultiply(this.flat[parent]);
      }
      this.localPose(body.hingeNode, 1, own);
      hinge.copy(carry).invert().multiply(this.flat[k]).multiply(own);
      this.localPose(body.parentNode, bent ? scale : 1, carry);
      if (parent >= 0) {
        carry.premultiply(this.poses[parent]);
      }
      this.localPose(body.hingeNode, ownBent ? scale : 1, own);
      this.poses[k].copy(carry).multiply(hinge).multiply(own.invert());
    }
  }

  private placeNodes(scale: number) {
    const p = new Vector3();
    const b = this.bends;
    this.model.nodes.forEach((node, i) => {
      p.set(node.p[0], node.p[1], node.p[2]);
      this.shifts[i] = 0;
      if (node.flex >= 0) {
        const at = 6 * node.flex;
        p.x += scale * b[at];
        p.y += scale * b[at + 1];
        p.z += scale * b[at + 2];
        this.shifts[i] = Math.hypot(b[at], b[at + 1], b[at + 2]);
      }
      if (node.body >= 0) {
        p.applyMatrix4(this.poses[node.body]);
      }
      p.toArray(this.places, 3 * i);
    });
  }

  /** Where a direction fixed to a node points in the world; it is given in the undeformed body. */
  direct(node: number, direction: Vector3): Vector3 {
    const n = this.model.nodes[node];
    if (n.flex >= 0) {
      spin(direction, this.bends, 6 * n.flex + 3, this.scale);
    }
    if (n.body >= 0) {
      // only the rotation of the pose
      const e = this.poses[n.body].elements;
      const { x, y, z } = direction;
      direction.set(e[0] * x + e[4] * y + e[8] * z, e[1] * x + e[5] * y + e[9] * z, e[2] * x + e[6] * y + e[10] * z);
    }
    if (this.extra && n.flex >= 0) {
      spin(direction, this.extra, 3 * node, 1);
    }
    return direction;
  }

  /** When each flexible body is bent most, and how far a node of it is moved then; bodies that hardly bend are left out. */
  findBends(): { body: number; t: number; shift: number }[] {
    const found = this.model.bodies.map((_, body) => ({ body, t: 0, shift: 0 }));
    const b = this.bendsOf;
    const soft = this.model.nodes.filter((node) => node.flex >= 0);
    for (let f = 0; f < this.model.frames; ++f) {
      for (const node of soft) {
        const at = 6 * (f * this.model.flexible + node.flex);
        const shift = Math.hypot(b[at], b[at + 1], b[at + 2]);
        if (shift > found[node.body].shift) {
          found[node.body] = { body: node.body, t: this.times[f], shift };
        }
      }
    }
    return found.filter(({ shift }) => shift > 1e-6 * this.model.size);
  }

  /** Place of a node over the whole run, true to scale. */
  trace(node: number): Float32Array {
    const out = new Float32Array(3 * this.model.frames);
    const n = this.model.nodes[node];
    const p = new Vector3();
    const m = new Matrix4();
    const bodies = this.model.bodies.length;
    for (let f = 0; f < this.model.frames; ++f) {
      p.set(n.p[0], n.p[1], n.p[2]);
      if (n.flex >= 0) {
        const at = 6 * (f * this.model.flexible + n.flex);
        p.x += this.bendsOf[at];
        p.y += this.bendsOf[at + 1];
        p.z += this.bendsOf[at + 2];
      }
      if (n.body >= 0) {
        const a = 7 * (f * bodies + n.body);
        const v = this.posesOf;
        m.compose(new Vector3(v[a], v[a + 1], v[a + 2]),
          new Quaternion(v[a + 4], v[a + 5], v[a + 6], v[a + 3]), one);
        p.applyMatrix4(m);
      }
      p.toArray(out, 3 * f);
    }
    return out;
  }

  /** A mode shape about its own place, or that at `t`: `amplitude` m at the node that moves most. */
  moveInMode(t: number, mode: Mode, amplitude: number, phase: number) {
    const model = this.model;
    this.moveTo(t, 1);
    if (this.modePoses && this.modeBends) {
      const v = this.modePoses;
      this.bends.set(this.modeBends);
      this.poses.forEach((pose, k) => {
        const a = 7 * k;
        pose.compose(new Vector3(v[a], v[a + 1], v[a + 2]), new Quaternion(v[a + 4], v[a + 5], v[a + 6], v[a + 3]), one);
      });
      this.placeNodes(1);
    }
    // real part times cosine less imaginary part times sine
    const c = Math.cos(phase);
    const sine = Math.sin(phase);
    const vector = (node: number, part: "translation" | "rotation"): number[] => {
      const n = model.nodes[node];
      const body = n.body < 0 ? "ground" : model.bodies[n.body].name;
      const shift = mode.nodes?.[body]?.[n.name];
      const real = shift?.[part] ?? [0, 0, 0];
      const imaginary = shift?.[`${part}_imaginary`] ?? [0, 0, 0];
      return real.map((x, i) => c * x - sine * imaginary[i]);
    };
    let most = 0;
    for (const nodes of Object.values(mode.nodes ?? {})) {
      for (const shift of Object.values(nodes)) {
        most = Math.max(most, Math.hypot(...(shift.translation ?? []), ...(shift.translation_imaginary ?? [])));
      }
    }
    const s = most > 0 ? amplitude / most : 0;
    const extra = new Float32Array(3 * model.nodes.length);
    let origin = 0;
    const firsts = model.bodies.map(() => -1);
    for (const node of model.nodes) {
      if (node.body >= 0 && firsts[node.body] < 0) {
        firsts[node.body] = origin;
      }
      ++origin;
    }
    // nodes first: they are where the undisturbed bodies put them
    for (let i = 0; i < model.nodes.length; ++i) {
      const d = vector(i, "translation");
      for (let k = 0; k < 3; ++k) {
        this.places[3 * i + k] += s * d[k];
      }
      const turn = vector(i, "rotation");
      const frame = model.nodes[i].body >= 0 ? vector(firsts[model.nodes[i].body], "rotation") : [0, 0, 0];
      for (let k = 0; k < 3; ++k) {
        extra[3 * i + k] = s * (turn[k] - frame[k]);
      }
      this.shifts[i] = model.nodes[i].flex >= 0 ? Math.abs(s) * Math.hypot(...d) : 0;
    }
    model.bodies.forEach((_, k) => {
      const p = new Vector3();
      const r = new Quaternion();
      this.poses[k].decompose(p, r, new Vector3());
      const d = vector(firsts[k], "translation");
      const turn = new Vector3(...(vector(firsts[k], "rotation") as [number, number, number]));
      const angle = turn.length();
      p.set(p.x + s * d[0], p.y + s * d[1], p.z + s * d[2]);
      if (angle > 0) {
        r.premultiply(new Quaternion().setFromAxisAngle(turn.divideScalar(angle), s * angle));
      }
      this.poses[k].compose(p, r, one);
    });
    this.extra = extra;
  }
}

const axis = new Vector3();

// Turns a vector by a rotation vector out of an array, times a scale.
function spin(v: Vector3, turns: Float32Array, at: number, scale: number) {
  axis.set(turns[at], turns[at + 1], turns[at + 2]);
  const angle = axis.length();
  if (angle > 0) {
    v.applyAxisAngle(axis.divideScalar(angle), scale * angle);
  }
}
