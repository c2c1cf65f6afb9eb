// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// The page: reads the data, builds scene and panels, and keeps them at one time.
import "./style.css";
import { Data, pause, readRuns, readTimes, show } from "./data";
import { byId, element, save } from "./dom";
import { heatStops } from "./colours";
import { Motion } from "./motion";
import { Scene } from "./scene";
import { Switch } from "./marks";
import { Paths } from "./paths";
import { Plots } from "./plots";
import { Story, findMoments, markTimeline } from "./story";
import { roundUp } from "./ticks";
import { Choice, Tree, auditPanel, bodyNumbers, forceNumbers, loopNumbers, modelPanel, modesPanel, placesOf } from "./panels";

const speeds = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 50, 100];

class Viewer {
  t = 0;
  playing = false;
  looping = false;
  speed = 1;
  scale = 1;
  selected: Choice | null = null;
  mode = -1;
  valued = true;
  frames = 0;
  motion: Motion | null = null;
  scene: Scene | null = null;
  plots: Plots | null = null;
  /** of a second run, which is beside the first */
  other: { motion: Motion; scene: Scene } | null = null;
  private readonly data: Data;
  private paths: Paths | null = null;
  private story: Story | null = null;
  private tree: Tree | null = null;
  private last = 0;
  private lastNumbers = 0;
  private legend: { row: HTMLElement; isShown: () => boolean }[] = [];
  private start = 0;
  private end = 0;

  constructor(readonly runs: Data[]) {
    this.data = runs[0];
  }

  async build() {
    const { data } = this;
    const names = this.runs.map((run) => run.model?.name || run.source);
    const name = [...new Set(names)].join(" and ");
    document.title = name + " – Limber";
    byId("title").textContent = name;
    byId("subtitle").textContent = this.runs.map((run) => run.source).join(" and ");
    this.runs.forEach((run, i) => this.showNotices(run.notices.map((text) => (i > 0 ? `${run.source}: ${text}` : text))));
    this.connect();
    await pause();
    for (const run of this.runs) {
      const times = readTimes(run);
      if (times.length > 0) {
        this.start = Math.min(this.start, times[0]);
        this.end = Math.max(this.end, times[times.length - 1]);
      }
    }
    if (data.model && data.model.frames > 0) {
      try {
        this.motion = await Motion.read(data);
        this.scene = new Scene(byId<HTMLCanvasElement>("scene"), data, this.motion);
        await pause();
        this.tree = new Tree(data, byId("tree"), (what) => this.select(what));
        await this.addOther();
        this.setLargest();
        this.addViews();
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
    const jump = (t: number) => {
      this.setPlaying(false);
      this.setTime(t);
    };
    const moments = data.pose ? [] : findMoments(data, this.motion);
    this.story = new Story(moments, byId("story"), byId("caption"), this.runs, jump, (t) => this.clock(t));
    await pause();
    this.addTabs(jump);
    await pause();
    this.setTheme();
    // as slow as needed to see something: about ten seconds for all of it, a power of two or five
    const wanted = (this.end - this.start) / 10;
    this.setSpeed(speeds.reduce((a, b) => (Math.abs(Math.log(b / wanted)) < Math.abs(Math.log(a / wanted)) ? b : a), 1));
    const slider = byId<HTMLInputElement>("time");
    slider.min = String(this.start);
    slider.max = String(this.end);
    for (const id of ["play", "loop", "timeline", "clock", "speed-box"]) {
      byId(id).hidden = data.pose === true;
    }
    markTimeline(byId("marks"), moments, this.start, this.end, jump);
    this.setTime(this.start);
    this.loop(0);
  }

  // A second run stands beside the first, seen from the same place.
  private async addOther() {
    const data = this.runs[1];
    if (!data?.model || data.model.frames === 0) {
      return;
    }
    const pane = element("div", "pane");
    const canvas = element("canvas");
    canvas.id = "scene-2";
    canvas.setAttribute("aria-label", "3-D scene of the second run");
    pane.append(canvas, element("div", "pane-name", `B: ${data.source}`));
    byId("scenes").append(pane);
    byId("scene").after(element("div", "pane-name", `A: ${this.data.source}`));
    const motion = await Motion.read(data);
    const scene = new Scene(canvas, data, motion);
    this.other = { motion, scene };
    const first = this.scene!;
    const copy = (from: Scene, to: Scene) => {
      if (!to.camera.position.equals(from.camera.position) || !to.controls.target.equals(from.controls.target)) {
        to.camera.up.copy(from.camera.up);
        to.camera.position.copy(from.camera.position);
        to.controls.target.copy(from.controls.target);
        to.controls.update();
      }
    };
    first.controls.addEventListener("change", () => copy(first, scene));
    scene.controls.addEventListener("change", () => copy(scene, first));
    first.placeCamera(); // its pane is narrower now
    copy(first, scene);
  }

  get scenes(): Scene[] {
    return [this.scene, this.other?.scene].filter((s): s is Scene => s != null);
  }

  // One colour means the same in both runs; the end of the bar is a round number.
  private setLargest() {
    const largest = Math.max(this.motion!.largest, this.other?.motion.largest ?? 0);
    for (const motion of [this.motion, this.other?.motion]) {
      if (motion && largest > 0) {
        motion.largest = roundUp(largest);
      }
    }
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

  private clock(t: number): string {
    return `${t.toFixed(this.end - this.start < 10 ? 3 : 2)} s`;
  }

  setTime(t: number) {
    this.t = Math.min(this.end, Math.max(this.start, t));
    byId<HTMLInputElement>("time").value = String(this.t);
    byId("clock").textContent = this.clock(this.t);
    this.plots?.moveTo(this.t);
    this.place();
    this.paths?.moveTo(this.t);
    this.story?.moveTo(this.t);
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
    if (this.other) {
      const { scene, motion } = this.other;
      scene.soft.valued = this.valued;
      scene.soft.largest = motion.largest;
      motion.moveTo(Math.min(this.t, motion.duration), this.scale);
      scene.update();
    }
  }

  setPlaying(on: boolean) {
    if (on && this.t >= this.end) {
      this.setTime(this.start);
    }
    this.playing = on;
    byId("play").textContent = on ? "❚❚" : "▶";
  }

  setLooping(on: boolean) {
    this.looping = on;
    byId("loop").setAttribute("aria-pressed", String(on));
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
        this.looping ? this.setTime(this.start) : this.setPlaying(false);
      }
    }
    this.scenes.forEach((scene) => scene.draw());
    ++this.frames;
    requestAnimationFrame((next) => this.loop(next));
  }

  // ---- selection ----

  select(what: Choice) {
    const again = this.selected?.kind === what.kind && this.selected.index === what.index;
    this.selected = again ? null : what;
    this.tree?.mark(this.selected);
    const body = this.selected?.kind === "body" ? what.index : -2;
    this.scenes.forEach((scene) => scene.select(body));
    this.scene?.choose(this.selected ? placesOf(this.data.model!, what) : []);
    this.showNumbers(true);
  }

  private showNumbers(force: boolean) {
    const now = performance.now();
    if (!this.selected) {
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
    const { kind, index } = this.selected;
    const pose = this.motion && kind === "body" && index >= 0 ? this.motion.poses[index] : null;
    byId("numbers").replaceChildren(
      kind === "loop" ? loopNumbers(this.data, index, this.t)
        : kind === "force" ? forceNumbers(this.data, index, this.t, this.motion)
          : bodyNumbers(this.data, index, this.t, pose));
  }

  private addPicking() {
    const canvas = byId("scene");
    let down = { x: 0, y: 0, time: 0 };
    canvas.addEventListener("pointerdown", (e) => (down = { x: e.clientX, y: e.clientY, time: e.timeStamp }));
    canvas.addEventListener("pointerup", (e) => {
      // a click, not the end of a turn
      if (Math.hypot(e.clientX - down.x, e.clientY - down.y) < 5 && e.timeStamp - down.time < 500) {
        const body = this.scene!.pick(e.clientX, e.clientY);
        if (body >= -1 && !(this.selected?.kind === "body" && this.selected.index === body)) {
          this.select({ kind: "body", index: body });
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
    byId("loop").addEventListener("click", () => this.setLooping(!this.looping));
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
      if (e.target instanceof HTMLSelectElement || (e.target instanceof HTMLInputElement && e.target.type !== "range")) {
        return;
      }
      if (e.key === " ") {
        e.preventDefault();
        this.setPlaying(!this.playing);
      } else if (e.key === "ArrowLeft" || e.key === "ArrowRight") {
        e.preventDefault();
        this.setPlaying(false);
        this.setTime(this.t + ((e.key === "ArrowLeft" ? -1 : 1) * (this.end - this.start)) / 200);
      } else if (e.key === "Home" || e.key === "End") {
        e.preventDefault();
        this.setPlaying(false);
        this.setTime(e.key === "Home" ? this.start : this.end);
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
    this.scenes.forEach((scene) => scene.setDark(this.isDark()));
    this.plots?.rebuild();
  }

  private addViews() {
    const box = byId("views");
    const scene = this.scene!;
    const add = (text: string, title: string, run: () => void) => {
      const button = element("button", "", text);
      button.title = title;
      button.addEventListener("click", run);
      box.append(button);
      return button;
    };
    add("fit", "the first view again (or double-click)", () => scene.lookAlong(null));
    add("x", "look along x", () => scene.lookAlong("x"));
    add("y", "look along y", () => scene.lookAlong("y"));
    add("z", "look along z", () => scene.lookAlong("z"));
    add("picture", "save a picture of the scene", async () => {
      const blob = await this.takePicture();
      if (blob) {
        save(blob, this.data.source.replace(/\.[a-z0-9]+$/, "").replace(/[^A-Za-z0-9._-]+/g, "_") + ".png");
      }
    }).id = "picture";
    const stage = byId("stage");
    if (document.body.requestFullscreen) {
      // the style sheet leaves the scene and the timeline
      add("full screen", "scene and timeline on the whole screen, or back", () => {
        document.fullscreenElement ? document.exitFullscreen() : document.body.requestFullscreen();
      }).id = "fullscreen";
    }
    add("show …", "what is shown", () => stage.classList.toggle("switches")).id = "show-switches";
  }

  // The scene as it is now, or both side by side.
  private takePicture(): Promise<Blob | null> {
    const pictures = this.scenes.map((scene) => scene.redraw());
    const all = document.createElement("canvas");
    all.width = pictures.reduce((sum, p) => sum + p.width, 0);
    all.height = Math.max(...pictures.map((p) => p.height));
    const c = all.getContext("2d")!;
    let x = 0;
    for (const picture of pictures) {
      c.drawImage(picture, x, 0);
      x += picture.width;
    }
    return new Promise((done) => all.toBlob(done, "image/png"));
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
      add(name, scene.marks.isOn(name), (on) => {
        this.scenes.forEach((s) => s.setSwitch(name as Switch, on));
        this.showLegend();
      });
    }
    add("shadows", scene.hasShadows, (on) => this.scenes.forEach((s) => s.setShadows(on)));
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
        this.scenes.forEach((s) => {
          s.soft.coloured = on;
          s.update();
        });
        this.showLegend();
      });
      this.addBar("displacement", "0", `${show(1000 * this.motion!.largest)} mm`, () => scene.soft.showsShifts);
    }
    const { force, torque } = scene.marks.largest;
    if (force > 0 || torque > 0) {
      this.addArrow("forces", force, torque, () => scene.marks.isOn("forces"));
    }
    if (!scene.loads.empty) {
      const force = Math.max(...this.scenes.map((s) => s.loads.largest.force));
      const moment = Math.max(...this.scenes.map((s) => s.loads.largest.moment));
      add("loads", false, (on) => {
        this.scenes.forEach((s) => {
          s.loads.largest = { force, moment };
          s.showLoads(on);
        });
        this.showLegend();
      });
      this.addArrow("loads in hinges and loops", force, moment, () => scene.loads.arrows.group.visible);
    }
    this.showLegend();
  }

  private addArrow(caption: string, force: number, moment: number, isShown: () => boolean) {
    const row = element("span", "scale");
    const texts = [force > 0 ? `${show(force)} N` : "", moment > 0 ? `${show(moment)} N m with two heads` : ""];
    row.append(element("b", "", caption), element("span", "", `longest arrow ${texts.filter((s) => s).join(", ")}`));
    byId("legend").append(row);
    this.legend.push({ row, isShown });
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
      row.hidden = this.mode >= 0 || !isShown();
    }
    byId("legend").hidden = this.legend.every(({ row }) => row.hidden);
  }

  private addTabs(jump: (t: number) => void) {
    const { data } = this;
    const panel = byId("panel");
    const pages: [string, (box: HTMLElement) => void][] = [
      ["Plots", (box) => {
        this.plots = new Plots(this.runs, box, jump);
        if (this.motion) {
          this.paths = new Paths(data.model!, this.motion, box);
        }
      }],
      ["Audit", (box) => box.append(auditPanel(data, (t) => this.setTime(t)))],
    ];
    if (data.modes && data.modes.modes.length > 0 && this.scene) {
      const modes: typeof pages[number] = ["Modes", (box) => box.append(modesPanel(data, (mode) => {
        this.mode = mode;
        this.place();
        this.showLegend();
      }))];
      data.pose ? pages.unshift(modes) : pages.push(modes);
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
  const viewer = new Viewer(readRuns());
  // for tests and the console
  (window as unknown as { limber: Viewer }).limber = viewer;
  await viewer.build();
  while (!viewer.scenes.every((scene) => scene.isWhole)) {
    await new Promise((done) => requestAnimationFrame(done));
  }
  document.documentElement.dataset.ready = "yes";
}

main().catch((error: Error) => {
  byId("loading").textContent = error.message;
});
