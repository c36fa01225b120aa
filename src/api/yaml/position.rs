//! The position of a field in a text.

use super::tree::{self, Data, Node};
use super::{Limits, chunks};

/// The line and column, counted from 1, of a field path such as `spec.containers[0].image` in the given
/// document. Documents are counted as [`documents`](super::documents) counts them. The position is that of
/// the key or of the list's item; for a field that does not exist it is that of the nearest ancestor that
/// does.
pub fn position_of(text: &str, document: usize, path: &str) -> Option<(usize, usize)> {
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
            return Some(find(&root, path));
        }
        index += 1;
    }
    None
}

fn find(root: &Node, path: &str) -> (usize, usize) {
    let (mut node, mut at, mut rest) = (root, (root.line, root.column), path);
    loop {
        rest = rest.trim_start_matches('.');
        if rest.is_empty() {
            return at;
        }
        let Some((next, position, tail)) = step(node, rest) else {
            return at;
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
