//! Going back to lines that were typed before, and words in common: what a terminal's line does at a key. Pure functions.

/// The place of the next older line than `from` that begins with `prefix` and is not `shown`; `from` is `lines.len()` for a
/// new line.
pub fn older(lines: &[String], prefix: &str, shown: &str, from: usize) -> Option<usize> {
    let before = lines.get(..from.min(lines.len()))?;
    before.iter().rposition(|line| line.starts_with(prefix) && line != shown)
}

/// The place of the next newer line than `from` that begins with `prefix` and is not `shown`.
pub fn newer(lines: &[String], prefix: &str, shown: &str, from: usize) -> Option<usize> {
    let after = lines.get(from.checked_add(1)?..)?;
    after.iter().position(|line| line.starts_with(prefix) && line != shown).map(|at| from + 1 + at)
}

/// The place of the newest line before `from` that contains the text.
pub fn search(lines: &[String], text: &str, from: usize) -> Option<usize> {
    let before = lines.get(..from.min(lines.len()))?;
    before.iter().rposition(|line| line.contains(text))
}

/// What all words begin with.
pub fn common(words: &[String]) -> &str {
    let Some(first) = words.first() else { return "" };
    let mut end = first.len();
    for word in words {
        let same = first.char_indices().zip(word.chars()).take_while(|((_, a), b)| a == b);
        end = end.min(same.map(|((i, c), _)| i + c.len_utf8()).last().unwrap_or(0));
    }
    first.get(..end).unwrap_or_default()
}

/// A word with the blank that follows it, unless it goes on.
pub fn with_blank(word: &str) -> String {
    let goes_on = word.ends_with(['=', '/', '.']) || word.is_empty();
    if goes_on { word.to_owned() } else { format!("{word} ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_found_by_how_they_begin_and_by_what_they_contain() {
        let lines = ["get pods", "scale x", "get svc", "get svc"].map(str::to_owned);
        assert_eq!(older(&lines, "", "", 4), Some(3));
        assert_eq!(older(&lines, "get", "get svc", 3), Some(0));
        assert_eq!(older(&lines, "get", "get pods", 0), None);
        assert_eq!(newer(&lines, "get", "get pods", 0), Some(2));
        assert_eq!(newer(&lines, "get", "get svc", 2), None);
        assert_eq!(newer(&lines, "", "", usize::MAX), None);
        assert_eq!(search(&lines, "x", 4), Some(1));
        assert_eq!(search(&lines, "x", 1), None);
    }

    #[test]
    fn words_have_their_beginning_in_common() {
        let of =
            |words: &[&str]| common(&words.iter().map(|w| (*w).to_owned()).collect::<Vec<_>>()).to_owned();
        assert_eq!(of(&[]), "");
        assert_eq!(of(&["restart", "resume"]), "res");
        assert_eq!(of(&["节点", "节省"]), "节");
        assert_eq!(of(&["a", "b"]), "");
        assert_eq!((with_blank("pods"), with_blank("-o=")), ("pods ".to_owned(), "-o=".to_owned()));
    }
}
