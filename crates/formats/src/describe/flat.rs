//! What is known about bodies with flat faces.

use super::{Description, Fact, tensor};
use clearance_geometry::{DVec2, DVec3, HalfSpace, Polygon, Polytope};

/// The corners of the box around a polytope.
pub(super) fn extent(polytope: &Polytope) -> [DVec3; 2] {
    let corners = polytope.vertices().iter();
    let (low, high) = corners.fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), vertex| {
        (low.min(*vertex), high.max(*vertex))
    });
    [low, high]
}

impl Description {
    pub(super) fn add_polytope(&mut self, polytope: &Polytope) {
        let (anchor, mass) = (polytope.anchor(), polytope.mass());
        let [low, high] = extent(polytope);
        self.add("vertices", Fact::Count(polytope.vertex_count()));
        self.add("edges", Fact::Count(polytope.edge_count()));
        self.add("faces", Fact::Count(polytope.face_count()));
        self.vector("lowest", &(low + anchor).to_array());
        self.vector("highest", &(high + anchor).to_array());
        self.vector("size", &(high - low).to_array());
        self.add("volume", Fact::Number(mass.volume));
        self.vector("mass_center", &(mass.center + anchor).to_array());
        self.vector("inertia", &tensor(mass.inertia));
        self.vector("center", &(polytope.center() + anchor).to_array());
        self.add("inradius", Fact::Number(polytope.inradius()));
        self.add("radius", Fact::Number(polytope.radius()));
    }

    pub(super) fn add_half_space(&mut self, half_space: &HalfSpace) {
        self.vector("normal", &half_space.plane().normal.to_array());
        self.add("offset", Fact::Number(half_space.plane().offset));
    }

    pub(super) fn add_polygon(&mut self, polygon: &Polygon) {
        let (anchor, mass) = (polygon.anchor(), polygon.mass());
        let (low, high) =
            polygon.vertices().iter().fold((DVec2::INFINITY, DVec2::NEG_INFINITY), |(low, high), vertex| {
                (low.min(*vertex), high.max(*vertex))
            });
        self.add("vertices", Fact::Count(polygon.vertex_count()));
        self.add("edges", Fact::Count(polygon.edge_count()));
        self.vector("lowest", &(low + anchor).to_array());
        self.vector("highest", &(high + anchor).to_array());
        self.vector("size", &(high - low).to_array());
        self.add("area", Fact::Number(mass.area));
        self.vector("mass_center", &(mass.center + anchor).to_array());
        self.add("inertia", Fact::Number(mass.second_moment));
        self.vector("center", &(polygon.center() + anchor).to_array());
        self.add("inradius", Fact::Number(polygon.inradius()));
        self.add("radius", Fact::Number(polygon.radius()));
    }
}
