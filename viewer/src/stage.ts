// The scene in three dimensions: bodies, their edges, the answer of the chosen pair, and what is shown on demand.

import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { contactsOf, type Header, type Recording, type Row, type Shape } from "./recording";

export const BODY_COLORS = [0x5b8fd6, 0xd98b4a, 0x6cb27a, 0xb07cc6, 0xc9b04a, 0x5fb3b8, 0xc96a7a, 0x8a8f98];
const EDGE_COLORS: Record<string, number> = {
  convex: 0x20262e, reflex: 0xb3261e, smooth: 0x9aa3ad, mixed: 0x7b3fb0, open: 0xd84300,
};
/** How much of the picture stays empty around what it shows. */
const MARGIN = 1.15;
/** Most contacts whose arrows are drawn through bodies. */
const THROUGH = 200;
const NEAR = 0x00a37a;
const DEEP = 0xd32f2f;
const JOINT = 0x7a5c3a;

export interface Shows {
  edges: boolean;
  witnesses: boolean;
  contacts: boolean;
  voronoi: boolean;
  boxes: number;
  trail: boolean;
  graphs: boolean;
  joints: boolean;
}

interface Piece {
  group: THREE.Group;
  mesh?: THREE.Mesh<THREE.BufferGeometry, THREE.MeshStandardMaterial>;
  edges: THREE.Group;
  boxes: THREE.Group;
  shape: Shape;
  size: number;
  /** Faces that have been marked. */
  faces: Map<string, THREE.BufferGeometry>;
}

/** What all bodies of a shape share. */
interface Model {
  surface?: THREE.BufferGeometry;
  edges: THREE.BufferGeometry;
  faces: Map<string, THREE.BufferGeometry>;
}

/** Shared by all dots and arrows, and never thrown away. */
const BALL = new THREE.SphereGeometry(1, 16, 12);
const HEAD = new THREE.ConeGeometry(0.5, 1, 12).translate(0, -0.5, 0);
const UP = new THREE.Vector3(0, 1, 0);
const scaled = (scale: number) => new THREE.Vector3(scale, scale, scale);

/** Throws away what a group holds, on the graphics card too. */
function empty(group: THREE.Group): void {
  group.traverse((drawn) => {
    const { geometry, material } = drawn as THREE.Mesh;
    if (geometry && geometry !== BALL && geometry !== HEAD && !geometry.userData.kept) geometry.dispose();
    (material as THREE.Material | undefined)?.dispose();
    if (drawn instanceof THREE.InstancedMesh) drawn.dispose();
  });
  group.clear();
}

const vector = (numbers: number[]) => new THREE.Vector3(numbers[0], numbers[1], numbers[2] ?? 0);

function geometryOf(shape: Shape): THREE.BufferGeometry {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.Float32BufferAttribute(shape.points ?? [], 3));
  geometry.setAttribute("normal", new THREE.Float32BufferAttribute(shape.normals ?? [], 3));
  geometry.setIndex(shape.triangles ?? []);
  if (shape.velocities) {
    geometry.morphTargetsRelative = true;
    geometry.morphAttributes.position = [new THREE.Float32BufferAttribute(shape.velocities, 3)];
  }
  return geometry;
}

/** All edges as segments, coloured by class. */
function edgesOf(shape: Shape): THREE.BufferGeometry {
  const points: number[] = [];
  const colors: number[] = [];
  for (const line of shape.edges ?? []) {
    const color = new THREE.Color(EDGE_COLORS[line.class] ?? 0x20262e);
    const rgba = [color.r, color.g, color.b, line.class === "smooth" ? 0.45 : 1];
    for (let k = 0; k + 5 < line.points.length; k += 3) {
      for (let i = 0; i < 6; i += 1) points.push(line.points[k + i]);
      colors.push(...rgba, ...rgba);
    }
  }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.Float32BufferAttribute(points, 3));
  geometry.setAttribute("color", new THREE.Float32BufferAttribute(colors, 4));
  return geometry;
}

function linesOf(points: number[], color: number, opacity = 1): THREE.Line {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.Float32BufferAttribute(points, 3));
  return new THREE.Line(geometry, new THREE.LineBasicMaterial({ color, transparent: opacity < 1, opacity }));
}

/** A patch of a plane that stands for a half-space. */
function planeOf(shape: Shape, size: number): THREE.Mesh<THREE.BufferGeometry, THREE.MeshStandardMaterial> {
  const normal = vector(shape.normal ?? [0, 0, 1]);
  const mesh = new THREE.Mesh(
    new THREE.PlaneGeometry(size, size),
    new THREE.MeshStandardMaterial({ color: 0x9aa3ad, transparent: true, opacity: 0.55, depthWrite: false }),
  );
  // From behind it must not cover everything.
  mesh.add(new THREE.Mesh(mesh.geometry, new THREE.MeshBasicMaterial({
    color: 0x9aa3ad, transparent: true, opacity: 0.14, depthWrite: false, side: THREE.BackSide,
  })));
  const rim = linesOf([-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0, -1, -1, 0].map((x) => (0.5 * size) * x), 0x6b7480);
  mesh.add(rim);
  mesh.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), normal);
  mesh.position.copy(normal.multiplyScalar(shape.offset ?? 0));
  return mesh;
}

export class Stage {
  readonly scene = new THREE.Scene();
  readonly camera: THREE.PerspectiveCamera | THREE.OrthographicCamera;
  readonly renderer: THREE.WebGLRenderer;
  readonly controls: OrbitControls;
  readonly pieces: Piece[] = [];
  private readonly overlay = new THREE.Group();
  private readonly world = new THREE.Group();
  private readonly trail = new THREE.Group();
  private center = new THREE.Vector3();
  private size = 1;
  /** The length of an arrow at contacts: small beside the scene, and beside bodies where there are many. */
  private arrow = 0.08;
  /** Where everything happens, as it is drawn. */
  private readonly seen = new THREE.Box3();
  /** The points between which the value of the distance stands, in the scene. */
  labelled: [THREE.Vector3, THREE.Vector3] | null = null;

  constructor(canvas: HTMLCanvasElement, private readonly header: Header) {
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    this.camera = header.planar ? new THREE.OrthographicCamera() : new THREE.PerspectiveCamera(35, 1, 0.001, 1000);
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = false;
    if (header.planar) {
      this.controls.enableRotate = false;
      this.camera.up.set(0, 1, 0);
    }
    const sky = new THREE.HemisphereLight(0xffffff, 0x9a9aa8, 2.2);
    sky.position.set(0, 0, 1);
    this.scene.add(sky);
    const sun = new THREE.DirectionalLight(0xffffff, 1.9);
    sun.position.set(0.4, -0.7, 1);
    this.camera.add(sun);
    this.scene.add(this.camera, this.world);
    this.world.add(this.overlay, this.trail);
  }

  /**
   * Makes the bodies, and looks at where those that move go, with the points that answers are about; what has no bounds gets the
   * size of the rest.
   */
  build(frames: Float64Array[], points: number[][]): void {
    const [moving, resting]: [THREE.Box3, THREE.Box3[]] = [new THREE.Box3(), []];
    const models = new Map<Shape, Model>();
    for (const [index, body] of this.header.bodies.entries()) {
      const shape = this.header.shapes[body.shape];
      const model = models.get(shape) ?? {
        surface: shape.triangles?.length ? geometryOf(shape) : undefined, edges: edgesOf(shape), faces: new Map(),
      };
      models.set(shape, model);
      const piece = this.pieceOf(shape, model, BODY_COLORS[index % BODY_COLORS.length]);
      this.pieces.push(piece);
      this.world.add(piece.group);
      if (shape.kind === "half_space") continue;
      const local = new THREE.Box3().setFromArray(shape.points?.length ? shape.points : [0, 0, 0]);
      for (const line of shape.edges ?? []) local.union(new THREE.Box3().setFromArray(line.points));
      for (const corner of shape.corners ?? []) local.expandByPoint(vector(corner.point));
      piece.size = local.getSize(new THREE.Vector3()).length();
      for (const poses of body.fixed ? frames.slice(0, 1) : frames) {
        const place = new THREE.Matrix4().compose(
          vector([...poses.subarray(7 * index, 7 * index + 3)]),
          new THREE.Quaternion(...poses.subarray(7 * index + 3, 7 * index + 7)).normalize(),
          new THREE.Vector3(1, 1, 1),
        );
        const there = local.clone().applyMatrix4(place);
        if (body.fixed) resting.push(there);
        else moving.union(there);
      }
    }
    for (const point of points) moving.expandByPoint(vector(point));
    // What bodies hang from.
    for (const joint of this.header.joints ?? []) {
      joint.points.forEach((point, side) => joint.bodies[side] === null && moving.expandByPoint(vector(point)));
    }
    // Among bodies that fall, a floor is no reason to look from far away.
    const box = moving.clone();
    const size = (of: THREE.Box3) => of.getSize(new THREE.Vector3()).length();
    const all = this.header.command !== "simulate" || moving.isEmpty();
    for (const there of resting) if (all || size(there) < 2 * size(moving)) box.union(there);
    if (box.isEmpty()) box.set(new THREE.Vector3(-1, -1, -1), new THREE.Vector3(1, 1, 1));
    this.center = box.getCenter(new THREE.Vector3());
    this.size = Math.max(box.getSize(new THREE.Vector3()).length(), 1e-30);
    const sizes = this.pieces.map((piece) => piece.size).filter((own) => own > 0).sort((a, b) => a - b);
    this.arrow = Math.min(0.08 * this.size, 0.5 * (sizes[sizes.length >> 1] ?? this.size));
    // Everything is drawn about the origin at a size of 1, whatever the unit.
    this.world.scale.setScalar(1 / this.size);
    this.world.position.copy(this.center).multiplyScalar(-1 / this.size);
    this.seen.copy(box).translate(this.center.clone().negate());
    this.seen.min.divideScalar(this.size);
    this.seen.max.divideScalar(this.size);
    for (const [index, body] of this.header.bodies.entries()) {
      const shape = this.header.shapes[body.shape];
      if (shape.kind !== "half_space") continue;
      const mesh = planeOf(shape, 2 * this.size);
      this.pieces[index].mesh = mesh;
      this.pieces[index].group.add(mesh);
    }
    this.addGraphs();
    this.look("iso");
  }

  private pieceOf(shape: Shape, model: Model, color: number): Piece {
    const group = new THREE.Group();
    const edges = new THREE.Group();
    const boxes = new THREE.Group();
    const piece: Piece = { group, edges, boxes, shape, size: 0, faces: model.faces };
    if (model.surface) {
      const open = (shape.edges ?? []).some((line) => line.class === "open") || this.header.planar;
      const material = new THREE.MeshStandardMaterial({
        color, roughness: 0.55, metalness: 0.05, side: open ? THREE.DoubleSide : THREE.FrontSide,
        polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1,
      });
      piece.mesh = new THREE.Mesh(model.surface, material);
      piece.mesh.frustumCulled = false;
      group.add(piece.mesh);
    }
    if (shape.edges?.length) {
      edges.add(new THREE.LineSegments(model.edges, new THREE.LineBasicMaterial({ vertexColors: true, transparent: true })));
    }
    if (!shape.triangles?.length && shape.corners?.length) {
      const geometry = new THREE.BufferGeometry();
      geometry.setAttribute("position", new THREE.Float32BufferAttribute(shape.corners.flatMap((c) => c.point), 3));
      edges.add(new THREE.Points(geometry, new THREE.PointsMaterial({ color, size: 8, sizeAttenuation: false })));
    }
    for (const box of shape.boxes ?? []) {
      const lines = new THREE.LineSegments(
        new THREE.EdgesGeometry(new THREE.BoxGeometry(2, 2, 2)),
        new THREE.LineBasicMaterial({ color: 0x8a5bd6, transparent: true, opacity: 0.8 }),
      );
      const [x, y, z] = [0, 3, 6].map((k) => vector(box.axes.slice(k, k + 3)));
      lines.matrixAutoUpdate = false;
      lines.matrix
        .makeBasis(x.multiplyScalar(box.half[0]), y.multiplyScalar(box.half[1]), z.multiplyScalar(box.half[2]))
        .setPosition(vector(box.center));
      lines.userData.level = box.level;
      boxes.add(lines);
    }
    group.add(edges, boxes);
    return piece;
  }

  private addGraphs(): void {
    const group = new THREE.Group();
    group.name = "graphs";
    for (const line of this.header.lines ?? []) group.add(linesOf(line.points.flat(), 0x1976d2));
    for (const graph of this.header.graphs ?? []) {
      const points = graph.edges.flatMap(([a, b]) => [...graph.nodes[a], ...graph.nodes[b]]);
      const geometry = new THREE.BufferGeometry();
      geometry.setAttribute("position", new THREE.Float32BufferAttribute(points, 3));
      group.add(new THREE.LineSegments(geometry, new THREE.LineBasicMaterial({ color: 0x1976d2 })));
    }
    this.world.add(group);
  }

  /** Where the witnesses of a pair went, all through the recording. */
  async setTrail(recording: Recording, pair: [string, string] | null): Promise<void> {
    empty(this.trail);
    if (!pair) return;
    const paths: number[][] = [[], []];
    const step = Math.max(1, Math.floor(recording.length / 2000));
    for (let frame = 0; frame < recording.length; frame += step) {
      const row = (await recording.frame(frame))?.rows.find((r) => r.pair?.join("\n") === pair.join("\n"));
      row?.points?.forEach((point, side) => paths[side].push(point[0], point[1], point[2] ?? 0));
    }
    paths.forEach((path, side) => this.trail.add(linesOf(path, side ? 0xc2185b : 0x1976d2, 0.9)));
  }

  setPoses(poses: Float64Array, time: number): void {
    for (const [index, piece] of this.pieces.entries()) {
      const at = 7 * index;
      piece.group.position.set(poses[at], poses[at + 1], poses[at + 2]);
      piece.group.quaternion.set(poses[at + 3], poses[at + 4], poses[at + 5], poses[at + 6]).normalize();
      if (piece.mesh?.morphTargetInfluences) piece.mesh.morphTargetInfluences[0] = time;
    }
  }

  setBody(index: number, look: "solid" | "faded" | "hidden"): void {
    const piece = this.pieces[index];
    piece.group.visible = look !== "hidden";
    if (!piece.mesh) return;
    const half = piece.shape.kind === "half_space";
    piece.mesh.material.transparent = look === "faded" || half;
    piece.mesh.material.opacity = look === "faded" ? 0.22 : half ? 0.55 : 1;
    piece.mesh.material.depthWrite = look !== "faded";
  }

  /** Draws the answer of the chosen pair and the contacts of all. */
  setAnswer(row: Row | undefined, rows: Row[], shows: Shows): void {
    empty(this.overlay);
    this.labelled = null;
    for (const piece of this.pieces) {
      piece.edges.visible = shows.edges;
      for (const box of piece.boxes.children) box.visible = box.userData.level === shows.boxes;
    }
    this.trail.visible = shows.trail;
    const graphs = this.world.getObjectByName("graphs");
    if (graphs) graphs.visible = shows.graphs;
    if (shows.joints) this.addJoints();
    if (shows.contacts) this.addContacts(rows);
    if (!row?.points) return;
    const [p, q] = row.points.map(vector);
    const overlapping = row.state === "penetrating" || row.state === "containing";
    const color = overlapping ? DEEP : NEAR;
    if (shows.witnesses) {
      this.overlay.add(linesOf([...p.toArray(), ...q.toArray()], color), this.dot(p, color), this.dot(q, color));
      this.highlight(row);
      this.labelled = [p, q];
    }
    if (shows.voronoi) this.addVoronoi(row);
  }

  /** A dot where bodies are held together, a line where two points keep their distance. */
  private addJoints(): void {
    for (const joint of this.header.joints ?? []) {
      const [p, q] = joint.points.map((point, side) => {
        const at = this.header.bodies.findIndex((body) => body.name === joint.bodies[side]);
        const group = this.pieces[at]?.group;
        return group ? vector(point).applyQuaternion(group.quaternion).add(group.position) : vector(point);
      });
      const drawn = joint.kind === "distance" ? linesOf([...p.toArray(), ...q.toArray()], JOINT) : this.dot(p, JOINT);
      drawn.name = "joint";
      this.overlay.add(drawn);
    }
  }

  /** The scene's point as pixels of the canvas. */
  project(point: THREE.Vector3): { x: number; y: number; visible: boolean } {
    const seen = point.clone().applyMatrix4(this.world.matrixWorld).project(this.camera);
    const { clientWidth, clientHeight } = this.renderer.domElement;
    return { x: (seen.x * 0.5 + 0.5) * clientWidth, y: (0.5 - seen.y * 0.5) * clientHeight, visible: seen.z < 1 };
  }

  private dot(at: THREE.Vector3, color: number, scale = 0.006): THREE.Object3D {
    const ball = new THREE.Mesh(BALL, new THREE.MeshBasicMaterial({ color, depthTest: false, transparent: true }));
    ball.scale.setScalar(scale * this.size);
    ball.renderOrder = 2;
    ball.position.copy(at);
    return ball;
  }

  private bodyOf(name: string): Piece | undefined {
    return this.pieces[this.header.bodies.findIndex((body) => body.name === name)];
  }

  /** Marks the two closest features. */
  private highlight(row: Row): void {
    row.features?.forEach((feature, side) => {
      const piece = this.bodyOf(row.pair?.[side] ?? "");
      if (!piece || !piece.group.visible) return;
      const mark = new THREE.Group();
      mark.userData.feature = feature;
      const face = this.faceGeometry(piece, feature);
      if (face) {
        const marked = new THREE.Mesh(face, new THREE.MeshStandardMaterial({
          color: 0xffc400, roughness: 0.6, transparent: true, opacity: 0.9, side: THREE.DoubleSide, depthWrite: false,
          polygonOffset: true, polygonOffsetFactor: -1, polygonOffsetUnits: -1,
        }));
        marked.morphTargetInfluences = piece.mesh?.morphTargetInfluences;
        mark.add(marked);
      }
      for (const line of piece.shape.edges ?? []) {
        if (line.feature !== feature) continue;
        const drawn = linesOf(line.points, 0xffab00);
        (drawn.material as THREE.LineBasicMaterial).depthTest = false;
        drawn.renderOrder = 1;
        mark.add(drawn);
      }
      const corner = piece.shape.corners?.find((c) => c.feature === feature);
      if (corner) mark.add(this.dot(vector(corner.point), 0xffab00, 0.009));
      mark.position.copy(piece.group.position);
      mark.quaternion.copy(piece.group.quaternion);
      this.overlay.add(mark);
    });
  }

  private faceGeometry(piece: Piece, feature: string): THREE.BufferGeometry | null {
    if (!piece.mesh || !piece.shape.faces) return null;
    let first = 0;
    for (const run of piece.shape.faces) {
      if (run.feature === feature) {
        const known = piece.faces.get(feature);
        if (known) return known;
        // It shares its points with the body, and is kept, since features come back.
        const geometry = new THREE.BufferGeometry();
        for (const [name, values] of Object.entries(piece.mesh.geometry.attributes)) geometry.setAttribute(name, values);
        geometry.morphAttributes = piece.mesh.geometry.morphAttributes;
        geometry.morphTargetsRelative = piece.mesh.geometry.morphTargetsRelative;
        geometry.setIndex((piece.shape.triangles ?? []).slice(3 * first, 3 * (first + run.triangles)));
        geometry.userData.kept = true;
        piece.faces.set(feature, geometry);
        return geometry;
      }
      first += run.triangles;
    }
    return null;
  }

  /** Contact points with arrows along their normals, as long as their impulses; all of them are three objects. */
  private addEvents(contacts: Float32Array): void {
    const count = contacts.length / 7;
    if (!count) return;
    let strongest = 1e-30;
    for (let i = 6; i < contacts.length; i += 7) strongest = Math.max(strongest, Math.abs(contacts[i]));
    const dots = new THREE.InstancedMesh(BALL, new THREE.MeshBasicMaterial({ color: 0xd81b60, depthTest: false, transparent: true }), count);
    // Arrows lead into bodies: few are drawn through them, many would hide everything.
    const look = { color: 0xd81b60, depthTest: count > THROUGH, transparent: true };
    const heads = new THREE.InstancedMesh(HEAD, new THREE.MeshBasicMaterial(look), count);
    const shafts = new Float32Array(6 * count);
    const [at, way, end, turn] = [new THREE.Vector3(), new THREE.Vector3(), new THREE.Vector3(), new THREE.Quaternion()];
    const place = new THREE.Matrix4();
    for (let i = 0; i < count; i += 1) {
      at.fromArray(contacts, 7 * i);
      way.fromArray(contacts, 7 * i + 3).normalize();
      const long = this.arrow * (0.3 + Math.abs(contacts[7 * i + 6]) / strongest);
      end.copy(at).addScaledVector(way, long);
      dots.setMatrixAt(i, place.compose(at, turn.identity(), scaled(0.05 * this.arrow)));
      turn.setFromUnitVectors(UP, way);
      heads.setMatrixAt(i, place.compose(end, turn, scaled(0.16 * long)));
      at.toArray(shafts, 6 * i);
      end.toArray(shafts, 6 * i + 3);
    }
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(shafts, 3));
    const lines = new THREE.LineSegments(geometry, new THREE.LineBasicMaterial(look));
    for (const drawn of [dots, heads, lines]) {
      drawn.name = "events";
      drawn.userData.count = count;
      drawn.frustumCulled = false;
      drawn.renderOrder = 2;
      this.overlay.add(drawn);
    }
  }

  /** Events, sets of equally near points, and depths of overlaps. */
  private addContacts(rows: Row[]): void {
    for (const row of rows) {
      this.addEvents(contactsOf(row));
      for (const sample of row.locus?.samples ?? []) {
        for (const point of sample) this.overlay.add(this.dot(vector(point), 0x00796b, 0.004));
      }
      if ((row.locus?.samples.length ?? 0) > 1 && row.locus?.kind === "curve") {
        for (const side of [0, 1]) this.overlay.add(linesOf(row.locus.samples.flatMap((s) => [...vector(s[side])]), 0x00796b));
      }
      for (const region of row.regions ?? []) {
        const [p, q] = region.points.map(vector);
        this.overlay.add(linesOf([...p.toArray(), ...q.toArray()], DEEP), this.dot(p, DEEP), this.dot(q, DEEP));
      }
    }
  }

  /** The region of all points nearer to the active feature than to its neighbours: walls along the normals at its border. */
  private addVoronoi(row: Row): void {
    row.features?.forEach((feature, side) => {
      const piece = this.bodyOf(row.pair?.[side] ?? "");
      if (!piece) return;
      const long = Math.max(piece.size, row.distance ?? 0);
      const walls: number[] = [];
      const wall = (points: number[], normals: number[]) => {
        for (let k = 0; k + 5 < points.length; k += 3) {
          const [a, b] = [k, k + 3].map((i) => vector(points.slice(i, i + 3)));
          const [m, n] = [k, k + 3].map((i) => vector(normals.slice(i, i + 3)).multiplyScalar(long));
          const [c, d] = [a.clone().add(m), b.clone().add(n)];
          walls.push(...a, ...b, ...d, ...a, ...d, ...c);
        }
      };
      const own = (piece.shape.edges ?? []).filter((line) => line.feature === feature);
      for (const line of own) for (const normals of line.normals ?? []) wall(line.points, normals);
      const corner = piece.shape.corners?.find((c) => c.feature === feature);
      if (corner) {
        const at = vector(corner.point);
        for (const line of piece.shape.edges ?? []) {
          for (const k of [0, line.points.length - 3]) {
            if (vector(line.points.slice(k, k + 3)).distanceTo(at) > 1e-6 * piece.size || !line.normals) continue;
            const [m, n] = line.normals.map((normals) => vector(normals.slice(k, k + 3)).multiplyScalar(long).add(at));
            if (m && n) walls.push(...at, ...m, ...n);
          }
        }
      }
      const face = this.faceGeometry(piece, feature);
      if (face) this.addFaceWalls(face, wall);
      if (!walls.length) return;
      const geometry = new THREE.BufferGeometry();
      geometry.setAttribute("position", new THREE.Float32BufferAttribute(walls, 3));
      const mesh = new THREE.Mesh(geometry, new THREE.MeshBasicMaterial({
        color: side ? 0xc2185b : 0x1976d2, transparent: true, opacity: 0.2, side: THREE.DoubleSide, depthWrite: false,
      }));
      mesh.name = "voronoi";
      mesh.position.copy(piece.group.position);
      mesh.quaternion.copy(piece.group.quaternion);
      this.overlay.add(mesh);
    });
  }

  /** Walls over the sides of triangles that only one triangle of the face has. */
  private addFaceWalls(face: THREE.BufferGeometry, wall: (points: number[], normals: number[]) => void): void {
    const index = [...(face.getIndex()?.array ?? [])];
    const [points, normals] = ["position", "normal"].map((name) => face.getAttribute(name).array);
    const place = (i: number) => [...points.slice(3 * i, 3 * i + 3)];
    const key = (i: number) => place(i).map((x) => x.toPrecision(6)).join();
    const sides = new Map<string, [number, number] | null>();
    for (let t = 0; t < index.length; t += 3) {
      for (const [a, b] of [[0, 1], [1, 2], [2, 0]].map(([i, j]) => [index[t + i], index[t + j]])) {
        const name = [key(a), key(b)].sort().join("|");
        sides.set(name, sides.has(name) ? null : [a, b]);
      }
    }
    for (const side of sides.values()) {
      if (!side) continue;
      wall(side.flatMap(place), side.flatMap((i) => [...normals.slice(3 * i, 3 * i + 3)]));
    }
  }

  /** Which body is drawn at a point of the canvas. */
  pick(x: number, y: number): number {
    const { clientWidth, clientHeight } = this.renderer.domElement;
    const ray = new THREE.Raycaster();
    ray.setFromCamera(new THREE.Vector2((2 * x) / clientWidth - 1, 1 - (2 * y) / clientHeight), this.camera);
    const meshes = this.pieces.map((piece) => piece.mesh).filter((mesh) => mesh && mesh.parent?.visible);
    const [hit] = ray.intersectObjects(meshes as THREE.Object3D[], false);
    return hit ? this.pieces.findIndex((piece) => piece.mesh === hit.object) : -1;
  }

  look(from: string): void {
    const ways: Record<string, [number, number, number]> = {
      iso: [0.7, -1, 0.6], front: [0, -1, 0.0001], back: [0, 1, 0.0001], left: [-1, 0, 0.0001], right: [1, 0, 0.0001],
      top: [0, -0.0001, 1], bottom: [0, -0.0001, -1],
    };
    const way = vector(this.header.planar ? [0, 0, 1] : ways[from] ?? ways.iso).normalize();
    if (from === "iso") this.leaveSolids(way);
    this.frame(this.seen, way);
  }

  /** Turns a way to look so that no half-space is looked through, where one coordinate's sign can do that. */
  private leaveSolids(way: THREE.Vector3): void {
    for (const piece of this.pieces) {
      if (piece.shape.kind !== "half_space") continue;
      const normal = vector(piece.shape.normal ?? [0, 0, 1]).applyQuaternion(piece.group.quaternion);
      if (normal.dot(way) > 0) continue;
      const axis = (["x", "y", "z"] as const).reduce((a, b) => (Math.abs(normal[b]) > Math.abs(normal[a]) ? b : a));
      way[axis] *= -1;
    }
  }

  /** Looks at a box from a side, so near that it just fits. */
  private frame(box: THREE.Box3, way: THREE.Vector3): void {
    box.getCenter(this.controls.target);
    this.camera.position.copy(this.controls.target).add(way);
    this.camera.lookAt(this.controls.target);
    this.camera.zoom = 1;
    this.resize();
    const { clientWidth, clientHeight } = this.renderer.domElement;
    const ratio = clientWidth && clientHeight ? clientWidth / clientHeight : 1;
    const [right, up] = [0, 1].map((column) => new THREE.Vector3().setFromMatrixColumn(this.camera.matrix, column));
    const half = this.camera instanceof THREE.PerspectiveCamera ? Math.tan((this.camera.fov * Math.PI) / 360) : 1;
    let [far, wide] = [0, 0];
    for (let k = 0; k < 8; k += 1) {
      const corner = new THREE.Vector3(
        k & 1 ? box.min.x : box.max.x, k & 2 ? box.min.y : box.max.y, k & 4 ? box.min.z : box.max.z,
      ).sub(this.controls.target);
      const across = Math.max(Math.abs(corner.dot(right)) / ratio, Math.abs(corner.dot(up)));
      wide = Math.max(wide, across);
      far = Math.max(far, corner.dot(way) + (MARGIN * across) / half);
    }
    // A point alone is looked at from as far as a body would be.
    const perspective = this.camera instanceof THREE.PerspectiveCamera;
    this.camera.position.copy(this.controls.target).addScaledVector(way, perspective ? Math.max(far, 1e-3) : 2);
    if (this.camera instanceof THREE.OrthographicCamera) this.camera.zoom = this.camera.top / Math.max(MARGIN * wide, 1e-3);
    this.controls.update();
    this.resize();
  }

  /** Brings all visible bodies at their present poses into view. */
  fit(): void {
    const box = new THREE.Box3();
    for (const piece of this.pieces) {
      if (!piece.group.visible || piece.shape.kind === "half_space") continue;
      if (piece.mesh) box.expandByObject(piece.mesh);
      box.expandByObject(piece.edges);
    }
    if (box.isEmpty()) return;
    this.frame(box, this.camera.position.clone().sub(this.controls.target).normalize());
  }

  resize(): void {
    const { clientWidth, clientHeight } = this.renderer.domElement;
    if (!clientWidth || !clientHeight) return;
    this.renderer.setSize(clientWidth, clientHeight, false);
    const ratio = clientWidth / clientHeight;
    if (this.camera instanceof THREE.PerspectiveCamera) {
      this.camera.aspect = ratio;
      this.camera.fov = ratio < 1 ? Math.min(75, 35 / ratio) : 35;
    } else {
      const half = 0.55 * Math.max(1, 1 / ratio);
      [this.camera.left, this.camera.right, this.camera.top, this.camera.bottom] = [-half * ratio, half * ratio, half, -half];
      [this.camera.near, this.camera.far] = [-10, 10];
    }
    this.camera.updateProjectionMatrix();
  }

  draw(dark: boolean): void {
    this.scene.background = new THREE.Color(dark ? 0x15181c : 0xf4f5f7);
    this.renderer.render(this.scene, this.camera);
  }
}
