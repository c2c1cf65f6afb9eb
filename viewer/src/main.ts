// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The page: reads the data, builds scene and panels, and keeps them at one time.
import "./style.css";
import { Data, pause, readData, readTimes, show } from "./data";
import { byId, element } from "./dom";
import { heatStops } from "./colours";
import { Motion } from "./motion";
import { Scene } from "./scene";
import { Switch } from "./marks";
import { Plots } from "./plots";
import { Tree, auditPanel, bodyNumbers, modelPanel, modesPanel } from "./panels";

const speeds = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 50, 100];

class Viewer {
  t = 0;
  playing = false;
  speed = 1;
  scale = 1;
  selected = -2;
  mode = -1;
  valued = true;
  frames = 0;
  motion: Motion | null = null;
  scene: Scene | null = null;
  plots: Plots | null = null;
  private tree: Tree | null = null;
  private last = 0;
  private lastNumbers = 0;
  private legend: { row: HTMLElement; isShown: () => boolean }[] = [];
  private start = 0;
  private end = 0;

  constructor(readonly data: Data) {}

  async build() {
    const { data } = this;
    const name = data.model?.name || data.source;
    document.title = name + " – Limber";
    byId("title").textContent = name;
    byId("subtitle").textContent = data.source;
    this.showNotices(data.notices);
    this.connect();
    await pause();
    const times = readTimes(data);
    this.start = times.length > 0 ? times[0] : 0;
    this.end = times.length > 0 ? times[times.length - 1] : 0;
    if (data.model && data.model.frames > 0) {
      try {
        this.motion = await Motion.read(data);
        this.scene = new Scene(byId<HTMLCanvasElement>("scene"), data.model, this.motion);
        this.tree = new Tree(data, byId("tree"), (k) => this.select(k));
        this.addSwitches();
        this.addPicking();
      } catch (error) {
        this.scene = null;
        this.showNotices([`The 3-D scene cannot be drawn here: ${(error as Error).message}`]);
      }
    }
    byId("loading").hidden = true;
    if (!this.scene) {
      byId("stage").append(element("div", "empty", "No 3-D scene; the plots are on the right."));
    }
    await pause();
    this.addTabs();
    this.setTheme();
    // as slow as needed to see something: about ten seconds for all of it, a power of two or five
    const wanted = (this.end - this.start) / 10;
    this.setSpeed(speeds.reduce((a, b) => (Math.abs(Math.log(b / wanted)) < Math.abs(Math.log(a / wanted)) ? b : a), 1));
    const slider = byId<HTMLInputElement>("time");
    slider.min = String(this.start);
    slider.max = String(this.end);
    this.setTime(this.start);
    this.loop(0);
  }

  private showNotices(notices: string[]) {
    for (const text of notices) {
      const line = element("div", "notice", text);
      const close = element("button", "small", "×");
      close.title = "close";
      close.addEventListener("click", () => line.remove());
      line.append(close);
      byId("notices").append(line);
    }
  }

  // ---- time ----

  setTime(t: number) {
    this.t = Math.min(this.end, Math.max(this.start, t));
    byId<HTMLInputElement>("time").value = String(this.t);
    byId("clock").textContent = `${this.t.toFixed(this.end - this.start < 10 ? 3 : 2)} s`;
    this.plots?.moveTo(this.t);
    this.place();
    this.showNumbers(false);
  }

  private place(phase = 0) {
    if (!this.motion || !this.scene) {
      return;
    }
    const mode = this.mode >= 0 ? this.data.modes!.modes[this.mode] : null;
    // values are of the run, not of a mode
    this.scene.soft.valued = this.valued && !mode;
    if (mode) {
      const amplitude = 0.08 * this.motion.model.size * this.scale;
      this.scene.soft.largest = amplitude;
      this.motion.moveInMode(this.t, mode, amplitude, phase);
    } else {
      this.scene.soft.largest = this.motion.largest;
      this.motion.moveTo(this.t, this.scale);
    }
    this.scene.update();
  }

  setPlaying(on: boolean) {
    if (on && this.t >= this.end) {
      this.setTime(this.start);
    }
    this.playing = on;
    byId("play").textContent = on ? "❚❚" : "▶";
  }

  setSpeed(speed: number) {
    this.speed = speed;
    byId<HTMLSelectElement>("speed").value = String(speed);
  }

  private loop(now: number) {
    const gap = Math.min(0.25, (now - this.last) / 1000);
    this.last = now;
    if (this.mode >= 0 && this.scene) {
      this.place(now / 250);
    } else if (this.playing) {
      this.setTime(this.t + gap * this.speed);
      if (this.t >= this.end) {
        this.setPlaying(false);
      }
    }
    this.scene?.draw();
    ++this.frames;
    requestAnimationFrame((next) => this.loop(next));
  }

  // ---- selection ----

  select(body: number) {
    this.selected = body === this.selected ? -2 : body;
    this.tree?.mark(this.selected);
    this.scene?.select(this.selected);
    this.showNumbers(true);
  }

  private showNumbers(force: boolean) {
    const now = performance.now();
    if (this.selected < -1) {
      if (force) {
        byId("numbers").replaceChildren();
      }
      return;
    }
    // not at every frame while it plays
    if (!force && this.playing && now - this.lastNumbers < 150) {
      return;
    }
    this.lastNumbers = now;
    const pose = this.motion && this.selected >= 0 ? this.motion.poses[this.selected] : null;
    byId("numbers").replaceChildren(bodyNumbers(this.data, this.selected, this.t, pose));
  }

  private addPicking() {
    const canvas = byId("scene");
    let down = { x: 0, y: 0, time: 0 };
    canvas.addEventListener("pointerdown", (e) => (down = { x: e.clientX, y: e.clientY, time: e.timeStamp }));
    canvas.addEventListener("pointerup", (e) => {
      // a click, not the end of a turn
      if (Math.hypot(e.clientX - down.x, e.clientY - down.y) < 5 && e.timeStamp - down.time < 500) {
        const body = this.scene!.pick(e.clientX, e.clientY);
        if (body >= -1 && body !== this.selected) {
          this.select(body);
        }
      }
    });
    canvas.addEventListener("dblclick", () => this.scene!.placeCamera());
  }

  // ---- controls ----

  private connect() {
    const select = byId<HTMLSelectElement>("speed");
    for (const s of speeds) {
      const option = element("option", "", `${s}×`);
      option.value = String(s);
      select.append(option);
    }
    select.addEventListener("change", () => this.setSpeed(Number(select.value)));
    byId("play").addEventListener("click", () => this.setPlaying(!this.playing));
    byId<HTMLInputElement>("time").addEventListener("input", (e) => {
      this.setPlaying(false);
      this.setTime(Number((e.target as HTMLInputElement).value));
    });
    // the slider is logarithmic: 1 to 1000 times
    byId<HTMLInputElement>("scale").addEventListener("input", (e) => {
      this.setScale(Math.pow(10, Number((e.target as HTMLInputElement).value)));
    });
    byId("theme").addEventListener("click", () => {
      document.documentElement.dataset.theme = this.isDark() ? "light" : "dark";
      this.setTheme();
    });
    byId("show-left").addEventListener("click", () => document.body.classList.toggle("left"));
    byId("show-right").addEventListener("click", () => document.body.classList.toggle("right"));
    window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.setTheme());
    window.addEventListener("keydown", (e) => {
      if (e.target instanceof HTMLInputElement && e.target.type !== "range") {
        return;
      }
      if (e.key === " ") {
        e.preventDefault();
        this.setPlaying(!this.playing);
      } else if (e.key === "ArrowLeft" || e.key === "ArrowRight") {
        e.preventDefault();
        this.setPlaying(false);
        this.setTime(this.t + ((e.key === "ArrowLeft" ? -1 : 1) * (this.end - this.start)) / 200);
      }
    });
  }

  setScale(scale: number) {
    this.scale = scale;
    byId("scale-value").textContent = `${show(Number(scale.toPrecision(2)))}×`;
    this.place();
  }

  private isDark(): boolean {
    const chosen = document.documentElement.dataset.theme;
    return chosen ? chosen === "dark" : window.matchMedia("(prefers-color-scheme: dark)").matches;
  }

  private setTheme() {
    document.documentElement.dataset.theme = this.isDark() ? "dark" : "light";
    this.scene?.setDark(this.isDark());
    this.plots?.rebuild();
  }

  private addSwitches() {
    const box = byId("switches");
    const add = (text: string, on: boolean, change: (on: boolean) => void) => {
      const label = element("label");
      const input = element("input");
      input.type = "checkbox";
      input.checked = on;
      input.name = text;
      input.addEventListener("change", () => change(input.checked));
      label.append(input, " " + text);
      box.append(label);
    };
    const scene = this.scene!;
    for (const name of scene.marks.available) {
      add(name, scene.marks.isOn(name), (on) => scene.setSwitch(name as Switch, on));
    }
    const scales = this.data.model!.scales;
    if (scales.length > 0) {
      add("values", true, (on) => {
        this.valued = on;
        this.place();
        this.showLegend();
      });
      for (const { caption, unit, low, high } of scales) {
        this.addBar(unit ? `${caption}, ${unit}` : caption, show(low), show(high), () => scene.soft.valued);
      }
    }
    if (!scene.soft.empty && this.motion!.largest > 0) {
      add("displacement", true, (on) => {
        scene.soft.coloured = on;
        this.showLegend();
        scene.update();
      });
      this.addBar(scales.length > 0 ? "displacement" : "", "0", `${show(1000 * this.motion!.largest)} mm`, () => scene.soft.showsShifts);
    }
    this.showLegend();
  }

  private addBar(caption: string, low: string, high: string, isShown: () => boolean) {
    const row = element("span", "scale");
    const bar = element("span", "heat");
    bar.style.background = `linear-gradient(to right, ${heatStops.join(", ")})`;
    row.append(caption && element("b", "", caption), element("span", "", low), bar, element("span", "", high));
    byId("legend").append(row);
    this.legend.push({ row, isShown });
  }

  private showLegend() {
    for (const { row, isShown } of this.legend) {
      row.hidden = !isShown();
    }
    byId("legend").hidden = this.mode >= 0 || this.legend.every(({ row }) => row.hidden);
  }

  private addTabs() {
    const { data } = this;
    const panel = byId("panel");
    const pages: [string, (box: HTMLElement) => void][] = [
      ["Plots", (box) => (this.plots = new Plots(data, box, (t) => {
        this.setPlaying(false);
        this.setTime(t);
      }))],
      ["Audit", (box) => box.append(auditPanel(data, (t) => this.setTime(t)))],
    ];
    if (data.modes && data.modes.modes.length > 0 && this.scene) {
      pages.push(["Modes", (box) => box.append(modesPanel(data, (mode) => {
        this.mode = mode;
        this.place();
        this.showLegend();
      }))]);
    }
    pages.push(["Model", (box) => box.append(modelPanel(data))]);
    const boxes = pages.map(([name, fill], i) => {
      const box = element("div", "page");
      const tab = element("button", "tab", name);
      tab.setAttribute("role", "tab");
      tab.addEventListener("click", () => boxes.forEach((b, k) => {
        b.box.hidden = k !== i;
        b.tab.classList.toggle("chosen", k === i);
      }));
      box.hidden = i !== 0;
      tab.classList.toggle("chosen", i === 0);
      byId("tabs").append(tab);
      panel.append(box);
      fill(box);
      return { box, tab };
    });
  }
}

async function main() {
  const viewer = new Viewer(readData());
  // for tests and the console
  (window as unknown as { limber: Viewer }).limber = viewer;
  await viewer.build();
  document.documentElement.dataset.ready = "yes";
}

main().catch((error: Error) => {
  byId("loading").textContent = error.message;
});
