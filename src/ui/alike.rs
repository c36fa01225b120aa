//! What is the same is said once, or not at all.

/// Names with what is said of each. Those that follow each other and of which the same is said come together.
pub fn together<'a>(all: impl IntoIterator<Item = (&'a str, String)>) -> Vec<(Vec<&'a str>, String)> {
    let mut parts: Vec<(Vec<&str>, String)> = Vec::new();
    for (name, said) in all {
        match parts.last_mut() {
            Some((names, last)) if *last == said => names.push(name),
            _ => parts.push((vec![name], said)),
        }
    }
    parts
}

/// What tells names apart: each without the words at its beginning that all of them have, as pods of one owner do. Words end at a hyphen.
/// A name that is a part of another one stays whole, and so do all if there is only one.
pub fn apart(names: &[String]) -> Vec<&str> {
    let whole = || names.iter().map(String::as_str).collect::<Vec<_>>();
    let Some((first, rest)) = names.split_first().filter(|(_, rest)| !rest.is_empty()) else {
        return whole();
    };
    let has_all = |end: &usize| rest.iter().all(|name| name.get(..*end) == first.get(..*end));
    let shared = first.match_indices('-').map(|(at, _)| at + 1).take_while(has_all).last().unwrap_or(0);
    let ends =
        names.iter().map(|name| name.get(shared..).filter(|end| !end.is_empty())).collect::<Option<_>>();
    ends.unwrap_or_else(whole)
}

#[cfg(test)]
mod tests {
    use super::{apart, together};

    #[test]
    fn names_of_one_owner_are_told_apart_by_their_ends() {
        let of = |names: &[&str]| apart(&names.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>()).join(" ");
        assert_eq!(of(&["web-7f-abc", "web-7f-abd", "web-7f-x"]), "abc abd x");
        assert_eq!(of(&["web-7f-abc", "web-8-abc"]), "7f-abc 8-abc");
        assert_eq!(of(&["web", "api"]), "web api");
        assert_eq!(of(&["web-", "web-a"]), "web- web-a");
        assert_eq!(of(&["web-7f-abc"]), "web-7f-abc");
        assert_eq!(of(&["é-a", "ü-a"]), "é-a ü-a");
    }

    #[test]
    fn only_neighbours_come_together() {
        let of = |said: [&str; 4]| {
            let named = ["p50", "p95", "p99", "max"].into_iter().zip(said.map(str::to_owned));
            together(named)
                .into_iter()
                .map(|(names, said)| format!("{} {said}", names.join("–")))
                .collect::<Vec<_>>()
        };
        assert_eq!(of(["1", "2", "2", "9"]), ["p50 1", "p95–p99 2", "max 9"]);
        assert_eq!(of(["1", "2", "1", "1"]), ["p50 1", "p95 2", "p99–max 1"]);
        assert_eq!(of(["5", "5", "5", "5"]), ["p50–p95–p99–max 5"]);
    }
}
