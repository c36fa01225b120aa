//! Which of a function's locals are read later, before they are set again: what has to be handed over where a function is cut.

use wasmparser::Operator;

use crate::Result;
use crate::points::{Point, Shape};

/// A set of locals.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Locals(Vec<u64>);

impl Locals {
    fn insert(&mut self, local: u32) {
        let word = local as usize / 64;
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        if let Some(word) = self.0.get_mut(word) {
            *word |= 1 << (local % 64);
        }
    }

    fn remove(&mut self, local: u32) {
        if let Some(word) = self.0.get_mut(local as usize / 64) {
            *word &= !(1 << (local % 64));
        }
    }

    fn add(&mut self, other: &Locals) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (word, more) in self.0.iter_mut().zip(&other.0) {
            *word |= more;
        }
    }

    /// Whether a local is among them.
    pub fn has(&self, local: u32) -> bool {
        self.0.get(local as usize / 64).is_some_and(|word| word >> (local % 64) & 1 == 1)
    }

    /// The locals in order.
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        (0..self.0.len() as u32 * 64).filter(|local| self.has(*local))
    }
}

/// What is read later at the beginning of a range of instructions, and wherever it is left.
#[derive(Clone, Debug, Default)]
pub struct Around {
    /// At its beginning.
    pub before: Locals,
    /// At any of the places to which it is left.
    pub after: Locals,
}

/// A body while instructions are read from the last to the first.
struct Open {
    /// Where it begins, if it is a loop.
    is_loop: Option<usize>,
    /// What is read behind it.
    after: Locals,
    /// What is read in the `else`, if that was passed.
    otherwise: Option<Locals>,
    /// In how many bodies it is.
    depth: usize,
}

/// What is read later around the rest of a body from each of some places on. No rest is in another one.
pub fn around(shape: &Shape<'_>, ranges: &[Point]) -> Result<Vec<Around>> {
    let openers = openers(shape)?;
    // What is read at the beginning of each loop, as far as it is known: it is read round by round until nothing is added.
    let mut loops: Vec<Option<Locals>> = vec![None; shape.operators.len()];
    loop {
        let (found, changed) = pass(shape, ranges, &openers, &mut loops)?;
        if !changed {
            return Ok(found);
        }
    }
}

/// The instruction that begins the body of each `end`.
fn openers(shape: &Shape<'_>) -> Result<Vec<Option<usize>>> {
    let mut found = vec![None; shape.operators.len()];
    let mut open = Vec::new();
    for (at, operator) in shape.operators.iter().enumerate() {
        match operator {
            Operator::Block { .. } | Operator::Loop { .. } | Operator::If { .. } => open.push(at),
            Operator::End => {
                if let Some(place) = found.get_mut(at) {
                    *place = open.pop();
                }
            }
            _ => {}
        }
    }
    if open.is_empty() { Ok(found) } else { Err("a body without an end".into()) }
}

fn pass(
    shape: &Shape<'_>,
    ranges: &[Point],
    openers: &[Option<usize>],
    loops: &mut [Option<Locals>],
) -> Result<(Vec<Around>, bool)> {
    let mut found = vec![Around::default(); ranges.len()];
    let mut changed = false;
    let mut live = Locals::default();
    let mut open: Vec<Open> = Vec::new();
    // The range that is being passed, from its end, with the depth of its body; and how many are before it.
    let (mut within, mut left): (Option<(usize, usize)>, usize) = (None, ranges.len());
    for (at, operator) in shape.operators.iter().enumerate().rev() {
        let label = |depth: u32, open: &[Open], loops: &[Option<Locals>]| -> Result<(Locals, usize)> {
            let place = open.len().checked_sub(1 + depth as usize).ok_or("a branch out of the function")?;
            let target = open.get(place).ok_or("a branch to nowhere")?;
            let live = match target.is_loop {
                Some(begin) => loops.get(begin).cloned().flatten().unwrap_or_default(),
                None => target.after.clone(),
            };
            Ok((live, target.depth))
        };
        let mut leaves = Locals::default();
        match operator {
            Operator::End => {
                let begin = openers.get(at).copied().flatten();
                let is_loop =
                    begin.filter(|b| matches!(shape.operators.get(*b), Some(Operator::Loop { .. })));
                open.push(Open { is_loop, after: live.clone(), otherwise: None, depth: open.len() });
            }
            Operator::Else => {
                let inner = open.last_mut().ok_or("an else without a body")?;
                inner.otherwise = Some(std::mem::replace(&mut live, inner.after.clone()));
            }
            Operator::If { .. } => {
                let inner = open.pop().ok_or("an if without an end")?;
                live.add(&inner.otherwise.unwrap_or(inner.after));
            }
            Operator::Block { .. } => {
                open.pop();
            }
            Operator::Loop { .. } => {
                open.pop();
                let known = loops.get_mut(at).ok_or("a loop that is not there")?;
                changed |= known.as_ref() != Some(&live);
                *known = Some(live.clone());
            }
            Operator::Br { relative_depth } => {
                let (target, depth) = label(*relative_depth, &open, loops)?;
                if within.is_some_and(|(_, body)| depth <= body) {
                    leaves.add(&target);
                }
                live = target;
            }
            Operator::BrIf { relative_depth } => {
                let (target, depth) = label(*relative_depth, &open, loops)?;
                if within.is_some_and(|(_, body)| depth <= body) {
                    leaves.add(&target);
                }
                live.add(&target);
            }
            Operator::BrTable { targets } => {
                live = Locals::default();
                let all: Vec<u32> = targets.targets().collect::<std::result::Result<_, _>>()?;
                for target in all.into_iter().chain([targets.default()]) {
                    let (target, depth) = label(target, &open, loops)?;
                    if within.is_some_and(|(_, body)| depth <= body) {
                        leaves.add(&target);
                    }
                    live.add(&target);
                }
            }
            Operator::Return | Operator::Unreachable => live = Locals::default(),
            Operator::LocalGet { local_index } => live.insert(*local_index),
            Operator::LocalSet { local_index } | Operator::LocalTee { local_index } => {
                live.remove(*local_index)
            }
            _ => {}
        }
        if let Some((range, _)) = within
            && let Some(found) = found.get_mut(range)
        {
            found.after.add(&leaves);
            if ranges.get(range).is_some_and(|point| point.at == at) {
                found.before = live.clone();
                within = None;
            }
        }
        // A range whose body ends here begins to be passed.
        if matches!(operator, Operator::End | Operator::Else)
            && let Some(range) = left.checked_sub(1)
            && let Some(point) = ranges.get(range).filter(|point| point.end == at)
        {
            left = range;
            within = Some((range, open.len() - 1));
            if let (true, Some(found), Some(inner)) = (point.falls, found.get_mut(range), open.last()) {
                found.after.add(&inner.after);
            }
        }
    }
    Ok((found, changed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locals_are_a_set() {
        let mut locals = Locals::default();
        locals.insert(3);
        locals.insert(130);
        locals.insert(64);
        locals.remove(64);
        locals.remove(1000);
        let mut more = Locals::default();
        more.insert(7);
        more.add(&locals);
        assert_eq!(more.iter().collect::<Vec<_>>(), [3, 7, 130]);
        assert!(more.has(130) && !more.has(64) && !more.has(5000));
    }
}
