//! A unified diff of texts, as `k8s.io/apimachinery/pkg/util/diff` gives it: by Ratcliff and
//! Obershelp's longest common runs, with Python difflib's rule that in a long text a line that is
//! there too often anchors no run.

use crate::api::order;
use std::collections::BTreeMap;

/// Lines kept around a change.
const CONTEXT: usize = 3;

/// A run of equal lines: where it starts in both texts, and its length.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Match {
    a: usize,
    b: usize,
    size: usize,
}

/// A range of one text that became a range of the other.
#[derive(Clone, Copy, Debug)]
struct Op {
    equal: bool,
    a: (usize, usize),
    b: (usize, usize),
}

struct Matcher<'t> {
    a: Vec<&'t str>,
    b: Vec<&'t str>,
    /// Where each line that may anchor a run is in `b`.
    positions: BTreeMap<&'t str, Vec<usize>>,
}

impl<'t> Matcher<'t> {
    fn new(a: &'t str, b: &'t str) -> Self {
        let a: Vec<&str> = a.split('\n').collect();
        let b: Vec<&str> = b.split('\n').collect();
        let mut positions: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (i, line) in b.iter().enumerate() {
            positions.entry(line).or_default().push(i);
        }
        if b.len() >= 200 {
            let popular = b.len() / 100 + 1;
            positions.retain(|_, at| at.len() <= popular);
        }
        Matcher { a, b, positions }
    }

    fn same(&self, i: usize, j: usize) -> bool {
        match (self.a.get(i), self.b.get(j)) {
            (Some(x), Some(y)) => x == y,
            _ => false,
        }
    }

    /// The longest run within the two ranges; of equally long ones the first.
    fn longest(&self, a: (usize, usize), b: (usize, usize)) -> Match {
        let mut best = Match { a: a.0, b: b.0, size: 0 };
        let mut lengths: BTreeMap<usize, usize> = BTreeMap::new();
        for i in a.0..a.1 {
            let mut next = BTreeMap::new();
            let at = self.a.get(i).and_then(|line| self.positions.get(line));
            for &j in at.into_iter().flatten().filter(|&&j| j >= b.0 && j < b.1) {
                let size = 1 + j.checked_sub(1).and_then(|k| lengths.get(&k)).copied().unwrap_or(0);
                next.insert(j, size);
                if size > best.size {
                    best = Match { a: i + 1 - size, b: j + 1 - size, size };
                }
            }
            lengths = next;
        }
        while best.a > a.0 && best.b > b.0 && self.same(best.a - 1, best.b - 1) {
            best = Match { a: best.a - 1, b: best.b - 1, size: best.size + 1 };
        }
        while best.a + best.size < a.1
            && best.b + best.size < b.1
            && self.same(best.a + best.size, best.b + best.size)
        {
            best.size += 1;
        }
        best
    }

    /// All runs, in order, adjacent ones joined.
    fn matches(&self) -> Vec<Match> {
        let mut found = Vec::new();
        let mut todo = vec![((0, self.a.len()), (0, self.b.len()))];
        while let Some((a, b)) = todo.pop() {
            let m = self.longest(a, b);
            if m.size == 0 {
                continue;
            }
            found.push(m);
            if a.0 < m.a && b.0 < m.b {
                todo.push(((a.0, m.a), (b.0, m.b)));
            }
            if m.a + m.size < a.1 && m.b + m.size < b.1 {
                todo.push(((m.a + m.size, a.1), (m.b + m.size, b.1)));
            }
        }
        order::sort_by_key(&mut found, |m| (m.a, m.b));
        let mut joined: Vec<Match> = Vec::new();
        for m in found {
            match joined.last_mut() {
                Some(last) if last.a + last.size == m.a && last.b + last.size == m.b => last.size += m.size,
                _ => joined.push(m),
            }
        }
        joined
    }

    fn ops(&self) -> Vec<Op> {
        let (mut i, mut j) = (0, 0);
        let mut ops = Vec::new();
        let end = Match { a: self.a.len(), b: self.b.len(), size: 0 };
        for m in self.matches().into_iter().chain([end]) {
            if i < m.a || j < m.b {
                ops.push(Op { equal: false, a: (i, m.a), b: (j, m.b) });
            }
            (i, j) = (m.a + m.size, m.b + m.size);
            if m.size > 0 {
                ops.push(Op { equal: true, a: (m.a, i), b: (m.b, j) });
            }
        }
        ops
    }

    /// The changes with their context, those that share context together.
    fn hunks(&self) -> Vec<Vec<Op>> {
        let mut hunks = Vec::new();
        let mut hunk: Vec<Op> = Vec::new();
        let ops = self.ops();
        let last = ops.len().saturating_sub(1);
        for (n, op) in ops.into_iter().enumerate() {
            if !op.equal {
                hunk.push(op);
                continue;
            }
            let size = op.a.1 - op.a.0;
            let head = Op {
                equal: true,
                a: (op.a.0, op.a.0 + size.min(CONTEXT)),
                b: (op.b.0, op.b.0 + size.min(CONTEXT)),
            };
            let tail = Op {
                equal: true,
                a: (op.a.1 - size.min(CONTEXT), op.a.1),
                b: (op.b.1 - size.min(CONTEXT), op.b.1),
            };
            if n == 0 {
                hunk.push(tail);
            } else if n == last {
                hunk.push(head);
            } else if size > 2 * CONTEXT {
                hunk.push(head);
                hunks.push(std::mem::take(&mut hunk));
                hunk.push(tail);
            } else {
                hunk.push(op);
            }
        }
        hunks.push(hunk);
        hunks.retain(|h| h.iter().any(|op| !op.equal));
        hunks
    }
}

/// `12,3`, with difflib's two exceptions.
fn range(start: usize, end: usize) -> String {
    match end - start {
        0 => format!("{start},0"),
        1 => format!("{}", start + 1),
        n => format!("{},{n}", start + 1),
    }
}

/// The unified diff of two texts, without file names; empty if they are equal.
pub(in crate::apiserver) fn unified(a: &str, b: &str) -> String {
    let matcher = Matcher::new(a, b);
    let mut out = String::new();
    for hunk in matcher.hunks() {
        let (Some(first), Some(last)) = (hunk.first(), hunk.last()) else { continue };
        out.push_str(&format!("@@ -{} +{} @@\n", range(first.a.0, last.a.1), range(first.b.0, last.b.1)));
        let mut lines = |mark: char, lines: Option<&[&str]>| {
            for line in lines.unwrap_or_default() {
                out.push(mark);
                out.push_str(line);
                out.push('\n');
            }
        };
        for op in &hunk {
            if op.equal {
                lines(' ', matcher.a.get(op.a.0..op.a.1));
            } else {
                lines('-', matcher.a.get(op.a.0..op.a.1));
                lines('+', matcher.b.get(op.b.0..op.b.1));
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_with_its_context() {
        assert_eq!(unified("1\n2\n3\n4\n5", "1\n2\n3\n4\n5"), "");
        assert_eq!(
            unified("1\n2\n3\n4\n5\n6\n7", "1\n2\n3\n4\nx\ny\n6\n7"),
            "@@ -2,6 +2,7 @@\n 2\n 3\n 4\n-5\n+x\n+y\n 6\n 7\n"
        );
    }
}
