//! Other control nets for the same spline surface: knots inserted, degree raised, a part cut out. Each works on
//! the lines of the net along one parameter, as for curves.

use super::NurbsSurface;
use crate::curve::{Direction, Knots, NurbsError, Range, Rect, Spline, elevate, insert, restrict};
use glam::DVec4;

impl NurbsSurface {
    /// Rebuilds every line of the net along `direction`.
    fn rebuilt(
        &self,
        direction: Direction,
        degree: usize,
        line: impl Fn(&Knots, &[DVec4]) -> Result<Spline, NurbsError>,
    ) -> Result<Self, NurbsError> {
        let ([rows, columns], net) = (self.point_counts(), self.homogeneous_points());
        let [u, v] = self.knots();
        let mut lines = Vec::new();
        let mut values = Vec::new();
        match direction {
            Direction::U => {
                for j in 0..columns {
                    let column: Vec<DVec4> = (0..rows).map(|i| net[i * columns + j]).collect();
                    let (knots, points) = line(u, &column)?;
                    values = knots;
                    lines.push(points);
                }
                let rows = lines[0].len();
                let points = (0..rows).flat_map(|i| lines.iter().map(move |line| line[i])).collect();
                Self::from_homogeneous([Knots::new(degree, values, rows, direction)?, v.clone()], points)
            }
            Direction::V => {
                for row in net.chunks_exact(columns) {
                    let (knots, points) = line(v, row)?;
                    values = knots;
                    lines.push(points);
                }
                let columns = lines[0].len();
                let knots = [u.clone(), Knots::new(degree, values, columns, direction)?];
                Self::from_homogeneous(knots, lines.concat())
            }
        }
    }

    fn degree(&self, direction: Direction) -> usize {
        self.degrees()[usize::from(direction == Direction::V)]
    }

    /// The same surface with the knot `t` inserted once more along `direction`.
    ///
    /// # Errors
    /// When `t` is outside the domain or already stands degree + 1 times.
    pub fn with_knot(&self, direction: Direction, t: f64) -> Result<Self, NurbsError> {
        self.rebuilt(direction, self.degree(direction), |knots, line| insert(knots, line, t, direction))
    }

    /// The same surface with its degree along `direction` raised by one.
    ///
    /// # Errors
    /// When rounding makes a weight vanish.
    pub fn elevated(&self, direction: Direction) -> Result<Self, NurbsError> {
        self.rebuilt(direction, self.degree(direction) + 1, |knots, line| Ok(elevate(knots, line)))
    }

    /// The part over `rect`, with the same parameters.
    ///
    /// # Errors
    /// When the rectangle is empty or reaches outside the domain.
    pub fn restricted(&self, rect: Rect) -> Result<Self, NurbsError> {
        let along = |surface: &Self, direction, range: Range| {
            surface.rebuilt(direction, surface.degree(direction), |knots, line| {
                restrict(knots, line, range, direction)
            })
        };
        along(&along(self, Direction::U, rect.u)?, Direction::V, rect.v)
    }
}
