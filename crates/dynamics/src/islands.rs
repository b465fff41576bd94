//! Islands: groups of bodies that constraints tie together, each with a program of its own.

/// Bodies that constraints tie together.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Island {
    /// Bodies that move, in order.
    pub(crate) bodies: Vec<usize>,
    /// Contacts by number.
    pub(crate) contacts: Vec<usize>,
    /// Rows by number.
    pub(crate) rows: Vec<usize>,
}

/// Splits the bodies that move by their contacts and rows, in the order of the first constraint of each. Bodies without
/// constraints belong to none; bodies that do not move tie nothing together.
pub(crate) fn islands(
    moves: &[bool],
    contacts: &[[Option<usize>; 2]],
    rows: &[[Option<usize>; 2]],
) -> Vec<Island> {
    let mut groups: Vec<usize> = (0..moves.len()).collect();
    for pair in contacts.iter().chain(rows) {
        if let [Some(a), Some(b)] = pair.map(|body| body.filter(|&body| moves[body])) {
            let (one, two) = (root(&mut groups, a), root(&mut groups, b));
            groups[one.max(two)] = one.min(two);
        }
    }
    let mut numbers: Vec<Option<usize>> = vec![None; moves.len()];
    let mut islands: Vec<Island> = Vec::new();
    for (at, pair) in contacts.iter().chain(rows).enumerate() {
        let Some(body) = pair.iter().flatten().copied().find(|&body| moves[body]) else { continue };
        let number = *numbers[root(&mut groups, body)].get_or_insert_with(|| {
            islands.push(Island::default());
            islands.len() - 1
        });
        match at.checked_sub(contacts.len()) {
            None => islands[number].contacts.push(at),
            Some(row) => islands[number].rows.push(row),
        }
    }
    for body in (0..moves.len()).filter(|&body| moves[body]) {
        if let Some(number) = numbers[root(&mut groups, body)] {
            islands[number].bodies.push(body);
        }
    }
    islands
}

fn root(groups: &mut [usize], mut body: usize) -> usize {
    while groups[body] != body {
        groups[body] = groups[groups[body]];
        body = groups[body];
    }
    body
}

/// The slot of each body within its island; bodies that belong to none have none.
pub(crate) fn slots(islands: &[Island], count: usize) -> Vec<Option<usize>> {
    let mut slots = vec![None; count];
    for island in islands {
        for (slot, &body) in island.bodies.iter().enumerate() {
            slots[body] = Some(slot);
        }
    }
    slots
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fixed_bodies_tie_nothing_together() {
        let moves = [false, true, true, true, true];
        let contacts = [[Some(0), Some(1)], [Some(0), Some(2)], [Some(2), Some(3)]];
        let found = islands(&moves, &contacts, &[[None, Some(3)]]);
        assert_eq!(found.len(), 2);
        assert_eq!(found[0], Island { bodies: vec![1], contacts: vec![0], rows: vec![] });
        assert_eq!(found[1], Island { bodies: vec![2, 3], contacts: vec![1, 2], rows: vec![0] });
    }
}
