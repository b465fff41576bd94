//! Poses as files and streams write them.

use crate::angle::rotation;
use crate::fields::At;
use crate::{Context, Error, ErrorKind, Value};
use clearance_geometry::{DMat3, DQuat, DVec2, DVec3, PlanarPose, Pose, PoseError, tolerance};

/// Where a body stands, in space or in the plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AnyPose {
    /// In space.
    Solid(Pose),
    /// In the plane.
    Planar(PlanarPose),
}

impl AnyPose {
    /// No motion.
    pub fn identity(planar: bool) -> Self {
        if planar { Self::Planar(PlanarPose::IDENTITY) } else { Self::Solid(Pose::IDENTITY) }
    }

    /// Reads a pose object such as `{"translation": [1, 0, 0], "axis_angle": [0, 0, 1, 90]}`; in the plane
    /// `{"translation": [1, 0], "angle": 90}`.
    ///
    /// # Errors
    /// `pose_conflict` on two rotations, `bad_rotation` on one that is none, `dimension_mismatch` on a
    /// solid pose for a planar body or the reverse, and what any object can have wrong.
    ///
    /// ```
    /// use clearance_formats::{AnyPose, Context};
    /// use clearance_geometry::{DVec3, Pose};
    /// let pose = AnyPose::from_json(r#"{"axis_angle": [0, 0, 1, 90]}"#, false, &Context::default())?;
    /// let AnyPose::Solid(pose) = pose else { unreachable!() };
    /// assert_eq!(pose.apply(DVec3::X), DVec3::Y);
    /// # Ok::<(), clearance_formats::Error>(())
    /// ```
    pub fn from_value(value: &Value, planar: bool, context: &Context) -> Result<Self, Error> {
        parse(At::root(value, ""), planar, context)
    }

    /// As [`AnyPose::from_value`], from JSON text.
    ///
    /// # Errors
    /// As [`AnyPose::from_value`], and `bad_json`.
    pub fn from_json(text: &str, planar: bool, context: &Context) -> Result<Self, Error> {
        Self::from_value(&Value::from_json(text)?, planar, context)
    }

    /// Whether it is a pose of the plane.
    pub const fn is_planar(&self) -> bool {
        matches!(self, Self::Planar(_))
    }
}

const SOLID_KEYS: [&str; 4] = ["translation", "rotation", "axis_angle", "matrix"];
const PLANAR_KEYS: [&str; 2] = ["translation", "angle"];

/// Reads a pose object.
pub(crate) fn parse(at: At<'_>, planar: bool, context: &Context) -> Result<AnyPose, Error> {
    refuse_other_dimension(&at, planar)?;
    if planar {
        at.check_keys(&PLANAR_KEYS)?;
        return planar_pose(&at, context).map(AnyPose::Planar);
    }
    at.check_keys(&SOLID_KEYS)?;
    let rotations: Vec<&str> = SOLID_KEYS[1..].iter().copied().filter(|key| at.get(key).is_some()).collect();
    let matrix = at.get("matrix");
    if rotations.len() > 1 || (matrix.is_some() && at.get("translation").is_some()) {
        let found: Vec<String> = at.entries()?.iter().map(|(key, _)| format!("`{key}`")).collect();
        return Err(at.error(ErrorKind::PoseConflict { found: found.join(" and ") }));
    }
    let pose = match matrix {
        Some(matrix) => matrix_pose(&matrix, context)?,
        None => {
            let translation = translation(&at, context)?;
            let turn = turn(&at)?;
            Pose::from_matrix(turn, translation).map_err(|error| at.place(error.into()))?
        }
    };
    Ok(AnyPose::Solid(pose))
}

/// A key of the other dimension is no spelling mistake, so it gets its own error.
fn refuse_other_dimension(at: &At<'_>, planar: bool) -> Result<(), Error> {
    let (others, reason): (&[&str], _) = if planar {
        (&SOLID_KEYS[1..], "a planar pose takes `translation` of two numbers and `angle`")
    } else {
        (&PLANAR_KEYS[1..], "`angle` turns planar bodies; a solid one takes `rotation` or `axis_angle`")
    };
    for key in others {
        if let Some(found) = at.get(key) {
            return Err(found.error(ErrorKind::DimensionMismatch { reason: reason.to_owned() }));
        }
    }
    Ok(())
}

fn translation(at: &At<'_>, context: &Context) -> Result<DVec3, Error> {
    let Some(field) = at.get("translation") else { return Ok(DVec3::ZERO) };
    let moved = context.scale().apply_all(field.vector::<3>()?);
    Ok(DVec3::from_array(moved))
}

fn turn(at: &At<'_>) -> Result<DMat3, Error> {
    if let Some(field) = at.get("rotation") {
        let [x, y, z, w] = field.vector::<4>()?;
        let pose = Pose::new(DQuat::from_xyzw(x, y, z, w), DVec3::ZERO);
        return pose.map(|pose| pose.rotation()).map_err(|error| field.place(error.into()));
    }
    let Some(field) = at.get("axis_angle") else { return Ok(DMat3::IDENTITY) };
    let [x, y, z, degrees] = field.vector::<4>()?;
    Ok(rotation(unit(&field, DVec3::new(x, y, z))?, degrees))
}

/// Normalises an axis that is unit to input accuracy.
pub(crate) fn unit(at: &At<'_>, axis: DVec3) -> Result<DVec3, Error> {
    let length = axis.length();
    // Written so that NaN is refused.
    if (length - 1.0).abs() <= tolerance::UNIT_INPUT_REL {
        return Ok(axis / length);
    }
    Err(at.place(PoseError::NotUnit { length }.into()))
}

fn matrix_pose(at: &At<'_>, context: &Context) -> Result<Pose, Error> {
    let rows = at.vectors::<4>()?;
    let [a, b, c, last] = rows.as_slice() else {
        let found = format!("{} rows", rows.len());
        return Err(at.error(ErrorKind::WrongType { expected: "four rows".to_owned(), found }));
    };
    if *last != [0.0, 0.0, 0.0, 1.0] {
        let reason = "the last row of a matrix must be 0 0 0 1".to_owned();
        return Err(at.error(ErrorKind::BadRotation { reason }));
    }
    let column = |i: usize| DVec3::new(a[i], b[i], c[i]);
    let translation = DVec3::from_array(context.scale().apply_all(column(3).to_array()));
    Pose::from_matrix(DMat3::from_cols(column(0), column(1), column(2)), translation)
        .map_err(|error| at.place(error.into()))
}

fn planar_pose(at: &At<'_>, context: &Context) -> Result<PlanarPose, Error> {
    let translation = match at.get("translation") {
        Some(field) => DVec2::from_array(context.scale().apply_all(field.vector::<2>()?)),
        None => DVec2::ZERO,
    };
    let degrees = at.get("angle").map_or(Ok(0.0), |field| field.number())?;
    PlanarPose::from_degrees(degrees, translation).map_err(|error| at.place(error.into()))
}
