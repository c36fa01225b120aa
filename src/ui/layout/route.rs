//! Ways for lines around cards: along the gaps between them.

use std::fmt::Write;

use super::Rect;

/// With more cards than this, ways are not looked for.
const CARDS: usize = 120;
/// How far a line runs beside the card that it leaves or reaches.
const BESIDE: f32 = 5.0;
/// The radius of a bend.
const BEND: f32 = 5.0;

/// What lines go around.
pub struct Obstacles {
    rects: Vec<Rect>,
    /// The heights at which a line can run between cards.
    channels: Vec<f32>,
}

impl Obstacles {
    /// Of cards and grids.
    pub fn new(rects: Vec<Rect>) -> Obstacles {
        let mut channels: Vec<f32> = rects.iter().flat_map(|r| [r.y - BESIDE, r.bottom() + BESIDE]).collect();
        channels.sort_by(f32::total_cmp);
        channels.dedup();
        Obstacles { rects, channels }
    }

    /// Whether a point lies on a card other than the two that a line joins.
    fn covers(&self, (x, y): (f32, f32), ends: [&Rect; 2]) -> bool {
        let on = |r: &Rect| x > r.x && x < r.right() && y > r.y && y < r.bottom();
        self.rects.iter().any(|r| on(r) && !ends.contains(&r))
    }

    /// Whether a curve runs behind a card that it does not join. A curve has two ends and two points between them, by
    /// which it is bent.
    pub fn hides(&self, [a, b, c, d]: [(f32, f32); 4], ends: [&Rect; 2]) -> bool {
        let steps = 24_u8;
        self.rects.len() <= CARDS
            && (1..steps).any(|i| {
                let t = f32::from(i) / f32::from(steps);
                let u = 1.0 - t;
                let mix = |a: f32, b: f32, c: f32, d: f32| {
                    u * u * u * a + 3.0 * u * u * t * b + 3.0 * u * t * t * c + t * t * t * d
                };
                self.covers((mix(a.0, b.0, c.0, d.0), mix(a.1, b.1, c.1, d.1)), ends)
            })
    }

    /// Whether a line straight down or across is free of cards.
    fn free(&self, (x1, y1): (f32, f32), (x2, y2): (f32, f32)) -> bool {
        let (left, right, top, bottom) = (x1.min(x2), x1.max(x2), y1.min(y2), y1.max(y2));
        let meets = |r: &Rect| left < r.right() && right > r.x && top < r.bottom() && bottom > r.y;
        !self.rects.iter().any(meets)
    }

    /// The shortest way from one card to another along the gaps; `None` if there is none. It leaves a card at its left or
    /// right, runs beside it to a gap between rows, through the gap, and beside the other card to its left or right.
    pub fn way(&self, a: (&Rect, f32), b: (&Rect, f32)) -> Option<String> {
        let beside = |r: &Rect| [(r.x, r.x - BESIDE), (r.right(), r.right() + BESIDE)];
        let mut ways: Vec<(f32, [(f32, f32); 6])> = Vec::new();
        for (x1, g1) in beside(a.0) {
            for (x2, g2) in beside(b.0) {
                for y in self.channels.iter().copied().chain([a.1, b.1]) {
                    let length = (y - a.1).abs() + (y - b.1).abs() + (g1 - g2).abs();
                    ways.push((length, [(x1, a.1), (g1, a.1), (g1, y), (g2, y), (g2, b.1), (x2, b.1)]));
                }
            }
        }
        ways.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        let is_free = |w: &[(f32, f32); 6]| {
            let [_, p, q, r, s, _] = *w;
            self.free(p, q) && self.free(q, r) && self.free(r, s)
        };
        ways.into_iter().find(|(_, w)| is_free(w)).map(|(_, w)| bent(&w))
    }
}

/// A path through points, with round corners.
fn bent(points: &[(f32, f32)]) -> String {
    let mut corners: Vec<(f32, f32)> = Vec::with_capacity(points.len());
    for p in points {
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

    #[test]
    fn a_way_goes_through_the_gap_below_a_card_that_is_between() {
        let (a, between, b) = (card(0.0, 0.0), card(120.0, 0.0), card(240.0, 0.0));
        let all = Obstacles::new(vec![a, between, b]);
        let straight = [(100.0, 20.0), (150.0, 20.0), (190.0, 20.0), (240.0, 20.0)];
        assert!(all.hides(straight, [&a, &b]));
        let way = all.way((&a, 20.0), (&b, 20.0)).unwrap();
        // Along a line 5 above or below the card, which is 40 high.
        assert!(way.contains(" 45") || way.contains(" -5"), "{way}");
    }

    #[test]
    fn no_way_is_found_through_a_wall() {
        let (a, wall, b) =
            (card(0.0, 0.0), Rect { x: 102.0, y: -500.0, w: 20.0, h: 1000.0 }, card(240.0, 0.0));
        let all = Obstacles::new(vec![a, wall, b]);
        let way = all.way((&a, 20.0), (&b, 20.0));
        // Above or below the wall there is always room; beside the first card there is none.
        assert!(way.is_none_or(|w| !w.starts_with("M100 ")));
    }
}
