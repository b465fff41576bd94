// What the page must do, each numbered point by its own assertions, in a real browser.
// CLEARANCE names the program, CHROMIUM the browser; SCREENSHOTS a folder for pictures of every page.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { chromium } from "playwright-core";

const program = process.env.CLEARANCE;
const root = resolve(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "clearance-page-"));
const pictures = process.env.SCREENSHOTS;
if (pictures) mkdirSync(pictures, { recursive: true });

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM,
  args: ["--no-sandbox", "--enable-unsafe-swiftshader", "--use-gl=angle", "--use-angle=swiftshader", "--disable-quic",
    "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});

/** Records a scene as lines and as a page. */
function record(scene, name) {
  const lines = join(folder, `${name}.jsonl`);
  try {
    execFileSync(program, ["track", scene, "--record", lines, "--quiet"], { cwd: root, stdio: "pipe" });
  } catch (error) {
    if (error.status !== 1) throw error; // 1: some pair overlapped
  }
  execFileSync(program, ["view", lines, "--no-open"], { cwd: root, stdio: "pipe" });
  const rows = readFileSync(lines, "utf8").trim().split("\n").map((line) => JSON.parse(line));
  return { page: join(folder, `${name}.html`), header: rows[0], rows: rows.slice(1, -1) };
}

async function open(file, size = { width: 1280, height: 800 }) {
  const page = await browser.newPage({ viewport: size });
  page.faults = [];
  page.on("console", (message) => message.type() === "error" && page.faults.push(message.text()));
  page.on("pageerror", (error) => page.faults.push(error.message));
  page.on("request", (request) => !/^(file|data|blob):/.test(request.url()) && page.faults.push(`network: ${request.url()}`));
  await page.goto(`file://${file}`);
  await page.waitForFunction(() => window.clearance || !document.getElementById("message").hidden, null, { timeout: 60000 });
  return page;
}

const seek = (page, frame) => page.evaluate((f) => window.clearance.seek(f), frame);
const field = (page, name) => page.locator(`#answer dd[data-field="${name}"]`).textContent();
const picture = async (page, name) => {
  if (!pictures) return;
  await page.waitForTimeout(150);
  await page.screenshot({ path: join(pictures, `${name}.png`) });
};
/** How many pixels of the drawn scene differ from its ground. */
const drawn = (page) => page.evaluate(() => {
  const view = document.getElementById("view");
  const copy = document.createElement("canvas");
  [copy.width, copy.height] = [view.width, view.height];
  const context = copy.getContext("2d");
  window.clearance.stage.draw(window.clearance.dark);
  context.drawImage(view, 0, 0);
  const { data } = context.getImageData(0, 0, copy.width, copy.height);
  let count = 0;
  for (let i = 4; i < data.length; i += 4) if (Math.abs(data[i] - data[0]) + Math.abs(data[i + 1] - data[1]) > 12) count += 1;
  return count / (data.length / 4);
});

let passed = 0;
async function check(name, work) {
  const began = Date.now();
  await work();
  passed += 1;
  console.log(`ok ${name} (${Date.now() - began} ms)`);
}

try {
  const bowl = record("scenes/004/pen-and-bowl.toml", "bowl");
  const page = await open(bowl.page);

  await check("1 curved surfaces are smooth, edges are drawn by class", async () => {
    const shapes = await page.evaluate(() => window.clearance.recording.header.shapes);
    for (const shape of Object.values(shapes)) {
      assert.ok(shape.triangles.length > 300, "a curved body has many triangles");
      assert.equal(shape.points.length, shape.normals.length);
      assert.ok(shape.edges.every((edge) => ["convex", "reflex", "smooth", "mixed", "open"].includes(edge.class)));
    }
    assert.ok((await drawn(page)) > 0.008, "the scene is drawn");
    const edges = () => page.evaluate(() => window.clearance.stage.pieces[0].edges.visible);
    assert.equal(await edges(), true);
    await page.keyboard.press("e");
    assert.equal(await edges(), false);
    await page.keyboard.press("e");
  });

  await check("2 witnesses, distance and features of the chosen pair", async () => {
    for (const frame of [0, Math.floor(bowl.rows.length / 2), bowl.rows.length - 1]) {
      const row = bowl.rows[frame];
      await seek(page, frame);
      const near = row.signed_distance ?? row.distance;
      assert.ok((await field(page, near < 0 ? "signed distance" : "distance")).startsWith(String(near)), "the value is the recording's");
      assert.equal(await field(page, "features"), row.features.join(" – "));
      await page.waitForFunction((value) => document.getElementById("labels").textContent.startsWith(value), Number(near.toPrecision(4)).toString());
      const marked = await page.evaluate(() => {
        const found = [];
        window.clearance.stage.scene.traverse((o) => o.userData.feature && found.push(o.userData.feature));
        return found;
      });
      assert.deepEqual(marked, row.features);
    }
  });

  await check("3 slider, play, pause, speed, step, keys, help", async () => {
    await seek(page, 0);
    await page.click("#forward");
    await page.waitForFunction(() => window.clearance.frame === 1);
    await page.keyboard.press("ArrowLeft");
    await page.waitForFunction(() => window.clearance.frame === 0);
    await page.keyboard.press("End");
    await page.waitForFunction(() => window.clearance.frame === window.clearance.recording.length - 1);
    await page.locator("#slider").fill("3");
    await page.waitForFunction(() => window.clearance.frame === 3);
    await page.selectOption("#speed", "1");
    await page.keyboard.press("Home");
    await page.click("#play");
    await page.waitForFunction(() => window.clearance.frame > 2);
    await page.click("#play");
    assert.equal(await page.evaluate(() => window.clearance.playing), false);
    await page.keyboard.press("?");
    assert.equal(await page.locator("#help").isVisible(), true);
    await page.keyboard.press("Escape");
    assert.equal(await page.locator("#help").isVisible(), false);
  });

  await check("4 the plot is linked to the slider and has bands and switching times", async () => {
    const words = bowl.rows.map((row) => row.features.join(" – "));
    const switches = words.filter((word, k) => k > 0 && word !== words[k - 1]).length;
    assert.equal(await page.locator(".plot .band").count(), switches + 1);
    assert.equal(await page.locator(".plot .switch").count(), switches);
    const box = await page.locator(".plot").first().boundingBox();
    await page.mouse.click(box.x + 56 + (box.width - 64) / 2, box.y + box.height / 2);
    const middle = Math.round((bowl.rows.length - 1) / 2);
    await page.waitForFunction((m) => Math.abs(window.clearance.frame - m) <= 1, middle);
    const plotted = await page.evaluate(() => [...window.clearance.recording.tracks[0].nearness]);
    assert.deepEqual(plotted, bowl.rows.map((row) => row.signed_distance ?? row.distance));
  });

  await check("6 the Voronoi region and the boxes of a tree, on demand", async () => {
    const count = () => page.evaluate(() => {
      let found = 0;
      window.clearance.stage.scene.traverse((o) => (found += o.name === "voronoi" ? 1 : 0));
      return found;
    });
    assert.equal(await count(), 0);
    await page.keyboard.press("v");
    assert.ok((await count()) > 0);
    await picture(page, "voronoi");
    await page.keyboard.press("v");
    await page.selectOption("select[data-show=boxes]", "0");
    const boxes = await page.evaluate(() => window.clearance.stage.pieces.flatMap((p) => p.boxes.children.map((b) => b.visible)));
    assert.ok(boxes.some(Boolean) && boxes.some((shown) => !shown));
    await picture(page, "boxes");
    await page.selectOption("select[data-show=boxes]", "-1");
  });

  await check("7 polylines: the trail of the witnesses", async () => {
    await page.keyboard.press("t");
    await page.waitForFunction(() => window.clearance.stage.trail.children.length === 2);
    await picture(page, "trail");
    await page.keyboard.press("t");
  });

  await check("9 camera presets, fit, dark and light", async () => {
    for (const view of ["front", "top", "iso", "fit"]) {
      await page.click(`[data-view=${view}]`);
      assert.ok((await drawn(page)) > 0.005, view);
    }
    const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
    const before = await theme();
    await page.keyboard.press("d");
    assert.notEqual(await theme(), before);
    await picture(page, "dark");
    await page.keyboard.press("d");
    await picture(page, "bowl");
    const phone = await open(bowl.page, { width: 390, height: 800 });
    assert.ok((await drawn(phone)) > 0.01);
    const inside = await phone.evaluate(() => document.documentElement.scrollWidth <= innerWidth);
    assert.ok(inside, "nothing sticks out on a phone");
    await picture(phone, "phone");
    assert.deepEqual(phone.faults, []);
    await phone.close();
  });

  await check("10 how sure the answer is", async () => {
    await seek(page, 0);
    assert.equal(await field(page, "ended"), bowl.rows[0].ended);
    assert.equal(await field(page, "lower bound"), `${bowl.rows[0].lower_bound} ${bowl.header.units}`);
    const [name, value] = Object.entries(bowl.rows[0].work)[0];
    assert.ok((await field(page, "work")).includes(`${value} ${name}`));
    assert.deepEqual(page.faults, []);
  });

  const tumble = record("scenes/flat/tumble.toml", "tumble");
  const many = await open(tumble.page);
  await check("5 contacts and depth", async () => {
    const deep = tumble.rows.find((row) => (row.signed_distance ?? 0) < 0);
    if (deep) {
      await many.evaluate((pair) => window.clearance.choose(pair), deep.pair);
      await seek(many, deep.frame);
      assert.ok((await field(many, "signed distance")).startsWith(String(deep.signed_distance)));
      await picture(many, "depth");
    }
    const contacts = await many.evaluate(() => {
      const { stage, shows } = window.clearance;
      const row = { events: [{ point: [0, 0, 0], normal: [0, 0, 1], impulse: [0, 0, 2] }],
        locus: { kind: "curve", samples: [[[0, 0, 0], [0, 0, 1]], [[1, 0, 0], [1, 0, 1]]] } };
      stage.setAnswer(undefined, [row], shows);
      return stage.overlay.children.map((drawn) => drawn.name);
    });
    assert.equal(contacts.filter((name) => name === "events").length, 3, "dots, shafts and heads");
    assert.equal(contacts.length, 9, "four dots and two lines of the locus");
    const threads = await many.evaluate(() => {
      const { stage, shows } = window.clearance;
      const [body] = stage.header.bodies;
      stage.header.joints = [
        { kind: "distance", bodies: [null, body.name], points: [[0, 0, 5], [1, 0, 0]] },
        { kind: "ball", bodies: [body.name, null], points: [[0, 0, 0], [0, 0, 0]] },
      ];
      stage.setAnswer(undefined, [], shows);
      const [line] = stage.overlay.children.filter((drawn) => drawn.name === "joint");
      const { position, quaternion } = stage.pieces[0].group;
      const end = position.clone().set(1, 0, 0).applyQuaternion(quaternion).add(position);
      const found = [...line.geometry.attributes.position.array];
      const off = Math.hypot(found[0], found[1], found[2] - 5, found[3] - end.x, found[4] - end.y, found[5] - end.z);
      const count = stage.overlay.children.filter((drawn) => drawn.name === "joint").length;
      delete stage.header.joints;
      return { count, off };
    });
    assert.equal(threads.count, 2, "a line and a dot");
    assert.ok(threads.off < 1e-5, "the thread ends on its body");
  });

  await check("8 pairs sorted by distance, bodies hidden and faded, what a body is", async () => {
    await seek(many, 0);
    const values = await many.evaluate(() => window.clearance.rows.map((row) => row.signed_distance ?? row.distance));
    const nearest = await many.locator("#pairs .entry").first().getAttribute("data-pair");
    const row = tumble.rows.filter((r) => r.frame === 0).sort((a, b) => (a.signed_distance ?? a.distance) - (b.signed_distance ?? b.distance))[0];
    assert.equal(nearest, row.pair.join(" – "));
    assert.equal(values.length, tumble.rows.filter((r) => r.frame === 0).length);
    const before = await drawn(many);
    await many.locator("#bodies select").first().selectOption("hidden");
    assert.notEqual(await drawn(many), before);
    await many.locator("#bodies select").first().selectOption("faded");
    await many.locator("#bodies select").first().selectOption("solid");
    await many.locator("#bodies button").first().click();
    assert.match(await many.locator("#about").textContent(), new RegExp(tumble.header.bodies[0].name));
    assert.deepEqual(many.faults, []);
    await picture(many, "tumble");
  });

  await check("poses on the page are the recording's", async () => {
    const size = Math.max(...tumble.rows.flatMap((row) => row.poses.flatMap((pose) => pose.translation.map(Math.abs))));
    for (const row of [tumble.rows[0], tumble.rows.at(-1)]) {
      await seek(many, row.frame);
      for (const side of [0, 1]) {
        const index = tumble.header.bodies.findIndex((body) => body.name === row.pair[side]);
        const pose = await many.evaluate((at) => [...window.clearance.poses.slice(7 * at, 7 * at + 7)], index);
        const turn = row.poses[side].rotation;
        const sign = Math.sign(turn.reduce((sum, x, k) => sum + x * pose[3 + k], 0));
        row.poses[side].translation.forEach((x, k) => assert.ok(Math.abs(x - pose[k]) <= 1e-6 * size));
        turn.forEach((x, k) => assert.ok(Math.abs(x - sign * pose[3 + k]) <= 1e-6));
      }
    }
  });

  await check("all of a scene is in view at first, the answer beside it", async () => {
    const patch = record("scenes/000/figure-6.toml", "patch");
    const seen = await open(patch.page);
    assert.ok((await drawn(seen)) > 0.03, "the patch is seen though only a point could move");
    const apart = await seen.evaluate(() => {
      const [view, answer] = ["view", "answer"].map((id) => document.getElementById(id).getBoundingClientRect());
      return answer.left >= view.right || answer.top >= view.bottom;
    });
    assert.ok(apart, "the answer covers nothing of the scene");
    assert.deepEqual(seen.faults, []);
    await seen.close();
  });

  await check("planar scenes are shown flat", async () => {
    const flat = record("scenes/002/figure-2.toml", "planar");
    const plane = await open(flat.page);
    assert.equal(flat.header.planar, true);
    assert.equal(await plane.evaluate(() => window.clearance.stage.camera.isOrthographicCamera), true);
    assert.ok((await drawn(plane)) > 0.005);
    assert.deepEqual(plane.faults, []);
    await picture(plane, "planar");
    await plane.close();
  });

  await check("a page cut off anywhere plays up to its last whole frames", async () => {
    const whole = readFileSync(tumble.page, "utf8");
    const end = whole.lastIndexOf("<script type=\"text/plain\" data-part=\"frames\">");
    const start = whole.indexOf("<script type=\"text/plain\" data-part=\"header\">");
    const first = whole.indexOf("<script type=\"text/plain\" data-part=\"frames\">");
    const short = await browser.newPage();
    const faults = [];
    short.on("pageerror", (error) => faults.push(error.message));
    for (const cut of [start - 5000, start, start + 60, first + 44, end + 2000, whole.length - 20, whole.length - 2]) {
      const file = join(folder, "cut.html");
      writeFileSync(file, whole.slice(0, cut));
      await short.goto(`file://${file}`);
      if (cut < start) {
        assert.match(await short.locator("#loading").textContent(), /cut off/);
        assert.ok(await short.locator("#loading").isVisible());
        continue;
      }
      await short.waitForFunction(() => window.clearance || !document.getElementById("message").hidden, null, { timeout: 60000 });
      const says = await short.evaluate(() => document.getElementById(window.clearance ? "completeness" : "message").textContent);
      if (cut < start + 60) assert.match(says, /holds no recording/, `cut at ${cut}`);
      else assert.match(says, cut === whole.length - 2 ? /^$|cut off/ : /cut off/, `cut at ${cut}`);
      const parts = await short.evaluate(() => window.clearance?.recording.parts.length ?? 0);
      const whole_parts = whole.slice(0, cut).split("data-part=\"frames\"").slice(1).filter((part) => part.includes("</script>")).length;
      assert.ok(parts >= whole_parts, `${parts} of ${whole_parts} parts, cut at ${cut}`);
    }
    assert.deepEqual(faults, []);
    await short.close();
    const lines = readFileSync(join(folder, "tumble.jsonl"), "utf8");
    const at = lines.indexOf("\n", Math.floor(lines.length / 2)) + 30;
    writeFileSync(join(folder, "half.jsonl"), lines.slice(0, at));
    execFileSync(program, ["view", join(folder, "half.jsonl"), "--no-open"], { stdio: "pipe" });
    const half = await open(join(folder, "half.html"));
    assert.match(await half.locator("#completeness").textContent(), /cut off/);
    assert.ok((await half.evaluate(() => window.clearance.recording.length)) > 1);
    await half.close();
  });

  await check("contacts of a simulation are drawn from what is packed", async () => {
    const lines = join(folder, "dice.jsonl");
    execFileSync(program, ["simulate", "scenes/002/dice3.toml", "--record", lines, "--quiet"], { cwd: root, stdio: "pipe" });
    execFileSync(program, ["view", lines, "--no-open"], { cwd: root, stdio: "pipe" });
    const rows = readFileSync(lines, "utf8").trim().split("\n").map((line) => JSON.parse(line)).filter((row) => row.events);
    const dice = await open(join(folder, "dice.html"));
    for (const row of [rows[0], rows[Math.floor(rows.length / 2)], rows.at(-1)]) {
      await seek(dice, row.frame);
      const contacts = await dice.evaluate(() => [...(window.clearance.rows.find((r) => r.contacts)?.contacts ?? [])]);
      const strongest = Math.max(...rows.flatMap((r) => r.events.map((event) => Math.abs(event.impulse[0]))));
      assert.equal(contacts.length, 7 * row.events.length);
      row.events.forEach((event, k) => {
        const packed = contacts.slice(7 * k, 7 * k + 7);
        event.point.forEach((x, i) => assert.ok(Math.abs(x - packed[i]) < 1e-5));
        event.normal.forEach((x, i) => assert.ok(Math.abs(x - packed[3 + i]) < 2e-4));
        assert.ok(Math.abs(event.impulse[0] - packed[6]) < 2e-4 * strongest);
      });
    }
    assert.deepEqual(dice.faults, []);
    await picture(dice, "dice");
    await dice.close();
  });

  if (process.env.SCENES === "all") {
    for (const scene of ["curved/kinds", "curved/sail", "parts/gripper", "parts/ycb", "002/figure-10", "002/figure-5", "003/cylinders", "003/polytopes", "003/spheres"]) {
      await check(`scene ${scene}`, async () => {
        const made = record(`scenes/${scene}.toml`, scene.replace("/", "-"));
        const shown = await open(made.page);
        assert.deepEqual(shown.faults, []);
        assert.ok((await drawn(shown)) > 0.0005);
        await picture(shown, scene.replace("/", "-"));
        await shown.close();
      });
    }
  }
  console.log(`viewer: ${passed} passed`);
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}
