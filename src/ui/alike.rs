//! What is the same is said once.

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

#[cfg(test)]
mod tests {
    use super::together;

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
