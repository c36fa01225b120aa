//! What one list of endpoints has that another one has not, as facts of a rule.

use std::collections::BTreeSet;
use std::net::SocketAddr;

/// The most endpoints that are named.
const NAMED: usize = 3;

/// How a list of endpoints has become another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moved {
    /// `added`, `removed`, `replaced` or `same`.
    pub change: &'static str,
    /// The endpoints that are new; empty if none is.
    pub new: String,
    /// The endpoints that are not there any more; empty if all are.
    pub gone: String,
}

impl Moved {
    /// From one list to another one.
    pub fn of(before: &[SocketAddr], after: &[SocketAddr]) -> Moved {
        let (old, all): (BTreeSet<_>, BTreeSet<_>) = (before.iter().collect(), after.iter().collect());
        let named = |of: Vec<&&SocketAddr>| {
            let mut names: Vec<String> = of.iter().take(NAMED).map(ToString::to_string).collect();
            if of.len() > NAMED {
                names.push("…".to_owned());
            }
            names.join(", ")
        };
        let (new, gone) = (named(all.difference(&old).collect()), named(old.difference(&all).collect()));
        let change = match (new.is_empty(), gone.is_empty()) {
            (false, true) => "added",
            (true, false) => "removed",
            (false, false) => "replaced",
            (true, true) => "same",
        };
        Moved { change, new, gone }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_number_of_endpoints_can_be_others() {
        let list = |numbers: &[u8]| -> Vec<SocketAddr> {
            numbers.iter().map(|n| SocketAddr::from(([10, 244, 1, *n], 80))).collect()
        };
        let of = |before: &[u8], after: &[u8]| {
            let Moved { change, new, gone } = Moved::of(&list(before), &list(after));
            format!("{change} +{new} -{gone}")
        };
        assert_eq!(of(&[2, 3], &[3, 4]), "replaced +10.244.1.4:80 -10.244.1.2:80");
        assert_eq!(of(&[2], &[2, 3]), "added +10.244.1.3:80 -");
        assert_eq!(of(&[3, 2], &[2]), "removed + -10.244.1.3:80");
        assert_eq!(of(&[3, 2], &[2, 3]), "same + -");
        let many = of(&[], &[1, 2, 3, 4]);
        assert_eq!(many, "added +10.244.1.1:80, 10.244.1.2:80, 10.244.1.3:80, … -");
    }
}
