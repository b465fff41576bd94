// Plots over time under the scene: the distance of the chosen pair with its features as coloured bands, and what the whole
// scene has: energy, momentum, infeasibility, residual, the solver's iterations, number of events. A click or a drag moves the slider.

import type { Recording, Track } from "./recording";

const BANDS = ["#8ecae6", "#ffb703", "#90be6d", "#cdb4db", "#f28482", "#84a59d", "#f6bd60", "#b8c0ff", "#e5989b", "#a3b18a"];
/** Pixels beside the curve. */
const LEFT = 56;
const RIGHT = 8;
const SVG = "http://www.w3.org/2000/svg";

function element(name: string, fields: Record<string, string | number>, text?: string): SVGElement {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(fields)) made.setAttribute(key, String(value));
  if (text !== undefined) made.textContent = text;
  return made;
}

/** A number in a few digits; small ones with a power of ten, since their zeros would not fit. */
export function short(value: number, digits = 4): string {
  if (!Number.isFinite(value)) return "–";
  const rounded = Number(value.toPrecision(digits));
  const small = rounded !== 0 && Math.abs(rounded) < 1e-3;
  return small ? rounded.toExponential() : rounded.toString();
}

/** First and last frames of equal features. */
export function bands(track: Track): { from: number; to: number; feature: number }[] {
  const found: { from: number; to: number; feature: number }[] = [];
  for (let frame = 0; frame < track.feature.length; frame += 1) {
    const last = found.at(-1);
    if (last && last.feature === track.feature[frame]) last.to = frame;
    else found.push({ from: frame, to: frame, feature: track.feature[frame] });
  }
  return found;
}

export class Plot {
  readonly root = element("svg", { class: "plot", preserveAspectRatio: "none", role: "img" }) as SVGSVGElement;
  private readonly cursor = element("line", { class: "cursor" });
  private readonly label = element("text", { class: "value" });

  constructor(
    private readonly recording: Recording,
    private readonly title: string,
    private readonly values: Float64Array,
    private readonly track: Track | null,
    onFrame: (frame: number) => void,
  ) {
    const move = (event: PointerEvent) => {
      const { left, width } = this.root.getBoundingClientRect();
      const share = Math.min(1, Math.max(0, (event.clientX - left - LEFT) / (width - LEFT - RIGHT)));
      onFrame(this.frameAt(share));
    };
    this.root.addEventListener("pointerdown", (event) => {
      this.root.setPointerCapture(event.pointerId);
      move(event);
    });
    this.root.addEventListener("pointermove", (event) => event.buttons && move(event));
    new ResizeObserver(() => this.draw()).observe(this.root);
  }

  private frameAt(share: number): number {
    const { times } = this.recording;
    const time = times[0] + share * (times[times.length - 1] - times[0]);
    let [low, high] = [0, times.length - 1];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (times[middle] <= time) low = middle;
      else high = middle;
    }
    return time - times[low] < times[high] - time ? low : high;
  }

  private x(frame: number, width: number): number {
    const { times } = this.recording;
    const span = times[times.length - 1] - times[0] || 1;
    return LEFT + ((times[frame] - times[0]) / span) * (width - LEFT - RIGHT);
  }

  draw(): void {
    const { clientWidth: width, clientHeight: height } = this.root;
    this.root.replaceChildren();
    if (!width || !height || !this.values.length) return;
    const finite = this.values.filter(Number.isFinite);
    let low = Math.min(0, ...sampled(finite));
    let high = Math.max(0, ...sampled(finite));
    if (!(high > low)) [low, high] = [low - 1, high + 1];
    const y = (value: number) => height - 16 - ((value - low) / (high - low)) * (height - 30);
    if (this.track) {
      for (const band of bands(this.track)) {
        if (band.feature < 0) continue;
        const next = Math.min(band.to + 1, this.values.length - 1);
        const [from, to] = [this.x(band.from, width), this.x(next, width)];
        const rect = element("rect", {
          class: "band", x: from, y: 14, width: Math.max(1, to - from), height: height - 30,
          fill: BANDS[band.feature % BANDS.length], "data-feature": this.track.features[band.feature],
        });
        rect.append(element("title", {}, this.track.features[band.feature]));
        this.root.append(rect);
        if (band.from > 0) this.root.append(element("line", { class: "switch", x1: from, x2: from, y1: 14, y2: height - 16 }));
      }
    }
    this.root.append(element("line", { class: "axis", x1: LEFT, x2: width - RIGHT, y1: y(0), y2: y(0) }));
    this.root.append(element("polyline", { class: "curve", points: this.path(width, y) }));
    for (const [value, place] of [[high, 20], [low, height - 18]] as const) {
      this.root.append(element("text", { class: "tick", x: LEFT - 4, y: place, "text-anchor": "end" }, short(value, 3)));
    }
    const { times } = this.recording;
    this.root.append(element("text", { class: "tick", x: LEFT, y: height - 3 }, `${short(times[0])} s`));
    this.root.append(element("text", { class: "tick", x: width - 8, y: height - 3, "text-anchor": "end" }, `${short(times[times.length - 1])} s`));
    this.root.append(element("text", { class: "name", x: LEFT + 4, y: 11 }, this.title), this.cursor, this.label);
    this.label.setAttribute("x", String(width - 8));
    this.label.setAttribute("y", "11");
    this.label.setAttribute("text-anchor", "end");
  }

  /** At most four points a pixel: of those that fall together the least and the greatest. */
  private path(width: number, y: (value: number) => number): string {
    const step = Math.max(1, Math.floor(this.values.length / (2 * width)));
    const points: string[] = [];
    for (let from = 0; from < this.values.length; from += step) {
      let [least, greatest] = [-1, -1];
      for (let k = from; k < Math.min(from + step, this.values.length); k += 1) {
        if (!Number.isFinite(this.values[k])) continue;
        if (least < 0 || this.values[k] < this.values[least]) least = k;
        if (greatest < 0 || this.values[k] > this.values[greatest]) greatest = k;
      }
      for (const k of [...new Set([least, greatest])].sort((a, b) => a - b)) {
        if (k >= 0) points.push(`${this.x(k, width).toFixed(1)},${y(this.values[k]).toFixed(1)}`);
      }
    }
    return points.join(" ");
  }

  setFrame(frame: number): void {
    const at = this.x(frame, this.root.clientWidth);
    const height = this.root.clientHeight;
    for (const [key, value] of Object.entries({ x1: at, x2: at, y1: 12, y2: height - 14 })) {
      this.cursor.setAttribute(key, String(value));
    }
    this.label.textContent = short(this.values[frame]);
  }
}

/** So few values that they can be arguments. */
function sampled(values: Float64Array): number[] {
  if (values.length <= 20000) return [...values];
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return [low, high];
}
