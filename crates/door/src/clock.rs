//! Time that follows the clock.

use std::rc::Rc;
use std::time::Duration;

use crate::house::{House, SLICE};

/// How often time passes at least; heartbeats are this late at most.
const TICK: Duration = Duration::from_secs(1);
/// So many slices without time passing mean that something runs in a circle.
const CIRCLE: usize = 200;
/// A circle gets one slice in this time, so that it does not take the whole processor.
const PAUSE: Duration = Duration::from_millis(100);
/// How often texts that nobody read any more are forgotten. They are kept twice as long at most.
const FORGET: Duration = Duration::from_secs(30);

/// Keeps the cluster's time at the wall's for as long as the house stands.
pub async fn follow(house: Rc<House>) {
    let mut ending = house.ending();
    let (mut slices, mut moment) = (0, house.read(|c| c.now()));
    while !*ending.borrow() {
        let left = house.slice(house.wall(), SLICE);
        let (now, next) = house.read(|c| (c.now(), c.clock().next()));
        slices = if left && now == moment { slices + 1 } else { 0 };
        moment = now;
        if left && slices < CIRCLE {
            tokio::task::yield_now().await;
            continue;
        }
        let wait = match next {
            _ if left => PAUSE,
            Some(at) => Duration::try_from(at.duration_since(house.wall())).unwrap_or_default().min(TICK),
            None => TICK,
        };
        tokio::select! {
            () = tokio::time::sleep(wait) => {}
            () = house.kicked() => {}
            _ = ending.changed() => {}
        }
    }
}

/// Forgets texts that were written for clients and are not read any more, for as long as the house stands.
pub async fn forget(house: Rc<House>) {
    let mut ending = house.ending();
    while !*ending.borrow() {
        tokio::select! {
            () = tokio::time::sleep(FORGET) => house.forget_texts(),
            _ = ending.changed() => {}
        }
    }
}
