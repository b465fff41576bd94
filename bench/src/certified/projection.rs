//! Points projected onto a surface: ours, Open CASCADE's and curvo's, on the same points by turns.
//!
//! Each is asked about many different points in a row, as somebody is who projects a cloud: so neither the clock nor memory
//! that the others have taken counts. What that comes to, a few points after other work, is measured beside it.

use super::bodies::Named;
use super::occt::Occt;
use super::{data_folder, median, nurbs, read, uniform};
use crate::clock::thread_nanoseconds;
use crate::random::Random;
use clearance_geometry::{Body, DVec3, Polytope, Pose};
use clearance_proximity::{Precision, Probe, Scratch, global::Prepared};
use curvo::prelude::NurbsSurface3D;
use nalgebra::{Point3, Point4, Vector3};
use serde_json::{Value, json};
use std::error::Error;
use std::f64::consts::TAU;
use std::hint::black_box;

/// Points asked in a row of one side.
const BLOCK: usize = 100;

/// Points asked right after the others' work, and points of a block that curvo, which takes thousands of times longer, is
/// asked about.
const FEW: usize = 20;

/// Of the size: distances that differ by more are different answers.
const SAME: f64 = 1e-6;

/// The patch of the teapot: on its belly.
const BELLY: usize = 5;

/// A surface with its points.
pub struct Surface {
    name: String,
    spec: Value,
    body: Body,
    theirs: NurbsSurface3D<f64>,
    size: f64,
    points: Vec<DVec3>,
}

/// One line of the table. Times are ns.
#[derive(Clone, Debug)]
pub struct Row {
    /// The surface.
    pub name: String,
    /// Points asked about.
    pub count: usize,
    /// Ours: the probe, and the distance of two bodies, one of which is a point.
    pub ours: [f64; 2],
    /// The probe again, a few points after others have worked.
    pub after_others: f64,
    /// Open CASCADE's: made anew, and with the surface prepared.
    pub occt: [f64; 2],
    /// curvo's.
    pub curvo: f64,
    /// The largest gap between our bounds, over the size.
    pub gap: f64,
    /// Answers of ours that were not exact.
    pub open: usize,
    /// Of Open CASCADE and of curvo: the largest deviation over the size, wrong answers, none at all.
    pub faults: [Faults; 2],
}

/// What is wrong with the answers of a peer.
#[derive(Clone, Copy, Debug, Default)]
pub struct Faults {
    /// The largest deviation from our bounds, over the size.
    pub deviation: f64,
    /// Answers outside our bounds.
    pub wrong: usize,
    /// Questions without an answer.
    pub missing: usize,
}

impl Faults {
    fn add(&mut self, distance: Option<f64>, [lower, upper]: [f64; 2], size: f64) {
        let Some(distance) = distance else {
            self.missing += 1;
            return;
        };
        let deviation = (distance - upper).max(lower - distance).max(0.0) / size;
        self.deviation = self.deviation.max(deviation);
        self.wrong += usize::from(deviation > SAME);
    }
}

/// Three spline patches, a torus, the same and an ellipsoid as NURBS, and a patch of the teapot.
///
/// # Errors
/// When one cannot be made.
pub fn surfaces(named: &[Named], count: usize) -> Result<Vec<Surface>, Box<dyn Error>> {
    let mut specs: Vec<(String, Value)> = named
        .iter()
        .filter(|body| ["patch", "rational", "torus", "net8"].contains(&body.name.as_str()))
        .map(|body| (body.name.clone(), body.spec.clone()))
        .collect();
    specs.push(("torus as NURBS".to_owned(), nurbs::torus(1.0, 0.3)));
    specs.push(("ellipsoid as NURBS".to_owned(), nurbs::ellipsoid([1.0, 0.6, 0.35])));
    if let Ok(text) = std::fs::read_to_string(data_folder().join("teapot-patches.json")) {
        let file: Value = serde_json::from_str(&text)?;
        let knots = [0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0];
        let spec = json!({ "kind": "nurbs", "degree": [3, 3], "knots": [knots, knots], "points": file["patches"][BELLY] });
        specs.push(("teapot's belly".to_owned(), spec));
    }
    specs.into_iter().map(|(name, spec)| Surface::new(name, spec, count)).collect()
}

impl Surface {
    /// Points stand over the surface by up to a third of its size, on either side.
    fn new(name: String, spec: Value, count: usize) -> Result<Self, Box<dyn Error>> {
        let body = read(&spec)?.boundary();
        let size = Prepared::new(&body)?.radius();
        let theirs = curvo(&spec)?;
        let (u, v) = (theirs.u_knots_domain(), theirs.v_knots_domain());
        let mut random = Random::named(&format!("projection {name}"));
        let mut inner = |(low, high): (f64, f64)| low + (high - low) * uniform(&mut random, 0.1, 0.9);
        let parameters: Vec<[f64; 2]> = (0..count).map(|_| [inner(u), inner(v)]).collect();
        let mut random = Random::named(&format!("heights {name}"));
        let place = |&[u, v]: &[f64; 2]| {
            let (point, normal) = (theirs.point_at(u, v), theirs.normal_at(u, v).normalize());
            let place = point + normal * uniform(&mut random, -size / 3.0, size / 3.0);
            DVec3::new(place.x, place.y, place.z)
        };
        let points = parameters.iter().map(place).collect();
        Ok(Self { name, spec, body, theirs, size, points })
    }

    /// For the file that both sides read.
    pub fn json(&self) -> Value {
        json!({ "shape": self.spec, "points": self.points.iter().map(DVec3::to_array).collect::<Vec<_>>() })
    }

    /// Asks all three.
    ///
    /// # Errors
    /// When a query fails or Open CASCADE cannot be started again.
    pub fn measure(&self, number: usize, occt: &mut Option<Occt>) -> Result<Row, Box<dyn Error>> {
        let mut probe = Probe::new(&self.body)?;
        let point = Body::from(Polytope::point());
        let mut scratch = Scratch::new();
        let mut times: [Vec<f64>; 6] = Default::default();
        let (mut gap, mut open) = (0.0_f64, 0);
        let mut faults = [Faults::default(); 2];
        let mut last = self.points.rchunks(BLOCK).next().unwrap_or_default();
        for (block, points) in self.points.chunks(BLOCK).enumerate() {
            // First while what others worked with is at hand, then once more awake, with points of another block.
            let few = last.len().min(FEW);
            let began = thread_nanoseconds();
            for p in &last[..few] {
                black_box(probe.distance(*p, None)?);
            }
            times[5].push((thread_nanoseconds() - began) / few as f64);
            for p in &std::mem::replace(&mut last, points)[few..] {
                black_box(probe.distance(*p, None)?);
            }
            // Memory for the answers is not part of them.
            let mut found = Vec::with_capacity(points.len());
            let began = thread_nanoseconds();
            for p in points {
                found.push(probe.distance(*p, None)?);
            }
            times[0].push((thread_nanoseconds() - began) / points.len() as f64);
            let began = thread_nanoseconds();
            for p in points {
                let pose = Pose::from_translation(*p)?;
                black_box(scratch.find(&self.body, &point, &pose, &Precision::default())?);
            }
            times[4].push((thread_nanoseconds() - began) / points.len() as f64);
            let began = thread_nanoseconds();
            let curvo: Vec<_> = points
                .iter()
                .take(FEW)
                .map(|p| self.theirs.find_closest_point(&place(*p), None).ok())
                .collect();
            times[1].push((thread_nanoseconds() - began) / curvo.len() as f64);
            let reply = match occt {
                Some(occt) => {
                    Some(occt.ask(&format!("project {number} {} {}", block * BLOCK, points.len()))?)
                }
                None => None,
            };
            for (at, (point, found)) in points.iter().zip(found).enumerate() {
                let bounds = [found.lower, found.signed_distance.abs()];
                gap = gap.max((bounds[1] - bounds[0]) / self.size);
                open += usize::from(!found.exact);
                if let Some(near) = curvo.get(at) {
                    faults[1].add(near.map(|near| (near - place(*point)).norm()), bounds, self.size);
                }
                if let Some(reply) = &reply {
                    faults[0].add(reply.number(2 + at), bounds, self.size);
                }
            }
            times[2].extend(reply.as_ref().and_then(|reply| reply.number(0)));
            times[3].extend(reply.as_ref().and_then(|reply| reply.number(1)));
        }
        let [probe, curvo, anew, prepared, bodies, after_others] = times.map(median);
        let count = self.points.len();
        let (ours, occt) = ([probe, bodies], [anew, prepared]);
        Ok(Row { name: self.name.clone(), count, ours, after_others, occt, curvo, gap, open, faults })
    }
}

impl Row {
    /// The faster way of each peer over the faster of ours.
    pub fn ratios(&self) -> [f64; 2] {
        let ours = self.ours[0].min(self.ours[1]);
        [self.occt[0].min(self.occt[1]) / ours, self.curvo / ours]
    }

    /// For the screen.
    pub fn line(&self) -> String {
        format!(
            "{}: {:.2} / {:.2} µs, {:.2} µs after others, OCCT {:.1} / {:.1} µs, curvo {:.1} µs, {:.0?}×, gap {:.0e}, open {}, {:?}",
            self.name,
            1e-3 * self.ours[0],
            1e-3 * self.ours[1],
            1e-3 * self.after_others,
            1e-3 * self.occt[0],
            1e-3 * self.occt[1],
            1e-3 * self.curvo,
            self.ratios(),
            self.gap,
            self.open,
            self.faults
        )
    }
}

fn place(point: DVec3) -> Point3<f64> {
    Point3::new(point.x, point.y, point.z)
}

/// The same surface as curvo has it.
fn curvo(spec: &Value) -> Result<NurbsSurface3D<f64>, Box<dyn Error>> {
    let number = |value: &Value| value.as_f64().unwrap_or(f64::NAN);
    if spec["kind"] == "torus" {
        let [major, minor] = [number(&spec["major"]), number(&spec["minor"])];
        let turn = (0.0, TAU);
        let (x, y) = (Vector3::x(), Vector3::y());
        return Ok(NurbsSurface3D::try_torus(&Point3::origin(), &x, &y, major, minor, turn, turn)?);
    }
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let knots = |at: usize| list(&spec["knots"][at]).iter().map(number).collect::<Vec<f64>>();
    let point = |i: usize, j: usize, p: &Value| {
        let w = spec["weights"][i][j].as_f64().unwrap_or(1.0);
        Point4::new(w * number(&p[0]), w * number(&p[1]), w * number(&p[2]), w)
    };
    let row = |(i, row): (usize, &Value)| list(row).iter().enumerate().map(|(j, p)| point(i, j, p)).collect();
    let points = list(&spec["points"]).iter().enumerate().map(row).collect();
    let degree = |at: usize| spec["degree"][at].as_u64().unwrap_or(3) as usize;
    Ok(NurbsSurface3D::new(degree(0), degree(1), knots(0), knots(1), points))
}
