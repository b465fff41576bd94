//! What is known about curved bodies.

use super::{Description, Fact, measured, measured_in, tensor};
use clearance_geometry::algebraic::AlgebraicSurface;
use clearance_geometry::bound::Aabb;
use clearance_geometry::curve::{Direction, Range};
use clearance_geometry::surface::{Pole, Surface};
use clearance_geometry::tiled::{Convexity, EdgeKind, Face, Hollow, TiledBody};
use clearance_geometry::{
    DVec3, DeformingBody, EdgeId, FaceId, Feature, PlanarConvexity, PlanarTiled, VertexId, tolerance,
};

impl Description {
    pub(super) fn add_tiled(&mut self, body: &TiledBody, surface_only: bool) {
        self.add("faces", Fact::Count(body.face_count()));
        self.add("surfaces", surfaces(body.faces().iter(), 0));
        self.add("edges", Fact::Count(body.edge_count()));
        self.add("edge_classes", classes(body.edges().iter().map(|edge| edge.kind), 0));
        self.add("vertices", Fact::Count(body.vertex_count()));
        self.add("shells", Fact::Count(body.shell_count()));
        self.add("closed", Fact::Flag(body.is_closed()));
        let open = open_edges(body, "");
        if !open.is_empty() {
            self.add("open_edges", Fact::Rows(open));
        }
        self.add("surface_only", Fact::Flag(surface_only));
        let (convex, shown_by) = convexity(body);
        self.add("convex", Fact::Text(convex.to_owned()));
        if let Some(place) = shown_by {
            self.add("not_convex_at", Fact::Text(place));
        }
        self.add_box(&body.aabb());
        self.add_mass(body);
        let patches = body.nice_patches();
        let nice = patches.iter().filter(|patch| patch.is_nice()).count();
        self.add("nice_patches", Fact::Count(nice));
        self.add("other_patches", Fact::Count(patches.len() - nice));
        let poles = poles(body);
        if !poles.is_empty() {
            self.add("poles", Fact::Rows(poles));
        }
        self.add("tolerance", measured([body.tolerance()]));
    }

    /// Area, volume, centre and inertia, and whether their errors are bounds.
    fn add_mass(&mut self, body: &TiledBody) {
        let mass = body.mass();
        let (proven, area_proven) = (mass.proven, mass.area_proven);
        self.add("area", Fact::Estimate { value: mass.area, error: mass.area_error, proven: area_proven });
        if body.is_closed() {
            self.add("volume", Fact::Estimate { value: mass.volume, error: mass.volume_error, proven });
        }
        let values = mass.center.to_array().to_vec();
        let center = Fact::Estimates { values, error: mass.center_error, proven };
        self.add(if body.is_closed() { "mass_center" } else { "area_center" }, center);
        if body.is_closed() {
            let values = tensor(mass.inertia);
            self.add("inertia", Fact::Estimates { values, error: mass.inertia_error, proven });
        }
        self.add("area_proven", Fact::Flag(area_proven));
        self.add("mass_proven", Fact::Flag(proven));
    }

    pub(super) fn add_box<const D: usize>(&mut self, around: &Aabb<D>) {
        let size: Vec<f64> = around.high.iter().zip(&around.low).map(|(high, low)| high - low).collect();
        let ends = around.high.iter().chain(&around.low);
        let scale = ends.fold(0.0_f64, |most, end| most.max(end.abs()));
        self.add("lowest", measured_in(around.low, scale));
        self.add("highest", measured_in(around.high, scale));
        self.add("size", measured_in(size, scale));
    }

    pub(super) fn add_deforming(&mut self, body: &DeformingBody) {
        let moving = body.faces().iter().filter(|face| face.is_moving()).count();
        self.add("moving_faces", Fact::Count(moving));
        // No point is faster than the fastest control point, so that one second's bound is the greatest speed.
        self.add("motion_per_second", measured([body.motion_bound(1.0)]));
    }

    pub(super) fn add_algebraic(&mut self, surface: &AlgebraicSurface) {
        self.add("degree", Fact::Count(surface.polynomial().degree() as usize));
        self.add("terms", Fact::Count(surface.polynomial().terms().len()));
        self.add("sheets", Fact::Count(surface.sheets().len()));
        let within = surface.within();
        let ends = within.high.iter().chain(&within.low);
        let scale = ends.fold(0.0_f64, |most, end| most.max(end.abs()));
        let sheets = surface.sheets().iter().map(|sheet| {
            Self::default()
                .with("point", measured_in(sheet.point.to_array(), scale))
                .with("normal", measured(sheet.normal.to_array()))
        });
        self.add("points_on_sheets", Fact::Rows(sheets.collect()));
        let singular = surface.singular_points().iter();
        let singular: Vec<Self> = singular
            .map(|point| Self::default().with("point", measured_in(point.to_array(), scale)))
            .collect();
        if !singular.is_empty() {
            self.add("singular_points", Fact::Rows(singular));
        }
        self.add("undecided_cells", Fact::Count(surface.undecided_cells()));
        self.add("surface_only", Fact::Flag(true));
        self.vector("within_lowest", &within.low);
        self.vector("within_highest", &within.high);
    }

    pub(super) fn add_planar_tiled(&mut self, body: &PlanarTiled, surface_only: bool) {
        self.add("edges", Fact::Count(body.sides().len()));
        self.add("vertices", Fact::Count(body.corners().len()));
        self.add("corner_classes", classes(body.corners().iter().map(|corner| corner.kind), 0));
        self.add("surface_only", Fact::Flag(surface_only));
        let (convex, shown_by) = match body.convexity() {
            PlanarConvexity::Convex => ("yes", None),
            PlanarConvexity::ReflexCorner(corner) => ("no", Some(Feature::Vertex(corner).to_string())),
            PlanarConvexity::Hollow { edge, at } => ("no", Some(format!("{} at {at}", Feature::Edge(edge)))),
            PlanarConvexity::Unknown => ("unknown", None),
        };
        self.add("convex", Fact::Text(convex.to_owned()));
        if let Some(place) = shown_by {
            self.add("not_convex_at", Fact::Text(place));
        }
        let boxes = body.sides().iter().map(|side| side.curve.aabb(side.range));
        self.add_box(&boxes.fold(Aabb::EMPTY, |all, one| all.joined(&one)));
        let mass = body.mass();
        self.add("area", Fact::Estimate { value: mass.area, error: body.area_error(), proven: false });
        self.add("mass_center", measured(mass.center.to_array()));
        self.add("inertia", measured([mass.second_moment]));
    }
}

/// How many faces lie on each sort of surface; `flat` more are those of polytopes.
pub(super) fn surfaces<'f>(faces: impl Iterator<Item = &'f Face>, flat: usize) -> Fact {
    const NAMES: [&str; 10] = [
        "plane",
        "sphere",
        "ellipsoid",
        "cylinder",
        "cone",
        "paraboloid",
        "torus",
        "revolution",
        "extrusion",
        "nurbs",
    ];
    let mut counts = [0; NAMES.len()];
    counts[0] = flat;
    for face in faces {
        let at = match face.surface {
            Surface::Plane(_) => 0,
            Surface::Sphere(_) => 1,
            Surface::Ellipsoid(_) => 2,
            Surface::Cylinder(_) => 3,
            Surface::Cone(_) => 4,
            Surface::Paraboloid(_) => 5,
            Surface::Torus(_) => 6,
            Surface::Revolution(_) => 7,
            Surface::Extrusion(_) => 8,
            Surface::Nurbs(_) => 9,
        };
        counts[at] += 1;
    }
    Fact::Counts(NAMES.into_iter().zip(counts).filter(|(_, count)| *count > 0).collect())
}

/// How many edges or corners there are of each class; `flat` more are those of polytopes.
pub(super) fn classes(kinds: impl Iterator<Item = EdgeKind>, flat: usize) -> Fact {
    const NAMES: [(EdgeKind, &str); 5] = [
        (EdgeKind::Convex, "convex"),
        (EdgeKind::Reflex, "reflex"),
        (EdgeKind::Smooth, "smooth"),
        (EdgeKind::Mixed, "mixed"),
        (EdgeKind::Open, "open"),
    ];
    let kinds: Vec<EdgeKind> = kinds.collect();
    let count = |wanted: EdgeKind| {
        let flat = if wanted == EdgeKind::Convex { flat } else { 0 };
        flat + kinds.iter().filter(|kind| **kind == wanted).count()
    };
    let counts = NAMES.into_iter().map(|(kind, name)| (name, count(kind)));
    Fact::Counts(counts.filter(|(_, count)| *count > 0).collect())
}

/// Edges with one face; `path` stands before the features of a part.
pub(super) fn open_edges(body: &TiledBody, path: &str) -> Vec<Description> {
    let row = |edge: EdgeId, gap: f64| {
        let face = body.edge(edge).faces.into_iter().flatten().next();
        let mut row =
            Description::default().with("edge", Fact::Text(format!("{path}{}", Feature::Edge(edge))));
        if let Some(face) = face {
            row.add("face", Fact::Text(format!("{path}{}", Feature::Face(face))));
        }
        // Infinite where there is no other open edge.
        if gap.is_finite() {
            row.add("gap", measured([gap]));
        }
        row
    };
    body.open_edges().iter().map(|open| row(open.edge, open.gap)).collect()
}

/// Yes, no or unknown, and the place that shows a no.
pub(super) fn convexity(body: &TiledBody) -> (&'static str, Option<String>) {
    match body.convexity() {
        Convexity::Convex => ("yes", None),
        Convexity::Unknown => ("unknown", None),
        Convexity::NotConvex(hollow) => ("no", Some(hollow_in_words(body, hollow))),
    }
}

fn hollow_in_words(body: &TiledBody, hollow: Hollow) -> String {
    match hollow {
        Hollow::Face { face, at } => {
            let point = body.face(face).point(at);
            let place = super::text::measured(&point.to_array(), point.abs().max_element());
            format!("{} curves outward at {place}", Feature::Face(face))
        }
        Hollow::Edge { edge } => format!("{} is reflex", Feature::Edge(edge)),
        Hollow::Open { edge } => format!("{} is open", Feature::Edge(edge)),
        Hollow::Pieces { count } => format!("the boundary has {count} pieces"),
        other => format!("{other:?}"),
    }
}

/// Poles, apexes and collapsed sides that lie on the faces.
fn poles(body: &TiledBody) -> Vec<Description> {
    let mut rows = Vec::new();
    for (index, face) in body.faces().iter().enumerate() {
        let bounds = face.region.bounds();
        for pole in face.surface.poles() {
            let (name, range) = match pole.direction {
                Direction::U => ("u", bounds.u),
                Direction::V => ("v", bounds.v),
            };
            if touches(range, pole.at) {
                let face_name = Feature::Face(FaceId(index as u32)).to_string();
                let row = Description::default()
                    .with("face", Fact::Text(face_name))
                    .with("parameter", Fact::Text(name.to_owned()));
                rows.push(pole_row(row, body, face, &pole));
            }
        }
    }
    rows
}

fn pole_row(mut row: Description, body: &TiledBody, face: &Face, pole: &Pole) -> Description {
    // As witnesses have it: degrees where the parameter is an angle.
    let is_angle = matches!(face.surface, Surface::Sphere(_) | Surface::Ellipsoid(_) | Surface::Torus(_));
    row.add("at", measured([if is_angle { pole.at.to_degrees() } else { pole.at }]));
    row.add("point", measured(pole.point.to_array()));
    if let Some(normal) = pole.normal {
        row.add("normal", measured((if face.reversed { -normal } else { normal }).to_array()));
    }
    let is_here = |vertex: &DVec3| vertex.distance(pole.point) <= body.tolerance();
    if let Some(vertex) = body.vertices().iter().position(is_here) {
        row.add("vertex", Fact::Text(Feature::Vertex(VertexId(vertex as u32)).to_string()));
    }
    row
}

/// Whether a parameter lies in a range, up to rounding.
fn touches(range: Range, at: f64) -> bool {
    let slack = tolerance::STRAIGHT_REL * (range.width() + at.abs());
    at >= range.low - slack && at <= range.high + slack
}
