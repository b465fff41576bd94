//! From a convex tiled body to its shape for support queries.
//!
//! Source: none; the parts of the boundary that a linear function can be largest on.
//! Differs: balls and capsules become a point and a segment with a radius.
//! Ends because: one pass over faces, edges and vertices.
//! Cost: linear in them; splines are cut into their tiles.
//! Not promised: a shape for trimmed splines, helices and tori that meet themselves.

use super::piece::Piece;
use super::tiles::Tiles;
use super::{ConvexShape, EdgeShape, FaceShape, Sheet, Spine, Strand, Trim, own_part};
use crate::curve::{Curve, Range, Rect};
use crate::surface::{NurbsSurface, ParametricSurface, Surface, unit};
use crate::tiled::{EdgeKind, Face, TiledBody, TiledEdge};
use crate::tolerance::{CLOSED_REL, FLAT_SPLINE_REL, MATCH_REL, SMOOTH_EDGE_RAD, SUPPORT_ROUNDING_REL};
use crate::{DMat3, DVec2, DVec3, DVec4, EdgeId, FaceId, Feature, Pose, VertexId};

/// Where edges are compared with the surfaces of their faces.
const SAMPLES: usize = 9;

/// How close to a pole normals are taken, as a share of the face.
const POLE_SHARE: f64 = 1.0 / 64.0;

/// Where normals turn by more than this share of what they do at twice the distance, a pole is a tip: half of it would be smooth.
const SHARP_SHARE: f64 = 0.75;

impl ConvexShape {
    /// `None` unless the body is known to be convex and has no face without a support function.
    pub(crate) fn of_body(body: &TiledBody) -> Option<Self> {
        if !body.is_convex() {
            return None;
        }
        let bounds = body.hull_box();
        let (center, half) = (DVec3::from_array(bounds.center()), bounds.half_extents());
        let far = center.length() > 2.0 * half.length();
        let anchor = if far { center } else { DVec3::ZERO };
        let back = Pose::IDENTITY.with_translation(-anchor);
        let reach = (center - anchor).length() + half.length();
        let faces: Vec<FaceShape> =
            body.faces().iter().map(|face| face_shape(body, face, &back)).collect::<Option<_>>()?;
        let edges: Vec<EdgeShape> =
            body.edges().iter().map(|edge| edge_shape(edge, &back)).collect::<Option<_>>()?;
        let vertices: Vec<DVec3> = body.vertices().iter().map(|v| *v - anchor).collect();
        let bent = body.faces().iter().filter_map(flat_off).fold(0.0, f64::max);
        let loose = looseness(body, &faces, &edges, &vertices).max(bent);
        let mut shape = Self {
            anchor,
            radius: 0.0,
            reach,
            middle: center - anchor,
            slack: 0.0,
            pieces: Vec::new(),
            faces,
            edges,
            vertices,
            edge_faces: Vec::new(),
            vertex_faces: Vec::new(),
            face_faces: Vec::new(),
            vertex_edges: Vec::new(),
            rims: Vec::new(),
            splines: false,
            spine: Spine::Body,
        };
        if !shape.become_ball(body) && !shape.become_capsule(body) {
            shape.pieces = pieces(body, &shape, &back)?;
            shape.splines = shape.pieces.iter().any(|piece| matches!(piece, Piece::Tiles { .. }));
            shape.link(body);
        }
        let size = shape.reach + shape.radius + anchor.length();
        shape.slack = SUPPORT_ROUNDING_REL * size + 2.0 * loose;
        Some(shape)
    }

    fn become_ball(&mut self, body: &TiledBody) -> bool {
        let ([FaceShape { sheet: Sheet::Ball { center, .. }, trim: Trim::Whole, .. }], [face]) =
            (self.faces.as_slice(), body.faces())
        else {
            return false;
        };
        let Surface::Sphere(sphere) = &face.surface else { return false };
        let at = *center;
        self.radius = sphere.radius();
        self.reach = at.length();
        self.spine = Spine::Center;
        self.vertices = vec![at];
        self.vertex_faces = vec![Vec::new()];
        self.vertex_edges = vec![Vec::new()];
        self.edges.clear();
        self.pieces = vec![Piece::Point { at, feature: Feature::Vertex(VertexId(0)) }];
        true
    }

    /// A cylinder between two half spheres of its radius.
    fn become_capsule(&mut self, body: &TiledBody) -> bool {
        let tube = |(at, face): (usize, &Face)| match &face.surface {
            Surface::Cylinder(tube) => Some((at, *tube)),
            _ => None,
        };
        let ball = |(at, face): (usize, &Face)| match &face.surface {
            Surface::Sphere(ball) => Some((at, *ball)),
            _ => None,
        };
        let mut tubes = body.faces().iter().enumerate().filter_map(tube);
        let mut balls = body.faces().iter().enumerate().filter_map(ball);
        let (Some((side, tube)), Some(one), Some(two)) = (tubes.next(), balls.next(), balls.next()) else {
            return false;
        };
        let smooth = body.edges().iter().all(|edge| edge.kind == EdgeKind::Smooth);
        if body.face_count() != 3 || body.edge_count() != 2 || !smooth {
            return false;
        }
        let radius = tube.radius();
        let centers = [one, two].map(|(_, ball)| ball.frame().translation());
        let slack = CLOSED_REL * (radius + centers[0].distance(centers[1]));
        let off_axis = |p: DVec3| {
            let local = tube.frame().apply_inverse(p);
            local.truncate().length()
        };
        let fits = [one, two].iter().all(|(_, ball)| (ball.radius() - radius).abs() <= slack)
            && centers.iter().all(|c| off_axis(*c) <= slack);
        let rim_at = |cap: usize| {
            let touches = |edge: &TiledEdge| edge.faces.contains(&Some(FaceId(cap as u32)));
            body.edges().iter().position(touches)
        };
        let (true, Some(rim_one), Some(rim_two)) = (fits, rim_at(one.0), rim_at(two.0)) else { return false };
        let ends = centers.map(|c| c - self.anchor);
        self.radius = radius;
        self.reach = ends[0].length().max(ends[1].length());
        self.spine = Spine::Axis {
            side: side as u32,
            caps: [one.0 as u32, two.0 as u32],
            rims: [rim_one as u32, rim_two as u32],
        };
        self.rims = std::mem::take(&mut self.edges);
        self.vertices = ends.to_vec();
        self.vertex_faces = vec![Vec::new(); 2];
        self.vertex_edges = vec![vec![0]; 2];
        self.edge_faces = vec![[u32::MAX; 2]];
        let strand = Strand::Line { origin: ends[0], along: ends[1] - ends[0] };
        self.edges = vec![EdgeShape { strand, range: Range::new(0.0, 1.0), whole: false }];
        self.pieces = (0..2)
            .map(|i| Piece::Point { at: ends[i], feature: Feature::Vertex(VertexId(i as u32)) })
            .collect();
        true
    }

    /// Fills in what lies around what.
    fn link(&mut self, body: &TiledBody) {
        let number = |face: Option<FaceId>| face.map_or(u32::MAX, |face| face.0);
        self.edge_faces = body.edges().iter().map(|edge| edge.faces.map(number)).collect();
        self.face_faces = vec![Vec::new(); self.faces.len()];
        for &[left, right] in &self.edge_faces {
            if left != right && left != u32::MAX && right != u32::MAX {
                self.face_faces[left as usize].push(right);
                self.face_faces[right as usize].push(left);
            }
        }
        for faces in &mut self.face_faces {
            faces.sort_unstable();
            faces.dedup();
        }
        for vertex in 0..body.vertex_count() as u32 {
            let around = body.coboundary(Feature::Vertex(VertexId(vertex)));
            let edges: Vec<u32> = around.iter().filter(|f| f.dimension() == 1).map(|f| f.number()).collect();
            let mut faces: Vec<u32> =
                around.iter().filter(|f| f.dimension() == 2).map(|f| f.number()).collect();
            faces.extend(edges.iter().flat_map(|&e| self.edge_faces[e as usize]).filter(|&f| f != u32::MAX));
            faces.sort_unstable();
            faces.dedup();
            self.vertex_edges.push(edges);
            self.vertex_faces.push(faces);
        }
    }
}

fn face_shape(body: &TiledBody, face: &Face, back: &Pose) -> Option<FaceShape> {
    let sheet = sheet(&face.surface, back)?;
    let trim = trim(body, face, &sheet, back);
    let side = if face.reversed { -1.0 } else { 1.0 };
    Some(FaceShape { sheet, trim, region: Some(face.region.clone()), side })
}

fn sheet(surface: &Surface, back: &Pose) -> Option<Sheet> {
    let ball = |frame: &Pose, radii: [f64; 3]| {
        let axes = frame.rotation() * DMat3::from_diagonal(DVec3::from_array(radii));
        Sheet::Ball { center: back.apply(frame.translation()), axes, inverse: axes.inverse() }
    };
    let tube = |frame: &Pose, radius: f64, slope: f64| Sheet::Tube {
        origin: back.apply(frame.translation()),
        axes: frame.rotation(),
        radius,
        slope,
    };
    Some(match surface {
        Surface::Plane(plane) => {
            let axes = plane.frame().rotation();
            Sheet::Plane { origin: back.apply(plane.frame().translation()), x: axes.x_axis, y: axes.y_axis }
        }
        Surface::Sphere(sphere) => ball(sphere.frame(), [sphere.radius(); 3]),
        Surface::Ellipsoid(ellipsoid) => ball(ellipsoid.frame(), ellipsoid.radii()),
        Surface::Cylinder(cylinder) => tube(cylinder.frame(), cylinder.radius(), 0.0),
        Surface::Cone(cone) => tube(cone.frame(), cone.radius(), cone.slope()),
        Surface::Torus(torus) if torus.minor() >= torus.major() => return None,
        other => {
            Sheet::Other(if back.translation() == DVec3::ZERO { other.clone() } else { other.moved(back) })
        }
    })
}

fn trim(body: &TiledBody, face: &Face, sheet: &Sheet, back: &Pose) -> Trim {
    // A vertex on it, as files have them, bounds nothing.
    if face.loops.is_empty() && matches!(sheet, Sheet::Ball { .. }) {
        return Trim::Whole;
    }
    if let (Sheet::Plane { .. }, [only]) = (sheet, face.loops.as_slice())
        && let [used] = only.as_slice()
        && let Some(Strand::Round { center, x, y }) = edge_shape(body.edge(used.edge), back).map(|e| e.strand)
        && body.edge(used.edge).is_closed()
    {
        return Trim::Disc { center, x, y };
    }
    let turn = face.surface.periods()[0];
    match (face.region.rect(), turn) {
        (Some(rect), Some(turn)) if rect.u.width() >= turn * (1.0 - CLOSED_REL) => Trim::Band(rect.v),
        _ => Trim::Region,
    }
}

fn edge_shape(edge: &TiledEdge, back: &Pose) -> Option<EdgeShape> {
    let round = |frame: &Pose, [a, b]: [f64; 2]| {
        let axes = frame.rotation();
        Strand::Round { center: back.apply(frame.translation()), x: axes.x_axis * a, y: axes.y_axis * b }
    };
    let strand = match &edge.curve {
        Curve::Line(line) => Strand::Line { origin: back.apply(line.origin()), along: line.direction() },
        Curve::Circle(circle) => round(circle.frame(), [circle.radius(); 2]),
        Curve::Ellipse(ellipse) => round(ellipse.frame(), ellipse.radii()),
        Curve::Helix(_) => return None,
        other => Strand::Other(other.moved(back)),
    };
    Some(EdgeShape { strand, range: edge.range, whole: edge.is_closed() })
}

/// The parts of the boundary that a linear function can be largest on.
fn pieces(body: &TiledBody, shape: &ConvexShape, back: &Pose) -> Option<Vec<Piece>> {
    let mut pieces = Vec::new();
    for (at, face) in body.faces().iter().enumerate() {
        if let Some(piece) = of_face(face, at as u32, back)? {
            pieces.push(piece);
        }
    }
    let is_round = |face: Option<FaceId>| {
        face.is_some_and(|face| {
            let face = body.face(face);
            let is_ruled =
                matches!(face.surface, Surface::Plane(_) | Surface::Cylinder(_) | Surface::Cone(_));
            !is_ruled && flat_off(face).is_none()
        })
    };
    let mut corner = vec![false; body.vertex_count()];
    for (at, edge) in body.edges().iter().enumerate() {
        let smooth = edge.kind == EdgeKind::Smooth;
        // A seam is within a face that has its own part, or along the rulings of one that has none.
        if edge.is_seam() || (smooth && edge.faces.iter().all(|face| is_round(*face))) {
            continue;
        }
        if let (Some(ends), false) = (edge.vertices, edge.is_closed()) {
            ends.iter().for_each(|end| corner[end.index()] = true);
        }
        let feature = Feature::Edge(EdgeId(at as u32));
        match &shape.edges[at].strand {
            Strand::Line { .. } => {}
            Strand::Round { center, x, y } => {
                let range = (!edge.is_closed()).then_some(edge.range);
                pieces.push(Piece::Round { center: *center, x: *x, y: *y, range, feature });
            }
            Strand::Other(curve) => pieces.push(Piece::Tiles {
                tiles: of_curve(curve, edge.range)?,
                face: None,
                flat: false,
                feature,
            }),
        }
    }
    for tip in body.faces().iter().flat_map(|face| &face.tips) {
        corner[tip.index()] = true;
    }
    // The apex of a cone, be it a spline or not, where a seam ends.
    for edge in body.edges().iter().filter(|edge| edge.is_seam()) {
        let [Some(face), _] = edge.faces else { continue };
        for end in edge.vertices.into_iter().flatten() {
            corner[end.index()] |= is_sharp_pole(body.face(face), body.vertex(end));
        }
    }
    for (at, _) in corner.iter().enumerate().filter(|(_, corner)| **corner) {
        let feature = Feature::Vertex(VertexId(at as u32));
        pieces.push(Piece::Point { at: shape.vertices[at], feature });
    }
    // Of equally far points the one on the smallest feature counts.
    pieces.sort_by_key(|piece| piece.feature());
    Some(pieces)
}

/// Whether a side of a spline that is a point ends in a tip there: its normals turn as much close by as less close.
fn is_sharp_pole(face: &Face, pole: DVec3) -> bool {
    if let Surface::Cone(cone) = &face.surface {
        // Next to the axis there is no rim that would be a part instead.
        let off = cone.frame().apply_inverse(pole).truncate().length();
        return off <= MATCH_REL * face.region.bounds().v.width();
    }
    let Surface::Nurbs(nurbs) = &face.surface else { return false };
    let Some(rect) = face.region.rect() else { return false };
    let shares = || (0..SAMPLES).map(|k| k as f64 / (SAMPLES - 1) as f64);
    let sides: [&dyn Fn(f64, f64) -> DVec2; 4] = [
        &|s, off| DVec2::new(rect.u.at(s), rect.v.at(off)),
        &|s, off| DVec2::new(rect.u.at(s), rect.v.at(1.0 - off)),
        &|s, off| DVec2::new(rect.u.at(off), rect.v.at(s)),
        &|s, off| DVec2::new(rect.u.at(1.0 - off), rect.v.at(s)),
    ];
    sides.iter().any(|place| {
        let off = |at: DVec2| nurbs.point(at.x, at.y).distance(pole);
        let (reach, far) = (off(place(0.5, 1.0)), shares().map(|s| off(place(s, 0.0))).fold(0.0, f64::max));
        if far > CLOSED_REL * reach {
            return false;
        }
        let spread = |near: f64| {
            let first = face.normal(place(0.0, near));
            let turn = |s: f64| Some(face.normal(place(s, near))?.distance(first?));
            shares().filter_map(turn).fold(0.0, f64::max)
        };
        let (close, less) = (spread(POLE_SHARE), spread(2.0 * POLE_SHARE));
        close > SMOOTH_EDGE_RAD && close > SHARP_SHARE * less
    })
}

/// The part of a face: `None` without, `Some(None)` where its edges suffice.
#[allow(clippy::option_option)]
fn of_face(face: &Face, number: u32, back: &Pose) -> Option<Option<Piece>> {
    let feature = Feature::Face(FaceId(number));
    let trimmed = face.region.rect().is_none().then_some(number);
    let ball = |frame: &Pose, radii: [f64; 3]| Piece::Ball {
        center: back.apply(frame.translation()),
        axes: frame.rotation() * DMat3::from_diagonal(DVec3::from_array(radii)),
        face: number,
        feature,
    };
    Some(match &face.surface {
        Surface::Plane(_) | Surface::Cylinder(_) | Surface::Cone(_) => None,
        Surface::Sphere(sphere) => Some(ball(sphere.frame(), [sphere.radius(); 3])),
        Surface::Ellipsoid(ellipsoid) => Some(ball(ellipsoid.frame(), ellipsoid.radii())),
        Surface::Torus(torus) => Some(Piece::Ring {
            center: back.apply(torus.frame().translation()),
            axes: torus.frame().rotation(),
            major: torus.major(),
            minor: torus.minor(),
            face: number,
            feature,
        }),
        Surface::Paraboloid(bowl) => Some(Piece::Bowl {
            apex: back.apply(bowl.frame().translation()),
            axes: bowl.frame().rotation(),
            focal: bowl.focal(),
            face: number,
            feature,
        }),
        Surface::Nurbs(nurbs) => {
            // Of a trimmed face a rectangle around it: what is farther outside is left to its edges.
            let rect = own_part(face.region.bounds(), nurbs.domain(), nurbs.periods());
            Some(Piece::Tiles {
                tiles: of_spline(&nurbs.restricted(rect).ok()?, back, true)?,
                face: trimmed,
                flat: flat_off(face).is_some(),
                feature,
            })
        }
        sweep @ (Surface::Revolution(_) | Surface::Extrusion(_)) => {
            let rect = face.region.rect()?;
            let domain = sweep.domain();
            let rect = if sweep.periods()[0].is_some() {
                Rect::new(rect.u, rect.v.intersection(domain.v)?)
            } else {
                rect
            };
            let spline = sweep.to_nurbs(rect).ok()?;
            Some(Piece::Tiles { tiles: of_spline(&spline, back, false)?, face: None, flat: false, feature })
        }
    })
}

/// How far the corners of a trimmed spline without bends are from one plane; `None` where it is not trimmed, not of degree
/// one, not flat, or its corners are no convex quadrilateral, so that it might fold over its own edges.
fn flat_off(face: &Face) -> Option<f64> {
    let Surface::Nurbs(nurbs) = &face.surface else { return None };
    if face.region.rect().is_some() || nurbs.degrees() != [1, 1] || nurbs.tile_counts() != [1, 1] {
        return None;
    }
    let corner = |p: &DVec4| p.truncate() / p.w;
    let [a, d, b, c] = nurbs.tile_net([0, 0]).iter().map(corner).collect::<Vec<_>>()[..] else { return None };
    let around = [a, b, c, d];
    let normal = unit((c - a).cross(d - b))?;
    let middle = (a + b + c + d) / 4.0;
    let off = around.iter().map(|p| normal.dot(*p - middle).abs()).fold(0.0, f64::max);
    let turns = |k: usize| {
        let [last, at, next] = [k + 3, k, k + 1].map(|k| around[k % 4]);
        (at - last).cross(next - at).dot(normal) > 0.0
    };
    (off <= FLAT_SPLINE_REL * (c - a).length() && (0..4).all(turns)).then_some(off)
}

fn of_spline(nurbs: &NurbsSurface, back: &Pose, own: bool) -> Option<Tiles> {
    let [rows, columns] = nurbs.tile_counts();
    let shift = back.translation();
    let moved = |p: &DVec4| (p.truncate() + shift * p.w).extend(p.w);
    let tiles = (0..rows * columns).map(|k| {
        let tile = [k / columns, k % columns];
        (nurbs.tile_rect(tile), nurbs.tile_net(tile).iter().map(moved).collect())
    });
    Tiles::new(nurbs.degrees(), tiles.collect(), own)
}

/// The curve is anchored already.
fn of_curve(curve: &Curve, range: Range) -> Option<Tiles> {
    let own = matches!(curve, Curve::Nurbs(_));
    let nurbs = curve.to_nurbs(range).ok()?;
    let unit = Range::new(0.0, 1.0);
    let knots = nurbs.knots();
    let tiles = (0..knots.piece_count()).map(|i| {
        let piece = nurbs.piece(i);
        (Rect::new(knots.piece(i), unit), piece.homogeneous_points().to_vec())
    });
    Tiles::new([nurbs.degree(), 0], tiles.collect(), own)
}

/// How far edges are from the surfaces of their faces and from their vertices, at samples.
fn looseness(body: &TiledBody, faces: &[FaceShape], edges: &[EdgeShape], vertices: &[DVec3]) -> f64 {
    let mut most = 0.0_f64;
    for (at, edge) in body.edges().iter().enumerate() {
        let shape = &edges[at];
        let point = |s: f64| shape.strand.jet(shape.strand.state(edge.range.at(s))).point;
        for s in (0..SAMPLES).map(|k| k as f64 / (SAMPLES - 1) as f64) {
            for face in edge.faces.iter().flatten() {
                most = most.max(faces[face.index()].sheet.distance(point(s)));
            }
        }
        if let Some([from, to]) = edge.vertices {
            most = most.max(point(0.0).distance(vertices[from.index()]));
            most = most.max(point(1.0).distance(vertices[to.index()]));
        }
    }
    most
}

impl Sheet {
    /// The distance of a point close to the surface; 0 where there is no formula.
    fn distance(&self, point: DVec3) -> f64 {
        match self {
            Self::Plane { origin, x, y } => x.cross(*y).dot(point - *origin).abs(),
            Self::Ball { center, axes, inverse } => {
                let w = *inverse * (point - *center);
                (*axes * (w - w.normalize_or(DVec3::Z))).length()
            }
            Self::Tube { origin, axes, radius, slope } => {
                let local = axes.transpose() * (point - *origin);
                let off = local.x.hypot(local.y) - (radius + slope * local.z).abs();
                off.abs() / (1.0 + slope * slope).sqrt()
            }
            Self::Other(_) => 0.0,
        }
    }
}
