// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// What one sees, and what happens when: beside the scene, and as marks on the timeline.
import { Data, Model, readTimes } from "./data";
import { element } from "./dom";
import { Motion } from "./motion";

const MOMENTS_MAX = 200;

export interface Moment {
  t: number;
  /** short, for the timeline */
  name: string;
  text: string;
  /** an event of the run, not one that was found in it */
  event: boolean;
}

/** The comment at the head of a model file, without what is there for programs. */
export function readPreface(text: string | null): string {
  const lines: string[] = [];
  for (const line of (text ?? "").split("\n")) {
    const comment = /^#\s?(.*)$/.exec(line);
    if (!comment) {
      if (line.trim() === "" && lines.length === 0) {
        continue;
      }
      break;
    }
    if (!/^(yaml-language-server:|SPDX-|!)/.test(comment[1].trim())) {
      lines.push(comment[1].trim());
    }
  }
  return lines.join("\n").trim();
}

const count = (n: number, one: string, many = one + "s") => `${n === 0 ? "no" : n} ${n === 1 ? one : many}`;

/** What the scene shows, in a line. */
export function countParts(model: Model): string {
  const soft = model.bodies.filter((b) => b.modes > 0).length;
  const g = Math.hypot(...model.gravity);
  const loops = new Set(model.loops.map((loop) => loop.name)).size;
  return [
    count(model.bodies.length, "body", "bodies") + (soft > 0 ? `, ${soft} flexible` : ", all rigid"),
    ...(loops > 0 ? [count(loops, "loop")] : []),
    ...(model.forces.length > 0 ? [count(model.forces.length, "force")] : []),
    g > 0 ? `gravity ${Number(g.toPrecision(3))} m/s²` : "no gravity",
  ].join(" · ");
}

const length = (m: number) => (m >= 1 ? `${Number(m.toPrecision(3))} m` : m >= 1e-3 ? `${Number((1e3 * m).toPrecision(3))} mm` : `${Number((1e6 * m).toPrecision(3))} µm`);

/** Events, and when each flexible body is bent most. */
export function findMoments(data: Data, motion: Motion | null): Moment[] {
  const moments: Moment[] = data.events.slice(0, MOMENTS_MAX).map(({ t, name, does }) => {
    // "release: release grip" says it twice
    const deeds = does.join(", ");
    return { t, name, text: deeds === "" ? name : deeds.startsWith(name) ? deeds : `${name}: ${deeds}`, event: true };
  });
  for (const { body, t, shift } of motion?.findBends() ?? []) {
    const text = `${data.model!.bodies[body].name} is bent most: ${length(shift)}`;
    moments.push({ t, name: text, text, event: false });
  }
  return moments.sort((a, b) => a.t - b.t);
}

// What is between backticks is a command or a name.
function paragraph(text: string): HTMLElement {
  const p = element("p");
  text.split("`").forEach((piece, i) => p.append(i % 2 === 1 ? element("code", "", piece) : piece));
  return p;
}

export class Story {
  private readonly rows: HTMLElement[] = [];
  /** how long a moment that is no event stays in the caption, s */
  private readonly recent: number;
  private shown = -2;

  constructor(
    private readonly moments: Moment[],
    box: HTMLElement,
    private readonly caption: HTMLElement,
    runs: Data[],
    private readonly setTime: (t: number) => void,
    private readonly clock: (t: number) => string,
  ) {
    const data = runs[0];
    const times = readTimes(data);
    this.recent = times.length > 0 ? 0.05 * (times[times.length - 1] - times[0]) : 0;
    if (runs.length > 1) {
      box.append(element("p", "", `Two runs at the same time: A is ${runs[0].source}, with full lines; B is ${runs[1].source}, with dashed lines. What follows is about A.`));
    }
    this.addPreface(box, readPreface(data.text));
    if (data.model) {
      box.append(element("p", "hint", countParts(data.model)));
    }
    if (moments.length > 0) {
      box.append(element("h2", "", "What happens"));
      for (const moment of moments) {
        const row = element("button", moment.event ? "moment event-row" : "moment");
        row.append(element("span", "when", clock(moment.t)), element("span", "", moment.text));
        row.addEventListener("click", () => this.setTime(moment.t));
        box.append(row);
        this.rows.push(row);
      }
    }
  }

  // A long one is cut, so that what happens can be seen below it.
  private addPreface(box: HTMLElement, text: string) {
    if (text === "") {
      return;
    }
    const preface = element("div", "preface");
    for (const part of text.split(/\n\s*\n/).filter((p) => p.trim() !== "")) {
      preface.append(paragraph(part.replace(/\n/g, " ")));
    }
    const more = element("button", "small", "more");
    more.addEventListener("click", () => {
      more.textContent = preface.classList.toggle("whole") ? "less" : "more";
    });
    box.append(preface, more);
    const fit = () => (more.hidden = !preface.classList.contains("whole") && preface.scrollHeight <= preface.clientHeight + 2);
    fit();
    new ResizeObserver(fit).observe(preface);
  }

  /** Marks the last thing that has happened. The caption has the last event, or what has just been reached. */
  moveTo(t: number) {
    const past = this.moments.filter((m) => m.t <= t + 1e-9);
    const now = past.length - 1;
    const said = past.reverse().find((m) => m.event || t - m.t <= this.recent) ?? null;
    if (now !== this.shown) {
      this.shown = now;
      this.rows.forEach((row, i) => row.classList.toggle("now", i === now));
    }
    const text = said ? `${this.clock(said.t)}: ${said.text}` : "";
    if (this.caption.textContent !== text) {
      this.caption.textContent = text;
      this.caption.hidden = said === null;
    }
  }
}

/** Marks of the moments on the timeline; names where there is room. */
export function markTimeline(box: HTMLElement, moments: Moment[], start: number, end: number, setTime: (t: number) => void) {
  const place = () => {
    box.replaceChildren();
    const width = box.clientWidth - 16; // the knob of a slider is 16 pixels wide
    let free = -Infinity;
    for (const moment of moments.filter((m) => m.event && m.t >= start && m.t <= end)) {
      const x = 8 + (end > start ? (width * (moment.t - start)) / (end - start) : 0);
      const mark = element("button", "mark");
      mark.style.left = `${x}px`;
      mark.title = moment.text;
      mark.setAttribute("aria-label", moment.text);
      mark.addEventListener("click", () => setTime(moment.t));
      box.append(mark);
      if (x > free) {
        const label = element("span", "mark-name", moment.name);
        box.append(label);
        const own = label.offsetWidth;
        const left = Math.max(0, Math.min(x - own / 2, box.clientWidth - own));
        if (left > free) {
          label.style.left = `${left}px`;
          free = left + own + 8;
        } else {
          label.remove();
        }
      }
    }
  };
  place();
  new ResizeObserver(place).observe(box);
}
