//! Every figure and table of the source documents, with the row that reproduces it, or that it prints nothing to compare.

/// A source document.
pub(super) struct Document {
    pub(super) number: &'static str,
    pub(super) title: &'static str,
    pub(super) items: &'static [Item],
}

/// A figure or table of a document.
pub(super) struct Item {
    /// `figure 6`; figures of 003 go by their captions, because the copy at hand has lost their numbers.
    pub(super) place: &'static str,
    pub(super) what: &'static str,
    /// The rows that reproduce it; none where it draws a definition or another's work.
    pub(super) rows: &'static [&'static str],
}

impl Item {
    /// What stands in place of a verdict where no row reproduces it.
    pub(super) fn without_row(&self) -> Option<&'static str> {
        match self.rows {
            [] => Some("a drawing, nothing to compare"),
            _ => None,
        }
    }
}

const fn item(place: &'static str, what: &'static str, rows: &'static [&'static str]) -> Item {
    Item { place, what, rows }
}

/// A drawing of words of the text.
const NONE: &[&str] = &[];

pub(super) const DOCUMENTS: [Document; 5] = [
    Document {
        number: "000",
        title: "Patoglu and Gillespie: closest points of convex parametric patches by a switching controller",
        items: &[
            item("figure 1", "a patch and its parameters", NONE),
            item("figure 2", "block diagram of the earlier algorithm", NONE),
            item("figure 3", "Voronoi regions of tiled patches, and the automaton", &["000-figure-9"]),
            item("figure 4", "the switching controller", NONE),
            item("figure 5", "a boundary curve and its tangent", NONE),
            item("figure 6", "convergence along a boundary", &["000-figure-6"]),
            item("figure 7", "starts from which each method converges", &["000-figure-7"]),
            item("figure 8", "tracking with gains too low, right, too high", &["000-figure-8"]),
            item("figure 9", "switching between a patch, curves and planes", &["000-figure-9"]),
            item("theorem 1", "every start on a convex patch converges", &["000-theorem-1"]),
            item("table I", "the patch of the figures", &["000-theorem-1"]),
        ],
    },
    Document {
        number: "001",
        title: "Patoglu and Gillespie: feedback stabilized minimum distance maintenance for convex parametric surfaces",
        items: &[
            item("figure 1", "a patch, its curves and tangents", NONE),
            item("figure 2", "two patches and what lies between them", NONE),
            item("figure 3", "block diagram of the controller", &["001-figure-7"]),
            item("figure 4", "its other form", &["001-figure-7"]),
            item("figure 5", "tracking together with dynamics, a block diagram", NONE),
            item("figure 6", "a point followed on a patch", &["001-figure-7"]),
            item("figure 7", "projection errors, K = 100 and 1000", &["001-figure-7"]),
            item("figure 8", "a planar body of three curves", &["001-figure-8"]),
            item("figure 9", "its automaton", &["001-figure-8"]),
            item("figure 10", "the distance along a spiral", &["001-figure-8"]),
            item("figure 11", "parameters along it", &["001-figure-8"]),
            item("figure 12", "two planar bodies", &["001-figure-12"]),
            item("figure 13", "their automata", &["001-figure-12"]),
            item("figure 14", "twelve snapshots", &["001-figure-12"]),
            item("figure 15", "parameters", &["001-figure-12"]),
            item("figure 16", "a body of three patches and a helix", &["001-figure-16"]),
            item("figure 17", "its automaton", &["001-figure-16"]),
            item("figure 18", "parameters", &["001-figure-16"]),
            item("figure 19", "two such bodies", &["001-figure-19"]),
            item("figure 20", "parameters", &["001-figure-19"]),
        ],
    },
    Document {
        number: "002",
        title: "Hart: a constraint-stabilized time-stepping approach for piecewise smooth multibody dynamics",
        items: &[
            item("figure 1", "a body grown about a point", NONE),
            item("proposition 2.13", "the ratio is symmetric", &["002-symmetry"]),
            item("proposition 2.14", "below, at and above 1", &["002-trichotomy"]),
            item("figure 2", "two bodies grown or shrunk until they touch", &["002-figure-2"]),
            item(
                "figures 3 and 4",
                "bounds of the ratio metric, apart and overlapping",
                &["002-theorem-2.16"],
            ),
            item("figure 5", "two planes between two bodies", &["002-figure-5"]),
            item("figures 6 to 9", "corners, edges and faces in contact", NONE),
            item("figure 10", "a distance with a corner", &["002-figure-10"]),
            item("figure 11", "an icosahedron, whose corner is one event", NONE),
            item("figure 12", "two component functions", NONE),
            item("figures 13 to 15", "a constraint, a joint, the contact model", NONE),
            item("figure 16", "four frames of the Brazil nut, of a cited work", &["002-figure-16"]),
            item("figure 17", "two frames of a robot hand, of a cited work", NONE),
            item("figure 18", "Balance2, six frames", &["002-figure-18"]),
            item("figure 19", "Balance2, infeasibility against the stabilisation", &["002-figure-19"]),
            item("figure 20", "Balance2, infeasibility against the step", &["002-figure-20"]),
            item("figure 21", "Pyramid1, six frames", &["002-figure-21"]),
            item("figure 22", "Pyramid1, infeasibility against the step", &["002-figure-22"]),
            item("figure 23", "Dice3, four frames", &["002-figure-23"]),
            item("figure 24", "Dice3, infeasibility against the step", &["002-figure-24"]),
            item("figure 25", "Setup6, infeasibility against the step", &["002-figure-25"]),
            item("figure 26", "Setup6, four frames", &["002-figure-26"]),
            item("future work", "the Brazil nut with polyhedra", &["002-brazil-nut-polyhedra"]),
        ],
    },
    Document {
        number: "003",
        title: "Lin: efficient collision detection for animation and robotics",
        items: &[
            item(
                "chapters 2 and 3, figures",
                "winged edges, Voronoi regions, applicability criteria, flared cells",
                NONE,
            ),
            item(
                "chapter 3, figure of computation time",
                "time against vertices of both bodies",
                &["003-spheres", "003-cylinders"],
            ),
            item("chapter 3, figure of polytopes", "the bodies of the examples", NONE),
            item("chapter 3, table of CPU times", "with and without initialisation", &["003-initialisation"]),
            item("chapter 4, figures", "parts of bodies in trees, intersections, a torus of patches", NONE),
            item("chapter 6, figures", "channels, freeways, bridges", NONE),
        ],
    },
    Document {
        number: "004",
        title: "Zou and Xiao: tracking minimum distances between curved objects with parametric surfaces in real time",
        items: &[
            item("figure 1", "bodies made of convex features", NONE),
            item("figure 2", "a distance at right angles to both features", NONE),
            item("figure 3", "the pen and the bowl at a distance of 8", &["004-table-1"]),
            item("figure 4", "closest features while the pen moves", &["004-table-1"]),
            item("figure 5", "closest features while the pen turns", &["004-table-2"]),
            item("table 1", "closest points while the pen moves", &["004-table-1"]),
            item("table 2", "closest points while the pen turns", &["004-table-2"]),
        ],
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reproduce::subjects::SUBJECTS;

    #[test]
    fn every_row_belongs_to_a_figure_and_every_figure_names_known_rows() {
        let named: Vec<&str> = DOCUMENTS
            .iter()
            .flat_map(|document| document.items)
            .flat_map(|item| item.rows)
            .copied()
            .collect();
        for subject in &SUBJECTS {
            assert!(named.contains(&subject.name), "{} belongs to no figure", subject.name);
        }
        for document in &DOCUMENTS {
            for row in document.items.iter().flat_map(|item| item.rows) {
                assert!(SUBJECTS.iter().any(|subject| subject.name == *row), "{row} is missing");
                assert!(row.starts_with(document.number));
            }
        }
    }

    #[test]
    fn every_numbered_figure_is_listed() {
        for (document, last) in [("000", 9), ("001", 20), ("002", 26), ("004", 5)] {
            let items = DOCUMENTS.iter().find(|d| d.number == document).map_or(&[][..], |d| d.items);
            let mut listed: Vec<u32> = items
                .iter()
                .filter(|item| item.place.starts_with("figure"))
                .flat_map(|item| {
                    let numbers: Vec<u32> =
                        item.place.split(' ').filter_map(|word| word.parse().ok()).collect();
                    numbers[0]..=numbers[numbers.len() - 1]
                })
                .collect();
            listed.sort_unstable();
            assert_eq!(listed, (1..=last).collect::<Vec<u32>>(), "{document}");
        }
    }
}
