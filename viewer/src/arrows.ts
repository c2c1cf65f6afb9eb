// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Arrows: lines with heads, as long as their vector beside the largest. Moments have two heads, one behind the other, and
// turn as the fingers of a right hand whose thumb is the arrow.
import * as T from "three";

export class Arrows {
  readonly group = new T.Group();
  private readonly lines: T.LineSegments;
  private readonly heads: T.InstancedMesh;
  private shown = 0;

  /** @param size of the scene, m: the longest arrow is a quarter of it */
  constructor(
    private readonly count: number,
    colour: number,
    private readonly size: number,
    private readonly isMoment: (i: number) => boolean,
  ) {
    const geometry = new T.BufferGeometry();
    geometry.setAttribute("position", new T.BufferAttribute(new Float32Array(6 * count), 3));
    this.lines = new T.LineSegments(geometry, new T.LineBasicMaterial({ color: colour }));
    this.heads = new T.InstancedMesh(
      new T.ConeGeometry(0.012 * size, 0.045 * size, 12).translate(0, -0.0225 * size, 0),
      new T.MeshBasicMaterial({ color: colour }),
      Math.max(1, 2 * count),
    );
    this.lines.frustumCulled = this.heads.frustumCulled = false;
    this.heads.count = 0;
    this.group.add(this.lines, this.heads);
  }

  /** Draws an arrow for each of `count`: where it starts, its vector, and the largest that there is. */
  update(each: (i: number, start: T.Vector3, vector: T.Vector3) => number) {
    const p = this.lines.geometry.getAttribute("position") as T.BufferAttribute;
    const longest = 0.25 * this.size;
    this.shown = 0;
    for (let i = 0; i < this.count; ++i) {
      const largest = each(i, start, vector);
      const length = largest > 0 ? (longest * vector.length()) / largest : 0;
      end.copy(start);
      if (length > 1e-3 * longest) {
        vector.normalize();
        end.addScaledVector(vector, length);
        turn.setFromUnitVectors(up, vector);
        this.heads.setMatrixAt(this.shown++, matrix.compose(end, turn, one));
        if (this.isMoment(i)) {
          second.copy(end).addScaledVector(vector, -0.035 * this.size);
          this.heads.setMatrixAt(this.shown++, matrix.compose(second, turn, one));
        }
      }
      start.toArray(p.array, 6 * i);
      end.toArray(p.array, 6 * i + 3);
    }
    p.needsUpdate = true;
    this.heads.count = this.shown;
    this.heads.instanceMatrix.needsUpdate = true;
  }
}

const start = new T.Vector3();
const vector = new T.Vector3();
const end = new T.Vector3();
const second = new T.Vector3();
const up = new T.Vector3(0, 1, 0);
const one = new T.Vector3(1, 1, 1);
const turn = new T.Quaternion();
const matrix = new T.Matrix4();
