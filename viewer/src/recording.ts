// A recording as the page holds it: the header, what plots need of every frame, and the frames themselves in parts that are
// unpacked when they are looked at.

/** An edge as it is drawn. */
export interface Line {
  feature: string;
  class: string;
  points: number[];
  /** The outward normals of its faces at each point. */
  normals?: number[][];
}

export interface Box {
  level: number;
  center: number[];
  axes: number[];
  half: number[];
}

/** A shape as it is drawn, in body coordinates. */
export interface Shape {
  kind: string;
  normal?: number[];
  offset?: number;
  points?: number[];
  normals?: number[];
  velocities?: number[];
  triangles?: number[];
  faces?: { feature: string; triangles: number }[];
  edges?: Line[];
  corners?: { feature: string; point: number[] }[];
  boxes?: Box[];
}

export interface Header {
  clearance: string;
  recording: number;
  command: string;
  scene: string | null;
  units: string;
  planar?: boolean;
  frames: number;
  step: number;
  bodies: { name: string; shape: string; fixed: boolean }[];
  shapes: Record<string, Shape>;
  /** What holds bodies together; each point in the axes of its body, null being the world. */
  joints?: { kind: string; bodies: [string | null, string | null]; points: [number[], number[]] }[];
  lines?: { name: string; points: number[][] }[];
  graphs?: { name: string; nodes: number[][]; edges: number[][] }[];
}

export interface Event {
  point: number[];
  normal: number[];
  impulse?: number[];
}

/** A row: of a pair, or of a frame as a whole. */
export interface Row {
  pair?: [string, string];
  body?: string;
  state?: string;
  inside?: string;
  distance?: number;
  signed_distance?: number | null;
  lower_bound?: number | null;
  points?: [number[], number[]];
  normal?: number[] | null;
  features?: [string, string];
  ended?: string;
  work?: Record<string, number>;
  locus?: { kind: string; samples: [number[], number[]][] } | null;
  regions?: { points: [number[], number[]]; normal: number[]; depth: number }[];
  kinetic?: number;
  potential?: number;
  infeasibility?: number;
  momentum?: number[];
  residual?: number;
  /** Of a page only their number; then `contacts` has what is drawn. */
  events?: Event[] | number;
  /** Point, normal and impulse along it, seven numbers for each event. */
  contacts?: Float32Array;
}

/** One pair through all frames. */
export interface Track {
  names: [string, string];
  /** Signed distance, or distance where no depth is defined; NaN where the pair has no row. */
  nearness: Float64Array;
  /** Number of the pair of features, in `features`. */
  feature: Int32Array;
  features: string[];
}

/** A quantity of the whole frame. */
export interface Series {
  name: string;
  values: Float64Array;
}

interface Frames {
  first: number;
  rows: Row[][];
  poses: Float64Array;
}

const CACHED = 6;
const ROTATION = 1 / 4194304;
const SHARE = 1 / 4096;

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i += 1) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

async function inflated(text: string): Promise<Uint8Array> {
  const stream = new Blob([bytesOf(text)]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** The rows of a part, and where its poses begin. */
function split(bytes: Uint8Array): { frames: number[]; times: number[]; rows: Row[][]; poses: Uint8Array } {
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  const json = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  return { ...json, poses: bytes.subarray(4 + length) };
}

/** Whole numbers, seven bits to a byte. */
class Numbers {
  private at = 0;

  constructor(private readonly bytes: Uint8Array) {}

  float(): number {
    this.at += 8;
    return new DataView(this.bytes.buffer, this.bytes.byteOffset).getFloat64(this.at - 8, true);
  }

  next(): number {
    let value = 0;
    let weight = 1;
    for (;;) {
      const byte = this.bytes[this.at++];
      value += (byte & 127) * weight;
      // What is cut off ends in nothing, which is not below anything.
      if (!(byte >= 128)) return value;
      weight *= 128;
    }
  }

  /** With its sign in the lowest bit. */
  difference(): number {
    const coded = this.next();
    return coded % 2 === 0 ? coded / 2 : -(coded + 1) / 2;
  }
}

/** Seven numbers for each body in each frame. */
function unpackPoses(numbers: Numbers, grain: number, frames: number, bodies: number): Float64Array {
  const now = new Float64Array(7 * bodies);
  const all = new Float64Array(7 * bodies * frames);
  for (let frame = 0; frame < frames; frame += 1) {
    let body = 0;
    for (let moved = numbers.next(); moved > 0; moved -= 1) {
      body += numbers.next();
      for (let k = 0; k < 7; k += 1) now[7 * body + k] += numbers.difference();
    }
    for (let i = 0; i < now.length; i += 1) all[7 * bodies * frame + i] = now[i] * (i % 7 < 3 ? grain : ROTATION);
  }
  return all;
}

/** Gives the rows that have events what is drawn of them. */
function unpackContacts(numbers: Numbers, grain: number, rows: Row[][]): void {
  const with_events = rows.flat().filter((row) => typeof row.events === "number");
  if (!with_events.length) return;
  const push = numbers.float();
  const now: number[] = [];
  for (const row of with_events) {
    const size = 7 * (row.events as number);
    const contacts = new Float32Array(size);
    for (let i = 0; i < size; i += 1) {
      now[i] = (now[i] ?? 0) + numbers.difference();
      contacts[i] = now[i] * (i % 7 < 3 ? grain : i % 7 < 6 ? SHARE : push);
    }
    row.contacts = contacts;
  }
}

/** What is drawn of the events of a row. */
export function contactsOf(row: Row): Float32Array {
  if (row.contacts || !Array.isArray(row.events)) return row.contacts ?? new Float32Array();
  return Float32Array.from(row.events.flatMap(({ point, normal, impulse }) =>
    [point[0], point[1], point[2] ?? 0, normal[0], normal[1], normal[2] ?? 0, impulse?.[0] ?? 0]));
}

export class Recording {
  /** Number and time of every frame that is shown. */
  readonly numbers: number[] = [];
  readonly times: number[] = [];
  readonly tracks: Track[] = [];
  readonly series: Series[] = [];
  complete = false;
  private readonly parts: { text: string; first: number; count: number }[] = [];
  /** Parts that are unpacked or on their way. */
  private readonly cache = new Map<number, Promise<Frames>>();

  private constructor(readonly header: Header) {}

  /** Reads all parts of the page; what was cut off at its end is left out. */
  static async read(texts: { name: string; text: string }[], progress: (share: number) => void): Promise<Recording> {
    const head = texts.find((part) => part.name === "header");
    if (!head) throw new Error("This page holds no recording. `clearance view RECORDING.jsonl` makes one that does.");
    const recording = new Recording(await inflated(head.text).then((bytes) => JSON.parse(new TextDecoder().decode(bytes)), () => {
      throw new Error("This page was cut off before its first frames were written.");
    }));
    const gathered = new Map<string, { track: Track; nearness: number[]; feature: number[]; known: Map<string, number> }>();
    const series = new Map<string, number[]>();
    for (const [index, part] of texts.entries()) {
      let bytes: Uint8Array;
      try {
        if (part.name === "header") continue;
        bytes = await inflated(part.text);
      } catch {
        break;
      }
      if (part.name === "end") {
        recording.complete = true;
        break;
      }
      recording.gather(part.text, split(bytes), gathered, series);
      progress((index + 1) / texts.length);
    }
    const count = recording.times.length;
    const padded = (values: number[], missing: number) => [...values, ...Array(count - values.length).fill(missing)];
    for (const { track, nearness, feature } of gathered.values()) {
      track.nearness = Float64Array.from(padded(nearness, NaN));
      track.feature = Int32Array.from(padded(feature, -1));
      recording.tracks.push(track);
    }
    for (const [name, values] of series) recording.series.push({ name, values: Float64Array.from(padded(values, NaN)) });
    return recording;
  }

  private gather(
    text: string,
    part: ReturnType<typeof split>,
    gathered: Map<string, { track: Track; nearness: number[]; feature: number[]; known: Map<string, number> }>,
    series: Map<string, number[]>,
  ): void {
    const first = this.times.length;
    this.parts.push({ text, first, count: part.frames.length });
    this.numbers.push(...part.frames);
    this.times.push(...part.times);
    for (const [at, rows] of part.rows.entries()) {
      const frame = first + at;
      for (const row of rows) {
        if (row.pair) {
          const key = row.pair.join("\n");
          let entry = gathered.get(key);
          if (!entry) {
            const track = { names: row.pair, nearness: new Float64Array(), feature: new Int32Array(), features: [] };
            entry = { track, nearness: [], feature: [], known: new Map() };
            gathered.set(key, entry);
          }
          while (entry.nearness.length < frame) {
            entry.nearness.push(NaN);
            entry.feature.push(-1);
          }
          const words = (row.features ?? []).join(" – ");
          let number = entry.known.get(words);
          if (number === undefined) {
            number = entry.track.features.length;
            entry.track.features.push(words);
            entry.known.set(words, number);
          }
          entry.nearness.push(row.signed_distance ?? row.distance ?? NaN);
          entry.feature.push(number);
        }
        const whole: Record<string, number | undefined> = {
          energy: row.kinetic === undefined ? undefined : row.kinetic + (row.potential ?? 0),
          momentum: row.momentum && Math.hypot(...row.momentum),
          infeasibility: row.infeasibility,
          residual: row.residual,
          iterations: row.kinetic === undefined ? undefined : row.work?.iterations,
          events: typeof row.events === "number" ? row.events : row.events?.length,
        };
        for (const [name, value] of Object.entries(whole)) {
          if (value === undefined || row.pair) continue;
          const values = series.get(name) ?? [];
          while (values.length < frame) values.push(NaN);
          values.push(value);
          series.set(name, values);
        }
      }
    }
  }

  get length(): number {
    return this.times.length;
  }

  private async part(frame: number): Promise<Frames | undefined> {
    const index = this.parts.findIndex((part) => frame >= part.first && frame < part.first + part.count);
    if (index < 0) return undefined;
    const known = this.cache.get(index);
    if (known) return known;
    const made = this.unpack(index);
    this.cache.set(index, made);
    if (this.cache.size > CACHED) this.cache.delete(this.cache.keys().next().value as number);
    return made;
  }

  private async unpack(index: number): Promise<Frames> {
    const { text, first, count } = this.parts[index];
    const part = split(await inflated(text));
    const numbers = new Numbers(part.poses);
    const grain = numbers.float();
    const poses = unpackPoses(numbers, grain, count, this.header.bodies.length);
    unpackContacts(numbers, grain, part.rows);
    return { first, rows: part.rows, poses };
  }

  /** The rows of a frame and the poses of all bodies in it. */
  async frame(frame: number): Promise<{ rows: Row[]; poses: Float64Array } | undefined> {
    const part = await this.part(frame);
    if (!part) return undefined;
    const size = 7 * this.header.bodies.length;
    const at = frame - part.first;
    return { rows: part.rows[at], poses: part.poses.subarray(size * at, size * (at + 1)) };
  }
}
