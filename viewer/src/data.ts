// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The data that `limber view` wrote into the page: one JSON object, and blocks of numbers in base64.

export interface Column {
  name: string;
  unit: string;
  block: number;
  at: number;
  /** added to the numbers of the block: a signal that hardly varies keeps its digits; a number as text */
  base?: string;
}

export type Numbers = Float32Array | Float64Array;

export interface Table {
  name: string;
  note: string;
  columns: Column[];
}

export interface Body {
  name: string;
  parent: number;
  parentNode: number;
  hingeNode: number;
  hinge: string;
  modes: number;
  mass: number;
  com: number[];
  inertia: number[];
}

export interface Node {
  body: number; // -1 is the ground
  name: string;
  p: number[];
  r: number[];
  flex: number; // number among nodes that deform, or -1
}

export interface Shape {
  kind: "box" | "sphere" | "cylinder" | "tube" | "sheet" | "mesh";
  body: number;
  size: number[];
  colour?: number[];
  nodes?: number[];
  values?: number[]; // one per entry of nodes: number of the value that colours it
  scale?: number; // of the values
  p?: number[];
  r?: number[];
  points?: number;
  corners?: number;
}

export interface Model {
  name: string;
  gravity: number[];
  size: number;
  bodies: Body[];
  nodes: Node[];
  flexible: number;
  loops: { name: string; type: string; a: number; b: number; holds: number[] }[];
  forces: { name: string; type: string; hinge?: number }[];
  shapes: Shape[];
  traces: number[];
  /** what the run reaches, the direction from there to the camera, and the height of a floor */
  extent: { middle: number[]; size: number[]; up: number[]; way: number[]; floor: number };
  camera?: { from: number[]; to: number[]; up: number[] };
  arrows: { force: number; node: number; torque: boolean }[];
  frames: number;
  times: number;
  poses: number[];
  bends: number[];
  loads: number[];
  /** colour bars of values, with the range of the whole run */
  scales: { caption: string; unit: string; low: number; high: number }[];
  valueCount: number;
  values: number[];
  /** where everything is in the state that mode shapes are about */
  modePoses?: number[];
  modeBends?: number[];
}

interface Shift {
  translation?: number[];
  rotation?: number[];
  translation_imaginary?: number[];
  rotation_imaginary?: number[];
}

export interface Mode {
  kind?: string;
  eigenvalue?: number[];
  made_of?: Record<string, number>;
  frequency_hz?: number | null;
  damping_ratio?: number | null;
  nodes?: Record<string, Record<string, Shift>>;
}

export interface Data {
  format: string;
  source: string;
  version: string;
  hash: string;
  ending: number;
  rows: number;
  times: number;
  tables: Table[];
  asked: string[];
  model: Model | null;
  events: { t: number; name: string; does: string[] }[];
  audit: [string, string][] | null;
  /** a model in its initial pose, not a run */
  pose?: boolean;
  options: string;
  text: string | null;
  modes: { modes: Mode[] } | null;
  notices: string[];
}

/** The runs of the page: one, or two to compare. */
export function readRuns(): Data[] {
  const runs: Data[] = [];
  for (const element of document.querySelectorAll("script[id^=limber-data]")) {
    const data = JSON.parse(element.textContent ?? "null") as Data | null;
    if (data?.format === "limber-view-1") {
      runs.push(data);
    }
  }
  if (runs.length === 0) {
    throw new Error("this page holds no data of limber view");
  }
  return runs;
}

const cache = new Map<number, ArrayBuffer>();

/** Bytes of a block; its text leaves the page. */
export function readBlock(block: number): ArrayBuffer {
  let buffer = cache.get(block);
  if (!buffer) {
    const element = document.getElementById("b" + block);
    const text = atob(element?.textContent ?? "");
    const bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; ++i) {
      bytes[i] = text.charCodeAt(i);
    }
    buffer = bytes.buffer;
    cache.set(block, buffer);
    element?.remove();
  }
  return buffer;
}

/** Lets the page answer between pieces of work. */
export function pause(): Promise<void> {
  return new Promise((done) => setTimeout(done, 0));
}

/** One long array out of several blocks, with pauses between. */
export async function readFloats(blocks: number[], count: number): Promise<Float32Array> {
  const all = new Float32Array(count);
  let at = 0;
  for (const block of blocks) {
    const part = new Float32Array(readBlock(block));
    all.set(part, at);
    at += part.length;
    cache.delete(block);
    await pause();
  }
  return all;
}

const timesOf = new WeakMap<Data, Float64Array>();

export function readTimes(data: Data): Float64Array {
  let times = timesOf.get(data);
  if (!times) {
    times = new Float64Array(readBlock(data.times));
    timesOf.set(data, times);
  }
  return times;
}

const columnsOf = new WeakMap<Column, Numbers>();

export function readColumn(data: Data, column: Column): Numbers {
  let values = columnsOf.get(column);
  if (!values) {
    const rows = readTimes(data).length;
    values = new Float32Array(readBlock(column.block), 4 * column.at, rows);
    if (column.base !== undefined) {
      const base = Number(column.base);
      values = Float64Array.from(values, (x) => base + x);
    }
    columnsOf.set(column, values);
  }
  return values;
}

const namesOf = new WeakMap<Data, Map<string, Column>>();

/** A column by its name, or by its table and name, as in "v:arm.rate"; the first of several. */
export function findColumn(data: Data, name: string): Column | null {
  let names = namesOf.get(data);
  if (!names) {
    names = new Map();
    for (const table of data.tables) {
      for (const column of table.columns) {
        for (const text of [column.name, table.name + ":" + column.name]) {
          if (!names.has(text)) {
            names.set(text, column);
          }
        }
      }
    }
    namesOf.set(data, names);
  }
  return names.get(name) ?? null;
}

/** Row at or before a time. */
export function findRow(sorted: ArrayLike<number>, t: number): number {
  let low = 0;
  let high = sorted.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (sorted[middle] <= t) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

/** A number for people: six digits, no trailing zeros. */
export function show(x: number | null | undefined): string {
  if (x === null || x === undefined || !Number.isFinite(x)) {
    return "–";
  }
  const size = Math.abs(x);
  if (size !== 0 && (size < 1e-4 || size >= 1e6)) {
    return x.toExponential(3);
  }
  return String(Number(x.toPrecision(5)));
}
