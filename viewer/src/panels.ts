// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The tree of the model with the numbers of the selected body, and the panels beside the plots.
import { Matrix4, Quaternion, Vector3 } from "three";
import { Body, Data, findRow, readColumn, readTimes, show } from "./data";
import { element, table } from "./dom";

const TREE_MAX = 400;

/** Bodies by parent, drawn with their hinges; a large model shows its first bodies. */
export class Tree {
  private readonly rows = new Map<number, HTMLElement>();

  constructor(
    private readonly data: Data,
    private readonly box: HTMLElement,
    private readonly select: (body: number) => void,
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
    for (const loop of data.model!.loops) {
      box.append(element("div", "hint", `loop ${loop.name} (${loop.type})`));
    }
    for (const force of data.model!.forces.slice(0, 100)) {
      box.append(element("div", "hint", `force ${force.name} (${force.type})`));
    }
  }

  private add(k: number, depth: number) {
    const body = k < 0 ? null : this.data.model!.bodies[k];
    const row = element("div", "row");
    row.setAttribute("role", "treeitem");
    row.tabIndex = 0;
    row.style.paddingLeft = `${8 + 12 * Math.min(depth, 14)}px`;
    row.append(element("span", "name", body ? body.name : "ground"));
    if (body) {
      row.append(element("span", "kind", body.hinge + (body.modes > 0 ? `, ${body.modes} modes` : "")));
    }
    row.addEventListener("click", () => this.select(k));
    row.addEventListener("keydown", (e) => {
      if (e.key === "Enter") {
        this.select(k);
      }
    });
    this.rows.set(k, row);
    this.box.append(row);
  }

  mark(body: number) {
    for (const [k, row] of this.rows) {
      row.classList.toggle("chosen", k === body);
      row.setAttribute("aria-selected", String(k === body));
      if (k === body) {
        row.scrollIntoView({ block: "nearest" });
      }
    }
  }
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
  const times = readTimes(data);
  if (times.length > 0) {
    const row = findRow(times, t);
    for (const table of data.tables) {
      if (!["q", "v", "reactions"].includes(table.name)) {
        continue;
      }
      for (const column of table.columns.filter((c) => c.name.startsWith(body.name + ".")).slice(0, 24)) {
        rows.push([column.name.slice(body.name.length + 1), `${show(readColumn(data, column)[row])} ${column.unit}`]);
      }
    }
  }
  box.append(element("h2", "", body.name), table(rows));
  return box;
}

const words: Record<string, [string, string]> = {
  time: ["simulated time", "s"],
  wall_time: ["time by the clock", "s"],
  processor_time: ["processor time", "s"],
  energy_start: ["energy at the start", "J"],
  energy_end: ["energy at the end", "J"],
  work_forces: ["work of forces", "J"],
  work_drives: ["work of drives", "J"],
  work_damping: ["work of modal damping", "J"],
  work_locking: ["lost by locking", "J"],
  energy_scale: ["largest energy met", "J"],
  energy_error: ["energy balance off by", "J"],
  linear_change: ["change of linear momentum", "N s"],
  angular_change: ["change of angular momentum", "N m s"],
  quaternion_error: ["quaternions off by", ""],
};

export function auditPanel(data: Data, setTime: (t: number) => void): HTMLElement {
  const box = element("div", "audit");
  box.append(element("h2", "", "Audit"));
  const ending = ["not finished", "complete", "stopped by an event", "ended on request"][data.ending] ?? "?";
  box.append(table([["run", ending], ["rows", String(data.rows)], ["written by", `limber ${data.version}`], ["model", data.hash.slice(0, 16) + "…"]]));
  if (data.audit) {
    box.append(table(data.audit.map(([name, value]) => {
      const [label, unit] = words[name] ?? [name.replace(/_/g, " "), ""];
      return [label, `${show(value)} ${unit}`];
    })));
  } else {
    box.append(element("p", "hint", "The audit is written at the end of a run."));
  }
  if (data.events.length > 0) {
    box.append(element("h2", "", "Events"));
    for (const event of data.events.slice(0, 200)) {
      const button = element("button", "event", `${show(event.t)} s  ${event.name}`);
      button.addEventListener("click", () => setTime(event.t));
      box.append(button);
    }
  }
  return box;
}

export function modelPanel(data: Data): HTMLElement {
  const box = element("div", "model");
  box.append(element("h2", "", "Run"), element("pre", "", data.options));
  box.append(element("h2", "", "Model"), element("pre", "", data.text ?? "too long to be shown here"));
  return box;
}

export function modesPanel(data: Data, choose: (mode: number) => void): HTMLElement {
  const box = element("div", "modes");
  box.append(element("h2", "", "Mode shapes"));
  const add = (text: string, mode: number) => {
    const button = element("button", "mode", text);
    button.addEventListener("click", () => {
      box.querySelectorAll(".mode").forEach((b) => b.classList.toggle("chosen", b === button));
      choose(mode);
    });
    box.append(button);
  };
  add("none: the recorded motion", -1);
  data.modes!.modes.slice(0, 200).forEach((mode, i) => {
    const damping = mode.damping_ratio;
    const kind = mode.kind && mode.kind !== "oscillation" ? `, ${mode.kind}` : "";
    add(`${i + 1}.  ${show(mode.frequency_hz)} Hz${kind}${damping ? `, damping ${show(100 * damping)} %` : ""}`, i);
  });
  box.append(element("p", "hint", "The deformation slider sets the amplitude; shapes move slowly, whatever their frequency."));
  return box;
}
