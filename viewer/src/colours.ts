// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Colours of bodies, of deformation and of curves.
import { Color, Material, SRGBColorSpace } from "three";
import { Shape } from "./data";

const bodies = [0x6f93c4, 0xd39b5a, 0x7fb38a, 0xb489c0, 0xc98080, 0x73b3bd, 0xb9ad62, 0x9a93d6];

export const highlight = 0xff8c1a;

export function bodyColour(body: number): Color {
  return body < 0 ? new Color(0x8a8f98) : new Color(bodies[body % bodies.length]);
}

export function shapeColour(s: Shape): Color {
  return s.colour ? new Color().setRGB(s.colour[0], s.colour[1], s.colour[2], SRGBColorSpace) : bodyColour(s.body);
}

/** Blue over green and yellow to red, none of them too dark or too light for either background. */
export const heatStops = ["#3b6fb6", "#3aa6b9", "#6cc08b", "#e0c040", "#e8743b", "#c8202f"];
const stops = heatStops.map((c) => new Color(c));

/** No place on the scale: a point has its own colour. */
export const noLevel = -1;

/**
 * Colours a material by the attribute `level` of its points, 0 for the first colour, 1 for the last. It is looked up for
 * each pixel: between blue and red there are the colours of the values between, not a mixture of the two.
 */
export function colourByLevel(material: Material) {
  material.onBeforeCompile = (shader) => {
    shader.uniforms.stops = { value: stops };
    shader.vertexShader = shader.vertexShader
      .replace("#include <common>", "#include <common>\nattribute float level;\nvarying float vLevel;")
      .replace("#include <begin_vertex>", "#include <begin_vertex>\nvLevel = level;");
    shader.fragmentShader = shader.fragmentShader
      .replace("#include <common>", `#include <common>\nuniform vec3 stops[${stops.length}];\nvarying float vLevel;`)
      .replace("#include <color_fragment>", `#include <color_fragment>
if (vLevel > -0.5) {
  float at = clamp(vLevel, 0.0, 0.9999) * ${stops.length - 1}.0;
  int i = int(at);
  diffuseColor.rgb = mix(stops[i], stops[i + 1], at - float(i));
}`);
  };
}

/** Okabe and Ito's colours, for curves. */
export const curves = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#7f7f7f"];
