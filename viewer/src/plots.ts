// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Plots of signals over time, by uPlot: one for each unit, zoomed together, with the time cursor.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { Column, Data, findColumn, findRow, readColumn, readTimes, show } from "./data";
import { curves } from "./colours";
import { element, save } from "./dom";
import { writeSvg } from "./svg";

interface Plot {
  unit: string;
  names: string[];
  box: HTMLElement;
  chart: uPlot;
}

export class Plots {
  readonly names: string[] = [];
  private plots: Plot[] = [];
  private time = 0;
  private zooming = false;
  private range: [number, number] | null = null;
  private readonly area = element("div", "plots");
  private readonly search = element("input", "search");
  private readonly list = element("div", "signals");

  constructor(
    private readonly data: Data,
    panel: HTMLElement,
    private readonly setTime: (t: number) => void,
  ) {
    this.search.type = "search";
    this.search.placeholder = "find a signal";
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

  // What most people look at first: hinge coordinates and energies.
  private guess(): string[] {
    const q = this.data.tables.find((t) => t.name === "q")?.columns.map((c) => c.name) ?? [];
    const hinges = q.filter((n) => n.endsWith(".angle") || n.endsWith(".distance")).slice(0, 3);
    return [...(hinges.length > 0 ? hinges : q.slice(0, 3)), "kinetic", "potential"];
  }

  private fillList() {
    const words = this.search.value.toLowerCase().split(/\s+/).filter((w) => w !== "");
    this.list.replaceChildren();
    let shown = 0;
    let hidden = 0;
    for (const table of this.data.tables) {
      for (const column of table.columns) {
        const text = column.name.toLowerCase();
        if (!words.every((w) => text.includes(w))) {
          continue;
        }
        if (++shown > 200) {
          ++hidden;
          continue;
        }
        const label = element("label", "signal");
        const box = element("input");
        box.type = "checkbox";
        box.checked = this.names.includes(column.name);
        box.addEventListener("change", () => this.toggle(column.name, box.checked));
        label.append(box, " " + column.name + (column.unit ? `, ${column.unit}` : ""));
        label.title = table.note;
        this.list.append(label);
      }
    }
    if (hidden > 0) {
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

  /** Builds the charts anew: after signals or colours changed. */
  rebuild() {
    this.plots.forEach((plot) => plot.chart.destroy());
    this.plots = [];
    this.area.replaceChildren();
    const groups = new Map<string, Column[]>();
    for (const name of this.names) {
      const column = findColumn(this.data, name)!;
      groups.set(column.unit, [...(groups.get(column.unit) ?? []), column]);
    }
    for (const [unit, columns] of groups) {
      this.plots.push(this.build(unit, columns));
    }
    if (this.plots.length === 0) {
      this.area.append(element("div", "hint", "choose signals above"));
    }
  }

  private build(unit: string, columns: Column[]): Plot {
    const box = element("div", "plot");
    this.area.append(box);
    const style = getComputedStyle(document.body);
    const ink = style.getPropertyValue("--ink").trim();
    const faint = style.getPropertyValue("--line").trim();
    const axis = { stroke: ink, grid: { stroke: faint, width: 1 }, ticks: { stroke: faint, width: 1 } };
    const times = readTimes(this.data);
    const series: uPlot.Series[] = columns.map((c, i) => ({
      label: c.name,
      stroke: curves[i % curves.length],
      width: 1.5,
      value: (_: uPlot, x: number | null) => show(x),
    }));
    const chart = new uPlot(
      {
        width: Math.max(200, this.area.clientWidth - 2),
        height: 200,
        scales: { x: { time: false, ...(this.range ? { min: this.range[0], max: this.range[1] } : {}) } },
        series: [{ label: "t", value: (_: uPlot, x: number | null) => show(x) + " s" }, ...series],
        axes: [
          { ...axis },
          { ...axis, size: 64, label: unit ? `[${unit}]` : undefined, labelSize: unit ? 18 : 0, labelFont: "12px sans-serif", values: (_: uPlot, ticks: number[]) => ticks.map(show) },
        ],
        cursor: { drag: { x: true, y: false }, focus: { prox: 16 } },
        hooks: {
          draw: [(u: uPlot) => this.drawTime(u, ink)],
          setScale: [(u: uPlot, key: string) => this.follow(u, key)],
          ready: [(u: uPlot) => {
            u.over.addEventListener("click", () => {
              if (u.cursor.left !== undefined && u.cursor.left !== null && u.cursor.left >= 0) {
                this.setTime(u.posToVal(u.cursor.left, "x"));
              }
            });
          }],
        },
      },
      [times, ...columns.map((c) => readColumn(this.data, c))] as unknown as uPlot.AlignedData,
      box,
    );
    const plot = { unit, names: columns.map((c) => c.name), box, chart };
    const bar = element("div", "bar");
    const add = (text: string, title: string, run: () => void) => {
      const button = element("button", "small", text);
      button.title = title;
      button.addEventListener("click", run);
      bar.append(button);
    };
    add("PNG", "save this plot as a picture", () => this.savePng(plot));
    add("SVG", "save this plot as a drawing", () => this.saveSvg(plot));
    add("CSV", "save these signals as numbers", () => this.saveCsv(plot));
    add("all", "show all times again (or double-click)", () => this.zoom(null));
    box.append(bar);
    return plot;
  }

  private drawTime(u: uPlot, ink: string) {
    const x = u.valToPos(this.time, "x", true);
    if (x < u.bbox.left || x > u.bbox.left + u.bbox.width) {
      return;
    }
    const c = u.ctx;
    c.save();
    c.strokeStyle = ink;
    c.globalAlpha = 0.7;
    c.lineWidth = 1.5;
    c.beginPath();
    c.moveTo(x, u.bbox.top);
    c.lineTo(x, u.bbox.top + u.bbox.height);
    c.stroke();
    c.restore();
  }

  // Zooming one zooms all.
  private follow(u: uPlot, key: string) {
    if (key !== "x" || this.zooming || u.scales.x.min === undefined || u.scales.x.max === undefined) {
      return;
    }
    const times = readTimes(this.data);
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
    const times = readTimes(this.data);
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
      this.plots.forEach((plot) => plot.chart.setSize({ width, height: 200 }));
    }
  }

  /** The time cursor moves. */
  moveTo(t: number) {
    this.time = t;
    const times = readTimes(this.data);
    const row = times.length > 0 ? findRow(times, t) : null;
    for (const plot of this.plots) {
      plot.chart.redraw(false, false);
      // beside the names: the values now, or where the mouse is
      if ((plot.chart.cursor.left ?? -1) < 0) {
        plot.chart.setLegend({ idx: row } as { idx: number });
      }
    }
  }

  // ---- saving ----

  private fileName(plot: Plot, ending: string): string {
    return plot.names[0].replace(/[^A-Za-z0-9._-]+/g, "_") + "." + ending;
  }

  private savePng(plot: Plot) {
    const from = plot.chart.ctx.canvas;
    const canvas = document.createElement("canvas");
    const lines = 18 * window.devicePixelRatio * plot.names.length;
    canvas.width = from.width;
    canvas.height = from.height + lines + 6;
    const c = canvas.getContext("2d")!;
    c.fillStyle = getComputedStyle(document.body).getPropertyValue("--paper");
    c.fillRect(0, 0, canvas.width, canvas.height);
    c.drawImage(from, 0, 0);
    c.font = `${13 * window.devicePixelRatio}px sans-serif`;
    plot.names.forEach((name, i) => {
      c.fillStyle = curves[i % curves.length];
      c.fillText(name, 70, from.height + 18 * window.devicePixelRatio * (i + 0.8));
    });
    canvas.toBlob((blob) => blob && save(blob, this.fileName(plot, "png")), "image/png");
  }

  private visibleRows(): [number, number] {
    const times = readTimes(this.data);
    return this.range
      ? [findRow(times, this.range[0]), Math.min(times.length - 1, findRow(times, this.range[1]) + 1)]
      : [0, times.length - 1];
  }

  private saveSvg(plot: Plot) {
    const times = readTimes(this.data);
    const [first, last] = this.visibleRows();
    const columns = plot.names.map((name) => readColumn(this.data, findColumn(this.data, name)!));
    const text = writeSvg(times.subarray(first, last + 1), columns.map((c) => c.subarray(first, last + 1)), plot.names, plot.unit);
    save(new Blob([text], { type: "image/svg+xml" }), this.fileName(plot, "svg"));
  }

  private saveCsv(plot: Plot) {
    const times = readTimes(this.data);
    const [first, last] = this.visibleRows();
    const columns = plot.names.map((name) => readColumn(this.data, findColumn(this.data, name)!));
    const quote = (s: string) => (/[",\n]/.test(s) ? `"${s.replace(/"/g, '""')}"` : s);
    const rows = [["t", ...plot.names].map(quote).join(",")];
    for (let i = first; i <= last; ++i) {
      rows.push([times[i], ...columns.map((c) => Number(c[i].toPrecision(8)))].join(","));
    }
    save(new Blob([rows.join("\n") + "\n"], { type: "text/csv" }), this.fileName(plot, "csv"));
  }
}
