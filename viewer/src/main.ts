// The page: reads the recording it carries, and plays it.

import "./style.css";
import { Plot, short } from "./plot";
import { Recording, type Row } from "./recording";
import { BODY_COLORS, Stage, type Shows } from "./stage";

const find = <T extends HTMLElement>(id: string): T => document.getElementById(id) as T;

const KEYS: [string, string][] = [
  ["space", "play or pause"], ["← →", "one frame back or on"], ["home end", "first or last frame"],
  ["- +", "slower or faster"], ["↑ ↓", "previous or next pair"], ["F", "fit all bodies"],
  ["1 – 7", "camera: iso, front, back, left, right, top, bottom"], ["E", "edges"], ["W", "witnesses"],
  ["C", "contacts"], ["V", "Voronoi region"], ["B", "boxes, level by level"], ["T", "trail of the witnesses"],
  ["D", "dark or light"], ["?", "this help"],
];
/** Pixels between the line and its value. */
const LABEL_OFF = 14;
/** Frames from which the camera learns where the bodies go. */
const SEEN = 9;
const VIEWS = ["iso", "front", "back", "left", "right", "top", "bottom"];

class Player {
  frame = 0;
  pair: [string, string] | null;
  playing = false;
  rows: Row[] = [];
  poses: Float64Array = new Float64Array();
  dark = matchMedia("(prefers-color-scheme: dark)").matches;
  readonly shows: Shows = {
    edges: true, witnesses: true, contacts: true, voronoi: false, boxes: -1, trail: false, graphs: true, joints: true,
  };
  private readonly looks: ("solid" | "faded" | "hidden")[];
  private plots: Plot[] = [];
  private before = 0;
  private carried = 0;
  private wanted = -1;
  private deepest = -1;

  constructor(readonly recording: Recording, readonly stage: Stage) {
    this.pair = recording.tracks[0]?.names ?? null;
    this.looks = recording.header.bodies.map(() => "solid");
    for (const shape of Object.values(recording.header.shapes)) {
      for (const box of shape.boxes ?? []) this.deepest = Math.max(this.deepest, box.level);
    }
  }

  async start(): Promise<void> {
    const frames: Float64Array[] = [];
    const points: number[][] = [];
    for (let k = 0; k < SEEN; k += 1) {
      const frame = await this.recording.frame(Math.round((k / (SEEN - 1)) * (this.recording.length - 1)));
      if (!frame) continue;
      frames.push(frame.poses.slice());
      points.push(...frame.rows.flatMap((row) => row.points ?? []));
    }
    this.stage.build(frames, points);
    this.listBodies();
    this.listShows();
    this.wire();
    this.showTheme();
    this.makePlots();
    await this.seek(0);
    new ResizeObserver(() => this.stage.resize()).observe(find("view"));
    requestAnimationFrame((now) => this.tick(now));
  }

  async seek(frame: number): Promise<void> {
    const target = Math.max(0, Math.min(this.recording.length - 1, Math.round(frame)));
    this.wanted = target;
    const found = await this.recording.frame(target);
    if (!found || this.wanted !== target) return;
    this.frame = target;
    this.rows = found.rows;
    this.poses = found.poses;
    this.stage.setPoses(found.poses, this.recording.times[target]);
    this.show();
  }

  row(): Row | undefined {
    return this.rows.find((row) => row.pair && this.pair && row.pair.join("\n") === this.pair.join("\n"));
  }

  private show(): void {
    const row = this.row();
    this.stage.setAnswer(row, this.rows, this.shows);
    const { length, times, numbers } = this.recording;
    const slider = find<HTMLInputElement>("slider");
    slider.max = String(length - 1);
    slider.value = String(this.frame);
    find("clock").textContent = `frame ${numbers[this.frame] ?? 0} · ${short(times[this.frame] ?? 0)} s`;
    for (const plot of this.plots) plot.setFrame(this.frame);
    this.listPairs();
    this.showAnswer(row);
  }

  private showAnswer(row: Row | undefined): void {
    const { units } = this.recording.header;
    const fields: [string, string][] = [];
    if (row) {
      const signed = row.signed_distance ?? row.distance;
      fields.push(["state", [row.state, row.inside && `(${row.inside} inside)`].filter(Boolean).join(" ")]);
      fields.push([row.signed_distance !== null && (signed ?? 0) < 0 ? "signed distance" : "distance", `${signed} ${units}`]);
      fields.push(["features", (row.features ?? []).join(" – ")]);
      fields.push(["ended", row.ended ?? "–"]);
      if (row.lower_bound !== undefined) fields.push(["lower bound", row.lower_bound === null ? "none" : `${row.lower_bound} ${units}`]);
      fields.push(["work", Object.entries(row.work ?? {}).map(([name, value]) => `${value} ${name}`).join(", ") || "–"]);
      if (row.locus) fields.push(["not unique", row.locus.kind]);
    }
    const list = document.createElement("dl");
    for (const [name, value] of fields) {
      const [term, text] = [document.createElement("dt"), document.createElement("dd")];
      term.textContent = name;
      text.textContent = value;
      text.dataset.field = name;
      list.append(term, text);
    }
    find("answer").replaceChildren(list);
  }

  private showLabel(): void {
    const row = this.row();
    const label = find("labels");
    if (!this.stage.labelled || !row) {
      label.textContent = "";
      return;
    }
    const [p, q] = this.stage.labelled.map((point) => this.stage.project(point));
    const value = row.signed_distance ?? row.distance ?? NaN;
    label.textContent = p.visible && q.visible ? `${short(value)} ${this.recording.header.units}` : "";
    label.classList.toggle("deep", value < 0);
    // Beside the middle of the line, to its right, and not beyond the picture.
    const { clientWidth: width, clientHeight: height } = find("view");
    const long = Math.hypot(q.x - p.x, q.y - p.y) || 1;
    const side = q.y - p.y < 0 ? -1 : 1;
    const within = (at: number, most: number) => Math.max(0, Math.min(at, most));
    const x = (p.x + q.x) / 2 + (LABEL_OFF * side * (q.y - p.y)) / long;
    const y = (p.y + q.y) / 2 - (LABEL_OFF * side * (q.x - p.x)) / long;
    label.style.transform = `translate(${within(x, width - label.clientWidth).toFixed(0)}px, ${within(y - 10, height - 22).toFixed(0)}px)`;
  }

  private tick(now: number): void {
    if (this.playing && this.recording.length > 1) {
      const { times } = this.recording;
      const step = (times[times.length - 1] - times[0]) / (times.length - 1) || 1;
      this.carried += (((now - this.before) / 1000) * Number(find<HTMLSelectElement>("speed").value)) / step;
      const by = Math.floor(this.carried);
      // A frame that is on its way is waited for, else none would ever arrive where they take longer than this.
      if (by > 0 && this.wanted === this.frame) {
        this.carried -= by;
        const next = this.frame + by;
        if (next >= this.recording.length) {
          this.setPlaying(false);
          void this.seek(this.recording.length - 1);
        } else void this.seek(next);
      }
    }
    this.before = now;
    this.stage.controls.update();
    this.stage.draw(this.dark);
    this.showLabel();
    requestAnimationFrame((next) => this.tick(next));
  }

  setPlaying(playing: boolean): void {
    if (playing && this.frame >= this.recording.length - 1) void this.seek(0);
    this.playing = playing;
    this.carried = 0;
    find("play").textContent = playing ? "❚❚" : "▶";
  }

  choose(pair: [string, string]): void {
    this.pair = pair;
    this.makePlots();
    if (this.shows.trail) void this.stage.setTrail(this.recording, pair);
    this.show();
  }

  private makePlots(): void {
    const seek = (frame: number) => void this.seek(frame);
    const track = this.recording.tracks.find((t) => this.pair && t.names.join("\n") === this.pair.join("\n"));
    this.plots = [];
    if (track) {
      this.plots.push(new Plot(this.recording, `distance ${track.names.join(" – ")} [${this.recording.header.units}]`, track.nearness, track, seek));
    }
    for (const series of this.recording.series) this.plots.push(new Plot(this.recording, series.name, series.values, null, seek));
    find("plots").replaceChildren(...this.plots.map((plot) => plot.root));
    for (const plot of this.plots) plot.draw();
  }

  /** Nearest pair first. */
  private listPairs(): void {
    const near = (row: Row) => row.signed_distance ?? row.distance ?? Infinity;
    const sorted = this.rows.filter((row) => row.pair).sort((a, b) => near(a) - near(b));
    const entries = sorted.slice(0, 200).map((row) => {
      const entry = document.createElement("button");
      entry.className = "entry";
      entry.role = "option";
      entry.dataset.pair = row.pair?.join(" – ");
      entry.ariaSelected = String(row.pair?.join("\n") === this.pair?.join("\n"));
      const [names, value] = [document.createElement("span"), document.createElement("span")];
      names.textContent = row.pair?.join(" – ") ?? "";
      value.textContent = short(near(row));
      value.className = near(row) <= 0 ? "value touching" : "value";
      entry.append(names, value);
      entry.addEventListener("click", () => row.pair && this.choose(row.pair));
      return entry;
    });
    find("pairs").replaceChildren(...entries);
  }

  private listBodies(): void {
    const entries = this.recording.header.bodies.map((body, index) => {
      const entry = document.createElement("div");
      entry.className = "entry body";
      const patch = document.createElement("i");
      patch.style.background = `#${BODY_COLORS[index % BODY_COLORS.length].toString(16).padStart(6, "0")}`;
      const name = document.createElement("button");
      name.textContent = body.name;
      name.addEventListener("click", () => this.tellAbout(index));
      const look = document.createElement("select");
      look.ariaLabel = `how ${body.name} is drawn`;
      for (const word of ["solid", "faded", "hidden"]) look.append(new Option(word, word));
      look.addEventListener("change", () => {
        this.looks[index] = look.value as "solid" | "faded" | "hidden";
        this.stage.setBody(index, this.looks[index]);
        this.show();
      });
      entry.append(patch, name, look);
      return entry;
    });
    find("bodies").replaceChildren(...entries);
  }

  /** What a body is. */
  tellAbout(index: number): void {
    const body = this.recording.header.bodies[index];
    const shape = this.recording.header.shapes[body.shape];
    const classes = new Map<string, number>();
    for (const line of shape.edges ?? []) classes.set(line.class, (classes.get(line.class) ?? 0) + 1);
    const words = [
      `${body.name}: ${shape.kind}${body.fixed ? ", fixed" : ""}`,
      shape.faces && `${shape.faces.length} faces`,
      classes.size && `edges: ${[...classes].map(([name, count]) => `${count} ${name}`).join(", ")}`,
      shape.corners?.length && `${shape.corners.length} vertices`,
    ];
    find("about").textContent = words.filter(Boolean).join(" · ");
  }

  private listShows(): void {
    const toggles: [keyof Shows, string][] = [
      ["edges", "edges by class"], ["witnesses", "witnesses and features"], ["contacts", "contacts"],
      ["voronoi", "Voronoi region"], ["trail", "trail of the witnesses"],
    ];
    if (this.recording.header.lines || this.recording.header.graphs) toggles.push(["graphs", "lines and graphs"]);
    if (this.recording.header.joints) toggles.push(["joints", "joints"]);
    const entries = toggles.map(([key, words]) => {
      const [label, box] = [document.createElement("label"), document.createElement("input")];
      box.type = "checkbox";
      box.checked = Boolean(this.shows[key]);
      box.dataset.show = key;
      box.addEventListener("change", () => this.toggle(key as "edges", box.checked));
      label.append(box, words);
      return label;
    });
    if (this.deepest >= 0) {
      const [label, level] = [document.createElement("label"), document.createElement("select")];
      level.dataset.show = "boxes";
      level.append(new Option("no boxes", "-1"));
      for (let k = 0; k <= this.deepest; k += 1) level.append(new Option(`boxes of level ${k}`, String(k)));
      level.addEventListener("change", () => {
        this.shows.boxes = Number(level.value);
        this.show();
      });
      label.append(level);
      entries.push(label);
    }
    find("shows").replaceChildren(...entries);
  }

  toggle(key: "edges" | "witnesses" | "contacts" | "voronoi" | "trail" | "graphs" | "joints", on: boolean): void {
    this.shows[key] = on;
    const box = document.querySelector<HTMLInputElement>(`input[data-show=${key}]`);
    if (box) box.checked = on;
    if (key === "trail") void this.stage.setTrail(this.recording, on ? this.pair : null);
    this.show();
  }

  private showTheme(): void {
    document.documentElement.dataset.theme = this.dark ? "dark" : "light";
  }

  private wire(): void {
    find("views").append(...["fit", ...(this.recording.header.planar ? [] : VIEWS)].map((name) => {
      const button = document.createElement("button");
      button.textContent = name;
      button.dataset.view = name;
      button.addEventListener("click", () => (name === "fit" ? this.stage.fit() : this.stage.look(name)));
      return button;
    }));
    find("play").addEventListener("click", () => this.setPlaying(!this.playing));
    find("back").addEventListener("click", () => void this.seek(this.frame - 1));
    find("forward").addEventListener("click", () => void this.seek(this.frame + 1));
    find<HTMLInputElement>("slider").addEventListener("input", (event) => void this.seek(Number((event.target as HTMLInputElement).value)));
    find("theme").addEventListener("click", () => this.turnTheme());
    find("help-button").addEventListener("click", () => this.turnHelp());
    find("help").addEventListener("click", () => this.turnHelp());
    const rows = KEYS.map(([key, words]) => `<tr><td><kbd>${key}</kbd></td><td>${words}</td></tr>`).join("");
    find("help").innerHTML = `<div><h2>Keys</h2><table>${rows}</table><p>Drag to turn, wheel to zoom, right drag to shift; click a body to see what it is.</p></div>`;
    let down: [number, number] = [0, 0];
    const view = find<HTMLCanvasElement>("view");
    view.addEventListener("pointerdown", (event) => (down = [event.offsetX, event.offsetY]));
    view.addEventListener("pointerup", (event) => {
      if (Math.hypot(event.offsetX - down[0], event.offsetY - down[1]) > 4) return;
      const body = this.stage.pick(event.offsetX, event.offsetY);
      if (body >= 0) this.tellAbout(body);
    });
    addEventListener("keydown", (event) => this.key(event));
  }

  private turnTheme(): void {
    this.dark = !this.dark;
    this.showTheme();
  }

  private turnHelp(): void {
    find("help").hidden = !find("help").hidden;
  }

  private key(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    if (event.ctrlKey || event.metaKey || target instanceof HTMLSelectElement) return;
    const speed = find<HTMLSelectElement>("speed");
    const pair = (by: number) => {
      const { tracks } = this.recording;
      const at = tracks.findIndex((track) => track.names.join("\n") === this.pair?.join("\n"));
      if (tracks.length) this.choose(tracks[(at + by + tracks.length) % tracks.length].names);
    };
    const actions: Record<string, () => void> = {
      " ": () => this.setPlaying(!this.playing),
      ArrowLeft: () => void this.seek(this.frame - 1),
      ArrowRight: () => void this.seek(this.frame + 1),
      Home: () => void this.seek(0),
      End: () => void this.seek(this.recording.length - 1),
      ArrowUp: () => pair(-1),
      ArrowDown: () => pair(1),
      "-": () => (speed.selectedIndex = Math.max(0, speed.selectedIndex - 1)),
      "+": () => (speed.selectedIndex = Math.min(speed.options.length - 1, speed.selectedIndex + 1)),
      f: () => this.stage.fit(),
      e: () => this.toggle("edges", !this.shows.edges),
      w: () => this.toggle("witnesses", !this.shows.witnesses),
      c: () => this.toggle("contacts", !this.shows.contacts),
      v: () => this.toggle("voronoi", !this.shows.voronoi),
      t: () => this.toggle("trail", !this.shows.trail),
      b: () => {
        this.shows.boxes = this.shows.boxes >= this.deepest ? -1 : this.shows.boxes + 1;
        const level = document.querySelector<HTMLSelectElement>("select[data-show=boxes]");
        if (level) level.value = String(this.shows.boxes);
        this.show();
      },
      d: () => this.turnTheme(),
      "?": () => this.turnHelp(),
      Escape: () => (find("help").hidden = true),
    };
    const action = actions[event.key] ?? actions[event.key.toLowerCase()] ?? (VIEWS[Number(event.key) - 1] && (() => this.stage.look(VIEWS[Number(event.key) - 1])));
    if (!action) return;
    event.preventDefault();
    action();
  }
}

async function open(): Promise<void> {
  const parts = [...document.querySelectorAll<HTMLScriptElement>("script[data-part]")];
  const texts = parts.map((part) => ({ name: part.dataset.part ?? "", text: part.textContent ?? "" }));
  // One copy in memory is enough.
  for (const part of parts) part.remove();
  const recording = await Recording.read(texts, (share) => (find("completeness").textContent = `reading ${Math.round(100 * share)} %`));
  if (!recording.length) throw new Error("This recording was cut off before its first frames were written.");
  const { header } = recording;
  document.title = `${header.scene ?? header.command} – clearance`;
  find("title").textContent = header.scene ?? header.command;
  find("completeness").textContent = recording.complete ? "" : "cut off: shown up to its last whole frames";
  const player = new Player(recording, new Stage(find<HTMLCanvasElement>("view"), header));
  await player.start();
  find("app").className = header.planar ? "planar" : "";
  player.stage.resize();
  player.stage.look("iso");
  Object.assign(window, { clearance: player });
}

open().catch((error: unknown) => {
  find("message").hidden = false;
  find("message").textContent = error instanceof Error ? error.message : String(error);
  find("app").className = "failed";
});
