// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The axes of the world in a corner of the scene: x red, y green, z blue, with their letters.
import * as T from "three";

const PIXELS = 84;
const colours = ["#d0433a", "#2e9e4f", "#2f6fe0"];

function makeLetter(text: string, colour: string): T.Sprite {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 64;
  const c = canvas.getContext("2d")!;
  c.font = "bold 48px sans-serif";
  c.textAlign = "center";
  c.textBaseline = "middle";
  c.fillStyle = colour;
  c.fillText(text, 32, 32);
  const texture = new T.CanvasTexture(canvas);
  texture.colorSpace = T.SRGBColorSpace;
  const letter = new T.Sprite(new T.SpriteMaterial({ map: texture, depthTest: false }));
  letter.scale.setScalar(0.55);
  return letter;
}

export class Triad {
  private readonly scene = new T.Scene();
  private readonly camera = new T.OrthographicCamera(-1.6, 1.6, 1.6, -1.6, 0, 10);

  constructor() {
    [[1, 0, 0], [0, 1, 0], [0, 0, 1]].forEach((axis, i) => {
      const direction = new T.Vector3().fromArray(axis);
      this.scene.add(new T.ArrowHelper(direction, new T.Vector3(), 1, colours[i], 0.35, 0.2));
      const letter = makeLetter("xyz"[i], colours[i]);
      letter.position.copy(direction).multiplyScalar(1.3);
      this.scene.add(letter);
    });
  }

  /** Draws over what is there, turned as the camera of the scene is. */
  draw(renderer: T.WebGLRenderer, view: T.Camera) {
    this.camera.quaternion.copy(view.quaternion);
    this.camera.position.set(0, 0, 5).applyQuaternion(view.quaternion);
    const size = renderer.getSize(new T.Vector2());
    renderer.autoClear = false;
    renderer.setViewport(size.x - PIXELS - 8, 8, PIXELS, PIXELS);
    renderer.clearDepth();
    renderer.render(this.scene, this.camera);
    renderer.setViewport(0, 0, size.x, size.y);
    renderer.autoClear = true;
  }
}
