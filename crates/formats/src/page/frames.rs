//! Some frames of a recording in one part: rows as JSON, poses as differences.
//!
//! A part is the length of its JSON as four bytes, the JSON, and the poses. Poses are the grain of places as eight bytes,
//! then for each frame the number of bodies that moved and, for each of these, the step to its number from the one before
//! and seven differences to its pose before: three of places in grains, four of the quaternion in 2⁻²². All numbers are
//! written seven bits to a byte, differences with their sign in the lowest bit. The first frame of a part differs from zero.
//!
//! Events of a simulation follow, because in JSON they would be most of a page: a row has their number, and the part for each
//! seven differences to the event of the same place in the row before: three of the point in grains, three of the normal in
//! 2⁻¹², and one of the impulse along it in 2⁻¹² of the largest of the part, which stands before them as eight bytes.

use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Frames of a part.
const CHUNK_FRAMES: usize = 128;

/// Bytes of rows after which a part ends.
const CHUNK_BYTES: usize = 4 << 20;

/// Grains to the largest coordinate of a part.
const GRAINS: f64 = 16_777_216.0;

/// Steps of a quaternion's entry.
const TURNS: f64 = 4_194_304.0;

/// Steps of a normal's entry, and of the largest impulse.
const SHARES: f64 = 4096.0;

type Pose = [f64; 7];

/// Point, normal, and the impulse along the normal.
type Contact = [f64; 7];

/// Frames that wait to be written.
#[derive(Debug, Default)]
pub(super) struct Frames {
    bodies: BTreeMap<String, usize>,
    numbers: Vec<u64>,
    times: Vec<f64>,
    rows: Vec<Vec<Value>>,
    poses: Vec<BTreeMap<usize, Pose>>,
    /// The events of every row that has some, in the order of the rows.
    contacts: Vec<Vec<Contact>>,
    /// Where each body stood last, also in parts written before.
    last: BTreeMap<usize, Pose>,
    bytes: usize,
}

impl Frames {
    /// Learns the names of the bodies and where they stand at first.
    pub(super) fn name_bodies(&mut self, header: &Value) {
        let bodies = header.get("bodies").and_then(Value::as_array).into_iter().flatten();
        for (at, body) in bodies.enumerate() {
            if let Some(name) = body.get("name").and_then(Value::as_str) {
                self.bodies.insert(name.to_owned(), at);
            }
            if let Some(pose) = body.get("pose").and_then(read_pose) {
                self.last.insert(at, pose);
            }
        }
    }

    /// Whether a frame belongs to the next part.
    pub(super) fn is_full_before(&self, frame: u64) -> bool {
        let new = self.numbers.last().is_some_and(|last| *last != frame);
        new && (self.numbers.len() >= CHUNK_FRAMES || self.bytes > CHUNK_BYTES)
    }

    /// Adds a row: of a pair with two poses, of a body with one, or of a frame as a whole.
    pub(super) fn add(&mut self, frame: u64, mut row: Value) {
        if self.numbers.last() != Some(&frame) {
            self.numbers.push(frame);
            self.times.push(row.get("time").and_then(Value::as_f64).unwrap_or(0.0));
            self.rows.push(Vec::new());
            self.poses.push(BTreeMap::new());
        }
        let Value::Object(fields) = &mut row else { return };
        self.take_poses(fields);
        self.take_contacts(fields);
        fields.remove("frame");
        fields.remove("time");
        // Of a body that moves alone its pose is shown.
        let shown =
            fields.keys().any(|key| !["body", "velocity", "angular_velocity"].contains(&key.as_str()));
        if shown && let Some(rows) = self.rows.last_mut() {
            self.bytes += 64 * fields.len();
            rows.push(row);
        }
    }

    fn take_poses(&mut self, fields: &mut Map<String, Value>) {
        let names: Vec<String> = match (fields.get("pair"), fields.get("body")) {
            (Some(Value::Array(pair)), _) => {
                pair.iter().filter_map(Value::as_str).map(str::to_owned).collect()
            }
            (_, Some(Value::String(body))) => vec![body.clone()],
            _ => return,
        };
        let poses = match (fields.remove("poses"), fields.remove("pose")) {
            (Some(Value::Array(poses)), _) => poses,
            (_, Some(pose)) => vec![pose],
            _ => return,
        };
        let Some(now) = self.poses.last_mut() else { return };
        for (name, pose) in names.iter().zip(&poses) {
            let (Some(&body), Some(pose)) = (self.bodies.get(name), read_pose(pose)) else { continue };
            now.insert(body, pose);
            self.bytes += 16;
        }
    }

    /// Leaves the number of events in their place.
    fn take_contacts(&mut self, fields: &mut Map<String, Value>) {
        let Some(events) = fields.get("events").and_then(Value::as_array) else { return };
        let Some(contacts) = events.iter().map(read_contact).collect::<Option<Vec<_>>>() else { return };
        self.bytes += 8 * contacts.len();
        fields.insert("events".to_owned(), json!(contacts.len()));
        self.contacts.push(contacts);
    }

    /// All frames that wait, as one part; none where none waits.
    pub(super) fn take(&mut self) -> Option<Vec<u8>> {
        if self.numbers.is_empty() {
            return None;
        }
        let rows = json!({ "frames": self.numbers, "times": self.times, "rows": self.rows }).to_string();
        let mut bytes = (rows.len() as u32).to_le_bytes().to_vec();
        bytes.extend_from_slice(rows.as_bytes());
        let grain = self.grain();
        self.write_poses(&mut bytes, grain);
        self.write_contacts(&mut bytes, grain);
        self.numbers.clear();
        self.times.clear();
        self.rows.clear();
        self.poses.clear();
        self.contacts.clear();
        self.bytes = 0;
        Some(bytes)
    }

    /// The step of places: a power of two, so that whole numbers of it are exact.
    fn grain(&self) -> f64 {
        let poses = self.poses.iter().flat_map(|frame| frame.values());
        let places = poses.chain(self.last.values()).chain(self.contacts.iter().flatten());
        let reach = places.flat_map(|place| &place[..3]).fold(0.0, |reach: f64, x| reach.max(x.abs()));
        if reach > 0.0 { (reach / GRAINS).log2().floor().exp2() } else { 1.0 }
    }

    fn write_poses(&mut self, bytes: &mut Vec<u8>, grain: f64) {
        // Bodies that do not move in the first frame stand where they stood.
        if let Some(first) = self.poses.first_mut() {
            for (body, pose) in &self.last {
                first.entry(*body).or_insert(*pose);
            }
        }
        bytes.extend(grain.to_le_bytes());
        let mut before: BTreeMap<usize, [i64; 7]> = BTreeMap::new();
        for frame in &self.poses {
            let mut moved = Vec::new();
            for (&body, pose) in frame {
                let old = before.get(&body).copied();
                let new = grains(*pose, grain, old);
                if old != Some(new) {
                    moved.push((body, old.unwrap_or_default(), new));
                    before.insert(body, new);
                }
                self.last.insert(body, *pose);
            }
            write_number(bytes, moved.len() as u64);
            let mut at = 0;
            for (body, old, new) in moved {
                write_number(bytes, (body - at) as u64);
                at = body;
                for (new, old) in new.iter().zip(old) {
                    write_difference(bytes, new - old);
                }
            }
        }
    }

    fn write_contacts(&self, bytes: &mut Vec<u8>, grain: f64) {
        if self.contacts.is_empty() {
            return;
        }
        let largest =
            self.contacts.iter().flatten().fold(0.0, |most: f64, contact| most.max(contact[6].abs()));
        let push = if largest > 0.0 { largest / SHARES } else { 1.0 };
        bytes.extend(push.to_le_bytes());
        let mut before: Vec<[i64; 7]> = Vec::new();
        for row in &self.contacts {
            for (index, contact) in row.iter().enumerate() {
                let mut whole = [0; 7];
                for (k, (out, entry)) in whole.iter_mut().zip(contact).enumerate() {
                    let step = if k < 3 {
                        entry / grain
                    } else if k < 6 {
                        entry * SHARES
                    } else {
                        entry / push
                    };
                    *out = step.round() as i64;
                }
                let old = before.get(index).copied().unwrap_or_default();
                for (new, old) in whole.iter().zip(old) {
                    write_difference(bytes, new - old);
                }
                if index < before.len() {
                    before[index] = whole;
                } else {
                    before.push(whole);
                }
            }
        }
    }
}

/// A pose as whole numbers; of q and −q, which turn alike, the one nearer to the old.
fn grains(pose: Pose, grain: f64, old: Option<[i64; 7]>) -> [i64; 7] {
    let near = old.map_or(pose[6], |old| (3..7).map(|k| old[k] as f64 * pose[k]).sum());
    let sign = if near < 0.0 { -1.0 } else { 1.0 };
    let mut whole = [0; 7];
    for (k, (out, entry)) in whole.iter_mut().zip(pose).enumerate() {
        *out = if k < 3 { (entry / grain).round() } else { (sign * entry * TURNS).round() } as i64;
    }
    whole
}

fn write_number(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 128 {
        bytes.push((number & 127) as u8 | 128);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// The sign goes into the lowest bit, so that small differences are short.
fn write_difference(bytes: &mut Vec<u8>, by: i64) {
    write_number(bytes, ((by << 1) ^ (by >> 63)) as u64);
}

fn read_contact(event: &Value) -> Option<Contact> {
    let mut contact = [0.0; 7];
    for (from, key) in [(0, "point"), (3, "normal")] {
        let entries = event.get(key)?.as_array()?;
        for (to, entry) in contact[from..].iter_mut().zip(entries.iter().take(3)) {
            *to = entry.as_f64()?;
        }
    }
    contact[6] = event.get("impulse")?.get(0)?.as_f64()?;
    contact.iter().all(|entry| entry.is_finite()).then_some(contact)
}

fn read_pose(pose: &Value) -> Option<Pose> {
    let numbers =
        |key: &str| -> Option<Vec<f64>> { pose.get(key)?.as_array()?.iter().map(Value::as_f64).collect() };
    let mut all = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0];
    for (to, from) in all.iter_mut().zip(numbers("translation")?).take(3) {
        *to = from;
    }
    if let Some(turn) = numbers("rotation") {
        for (to, from) in all[3..].iter_mut().zip(turn) {
            *to = from;
        }
    } else if let Some(angle) = pose.get("angle").and_then(Value::as_f64) {
        let half = 0.5 * angle.to_radians();
        (all[5], all[6]) = half.sin_cos();
    }
    all.iter().all(|entry| entry.is_finite()).then_some(all)
}
