//! The way from the plain data of a STEP body to a checked tiled body.

use super::{StepBody, StepCourse, StepEdgeUse, StepFace};
use clearance_geometry::tiled::{
    Draft, DraftEdge, DraftFace, DraftLoop, DraftUse, ParameterCurve, TiledBody, TiledError,
};

impl StepBody {
    /// The body with its faces joined along their edges, checked; faces, edges and vertices keep their numbers.
    ///
    /// ```
    /// use clearance_formats::{Units, step::StepModel};
    /// let text = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/step_made/void.step"));
    /// let model = StepModel::from_bytes(text, Units::Millimetre)?;
    /// let block = model.bodies[0].to_tiled()?;
    /// assert!(block.is_closed());
    /// assert_eq!(block.shell_count(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Whatever [`TiledBody::from_draft`] finds: an edge off its surface, a loop with a gap, faces that disagree.
    pub fn to_tiled(&self) -> Result<TiledBody, TiledError> {
        let edges = self.edges.iter().map(|edge| DraftEdge {
            curve: edge.curve.clone(),
            range: edge.range,
            ends: Some(edge.vertices),
        });
        TiledBody::from_draft(Draft {
            faces: self.faces.iter().map(draft_face).collect(),
            edges: edges.collect(),
            vertices: self.vertices.iter().map(|vertex| vertex.point).collect(),
            tolerance: None,
        })
    }
}

fn draft_face(face: &StepFace) -> DraftFace {
    let loops = face.loops.iter().map(|bound| match &bound.course {
        StepCourse::Vertex(vertex) => DraftLoop::Vertex(*vertex),
        StepCourse::Edges(uses) => DraftLoop::Edges(uses.iter().map(draft_use).collect()),
    });
    DraftFace { surface: face.surface.clone(), reversed: face.reversed, loops: loops.collect(), rect: None }
}

fn draft_use(of: &StepEdgeUse) -> DraftUse {
    DraftUse {
        edge: of.edge,
        reversed: of.reversed,
        parameters: of
            .parameters
            .as_ref()
            .map(|known| ParameterCurve { curve: known.curve.clone(), ends: known.ends }),
    }
}
