//! Writes small STEP files whose shape is known in closed form, well or badly.

use clearance_geometry::DVec3;
use std::f64::consts::TAU;
use std::fmt::Write as _;

/// The records of a file, numbered as they come, one to a line.
#[derive(Default)]
pub(crate) struct Writer {
    pub(crate) records: String,
    count: u64,
}

/// An edge in a loop: its record and whether the loop runs along it.
pub(crate) type Use = (u64, bool);

impl Writer {
    /// Adds a record; its number.
    pub(crate) fn add(&mut self, text: &str) -> u64 {
        self.count += 1;
        let _ = writeln!(self.records, "#{}={text};", self.count);
        self.count
    }

    pub(crate) fn point(&mut self, p: DVec3) -> u64 {
        self.add(&format!("CARTESIAN_POINT('',{})", triple(p)))
    }

    pub(crate) fn direction(&mut self, d: DVec3) -> u64 {
        self.add(&format!("DIRECTION('',{})", triple(d)))
    }

    pub(crate) fn placement(&mut self, origin: DVec3, z: DVec3, x: DVec3) -> u64 {
        let [origin, z, x] = [self.point(origin), self.direction(z), self.direction(x)];
        self.add(&format!("AXIS2_PLACEMENT_3D('',#{origin},#{z},#{x})"))
    }

    pub(crate) fn vertex(&mut self, p: DVec3) -> u64 {
        let p = self.point(p);
        self.add(&format!("VERTEX_POINT('',#{p})"))
    }

    /// A straight edge between vertices at two places.
    pub(crate) fn line(&mut self, from: (u64, DVec3), to: (u64, DVec3)) -> u64 {
        // A direction is needed also where the ends coincide.
        let along = (to.1 - from.1).normalize_or(DVec3::X);
        let [origin, along] = [self.point(from.1), self.direction(along)];
        let vector = self.add(&format!("VECTOR('',#{along},1.)"));
        let line = self.add(&format!("LINE('',#{origin},#{vector})"));
        self.add(&format!("EDGE_CURVE('',#{},#{},#{line},.T.)", from.0, to.0))
    }

    /// A full circle about z that begins at an angle; its edge and vertex.
    pub(crate) fn circle(&mut self, centre: DVec3, radius: f64, angle: f64) -> (u64, u64) {
        let start = self.vertex(centre + radius * DVec3::new(angle.cos(), angle.sin(), 0.0));
        let place = self.placement(centre, DVec3::Z, DVec3::X);
        let circle = self.add(&format!("CIRCLE('',#{place},{})", real(radius)));
        (self.add(&format!("EDGE_CURVE('',#{start},#{start},#{circle},.T.)")), start)
    }

    /// A face on a surface; the first loop is the outer one.
    pub(crate) fn face(&mut self, surface: u64, same_sense: bool, loops: &[Vec<Use>]) -> u64 {
        let mut bounds = Vec::new();
        for (at, uses) in loops.iter().enumerate() {
            let turn = |(edge, along): &Use| format!("ORIENTED_EDGE('',*,*,#{edge},{})", flag(*along));
            let edges: Vec<u64> = uses.iter().map(|used| self.add(&turn(used))).collect();
            let path = self.add(&format!("EDGE_LOOP('',{})", list(&edges)));
            let kind = if at == 0 { "FACE_OUTER_BOUND" } else { "FACE_BOUND" };
            bounds.push(self.add(&format!("{kind}('',#{path},.T.)")));
        }
        self.add(&format!("ADVANCED_FACE('',{},#{surface},{})", list(&bounds), flag(same_sense)))
    }

    pub(crate) fn plane(&mut self, origin: DVec3, normal: DVec3) -> u64 {
        let place = self.placement(origin, normal, normal.any_orthonormal_vector());
        self.add(&format!("PLANE('',#{place})"))
    }

    pub(crate) fn solid(&mut self, faces: &[u64]) -> u64 {
        let shell = self.add(&format!("CLOSED_SHELL('',{})", list(faces)));
        self.add(&format!("MANIFOLD_SOLID_BREP('solid',#{shell})"))
    }

    pub(crate) fn sheet(&mut self, faces: &[u64]) -> u64 {
        let shell = self.add(&format!("OPEN_SHELL('',{})", list(faces)));
        self.add(&format!("SHELL_BASED_SURFACE_MODEL('sheet',(#{shell}))"))
    }

    /// The units, as a context; `length` is the record of the unit of length.
    pub(crate) fn context(&mut self, length: &str) -> u64 {
        let length = self.add(length);
        let angle = self.add("(NAMED_UNIT(*) PLANE_ANGLE_UNIT() SI_UNIT($,.RADIAN.))");
        self.add(&format!(
            "(GEOMETRIC_REPRESENTATION_CONTEXT(3) GLOBAL_UNIT_ASSIGNED_CONTEXT((#{length},#{angle})) \
             REPRESENTATION_CONTEXT('',''))"
        ))
    }

    /// A representation of some items.
    pub(crate) fn representation(&mut self, items: &[u64], context: u64) -> u64 {
        self.add(&format!("SHAPE_REPRESENTATION('',{},#{context})", list(items)))
    }

    /// The whole file around some bodies, in millimetres.
    pub(crate) fn file(mut self, bodies: &[u64]) -> String {
        let context = self.context(MILLIMETRE);
        self.representation(bodies, context);
        self.wrapped()
    }

    /// The whole file; its data begin on line 6.
    pub(crate) fn wrapped(self) -> String {
        format!(
            "ISO-10303-21;\nHEADER;FILE_DESCRIPTION((''),'2;1');\nFILE_NAME('','',(''),(''),'','','');\n\
             FILE_SCHEMA(('AUTOMOTIVE_DESIGN'));ENDSEC;\nDATA;\n{}ENDSEC;\nEND-ISO-10303-21;\n",
            self.records
        )
    }
}

pub(crate) const MILLIMETRE: &str = "(LENGTH_UNIT() NAMED_UNIT(*) SI_UNIT(.MILLI.,.METRE.))";

fn real(x: f64) -> String {
    format!("{x:.17E}")
}

fn triple(p: DVec3) -> String {
    format!("({},{},{})", real(p.x), real(p.y), real(p.z))
}

fn list(ids: &[u64]) -> String {
    let names: Vec<String> = ids.iter().map(|id| format!("#{id}")).collect();
    format!("({})", names.join(","))
}

fn flag(yes: bool) -> &'static str {
    if yes { ".T." } else { ".F." }
}

/// A block with a round hole along z through its middle.
#[derive(Clone, Copy)]
pub(crate) struct Plate {
    pub(crate) low: DVec3,
    pub(crate) size: DVec3,
    pub(crate) radius: f64,
    /// Where the hole's circles begin, and the seam of its wall runs.
    pub(crate) angle: f64,
    /// Whether the surfaces face inwards and the faces say so.
    pub(crate) against: bool,
    /// Whether the sides have an edge of length zero between them at one corner.
    pub(crate) nick: bool,
}

impl Plate {
    pub(crate) fn new(scale: f64) -> Self {
        Self {
            low: DVec3::ZERO,
            size: DVec3::new(4.0, 3.0, 2.0) * scale,
            radius: scale,
            angle: 0.0,
            against: false,
            nick: false,
        }
    }

    pub(crate) fn volume(&self) -> f64 {
        (self.size.x * self.size.y - TAU / 2.0 * self.radius * self.radius) * self.size.z
    }

    pub(crate) fn area(&self) -> f64 {
        let Self { size, radius, .. } = *self;
        2.0 * (size.x * size.y + size.y * size.z + size.z * size.x) + TAU * radius * (size.z - radius)
    }

    /// Writes the faces: bottom, top, front, right, back, left, wall of the hole.
    pub(crate) fn faces(&self, to: &mut Writer) -> Vec<u64> {
        let place =
            |x: u8, y: u8, z: u8| self.low + self.size * DVec3::new(f64::from(x), f64::from(y), f64::from(z));
        let ring = [[0, 0], [1, 0], [1, 1], [0, 1]];
        let mut corner = |z: u8| ring.map(|[x, y]| (to.vertex(place(x, y, z)), place(x, y, z)));
        let (low, high) = (corner(0), corner(1));
        // At a nick the last corner of the top is there twice.
        let twin = if self.nick { (to.vertex(high[3].1), high[3].1) } else { high[3] };
        let nick = self.nick.then(|| to.line(high[3], twin));
        let below: Vec<u64> = (0..4).map(|k| to.line(low[k], low[(k + 1) % 4])).collect();
        let mut ends = high;
        ends[3] = twin;
        let above: Vec<u64> = (0..4).map(|k| to.line(ends[k], high[(k + 1) % 4])).collect();
        let up: Vec<u64> = (0..4).map(|k| to.line(low[k], high[k])).collect();
        let middle = self.low + self.size * DVec3::new(0.5, 0.5, 0.0);
        let lift = DVec3::Z * self.size.z;
        let (under, start) = to.circle(middle, self.radius, self.angle);
        let (over, end) = to.circle(middle + lift, self.radius, self.angle);
        let rim = middle + self.radius * DVec3::new(self.angle.cos(), self.angle.sin(), 0.0);
        let seam = to.line((start, rim), (end, rim + lift));
        let sign = if self.against { -1.0 } else { 1.0 };
        let sense = !self.against;
        let flat = |to: &mut Writer, at: DVec3, normal: DVec3, loops: &[Vec<Use>]| {
            let plane = to.plane(at, normal * sign);
            to.face(plane, sense, loops)
        };
        let bottom: Vec<Use> = (0..4).rev().map(|k| (below[k], false)).collect();
        let mut top: Vec<Use> = (0..4).map(|k| (above[k], true)).collect();
        if let Some(nick) = nick {
            // After the third edge, which ends at the corner, comes the nick, then the fourth from its twin.
            top.insert(3, (nick, true));
        }
        let mut faces = vec![
            flat(to, low[0].1, -DVec3::Z, &[bottom, vec![(under, true)]]),
            flat(to, high[0].1, DVec3::Z, &[top, vec![(over, false)]]),
        ];
        for (k, normal) in [-DVec3::Y, DVec3::X, DVec3::Y, -DVec3::X].into_iter().enumerate() {
            let mut side = vec![(below[k], true), (up[(k + 1) % 4], true), (above[k], false), (up[k], false)];
            if let (3, Some(nick)) = (k, nick) {
                side.insert(3, (nick, false));
            }
            faces.push(flat(to, low[k].1, normal, &[side]));
        }
        // The cylinder's normal points away from the axis, so into the material.
        let axis = to.placement(middle, DVec3::Z, DVec3::X);
        let wall = to.add(&format!("CYLINDRICAL_SURFACE('',#{axis},{})", real(self.radius)));
        faces.push(to.face(wall, false, &[vec![(under, false), (seam, true), (over, true), (seam, false)]]));
        faces
    }

    /// A file with nothing else.
    pub(crate) fn text(&self) -> String {
        let mut to = Writer::default();
        let faces = self.faces(&mut to);
        let solid = to.solid(&faces);
        to.file(&[solid])
    }
}
