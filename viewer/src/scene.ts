// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The 3-D scene. Rigid shapes are instances of three unit shapes, so that a thousand bodies are three
// calls; what deforms is one mesh whose points move.
import * as T from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { Data, Model, Shape, readBlock } from "./data";
import { Loads } from "./loads";
import { Motion } from "./motion";
import { SoftMesh } from "./soft";
import { Marks, Switch } from "./marks";
import { Triad } from "./triad";
import { highlight, shapeColour } from "./colours";

/** Shapes beyond which there are no shadows at first. */
const SHADOW_MAX = 400;

type Kind = "box" | "sphere" | "cylinder";

interface Rigid {
  mesh: T.InstancedMesh;
  bodies: number[];
  local: T.Matrix4[];
  colours: T.Color[];
}

export class Scene {
  readonly renderer: T.WebGLRenderer;
  readonly camera: T.PerspectiveCamera;
  readonly controls: OrbitControls;
  readonly marks: Marks;
  readonly soft: SoftMesh;
  readonly loads: Loads;
  private readonly model: Model;
  private readonly scene = new T.Scene();
  private readonly rigid: Rigid[] = [];
  private readonly meshes: { mesh: T.Mesh; body: number; local: T.Matrix4; colour: T.Color }[] = [];
  private readonly triad = new Triad();
  private readonly sun = new T.DirectionalLight(0xffffff, 2.4);
  private selected = -2;
  private stale = true;
  /** how many kinds of things have been drawn: at first one more in each frame */
  private kinds = 0;

  constructor(
    canvas: HTMLCanvasElement,
    data: Data,
    private readonly motion: Motion,
  ) {
    const model = (this.model = data.model!);
    this.renderer = new T.WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
    this.renderer.setPixelRatio(Math.min(2, window.devicePixelRatio));
    this.camera = new T.PerspectiveCamera(40, 1, 1e-3 * model.size, 1e3 * model.size);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.addEventListener("change", () => this.invalidate());

    this.scene.add(new T.HemisphereLight(0xffffff, 0x8890a0, 1.8), this.sun, this.sun.target);

    this.addRigid(model.shapes);
    this.addMeshes(model.shapes);
    this.soft = new SoftMesh(model, motion);
    this.scene.add(this.soft.mesh);
    this.marks = new Marks(model, motion);
    this.loads = new Loads(data, motion);
    this.scene.add(this.marks.group, this.loads.arrows.group);
    this.addShadows();
    this.placeCamera();
  }

  private addRigid(shapes: Shape[]) {
    // thousands of them are small on the screen: fewer triangles do
    const share = shapes.length > SHADOW_MAX ? 0.5 : 1;
    const units: Record<Kind, T.BufferGeometry> = {
      box: new T.BoxGeometry(1, 1, 1),
      sphere: new T.SphereGeometry(1, 24 * share, 16 * share),
      cylinder: new T.CylinderGeometry(1, 1, 1, 20 * share).rotateX(Math.PI / 2),
    };
    for (const kind of ["box", "sphere", "cylinder"] as Kind[]) {
      const own = shapes.filter((s) => s.kind === kind);
      if (own.length === 0) {
        continue;
      }
      const mesh = new T.InstancedMesh(
        units[kind],
        new T.MeshLambertMaterial({ color: 0xffffff }),
        own.length,
      );
      mesh.frustumCulled = false;
      const local = own.map((s) => {
        const size =
          kind === "box" ? s.size : kind === "sphere" ? [s.size[0], s.size[0], s.size[0]]
            : [s.size[0], s.size[0], s.size[1]];
        return poseOf(s).scale(new T.Vector3(size[0], size[1], size[2]));
      });
      const colours = own.map(shapeColour);
      colours.forEach((c, i) => mesh.setColorAt(i, c));
      this.rigid.push({ mesh, bodies: own.map((s) => s.body), local, colours });
      this.scene.add(mesh);
    }
  }

  private addMeshes(shapes: Shape[]) {
    for (const s of shapes.filter((shape) => shape.kind === "mesh")) {
      const geometry = new T.BufferGeometry();
      geometry.setAttribute("position", new T.BufferAttribute(new Float32Array(readBlock(s.points!)), 3));
      geometry.setIndex(new T.BufferAttribute(new Uint32Array(readBlock(s.corners!)), 1));
      geometry.computeVertexNormals();
      const colour = shapeColour(s);
      const material = new T.MeshLambertMaterial({ color: colour, side: T.DoubleSide });
      const mesh = new T.Mesh(geometry, material);
      mesh.matrixAutoUpdate = false;
      this.meshes.push({ mesh, body: s.body, local: poseOf(s), colour });
      this.scene.add(mesh);
    }
  }

  // A sun above the shoulder of whoever looks from the front, with a shadow of all that moves.
  private addShadows() {
    const { middle, size } = this.model.extent;
    const center = new T.Vector3().fromArray(middle);
    const radius = 0.5 * Math.hypot(...size) + 0.05 * this.model.size;
    const up = this.upward();
    const side = Math.abs(up.z) > 0.9 ? new T.Vector3(0.4, -0.6, 0) : Math.abs(up.y) > 0.9 ? new T.Vector3(0.4, 0, 0.6) : new T.Vector3(0, -0.6, 0.4);
    this.sun.target.position.copy(center);
    this.sun.position.copy(center).addScaledVector(side.add(up).normalize(), 3 * radius);
    const { shadow } = this.sun;
    const reach = 1.1 * radius;
    Object.assign(shadow.camera, { left: -reach, right: reach, top: reach, bottom: -reach, near: radius, far: 6 * radius });
    shadow.mapSize.set(2048, 2048);
    // within a pixel of the map, a surface does not shade itself
    shadow.normalBias = (2 * reach) / 1024;
    shadow.camera.updateProjectionMatrix();
    this.renderer.shadowMap.type = T.PCFShadowMap;
    for (const mesh of [...this.rigid.map((part) => part.mesh), ...this.meshes.map((part) => part.mesh), this.soft.mesh]) {
      mesh.castShadow = mesh.receiveShadow = true;
    }
    // thousands of shapes are drawn twice for it
    this.setShadows(this.model.shapes.length <= SHADOW_MAX);
  }

  get hasShadows(): boolean {
    return this.sun.castShadow;
  }

  setShadows(on: boolean) {
    this.sun.castShadow = on;
    this.renderer.shadowMap.enabled = on;
    this.marks.floor.visible = on;
    this.scene.traverse((part) => {
      if (part instanceof T.Mesh && part.material instanceof T.Material) {
        part.material.needsUpdate = true;
      }
    });
    this.invalidate();
  }

  /** Looks along an axis of the world; with no axis, as at first. */
  lookAlong(axis: "x" | "y" | "z" | null) {
    this.placeCamera();
    if (!axis) {
      return;
    }
    const distance = this.camera.position.distanceTo(this.controls.target);
    const from = { x: new T.Vector3(1, 0, 0), y: new T.Vector3(0, -1, 0), z: new T.Vector3(0, 0, 1) }[axis];
    const up = this.upward();
    // what is up cannot be looked along: another axis is up then
    this.camera.up.copy(Math.abs(up.dot(from)) > 0.9 ? (axis === "y" ? new T.Vector3(0, 0, 1) : new T.Vector3(0, 1, 0)) : up);
    this.camera.position.copy(this.controls.target).addScaledVector(from, distance);
    this.controls.update();
    this.invalidate();
  }

  /** The canvas with the scene as it is now. */
  redraw(): HTMLCanvasElement {
    this.stale = true;
    this.kinds = Infinity;
    this.draw();
    return this.renderer.domElement;
  }

  /** Where the model says, or from where all of the motion can be seen. */
  placeCamera() {
    const c = this.model.camera;
    const up = c ? new T.Vector3(...(c.up as [number, number, number])) : this.upward();
    this.camera.up.copy(up);
    // a narrow window shows what a wide one does from farther away
    const canvas = this.renderer.domElement;
    const aspect = Math.max(0.3, canvas.clientWidth / Math.max(1, canvas.clientHeight));
    if (c) {
      this.controls.target.set(c.to[0], c.to[1], c.to[2]);
      const narrow = Math.max(1, 1.4 / aspect);
      this.camera.position.set(c.from[0], c.from[1], c.from[2]).sub(this.controls.target).multiplyScalar(narrow).add(this.controls.target);
    } else {
      const { middle, way } = this.model.extent;
      this.controls.target.fromArray(middle);
      this.camera.position.fromArray(middle).addScaledVector(new T.Vector3().fromArray(way), this.findDistance(aspect));
    }
    this.controls.update();
    this.invalidate();
  }

  // How far from the middle all corners of the extent are seen: as find_distance in view/picture.c, so that page and
  // picture begin with the same view.
  private findDistance(aspect: number): number {
    const half = (20 * Math.PI) / 180;
    const way = new T.Vector3().fromArray(this.model.extent.way);
    const size = new T.Vector3().fromArray(this.model.extent.size);
    const right = new T.Vector3().crossVectors(this.upward(), way).normalize();
    const above = new T.Vector3().crossVectors(way, right);
    const radius = Math.max(0.5 * size.length() + 0.05 * this.model.size, 0.2 * this.model.size);
    let distance = (0.9 * radius) / (Math.sin(half) * Math.min(1, aspect));
    const corner = new T.Vector3();
    for (let i = 0; i < 8; ++i) {
      corner.set(i & 1 ? 0.5 : -0.5, i & 2 ? 0.5 : -0.5, i & 4 ? 0.5 : -0.5).multiply(size);
      const aside = Math.max(Math.abs(corner.dot(right)) / aspect, Math.abs(corner.dot(above)));
      distance = Math.max(distance, corner.dot(way) + (1.05 * aside) / Math.tan(half));
    }
    return distance;
  }

  private upward(): T.Vector3 {
    return new T.Vector3().fromArray(this.model.extent.up);
  }

  /** Takes over what the motion says now. */
  update() {
    const m = new T.Matrix4();
    for (const part of this.rigid) {
      part.local.forEach((local, i) => {
        const body = part.bodies[i];
        part.mesh.setMatrixAt(i, body < 0 ? local : m.multiplyMatrices(this.motion.poses[body], local));
      });
      part.mesh.instanceMatrix.needsUpdate = true;
      part.mesh.boundingSphere = null;
    }
    for (const part of this.meshes) {
      part.mesh.matrix.copy(part.local);
      if (part.body >= 0) {
        part.mesh.matrix.premultiply(this.motion.poses[part.body]);
      }
      part.mesh.matrixWorldNeedsUpdate = true;
    }
    this.soft.update(this.selected);
    this.marks.update();
    this.loads.update();
    this.invalidate();
  }

  select(body: number) {
    this.selected = body;
    const glow = new T.Color(highlight);
    for (const part of this.rigid) {
      part.colours.forEach((c, i) => part.mesh.setColorAt(i, part.bodies[i] === body ? glow : c));
      if (part.mesh.instanceColor) {
        part.mesh.instanceColor.needsUpdate = true;
      }
    }
    for (const part of this.meshes) {
      (part.mesh.material as T.MeshLambertMaterial).color.copy(part.body === body ? glow : part.colour);
    }
    this.soft.update(body);
    this.invalidate();
  }

  showLoads(on: boolean) {
    this.loads.arrows.group.visible = on;
    this.update();
  }

  /** Shows the nodes at which a selected loop or force acts. */
  choose(nodes: number[]) {
    this.marks.choose(nodes);
    this.invalidate();
  }

  /** The body under a place on the canvas, -2 for none. */
  pick(x: number, y: number): number {
    const rect = this.renderer.domElement.getBoundingClientRect();
    const at = new T.Vector2((2 * (x - rect.left)) / rect.width - 1, 1 - (2 * (y - rect.top)) / rect.height);
    const ray = new T.Raycaster();
    ray.setFromCamera(at, this.camera);
    let best = Infinity;
    let body = -2;
    for (const part of this.rigid) {
      const hit = ray.intersectObject(part.mesh)[0];
      if (hit && hit.distance < best) {
        best = hit.distance;
        body = part.bodies[hit.instanceId!];
      }
    }
    for (const part of this.meshes) {
      const hit = ray.intersectObject(part.mesh)[0];
      if (hit && hit.distance < best) {
        best = hit.distance;
        body = part.body;
      }
    }
    const hit = ray.intersectObject(this.soft.mesh)[0];
    if (hit && hit.distance < best && hit.face) {
      body = this.soft.bodyAt(hit.face.a);
    }
    return body;
  }

  setSwitch(name: Switch, on: boolean) {
    this.marks.setSwitch(name, on);
    this.update();
  }

  setDark(dark: boolean) {
    this.scene.background = new T.Color(dark ? 0x14181f : 0xf4f6f9);
    this.marks.setDark(dark);
    this.invalidate();
  }

  invalidate() {
    this.stale = true;
  }

  draw() {
    const canvas = this.renderer.domElement;
    const width = canvas.clientWidth;
    const height = canvas.clientHeight;
    const size = this.renderer.getSize(new T.Vector2());
    if (width > 0 && height > 0 && (size.x !== width || size.y !== height)) {
      this.renderer.setSize(width, height, false);
      this.camera.aspect = width / height;
      this.camera.updateProjectionMatrix();
      this.stale = true;
    }
    if (this.stale) {
      this.stale = false;
      this.render();
    }
  }

  /** Whether all kinds of things are drawn by now. */
  get isWhole(): boolean {
    return this.kinds > 3;
  }

  // A shader is compiled when something is first drawn with it, which takes long without a graphics card: one kind of thing
  // more in each of the first frames, so that the page answers between them.
  private render() {
    const bodies = [...this.rigid.map((part) => part.mesh), ...this.meshes.map((part) => part.mesh)];
    const hidden = [bodies, [this.soft.mesh], [this.marks.group, this.loads.arrows.group]]
      .slice(this.kinds).flat().filter((part) => part.visible);
    hidden.forEach((part) => (part.visible = false));
    this.renderer.render(this.scene, this.camera);
    hidden.forEach((part) => (part.visible = true));
    if (this.isWhole) {
      this.triad.draw(this.renderer, this.camera);
    } else {
      ++this.kinds;
      this.stale = true;
    }
  }
}

function poseOf(s: Shape): T.Matrix4 {
  const p = s.p ?? [0, 0, 0];
  const r = s.r ?? [1, 0, 0, 0];
  return new T.Matrix4().compose(
    new T.Vector3(p[0], p[1], p[2]),
    new T.Quaternion(r[1], r[2], r[3], r[0]),
    new T.Vector3(1, 1, 1),
  );
}
