// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The tree of the model with the numbers of the selected body, and the panels beside the plots.
import { Matrix4, Quaternion, Vector3 } from "three";
import { Body, Data, Mode, Model, findRow, readColumn, readTimes, show } from "./data";
import { element, table } from "./dom";
import { holdsAt } from "./marks";
import { Motion } from "./motion";
import { unitOf } from "./signals";

const TREE_MAX = 400;
const MODES_MAX = 200;

/** What can be selected. Body -1 is the ground. */
export interface Choice {
  kind: "body" | "loop" | "force";
  index: number;
}

/** Bodies by parent, drawn with their hinges; a large model shows its first bodies. */
export class Tree {
  private readonly rows = new Map<string, HTMLElement>();

  constructor(
    private readonly data: Data,
    private readonly box: HTMLElement,
    private readonly select: (what: Choice) => void,
  ) {
    const bodies = data.model!.bodies;
    const children = new Map<number, number[]>();
    bodies.forEach((body, k) => children.set(body.parent, [...(children.get(body.parent) ?? []), k]));
    const stack: [number, number][] = [[-1, 0]];
    let shown = 0;
    while (stack.length > 0 && shown < TREE_MAX) {
      const [k, depth] = stack.pop()!;
      this.add(k, depth);
      ++shown;
      for (const child of (children.get(k) ?? []).slice().reverse()) {
        stack.push([child, depth + 1]);
      }
    }
    if (bodies.length + 1 > shown) {
      box.append(element("div", "hint", `and ${bodies.length + 1 - shown} more bodies: click them in the scene`));
    }
    const heading = (text: string) => box.append(element("div", "heading", text));
    const { loops, forces } = data.model!;
    // one that is led elsewhere comes several times, under one name
    const firsts = loops.map((_, i) => i).filter((i) => loops.findIndex((loop) => loop.name === loops[i].name) === i);
    if (firsts.length > 0) {
      heading("Loops");
      firsts.slice(0, TREE_MAX).forEach((i) => this.addRow({ kind: "loop", index: i }, 0, loops[i].name, loops[i].type));
    }
    if (forces.length > 0) {
      heading("Forces");
      forces.slice(0, TREE_MAX).forEach((force, i) => this.addRow({ kind: "force", index: i }, 0, force.name, force.type));
    }
    const help = ["Click a row or a body to see its numbers.", "Drag to turn the view; use the right button or two fingers to move it, and the wheel or a pinch to zoom."];
    if (!data.pose) {
      help.push("Space plays; Home, End and the arrow keys move in time.");
    }
    box.append(element("p", "hint", help.join(" ")));
  }

  private add(k: number, depth: number) {
    const body = k < 0 ? null : this.data.model!.bodies[k];
    const kind = body ? body.hinge + (body.modes > 0 ? `, ${body.modes} modes` : "") : "";
    this.addRow({ kind: "body", index: k }, depth, body ? body.name : "ground", kind);
  }

  private addRow(what: Choice, depth: number, name: string, kind: string) {
    const row = element("div", "row");
    row.setAttribute("role", "treeitem");
    row.tabIndex = 0;
    row.style.paddingLeft = `${8 + 12 * Math.min(depth, 7)}px`;
    row.append(element("span", "name", name));
    if (kind) {
      row.append(element("span", "kind", kind));
    }
    row.addEventListener("click", () => this.select(what));
    row.addEventListener("keydown", (e) => {
      if (e.key === "Enter") {
        this.select(what);
      }
    });
    this.rows.set(what.kind + what.index, row);
    this.box.append(row);
  }

  mark(what: Choice | null) {
    const chosen = what ? what.kind + what.index : "";
    for (const [key, row] of this.rows) {
      row.classList.toggle("chosen", key === chosen);
      row.setAttribute("aria-selected", String(key === chosen));
      if (key === chosen) {
        row.scrollIntoView({ block: "nearest" });
      }
    }
  }
}

/** Nodes at which a loop or force acts. */
export function placesOf(model: Model, what: Choice): number[] {
  if (what.kind === "loop") {
    const { a, b } = model.loops[what.index];
    return [a, b];
  }
  if (what.kind === "force") {
    const nodes = model.arrows.filter((arrow) => arrow.force === what.index).map((arrow) => arrow.node);
    const hinge = model.forces[what.index].hinge;
    return nodes.length > 0 || hinge === undefined ? nodes : [model.bodies[hinge].hingeNode];
  }
  return [];
}

function nameNode(model: Model, node: number): string {
  const { body, name } = model.nodes[node];
  return `${body < 0 ? "ground" : model.bodies[body].name}/${name}`;
}

// Columns whose names begin or end so, at a time.
function readNow(data: Data, t: number, tables: string[], pick: (name: string) => string | null): [string, string][] {
  const times = readTimes(data);
  const rows: [string, string][] = [];
  if (times.length > 0) {
    const row = findRow(times, t);
    for (const table of data.tables.filter((x) => tables.includes(x.name))) {
      for (const column of table.columns) {
        const label = rows.length < 40 ? pick(column.name) : null;
        if (label !== null) {
          rows.push([label, `${show(readColumn(data, column)[row])} ${unitOf(data, column)}`]);
        }
      }
    }
  }
  return rows;
}

const afterPrefix = (prefix: string) => (name: string) => (name.startsWith(prefix) ? name.slice(prefix.length).replace(/_/g, " ") : null);

/** Numbers of a loop at a time. */
export function loopNumbers(data: Data, index: number, t: number): HTMLElement {
  const model = data.model!;
  const all = model.loops.filter((loop) => loop.name === model.loops[index].name);
  const loop = all.find((l) => holdsAt(l, t)) ?? all[0];
  const box = element("div");
  box.append(element("h2", "", loop.name), table([
    ["loop", loop.type],
    ["joins", `${nameNode(model, loop.a)} and ${nameNode(model, loop.b)}`],
    ["now", all.some((l) => holdsAt(l, t)) ? "closed" : "open"],
    ...readNow(data, t, ["loops"], afterPrefix(`loop/${loop.name}.`)),
  ]));
  return box;
}

/** Numbers of a force at a time. */
export function forceNumbers(data: Data, index: number, t: number, motion: Motion | null): HTMLElement {
  const model = data.model!;
  const force = model.forces[index];
  const rows: [string, string][] = [["force", force.type]];
  if (force.hinge !== undefined) {
    rows.push(["acts in", `the hinge of ${model.bodies[force.hinge].name}`]);
  }
  model.arrows.forEach((arrow, i) => {
    if (arrow.force === index) {
      rows.push([`at ${nameNode(model, arrow.node)}`, [0, 1, 2].map((k) => show(motion?.loads[3 * i + k])).join(", ") + (arrow.torque ? " N m" : " N")]);
    }
  });
  rows.push(...readNow(data, t, ["energy", "work", "control"], (name) =>
    name === `work.${force.name}` ? "work so far" : name === `stored.${force.name}` ? "stored energy"
      : name.endsWith(`.${force.name}.force`) ? "delivered" : name.endsWith(`.${force.name}.command`) ? "command" : null));
  const box = element("div");
  box.append(element("h2", "", force.name), table(rows));
  return box;
}

/** Numbers of a body at a time. */
export function bodyNumbers(data: Data, k: number, t: number, pose: Matrix4 | null): HTMLElement {
  const box = element("div");
  if (k < 0 || !data.model) {
    box.append(element("h2", "", "ground"));
    return box;
  }
  const body: Body = data.model.bodies[k];
  const rows: [string, string][] = [
    ["hinge", `${body.hinge} on ${body.parent < 0 ? "ground" : data.model.bodies[body.parent].name}`],
    ["mass", `${show(body.mass)} kg`],
    ["centre of mass", body.com.map(show).join(", ") + " m"],
  ];
  if (body.modes > 0) {
    rows.push(["modes", String(body.modes)]);
  }
  if (pose) {
    const p = new Vector3();
    const r = new Quaternion();
    pose.decompose(p, r, new Vector3());
    rows.push(["position", [p.x, p.y, p.z].map(show).join(", ") + " m"]);
    rows.push(["rotation w x y z", [r.w, r.x, r.y, r.z].map((x) => show(Number(x.toFixed(5)))).join(", ")]);
  }
  rows.push(...readNow(data, t, ["q", "v", "reactions"], afterPrefix(body.name + ".")));
  box.append(element("h2", "", body.name), table(rows));
  return box;
}

export function auditPanel(data: Data, setTime: (t: number) => void): HTMLElement {
  const box = element("div", "audit");
  box.append(element("h2", "", "Audit"));
  const ending = ["not finished", "complete", "stopped by an event", "ended on request"][data.ending] ?? "?";
  const verdict = data.audit?.find(([name]) => name === "verdict")?.[1];
  if (verdict) {
    box.append(element("p", verdict.startsWith("kept") ? "verdict" : "verdict bad", verdict));
  }
  if (data.audit) {
    box.append(table(data.audit.filter(([name]) => name !== "verdict" && name !== "events")));
  } else {
    box.append(element("p", "hint", "The audit is written at the end of a run."));
  }
  if (data.events.length > 0) {
    box.append(element("h2", "", "Events"));
    for (const event of data.events.slice(0, 200)) {
      const button = element("button", "event", `${show(event.t)} s  ${event.name}`);
      button.title = event.does.join(", ");
      button.addEventListener("click", () => setTime(event.t));
      box.append(button);
    }
  }
  box.append(element("h2", "", "File"), table([
    ["run", ending], ["rows", String(data.rows)], ["written by", `limber ${data.version}`], ["hash of the model", data.hash.slice(0, 16) + "…"],
  ]));
  return box;
}

export function modelPanel(data: Data): HTMLElement {
  const box = element("div", "model");
  box.append(element("h2", "", "Run"), element("pre", "", data.options));
  box.append(element("h2", "", "Model"), element("pre", "", data.text ?? "too long to be shown here"));
  return box;
}

// In the words of `limber modes`.
function dampingOf(mode: Mode): string {
  if (mode.kind === "rigid") {
    return "rigid";
  }
  if (mode.kind === "aperiodic") {
    return (mode.eigenvalue?.[0] ?? -1) > 0 ? "grows" : "decays";
  }
  return mode.damping_ratio == null ? "–" : String(Number((mode.damping_ratio).toPrecision(4)));
}

export function modesPanel(data: Data, choose: (mode: number) => void): HTMLElement {
  const box = element("div", "modes");
  box.append(element("h2", "", "Mode shapes"), element("p", "hint", "Click a mode to see it move. The slider sets its amplitude; all shapes move slowly, whatever their frequency. Flexible bodies are coloured by how far their nodes move, red most."));
  const rows = element("table");
  const head = rows.insertRow();
  for (const text of ["mode", "frequency", "damping", "made of"]) {
    head.append(element("th", text === "made of" ? "" : "number", text));
  }
  const add = (cells: string[], mode: number, kind = "") => {
    const row = rows.insertRow();
    row.className = `mode ${kind}`;
    row.tabIndex = 0;
    cells.forEach((text, i) => {
      const cell = row.insertCell();
      cell.textContent = text;
      cell.className = cells.length > 1 && i < 3 ? "number" : "";
      cell.colSpan = cells.length > 1 ? 1 : 4;
    });
    const take = () => {
      rows.querySelectorAll(".mode").forEach((r) => r.classList.toggle("chosen", r === row));
      choose(mode);
    };
    row.addEventListener("click", take);
    row.addEventListener("keydown", (e) => e.key === "Enter" && take());
  };
  add([data.pose ? "none: the pose" : "none: the recorded motion"], -1);
  const modes = data.modes!.modes;
  modes.slice(0, MODES_MAX).forEach((mode, i) => {
    const parts = Object.entries(mode.made_of ?? {}).map(([name, share]) => `${name} ${(100 * share).toFixed(0)}%`);
    // a rigid motion has no frequency worth a number
    add([String(i + 1), mode.kind === "rigid" ? "0 Hz" : `${show(mode.frequency_hz)} Hz`, dampingOf(mode), parts.join(", ")], i, mode.kind ?? "");
  });
  box.append(rows);
  const rigid = modes.filter((mode) => mode.kind === "rigid").length;
  if (rigid > 0) {
    box.append(element("p", "hint", `${rigid === 1 ? "One mode is" : `${rigid} modes are`} rigid: nothing is deformed and no spring is stretched, so the motion does not come back.`));
  }
  if (modes.length > MODES_MAX) {
    box.append(element("p", "hint", `and ${modes.length - MODES_MAX} more modes`));
  }
  return box;
}
