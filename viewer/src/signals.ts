// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Signals in words: the group each belongs to, what its name means, and its unit.
import { Column, Data, Model, Table } from "./data";

export interface Signal {
  column: Column;
  words: string;
  unit: string;
  /** what the search looks through */
  text: string;
}

export interface Group {
  name: string;
  note: string;
  signals: Signal[];
}

// Tables in the order in which people look for things.
const titles: [string, string][] = [
  ["asked", "Asked for"],
  ["signals", "Signals of the model"],
  ["energy", "Energy"],
  ["q", "Coordinates"],
  ["v", "Speeds"],
  ["nodes", "Motion of points"],
  ["reactions", "Loads in hinges"],
  ["loops", "Loads in loops, and their errors"],
  ["momentum", "Centre of mass and momentum"],
  ["control", "Controllers"],
  ["work", "Work"],
  ["a", "Accelerations"],
];

const fixed: Record<string, string> = {
  kinetic: "kinetic energy",
  potential: "potential energy: gravity and deformation",
  stored: "energy stored in all force elements",
  "work.drives": "work of all driven hinges",
  "work.damping": "work of modal damping",
  "work.locking": "energy lost by locking",
  "work.loops": "work of loops with a given motion",
  "work.closing": "energy lost when loops close",
  "work.projection": "energy changed by projections onto loops",
};

// Entries of a hinge with several coordinates: what they are, and their units.
const turns = ["w", "x", "y", "z"].map((c) => [`rotation, quaternion ${c}`, ""]);
const places = ["x", "y", "z"].map((c) => [`position ${c}`, "m"]);
const axes = (what: string, unit: string) => ["x", "y", "z"].map((c) => [`${what} ${c}`, unit]);
const entries: Record<string, Record<string, string[][]>> = {
  free: {
    q: [...turns, ...places],
    v: [...axes("angular velocity", "rad/s"), ...axes("velocity", "m/s")],
    a: [...axes("angular acceleration", "rad/s²"), ...axes("acceleration", "m/s²")],
  },
  spherical: { q: turns, v: axes("angular velocity", "rad/s"), a: axes("angular acceleration", "rad/s²") },
};

function describe(name: string, table: string, model: Model | null): [string, string | null] {
  if (fixed[name]) {
    return [fixed[name], null];
  }
  const mode = /\.(eta|eta_rate|eta_acceleration)\.(\d+)$/.exec(name);
  if (mode) {
    const what = { eta: "amplitude", eta_rate: "rate", eta_acceleration: "acceleration" }[mode[1]];
    return [`${what} of mode shape ${Number(mode[2]) + 1}`, null];
  }
  const entry = /^(.*)\.([qva])\.(\d+)$/.exec(name);
  if (entry) {
    const hinge = model?.bodies.find((body) => body.name === entry[1])?.hinge ?? "";
    const found = entries[hinge]?.[entry[2]]?.[Number(entry[3])];
    if (found) {
      return [found[0], found[1]];
    }
  }
  if (table === "energy" && name.startsWith("stored.")) {
    return [`energy stored in ${name.slice(7)}`, null];
  }
  if (table === "work" && name.startsWith("work.")) {
    return [`work of the force ${name.slice(5)}`, null];
  }
  return [name.endsWith("_error") ? name.replace(/^.*\./, "").replace("_", " ") : "", null];
}

/** The unit of a column: that of the page, or what its hinge says. */
export function unitOf(data: Data, column: Column): string {
  return column.unit || (describe(column.name, "", data.model)[1] ?? "");
}

export function groupSignals(data: Data): Group[] {
  const order = (t: Table) => {
    const at = titles.findIndex(([name]) => name === t.name);
    return at < 0 ? titles.length : at;
  };
  return [...data.tables].sort((a, b) => order(a) - order(b)).map((table) => {
    const name = titles[order(table)]?.[1] ?? table.name;
    return {
      name,
      note: table.note,
      signals: table.columns.map((column) => {
        const [words, unit] = describe(column.name, table.name, data.model);
        return { column, words, unit: column.unit || (unit ?? ""), text: `${column.name} ${words} ${name}`.toLowerCase() };
      }),
    };
  });
}
