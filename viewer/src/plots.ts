// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Plots of signals over time, by uPlot: one for each unit, zoomed together, with the time cursor and the events.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { Column, Data, Numbers, findColumn, findRow, readColumn, readTimes, show } from "./data";
import { curves } from "./colours";
import { element, save } from "./dom";
import { Group, groupSignals, unitOf } from "./signals";
import { labelTicks, makeRange, makeTicks } from "./ticks";
import { writeSvg } from "./svg";

const LIST_MAX = 200;
const HEIGHT = 190;
/** Curves whose values differ by less than this share of their size are drawn as changes from the first value. */
const NEARLY_CONSTANT = 1e-4;

/** A curve: a column of a run. */
interface Curve {
  label: string;
  run: number;
  column: Column;
}

interface Plot {
  curves: Curve[];
  values: Numbers[];
  offset: number;
  label: string;
  box: HTMLElement;
  chart: uPlot;
  legend: HTMLElement[];
}

export class Plots {
  readonly names: string[] = [];
  private plots: Plot[] = [];
  private time = 0;
  private zooming = false;
  private range: [number, number] | null = null;
  private readonly groups: Group[];
  private readonly opened = new Set<string>();
  private readonly area = element("div", "plots");
  private readonly search = element("input", "search");
  private readonly list = element("div", "signals");

  /** The first run has the signals to choose from; others are drawn with it where they have them. */
  constructor(
    private readonly runs: Data[],
    panel: HTMLElement,
    private readonly setTime: (t: number) => void,
  ) {
    const data = runs[0];
    this.groups = groupSignals(data);
    this.search.type = "search";
    this.search.placeholder = "find a signal, such as energy";
    this.search.setAttribute("aria-label", "find a signal");
    this.search.addEventListener("input", () => this.fillList());
    panel.append(this.search, this.list, this.area);
    const first = data.asked.length > 0 ? data.asked : this.guess();
    for (const name of first) {
      if (findColumn(data, name)) {
        this.names.push(name);
      }
    }
    this.fillList();
    this.rebuild();
    new ResizeObserver(() => this.resize()).observe(this.area);
  }

  // What most people look at first: signals that the model names, or else hinge coordinates; and energies.
  private guess(): string[] {
    const of = (table: string) => this.runs[0].tables.find((t) => t.name === table)?.columns.map((c) => c.name) ?? [];
    const hinges = of("q").filter((n) => n.endsWith(".angle") || n.endsWith(".distance"));
    // of a quaternion nobody reads anything
    const moves = of("q").filter((n) => /\.q\.[456]$/.test(n));
    const first = [of("signals"), hinges, moves, of("v").filter((n) => /\.v\.\d$/.test(n)), of("q")].find((list) => list.length > 0) ?? [];
    return [...first.slice(0, 3), "kinetic", "potential"];
  }

  private fillList() {
    const words = this.search.value.toLowerCase().split(/\s+/).filter((w) => w !== "");
    this.list.replaceChildren();
    let shown = 0;
    let hidden = 0;
    for (const group of this.groups) {
      const found = group.signals.filter((s) => words.every((w) => s.text.includes(w)));
      if (found.length === 0) {
        continue;
      }
      const details = element("details", "group");
      details.open = words.length > 0 || this.opened.has(group.name);
      details.addEventListener("toggle", () => {
        if (words.length === 0) {
          details.open ? this.opened.add(group.name) : this.opened.delete(group.name);
        }
      });
      const chosen = found.filter((s) => this.names.includes(s.column.name)).length;
      const summary = element("summary", "", group.name);
      summary.title = group.note;
      summary.append(element("span", "kind", ` ${found.length}${chosen > 0 ? `, ${chosen} plotted` : ""}`));
      details.append(summary);
      for (const signal of found) {
        if (++shown > LIST_MAX) {
          ++hidden;
          continue;
        }
        const label = element("label", "signal");
        const box = element("input");
        box.type = "checkbox";
        box.checked = this.names.includes(signal.column.name);
        box.addEventListener("change", () => this.toggle(signal.column.name, box.checked));
        label.append(box, " " + signal.column.name);
        const about = [signal.words, signal.unit].filter((s) => s !== "").join(", ");
        if (about) {
          label.append(element("span", "kind", " " + about));
        }
        details.append(label);
      }
      this.list.append(details);
    }
    if (shown === 0) {
      this.list.append(element("div", "hint", "no signal has this in its name"));
    } else if (hidden > 0) {
      this.list.append(element("div", "hint", `and ${hidden} more: type to find them`));
    }
  }

  toggle(name: string, on: boolean) {
    const at = this.names.indexOf(name);
    if (on && at < 0) {
      this.names.push(name);
    } else if (!on && at >= 0) {
      this.names.splice(at, 1);
    }
    this.fillList();
    this.rebuild();
  }

  /** Builds the charts again: after signals or colours changed. */
  rebuild() {
    this.plots.forEach((plot) => plot.chart.destroy());
    this.plots = [];
    this.area.replaceChildren();
    const groups = new Map<string, Curve[]>();
    for (const name of this.names) {
      this.runs.forEach((data, run) => {
        const column = findColumn(data, name);
        if (column) {
          const unit = unitOf(data, column);
          const label = this.runs.length > 1 ? `${column.name} (${"AB"[run]})` : column.name;
          groups.set(unit, [...(groups.get(unit) ?? []), { label, run, column }]);
        }
      });
    }
    for (const [unit, columns] of groups) {
      this.plots.push(this.build(unit, columns));
    }
    if (this.plots.length === 0) {
      this.area.append(element("div", "hint", "choose signals above"));
    }
    this.moveTo(this.time);
  }

  // Values on the times of the first run.
  private sample(curve: Curve): Numbers {
    const values = readColumn(this.runs[curve.run], curve.column);
    if (curve.run === 0) {
      return values;
    }
    const from = readTimes(this.runs[curve.run]);
    return Float64Array.from(readTimes(this.runs[0]), (t) => {
      if (from.length === 0 || t < from[0] || t > from[from.length - 1] * (1 + 1e-12)) {
        return NaN;
      }
      const row = findRow(from, t);
      const next = Math.min(row + 1, from.length - 1);
      const weight = next > row ? Math.min(1, (t - from[row]) / (from[next] - from[row])) : 0;
      return values[row] + weight * (values[next] - values[row]);
    });
  }

  private build(unit: string, list: Curve[]): Plot {
    const box = element("div", "plot");
    this.area.append(box);
    const style = getComputedStyle(document.body);
    const ink = style.getPropertyValue("--ink").trim();
    const faint = style.getPropertyValue("--line").trim();
    const mark = style.getPropertyValue("--event").trim();
    const paper = style.getPropertyValue("--panel").trim();
    const axis = { stroke: ink, grid: { stroke: faint, width: 1 }, ticks: { stroke: faint, width: 1 }, font: "11px sans-serif" };
    let values = list.map((c) => this.sample(c));
    const [low, high] = extremes(values);
    const size = Math.max(Math.abs(low), Math.abs(high));
    const offset = high > low && high - low < NEARLY_CONSTANT * size ? values[0][0] : 0;
    if (offset !== 0) {
      values = values.map((v) => Float64Array.from(v, (x) => x - offset));
    }
    const label = offset !== 0 ? `change from ${Number(offset.toPrecision(8))}${unit ? " " + unit : ""}` : unit || "no unit";
    const colours = list.map((c) => curves[this.names.indexOf(c.column.name) % curves.length]);
    const head = element("div", "bar");
    head.append(element("span", "unit", label));
    box.append(head);
    const chart = new uPlot(
      {
        width: Math.max(200, this.area.clientWidth - 2),
        height: HEIGHT,
        legend: { show: false },
        scales: {
          x: { time: false, ...(this.range ? { min: this.range[0], max: this.range[1] } : {}) },
          y: { range: (_: uPlot, min: number, max: number) => makeRange(min, max) },
        },
        series: [{}, ...list.map((c, i) => ({ stroke: colours[i], width: 1.5, dash: c.run > 0 ? [6, 4] : undefined, points: { show: false } }))],
        axes: [
          { ...axis, size: 34, values: (_: uPlot, ticks: number[]) => labelTicks(ticks).map((t, i, all) => (i === all.length - 1 ? t + " s" : t)) },
          {
            ...axis,
            size: (_: uPlot, labels: string[] | null) => 14 + 6.5 * Math.max(3, ...(labels ?? []).map((t) => t.length)),
            splits: (_: uPlot, _axis: number, min: number, max: number) => makeTicks(min, max, 5),
            values: (_: uPlot, ticks: number[]) => labelTicks(ticks),
          },
        ],
        cursor: { drag: { x: true, y: false }, focus: { prox: 16 } },
        hooks: {
          draw: [(u: uPlot) => {
            this.drawEvents(u, mark, paper);
            this.drawTime(u, ink);
          }],
          setScale: [(u: uPlot, key: string) => this.follow(u, key)],
          setCursor: [(u: uPlot) => this.showValues(u)],
          ready: [(u: uPlot) => {
            u.over.addEventListener("click", () => {
              if (u.cursor.left !== undefined && u.cursor.left !== null && u.cursor.left >= 0) {
                this.setTime(u.posToVal(u.cursor.left, "x"));
              }
            });
          }],
        },
      },
      [readTimes(this.runs[0]), ...values] as unknown as uPlot.AlignedData,
      box,
    );
    const rows = element("div", "curves");
    const legend = list.map((c, i) => {
      const row = element("div", "curve");
      const chip = element("span", c.run > 0 ? "chip dashed" : "chip");
      chip.style.borderColor = colours[i];
      const value = element("span", "value");
      row.append(chip, element("span", "name", c.label), value);
      if (c.run === 0) {
        const close = element("button", "small", "×");
        close.title = `remove ${c.column.name} from the plots`;
        close.addEventListener("click", () => this.toggle(c.column.name, false));
        row.append(close);
      }
      rows.append(row);
      return value;
    });
    box.append(rows);
    const plot = { curves: list, values, offset, label, box, chart, legend };
    const add = (text: string, title: string, run: () => void) => {
      const button = element("button", "small", text);
      button.title = title;
      button.addEventListener("click", run);
      head.append(button);
    };
    add("PNG", "save this plot as a picture", () => this.savePng(plot));
    add("SVG", "save this plot as a drawing", () => this.saveSvg(plot));
    add("CSV", "save these signals as numbers", () => this.saveCsv(plot));
    add("all", "show all times again (or double-click)", () => this.zoom(null));
    return plot;
  }

  private drawLine(u: uPlot, t: number, colour: string, dash: number[]): number {
    const x = u.valToPos(t, "x", true);
    if (x < u.bbox.left || x > u.bbox.left + u.bbox.width) {
      return NaN;
    }
    const c = u.ctx;
    c.save();
    c.strokeStyle = colour;
    c.globalAlpha = 0.8;
    c.lineWidth = 1.5;
    c.setLineDash(dash);
    c.beginPath();
    c.moveTo(x, u.bbox.top);
    c.lineTo(x, u.bbox.top + u.bbox.height);
    c.stroke();
    c.restore();
    return x;
  }

  private drawTime(u: uPlot, ink: string) {
    this.drawLine(u, this.time, ink, []);
  }

  // Their names stand at the top, where there is room for them.
  private drawEvents(u: uPlot, colour: string, paper: string) {
    const ratio = window.devicePixelRatio;
    let free = -Infinity;
    const events = this.runs[0].events.slice(0, 200);
    const places = events.map((event) => this.drawLine(u, event.t, colour, [3 * ratio, 3 * ratio]));
    for (const [i, event] of events.entries()) {
      const x = places[i];
      const c = u.ctx;
      c.save();
      c.font = `${10 * ratio}px sans-serif`;
      c.textBaseline = "top";
      c.textAlign = "left";
      const name = event.name.length > 24 ? event.name.slice(0, 23) + "…" : event.name;
      const width = c.measureText(name).width;
      const left = x + 3 * ratio + width > u.bbox.left + u.bbox.width ? x - 3 * ratio - width : x + 3 * ratio;
      if (left > free) {
        c.fillStyle = paper;
        c.fillRect(left - ratio, u.bbox.top, width + 2 * ratio, 13 * ratio);
        c.fillStyle = colour;
        c.fillText(name, left, u.bbox.top + 2 * ratio);
        free = left + width + 4 * ratio;
      }
      c.restore();
    }
  }

  // Zooming one zooms all.
  private follow(u: uPlot, key: string) {
    if (key !== "x" || this.zooming || u.scales.x.min === undefined || u.scales.x.max === undefined) {
      return;
    }
    const times = readTimes(this.runs[0]);
    const all = u.scales.x.min! <= times[0] && u.scales.x.max! >= times[times.length - 1];
    this.range = all ? null : [u.scales.x.min!, u.scales.x.max!];
    this.zooming = true;
    for (const other of this.plots) {
      if (other.chart !== u) {
        other.chart.setScale("x", { min: u.scales.x.min!, max: u.scales.x.max! });
      }
    }
    this.zooming = false;
  }

  zoom(range: [number, number] | null) {
    const times = readTimes(this.runs[0]);
    const [min, max] = range ?? [times[0], times[times.length - 1]];
    this.range = range;
    this.zooming = true;
    this.plots.forEach((plot) => plot.chart.setScale("x", { min, max }));
    this.zooming = false;
  }

  get shown(): [number, number] | null {
    return this.range;
  }

  private resize() {
    const width = this.area.clientWidth - 2;
    if (width > 50) {
      this.plots.forEach((plot) => plot.chart.setSize({ width, height: HEIGHT }));
    }
  }

  /** The time cursor moves. */
  moveTo(t: number) {
    this.time = t;
    for (const plot of this.plots) {
      plot.chart.redraw(false, false);
      this.showValues(plot.chart);
    }
  }

  // Beside the names: the values now, or where the mouse is.
  private showValues(u: uPlot) {
    const plot = this.plots.find((p) => p.chart === u);
    const times = readTimes(this.runs[0]);
    if (!plot || times.length === 0) {
      return;
    }
    const row = (u.cursor.left ?? -1) >= 0 && u.cursor.idx != null ? u.cursor.idx : findRow(times, this.time);
    plot.legend.forEach((value, i) => {
      value.textContent = show(plot.values[i][row]);
    });
  }

  // ---- saving ----

  private fileName(plot: Plot, ending: string): string {
    return plot.curves[0].column.name.replace(/[^A-Za-z0-9._-]+/g, "_") + "." + ending;
  }

  private savePng(plot: Plot) {
    const from = plot.chart.ctx.canvas;
    const canvas = document.createElement("canvas");
    const ratio = window.devicePixelRatio;
    const top = 20 * ratio;
    canvas.width = from.width;
    canvas.height = top + from.height + 18 * ratio * plot.curves.length + 6;
    const c = canvas.getContext("2d")!;
    const style = getComputedStyle(document.body);
    c.fillStyle = style.getPropertyValue("--paper");
    c.fillRect(0, 0, canvas.width, canvas.height);
    c.drawImage(from, 0, top);
    c.font = `${13 * ratio}px sans-serif`;
    c.fillStyle = style.getPropertyValue("--ink");
    c.fillText(plot.label, 8 * ratio, 14 * ratio);
    plot.curves.forEach((curve, i) => {
      c.fillStyle = curves[this.names.indexOf(curve.column.name) % curves.length];
      c.fillText(curve.label, 70 * ratio, top + from.height + 18 * ratio * (i + 0.8));
    });
    canvas.toBlob((blob) => blob && save(blob, this.fileName(plot, "png")), "image/png");
  }

  private visibleRows(): [number, number] {
    const times = readTimes(this.runs[0]);
    return this.range
      ? [findRow(times, this.range[0]), Math.min(times.length - 1, findRow(times, this.range[1]) + 1)]
      : [0, times.length - 1];
  }

  private saveSvg(plot: Plot) {
    const times = readTimes(this.runs[0]);
    const [first, last] = this.visibleRows();
    const parts = plot.values.map((v) => v.subarray(first, last + 1));
    const text = writeSvg(times.subarray(first, last + 1), parts, plot.curves.map((c) => c.label), plot.label);
    save(new Blob([text], { type: "image/svg+xml" }), this.fileName(plot, "svg"));
  }

  private saveCsv(plot: Plot) {
    const times = readTimes(this.runs[0]);
    const [first, last] = this.visibleRows();
    const quote = (s: string) => (/[",\n]/.test(s) ? `"${s.replace(/"/g, '""')}"` : s);
    const rows = [["t", ...plot.curves.map((c) => c.label)].map(quote).join(",")];
    for (let i = first; i <= last; ++i) {
      rows.push([times[i], ...plot.values.map((v) => Number((v[i] + plot.offset).toPrecision(plot.offset ? 15 : 8)))].join(","));
    }
    save(new Blob([rows.join("\n") + "\n"], { type: "text/csv" }), this.fileName(plot, "csv"));
  }
}

function extremes(columns: Numbers[]): [number, number] {
  let low = Infinity;
  let high = -Infinity;
  for (const column of columns) {
    for (const v of column) {
      if (Number.isFinite(v)) {
        low = Math.min(low, v);
        high = Math.max(high, v);
      }
    }
  }
  return [low, high];
}
