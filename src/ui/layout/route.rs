//! Ways for lines around cards: along the gaps between them.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};
use std::fmt::Write;

use super::Rect;

/// How far a line runs beside the cards that it passes: half of the smallest gap between cards.
const BESIDE: f32 = 4.0;
/// How near to a card no line runs, so that its bends do not touch the card.
const NEAR: f32 = 2.5;
/// The radius of a bend.
const BEND: f32 = 5.0;
/// What a bend costs, in pixels of a longer way.
const BENT: u32 = 14;
/// How many points of the grid are looked at for one layout. With more, the lines that are left have no way.
const WORK: usize = 50_000;
/// Points of a curve at which it is looked for cards.
const SAMPLES: u8 = 96;
/// A curve that passes a card this closely runs behind it.
const CLOSE: f32 = 2.0;

/// The points of a curve: its ends, and between them the two by which it is bent.
pub type Curve = [(f32, f32); 4];

/// What lines go around, and the grid of the ways between: a line along each side of each card, [`BESIDE`] away from it.
pub struct Obstacles {
    rects: Vec<Rect>,
    grid: Option<Grid>,
    work: usize,
}

struct Grid {
    xs: Vec<f32>,
    ys: Vec<f32>,
    /// For each point whether the way to the next one to the right is free.
    across: Vec<bool>,
    /// For each point whether the way to the next one below is free.
    down: Vec<bool>,
    /// For each point how many of these ways are not free, on its row up to it and on its column up to it.
    barred: Vec<(u32, u32)>,
}

/// How far a point is from where a search began, and the point before it.
#[derive(Clone, Copy)]
struct Reached {
    cost: u32,
    before: u32,
}

const NOWHERE: u32 = u32::MAX;

fn pixels(length: f32) -> u32 {
    // A float that is too large becomes the largest number.
    length.abs().round() as u32
}

impl Grid {
    fn new(rects: &[Rect]) -> Grid {
        let sorted = |mut all: Vec<f32>| {
            all.sort_by(f32::total_cmp);
            all.dedup();
            all
        };
        let xs = sorted(rects.iter().flat_map(|r| [r.x - BESIDE, r.right() + BESIDE]).collect());
        let ys = sorted(rects.iter().flat_map(|r| [r.y - BESIDE, r.bottom() + BESIDE]).collect());
        let mut across = vec![true; xs.len() * ys.len()];
        let mut down = across.clone();
        let width = xs.len();
        for r in rects {
            // The points on the card, and the stretches that begin before it and end on it or behind it.
            let span = |list: &[f32], from: f32, to: f32| {
                (list.partition_point(|at| *at <= from - NEAR), list.partition_point(|at| *at < to + NEAR))
            };
            let (columns, rows) = (span(&xs, r.x, r.right()), span(&ys, r.y, r.bottom()));
            let block = |list: &mut Vec<bool>, columns: (usize, usize), rows: (usize, usize)| {
                for row in rows.0..rows.1 {
                    let range = row * width + columns.0..row * width + columns.1;
                    if let Some(cells) = list.get_mut(range) {
                        cells.fill(false);
                    }
                }
            };
            block(&mut across, (columns.0.saturating_sub(1), columns.1), rows);
            block(&mut down, columns, (rows.0.saturating_sub(1), rows.1));
        }
        let mut barred: Vec<(u32, u32)> = Vec::with_capacity(across.len());
        for point in 0..across.len() {
            let bar = |list: &[bool], at: usize| u32::from(list.get(at) != Some(&true));
            let before = |back: usize| {
                let at = point.checked_sub(back)?;
                Some((at, *barred.get(at)?))
            };
            let row = before(1).filter(|_| point % width != 0).map_or(0, |(at, b)| b.0 + bar(&across, at));
            let column = before(width).map_or(0, |(at, b)| b.1 + bar(&down, at));
            barred.push((row, column));
        }
        Grid { xs, ys, across, down, barred }
    }

    /// Whether the row between two columns is free.
    fn is_row_free(&self, row: usize, columns: (usize, usize)) -> bool {
        let at = |column: usize| self.barred.get(row * self.xs.len() + column).map(|b| b.0);
        at(columns.0).is_some() && at(columns.0) == at(columns.1)
    }

    /// Whether a column between two rows is free.
    fn is_column_free(&self, column: usize, rows: (usize, usize)) -> bool {
        let at = |row: usize| self.barred.get(row * self.xs.len() + column).map(|b| b.1);
        at(rows.0).is_some() && at(rows.0) == at(rows.1)
    }

    /// The columns beside a card, each with the row above a height, where the way beside the card is free at that height.
    fn sides(&self, r: &Rect, y: f32) -> impl Iterator<Item = (usize, usize)> + '_ {
        let row = self.ys.partition_point(|at| *at <= y).checked_sub(1);
        [r.x - BESIDE, r.right() + BESIDE].into_iter().filter_map(move |x| {
            let column = self.xs.partition_point(|at| *at < x);
            let free = self.xs.get(column) == Some(&x)
                && self.down.get(row? * self.xs.len() + column) == Some(&true);
            free.then_some((column, row?))
        })
    }

    /// The shortest way that runs beside the one card to a row, along it, and beside the other card: most ways are so
    /// simple.
    fn simple(&self, from: (&Rect, f32), to: (&Rect, f32)) -> Option<Vec<(f32, f32)>> {
        let mut best: Option<(f32, Vec<(f32, f32)>)> = None;
        for (a, above_a) in self.sides(from.0, from.1) {
            for (b, above_b) in self.sides(to.0, to.1) {
                let (Some(x1), Some(x2)) = (self.xs.get(a), self.xs.get(b)) else { continue };
                for (row, y) in self.ys.iter().enumerate() {
                    let length = (y - from.1).abs() + (y - to.1).abs() + (x1 - x2).abs();
                    if best.as_ref().is_some_and(|(best, _)| *best <= length) {
                        continue;
                    }
                    let reaches = |column: usize, above: usize| {
                        self.is_column_free(column, (row.min(above), row.max(above + 1)))
                    };
                    if reaches(a, above_a) && reaches(b, above_b) && self.is_row_free(row, (a, b)) {
                        let edge = |r: &Rect, x: f32| if x < r.x { r.x } else { r.right() };
                        let line = vec![
                            (edge(from.0, *x1), from.1),
                            (*x1, from.1),
                            (*x1, *y),
                            (*x2, *y),
                            (*x2, to.1),
                            (edge(to.0, *x2), to.1),
                        ];
                        best = Some((length, line));
                    }
                }
            }
        }
        best.map(|(_, line)| line)
    }

    fn at(&self, point: usize) -> Option<(f32, f32)> {
        let width = self.xs.len().max(1);
        Some((*self.xs.get(point % width)?, *self.ys.get(point / width)?))
    }

    /// The points next to the ends of a line that leaves a card at a height: the point, and the way to it from the card.
    fn ends(&self, r: &Rect, y: f32) -> Vec<(usize, u32)> {
        let width = self.xs.len();
        let points = self.sides(r, y).flat_map(|(column, row)| {
            let above = row * width + column;
            [above, above + width]
        });
        points.filter_map(|point| Some((point, pixels(self.at(point)?.1 - y) + pixels(BESIDE)))).collect()
    }

    /// The points beside a point that can be reached from it: the point, how far it is, and whether that is up or down.
    fn beside(&self, point: usize) -> impl Iterator<Item = (usize, u32, bool)> + '_ {
        let width = self.xs.len();
        let free = |list: &[bool], at: Option<usize>| at.is_some_and(|at| list.get(at) == Some(&true));
        let column = point % width.max(1);
        let left = point.checked_sub(1).filter(|at| column > 0 && free(&self.across, Some(*at)));
        let right = Some(point + 1).filter(|_| column + 1 < width && free(&self.across, Some(point)));
        let up = point.checked_sub(width).filter(|at| free(&self.down, Some(*at)));
        let down = Some(point + width).filter(|_| free(&self.down, Some(point)));
        let all = [(left, false), (right, false), (up, true), (down, true)];
        all.into_iter().filter_map(move |(to, upright)| {
            let to = to?;
            let ((x1, y1), (x2, y2)) = (self.at(point)?, self.at(to)?);
            Some((to, pixels(x1 - x2) + pixels(y1 - y2), upright))
        })
    }
}

impl Obstacles {
    /// Of cards and grids.
    pub fn new(rects: Vec<Rect>) -> Obstacles {
        Obstacles { rects, grid: None, work: WORK }
    }

    /// Whether a curve runs behind a card that it does not join.
    pub fn hides(&self, curve: Curve, ends: [&Rect; 2]) -> bool {
        let [a, b, c, d] = curve;
        let point = |i: u8| {
            let t = f32::from(i) / f32::from(SAMPLES);
            let u = 1.0 - t;
            let mix = |a: f32, b: f32, c: f32, d: f32| {
                u * u * u * a + 3.0 * u * u * t * b + 3.0 * u * t * t * c + t * t * t * d
            };
            (mix(a.0, b.0, c.0, d.0), mix(a.1, b.1, c.1, d.1))
        };
        // A curve stays between its four points.
        let least = |f: fn(&(f32, f32)) -> f32| curve.iter().map(f).fold(f32::MAX, f32::min) - CLOSE;
        let most = |f: fn(&(f32, f32)) -> f32| curve.iter().map(f).fold(f32::MIN, f32::max) + CLOSE;
        let (left, right, top, bottom) = (least(|p| p.0), most(|p| p.0), least(|p| p.1), most(|p| p.1));
        let near = |r: &&Rect| {
            r.x < right && r.right() > left && r.y < bottom && r.bottom() > top && !ends.contains(r)
        };
        let on = |r: &Rect, (x, y): (f32, f32)| {
            x > r.x - CLOSE && x < r.right() + CLOSE && y > r.y - CLOSE && y < r.bottom() + CLOSE
        };
        self.rects.iter().filter(near).any(|r| (1..SAMPLES).any(|i| on(r, point(i))))
    }

    /// Whether a line of straight pieces, each across or down, runs behind a card that it does not join.
    pub fn crosses(&self, points: &[(f32, f32)], ends: [&Rect; 2]) -> bool {
        let on = |r: &Rect, pair: &[(f32, f32)]| match pair {
            [(x1, y1), (x2, y2)] => {
                x1.min(*x2) < r.right() && x1.max(*x2) > r.x && y1.min(*y2) < r.bottom() && y1.max(*y2) > r.y
            }
            _ => false,
        };
        let others = || self.rects.iter().filter(|r| !ends.contains(r));
        points.windows(2).any(|pair| others().any(|r| on(r, pair)))
    }

    /// For each of these ends, the shortest way from one card along the gaps, as a path; `None` where there is none. An
    /// end is a card and the height at which lines reach it. A way leaves a card at its left or right.
    pub fn ways(&mut self, from: (&Rect, f32), to: &[(Rect, f32)], reversed: bool) -> Vec<Option<String>> {
        let grid = self.grid.get_or_insert_with(|| Grid::new(&self.rects));
        let path = |mut line: Vec<(f32, f32)>| {
            if reversed {
                line.reverse();
            }
            bent(&line)
        };
        let simple: Vec<Option<String>> =
            to.iter().map(|(r, y)| grid.simple(from, (r, *y)).map(path)).collect();
        if simple.iter().all(Option::is_some) {
            return simple;
        }
        let points = grid.xs.len() * grid.ys.len();
        // Each point is reached across (even) or up and down (odd).
        let mut reached = vec![Reached { cost: u32::MAX, before: NOWHERE }; 2 * points];
        let mut open: BinaryHeap<Reverse<(u32, usize)>> = BinaryHeap::new();
        for (point, cost) in grid.ends(from.0, from.1) {
            let state = 2 * point + 1;
            if let Some(r) = reached.get_mut(state).filter(|r| r.cost > cost) {
                r.cost = cost;
                open.push(Reverse((cost, state)));
            }
        }
        let goal = |((r, y), simple): (&(Rect, f32), &Option<String>)| {
            if simple.is_some() { Vec::new() } else { grid.ends(r, *y) }
        };
        let goals: Vec<Vec<(usize, u32)>> = to.iter().zip(&simple).map(goal).collect();
        let mut missing: BTreeSet<usize> = goals.iter().flatten().map(|(point, _)| *point).collect();
        let mut enough = u32::MAX;
        while let Some(Reverse((cost, state))) = open.pop() {
            if reached.get(state).is_none_or(|r| r.cost < cost) {
                continue;
            }
            let Some(rest) = self.work.checked_sub(1).filter(|_| cost <= enough) else { break };
            self.work = rest;
            let (point, upright) = (state / 2, state % 2 == 1);
            if missing.remove(&point) && missing.is_empty() {
                // A little further, because the last point may be reached in the other direction, with a bend less.
                enough = cost.saturating_add(2 * BENT);
            }
            for (next, length, up) in grid.beside(point) {
                let bend = if up == upright { 0 } else { BENT };
                let (cost, next) = (cost + length + bend, 2 * next + usize::from(up));
                if let Some(r) = reached.get_mut(next).filter(|r| r.cost > cost) {
                    *r = Reached { cost, before: u32::try_from(state).unwrap_or(NOWHERE) };
                    open.push(Reverse((cost, next)));
                }
            }
        }
        let grid = &*grid;
        let way = |(end, goals): (&(Rect, f32), &Vec<(usize, u32)>)| {
            let states =
                goals.iter().flat_map(|(point, rest)| [(2 * point, rest + BENT), (2 * point + 1, *rest)]);
            let costs = states.filter_map(|(state, rest)| {
                let cost = reached.get(state)?.cost;
                (cost < u32::MAX).then_some((cost.saturating_add(rest), state))
            });
            let (_, last) = costs.min()?;
            let mut line = Vec::new();
            let mut state = last;
            loop {
                line.push(grid.at(state / 2)?);
                match reached.get(state)?.before {
                    NOWHERE => break,
                    before => state = before as usize,
                }
            }
            line.reverse();
            let (first, last) = (*line.first()?, *line.last()?);
            let edge = |r: &Rect, x: f32| if x < r.x { r.x } else { r.right() };
            let mut all = vec![(edge(from.0, first.0), from.1), (first.0, from.1)];
            all.append(&mut line);
            all.extend([(last.0, end.1), (edge(&end.0, last.0), end.1)]);
            Some(path(all))
        };
        let ways = to.iter().zip(&goals).map(way);
        simple.into_iter().zip(ways).map(|(simple, way)| simple.or(way)).collect()
    }
}

/// A path through points, with round corners.
pub fn bent(points: &[(f32, f32)]) -> String {
    let mut corners: Vec<(f32, f32)> = Vec::with_capacity(points.len());
    for p in points {
        // What lies on the way from one corner to the next is no corner.
        if let [.., a, b] = corners.as_slice()
            && ((a.0 == b.0 && b.0 == p.0) || (a.1 == b.1 && b.1 == p.1))
        {
            corners.pop();
        }
        if corners.last() != Some(p) {
            corners.push(*p);
        }
    }
    let mut out = String::new();
    let Some(((x, y), rest)) = corners.split_first() else { return out };
    let _ = write!(out, "M{x} {y}");
    let toward = |from: (f32, f32), to: (f32, f32), by: f32| {
        let length = (to.0 - from.0).hypot(to.1 - from.1).max(0.01);
        let part = (by / length).min(0.5);
        (from.0 + (to.0 - from.0) * part, from.1 + (to.1 - from.1) * part)
    };
    let mut before = (*x, *y);
    for (i, at) in rest.iter().enumerate() {
        match rest.get(i + 1) {
            Some(next) => {
                let (p, q) = (toward(*at, before, BEND), toward(*at, *next, BEND));
                let _ = write!(out, "L{} {}Q{} {} {} {}", p.0, p.1, at.0, at.1, q.0, q.1);
            }
            None => {
                let _ = write!(out, "L{} {}", at.0, at.1);
            }
        }
        before = *at;
    }
    out
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn card(x: f32, y: f32) -> Rect {
        Rect { x, y, w: 100.0, h: 40.0 }
    }

    fn way(rects: Vec<Rect>, a: Rect, b: Rect) -> Option<String> {
        Obstacles::new(rects).ways((&a, a.y + 20.0), &[(b, b.y + 20.0)], false).remove(0)
    }

    #[test]
    fn a_way_goes_through_the_gap_below_a_card_that_is_between() {
        let (a, between, b) = (card(0.0, 0.0), card(120.0, 0.0), card(240.0, 0.0));
        let all = Obstacles::new(vec![a, between, b]);
        let straight = [(100.0, 20.0), (150.0, 20.0), (190.0, 20.0), (240.0, 20.0)];
        assert!(all.hides(straight, [&a, &b]));
        let way = way(vec![a, between, b], a, b).unwrap();
        // Along a line beside the card, which is 40 high.
        assert!(way.contains(" 44") || way.contains(" -4"), "{way}");
    }

    #[test]
    fn no_way_is_found_through_a_wall() {
        let (a, wall, b) =
            (card(0.0, 0.0), Rect { x: 102.0, y: -500.0, w: 20.0, h: 1000.0 }, card(240.0, 0.0));
        let way = way(vec![a, wall, b], a, b).unwrap();
        // Above or below the wall there is always room; beside the first card there is none.
        assert!(!way.starts_with("M100 "), "{way}");
    }

    #[test]
    fn a_way_may_turn_as_often_as_it_has_to() {
        // Out of a yard that opens to the left, around it, to what lies behind its right wall.
        let (a, b) = (card(0.0, 0.0), card(300.0, 0.0));
        let wall = |x: f32, y: f32, w: f32, h: f32| Rect { x, y, w, h };
        let walls = [
            wall(-60.0, -60.0, 220.0, 20.0),
            wall(-60.0, 80.0, 220.0, 20.0),
            wall(140.0, -39.0, 20.0, 118.0),
        ];
        let way = way([vec![a, b], walls.to_vec()].concat(), a, b).unwrap();
        assert!(way.contains("-64") && way.ends_with(" 20"), "{way}");
    }
}
