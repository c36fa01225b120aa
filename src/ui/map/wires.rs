//! The wires of the map: from where things stand on the page to the paths that data take. Plain
//! geometry, tested natively.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use steady::engine::machinery::Stop;

use crate::ui::layout::Rect;

/// How far the wires at the left and at the right lie from the parts, and from each other.
const GUTTER: f32 = 9.0;
/// How round their corners are.
const ROUND: f32 = 7.0;

/// Where every part stands, by the name of its stop.
pub type Places = BTreeMap<String, Rect>;

/// A stop's name in the page.
pub fn name(stop: Stop) -> String {
    match stop {
        Stop::Etcd => "etcd".into(),
        Stop::Server => "server".into(),
        Stop::Reflector(n) => format!("reflector-{n}"),
        Stop::Fifo(n) => format!("fifo-{n}"),
        Stop::Indexer(n) => format!("indexer-{n}"),
        Stop::Handlers(n) => format!("handlers-{n}"),
        Stop::Queue => "queue".into(),
        Stop::Worker => "worker".into(),
    }
}

/// The points of the wire between two stops, in the direction of travel; none if one of them is not
/// on the page.
pub fn leg(places: &Places, from: Stop, to: Stop) -> Vec<(f32, f32)> {
    let (Some(a), Some(b)) = (places.get(&name(from)), places.get(&name(to))) else { return Vec::new() };
    match (from, to) {
        (Stop::Server, Stop::Reflector(_)) => down_left(a, b, GUTTER, 0.62),
        (Stop::Worker, Stop::Server) => turned(down_left(b, a, 2.0 * GUTTER, 0.38)),
        (Stop::Server, Stop::Worker) => down_left(a, b, 2.0 * GUTTER, 0.38),
        (Stop::Handlers(_), Stop::Queue) => {
            let ((_, y0), (_, y1)) = (a.middle(), b.middle());
            let x = a.right().max(b.right()) + GUTTER;
            vec![(a.right(), y0), (x, y0), (x, y1), (b.right(), y1)]
        }
        _ => straight(a, b),
    }
}

/// From the left edge of one to the left edge of another, along the gutter.
fn down_left(a: &Rect, b: &Rect, gutter: f32, at: f32) -> Vec<(f32, f32)> {
    let x = a.x.min(b.x) - gutter;
    let (y0, y1) = (a.y + a.h * at, b.middle().1);
    vec![(a.x, y0), (x, y0), (x, y1), (b.x, y1)]
}

fn turned(mut points: Vec<(f32, f32)>) -> Vec<(f32, f32)> {
    points.reverse();
    points
}

/// From edge to edge, where the two face each other.
fn straight(a: &Rect, b: &Rect) -> Vec<(f32, f32)> {
    let ((ax, ay), (bx, by)) = (a.middle(), b.middle());
    // The height or the column that both have.
    let y = (a.y.max(b.y) + a.bottom().min(b.bottom())) / 2.0;
    let x = (a.x.max(b.x) + a.right().min(b.right())) / 2.0;
    if b.x >= a.right() - 1.0 {
        vec![(a.right(), y), (b.x, y)]
    } else if a.x >= b.right() - 1.0 {
        vec![(a.x, y), (b.right(), y)]
    } else if by > ay {
        vec![(x, a.bottom()), (x, b.y)]
    } else if by < ay {
        vec![(x, a.y), (x, b.bottom())]
    } else {
        vec![(ax, ay), (bx, by)]
    }
}

/// The whole way along these stops, through the parts on it.
pub fn way(places: &Places, path: &[Stop]) -> Vec<(f32, f32)> {
    let mut points: Vec<(f32, f32)> = Vec::new();
    for (from, to) in path.iter().zip(path.iter().skip(1)) {
        for p in leg(places, *from, *to) {
            if points.last() != Some(&p) {
                points.push(p);
            }
        }
    }
    // It ends inside the last part, where it is seen to arrive.
    if let (Some(last), Some((x, y))) = (path.last().and_then(|s| places.get(&name(*s))), points.last()) {
        let inside = |v: f32, low: f32, high: f32| v.clamp(low + 8.0, (high - 8.0).max(low + 8.0));
        let end = (inside(*x, last.x, last.right()), inside(*y, last.y, last.bottom()));
        points.push(end);
    }
    points
}

/// How long it is.
pub fn length(points: &[(f32, f32)]) -> f32 {
    points.iter().zip(points.iter().skip(1)).map(|(a, b)| (a.0 - b.0).hypot(a.1 - b.1)).sum()
}

/// An SVG path along points, its corners rounded.
pub fn path(points: &[(f32, f32)]) -> String {
    let mut d = String::new();
    let Some((first, rest)) = points.split_first() else { return d };
    let _ = write!(d, "M{:.1} {:.1}", first.0, first.1);
    let mut from = *first;
    for (i, p) in rest.iter().enumerate() {
        match rest.get(i + 1) {
            Some(next) => {
                let (a, b) = (toward(*p, from), toward(*p, *next));
                let _ = write!(d, "L{:.1} {:.1}Q{:.1} {:.1} {:.1} {:.1}", a.0, a.1, p.0, p.1, b.0, b.1);
            }
            None => {
                let _ = write!(d, "L{:.1} {:.1}", p.0, p.1);
            }
        }
        from = *p;
    }
    d
}

/// A little way from a corner towards a point.
fn toward(corner: (f32, f32), to: (f32, f32)) -> (f32, f32) {
    let (dx, dy) = (to.0 - corner.0, to.1 - corner.1);
    let far = dx.hypot(dy);
    if far < 0.1 {
        return corner;
    }
    let by = ROUND.min(far / 2.0) / far;
    (corner.0 + dx * by, corner.1 + dy * by)
}

/// The wires that are always drawn: between the parts that are on the page.
pub fn all(places: &Places, informers: &[u16]) -> Vec<String> {
    let mut legs =
        vec![(Stop::Server, Stop::Etcd), (Stop::Queue, Stop::Worker), (Stop::Worker, Stop::Server)];
    for n in informers.iter().copied() {
        legs.extend([
            (Stop::Server, Stop::Reflector(n)),
            (Stop::Reflector(n), Stop::Fifo(n)),
            (Stop::Fifo(n), Stop::Indexer(n)),
            (Stop::Indexer(n), Stop::Handlers(n)),
            (Stop::Handlers(n), Stop::Queue),
        ]);
    }
    let drawn = legs.into_iter().map(|(a, b)| path(&leg(places, a, b)));
    drawn.filter(|d| !d.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places() -> Places {
        let r = |x: f32, y: f32, w: f32, h: f32| Rect { x, y, w, h };
        [
            ("server", r(30.0, 0.0, 400.0, 100.0)),
            ("etcd", r(450.0, 0.0, 200.0, 100.0)),
            ("reflector-0", r(30.0, 200.0, 100.0, 40.0)),
            ("fifo-0", r(150.0, 200.0, 100.0, 40.0)),
            ("indexer-0", r(270.0, 200.0, 100.0, 40.0)),
            ("handlers-0", r(390.0, 200.0, 100.0, 40.0)),
            ("worker", r(30.0, 300.0, 200.0, 80.0)),
            ("queue", r(250.0, 300.0, 240.0, 80.0)),
        ]
        .into_iter()
        .map(|(n, r)| (n.to_owned(), r))
        .collect()
    }

    #[test]
    fn a_watch_event_comes_from_etcd_to_the_fifo() {
        let all = [Stop::Etcd, Stop::Server, Stop::Reflector(0), Stop::Fifo(0)];
        let points = way(&places(), &all);
        assert_eq!(points.first(), Some(&(450.0, 50.0)));
        // It goes down left of everything.
        assert!(points.iter().any(|p| p.0 < 30.0));
        assert_eq!(points.last(), Some(&(158.0, 220.0)));
        assert!(path(&points).starts_with("M450.0 50.0"));
        assert!(length(&points) > 400.0);
    }

    #[test]
    fn a_request_goes_up_beside_the_watch_and_comes_back_the_same_way() {
        let there = leg(&places(), Stop::Worker, Stop::Server);
        let mut back = leg(&places(), Stop::Server, Stop::Worker);
        back.reverse();
        assert_eq!(there, back);
        assert_ne!(there, leg(&places(), Stop::Server, Stop::Reflector(0)));
    }

    #[test]
    fn what_is_not_on_the_page_has_no_wire() {
        assert_eq!(leg(&places(), Stop::Reflector(7), Stop::Fifo(7)), []);
        assert_eq!(way(&Places::new(), &[Stop::Queue, Stop::Worker]), []);
        assert_eq!(all(&places(), &[0, 7]).len(), 8);
        assert_eq!(path(&[]), "");
    }

    #[test]
    fn below_each_other_the_wire_runs_down() {
        let mut p = places();
        p.insert("queue".into(), Rect { x: 30.0, y: 400.0, w: 200.0, h: 60.0 });
        assert_eq!(leg(&p, Stop::Queue, Stop::Worker), [(130.0, 400.0), (130.0, 380.0)]);
    }
}
