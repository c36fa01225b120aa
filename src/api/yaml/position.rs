//! The position of a field in a text.

use super::tree::{self, Data, Node};
use super::{Limits, chunks};

/// The line and column, counted from 1, of a field path such as `spec.containers[0].image` in the given
/// document. Documents are counted as [`documents`](super::documents) counts them. The position is that of
/// the key or of the list's item; for a field that does not exist it is that of the nearest ancestor that
/// does.
pub fn position_of(text: &str, document: usize, path: &str) -> Option<(usize, usize)> {
    in_document(text, document, |root| find(root, path).1)
}

/// The text with another value in place of the scalar at a field path of the given document. All else stays as it is, quotes
/// and comments included. `None` if there is no scalar `was` in one line, or if the text could not hold `is` in its place.
pub fn with_scalar(text: &str, document: usize, path: &str, was: &str, is: &str) -> Option<String> {
    let found = in_document(text, document, |root| {
        let (node, _, whole) = find(root, path);
        match &node.data {
            Data::Scalar { text, .. } if whole && text == was => Some((node.line, node.column)),
            _ => None,
        }
    });
    let (line, column) = found??;
    let start: usize = text.split_inclusive('\n').take(line.checked_sub(1)?).map(str::len).sum();
    let rest = text.get(start..)?;
    let (at, _) = rest.char_indices().nth(column.checked_sub(1)?)?;
    let (before, after) = text.split_at_checked(start + at)?;
    let quote = after
        .chars()
        .next()
        .filter(|c| matches!(c, '"' | '\''))
        .map_or("", |c| if c == '"' { "\"" } else { "'" });
    let tail = after.strip_prefix(quote)?.strip_prefix(was)?.strip_prefix(quote)?;
    let new = format!("{before}{quote}{is}{quote}{tail}");
    // What has a meaning of its own in YAML would be read as something else.
    let holds = in_document(&new, document, |root| {
        let (node, _, whole) = find(root, path);
        whole && matches!(&node.data, Data::Scalar { text, .. } if text == is)
    });
    holds?.then_some(new)
}

/// The text without the scalar `was` at a field path of the given document, and without the maps that have nothing else. All
/// else stays as it is. `None` if there is no such scalar, or if the field does not stand in lines of its own.
pub fn without_field(text: &str, document: usize, path: &str, was: &str) -> Option<String> {
    let place = in_document(text, document, |root| {
        let (mut node, mut rest) = (root, path);
        // The key that goes, if all further keys are the only ones of their maps.
        let mut goes: Option<(usize, usize)> = None;
        while !rest.is_empty() {
            let (next, position, tail) = step(node, rest.trim_start_matches('.'))?;
            match &node.data {
                Data::Map(entries) if entries.len() == 1 && goes.is_some() => {}
                Data::Map(_) => goes = Some(position),
                _ => goes = None,
            }
            (node, rest) = (next, tail);
        }
        let is = matches!(&node.data, Data::Scalar { text, .. } if text == was);
        goes.filter(|_| is)
    })?;
    let (line, column) = place?;
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let first = line.checked_sub(1)?;
    let indentation = |l: &str| l.len() - l.trim_start_matches(' ').len();
    let deep = column.checked_sub(1)?;
    if indentation(lines.get(first)?) != deep {
        return None;
    }
    let belongs =
        |l: &&str| indentation(l) > deep || (indentation(l) == deep && l.trim_start().starts_with("- "));
    let count = 1 + lines.iter().skip(first + 1).take_while(|l| belongs(l)).count();
    let kept = lines.iter().take(first).chain(lines.iter().skip(first + count));
    let new: String = kept.copied().collect();
    let gone = in_document(&new, document, |root| !find(root, path).2)?;
    gone.then_some(new)
}

/// Reads the tree of a document.
fn in_document<T>(text: &str, document: usize, read: impl FnOnce(&Node) -> T) -> Option<T> {
    let limits = Limits::default();
    let mut index = 0;
    for chunk in chunks::chunks(text, &limits).ok()? {
        let parsed = tree::parse(&chunk, &limits).ok()?;
        let Some((root, _)) = parsed else { continue };
        if matches!(&root.data, Data::Scalar { text, plain: true, .. } if text.is_empty() || text == "null" || text == "~")
        {
            continue;
        }
        if index == document {
            return Some(read(&root));
        }
        index += 1;
    }
    None
}

/// The node at a path, or its nearest ancestor; its position; and whether it is the node itself.
fn find<'a>(root: &'a Node, path: &str) -> (&'a Node, (usize, usize), bool) {
    let (mut node, mut at, mut rest) = (root, (root.line, root.column), path);
    loop {
        rest = rest.trim_start_matches('.');
        if rest.is_empty() {
            return (node, at, true);
        }
        let Some((next, position, tail)) = step(node, rest) else {
            return (node, at, false);
        };
        (node, at, rest) = (next, position, tail);
    }
}

/// One step of a path: the node, its position, and the rest of the path.
fn step<'a, 'p>(node: &'a Node, path: &'p str) -> Option<(&'a Node, (usize, usize), &'p str)> {
    match &node.data {
        Data::Scalar { .. } => None,
        Data::List(items) => {
            let (index, tail) = path.strip_prefix('[')?.split_once(']')?;
            let item = items.get(index.parse::<usize>().ok()?)?;
            Some((item, (item.line, item.column), tail))
        }
        Data::Map(entries) => {
            // Keys may contain dots (`data.app.properties`), so the longest key that fits is taken; of
            // duplicates the last, which counts.
            let fits = |key: &str| -> Option<&'p str> {
                if let Some(inner) = path.strip_prefix('[') {
                    return inner.strip_prefix(key)?.strip_prefix(']');
                }
                let tail = path.strip_prefix(key)?;
                (tail.is_empty() || tail.starts_with(['.', '['])).then_some(tail)
            };
            let found = entries.iter().filter_map(|(key, value)| {
                let name = key.key().ok()?;
                fits(&name).map(|tail| (name.len(), key, value, tail))
            });
            let (_, key, value, tail) = found.max_by_key(|(len, ..)| *len)?;
            Some((value, (key.line, key.column), tail))
        }
    }
}
