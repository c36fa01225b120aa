//! Virtual time that follows the clock.

use std::rc::Rc;
use std::time::Duration;

use crate::house::{House, SLICE};

/// The longest interval between two advances of time. Heartbeats are at most this late.
const TICK: Duration = Duration::from_secs(1);
/// After this many slices without time passing the cluster repeats itself for ever.
const CIRCLE: usize = 200;
/// A cluster that repeats itself gets one slice in this time, so that it does not use the whole processor.
const PAUSE: Duration = Duration::from_millis(100);
/// The interval at which unused texts are dropped. They are kept for at most twice this time.
const FORGET: Duration = Duration::from_secs(30);

/// Advances the cluster to the clock's time until the door closes.
pub async fn follow(house: Rc<House>) {
    let mut ending = house.ending();
    let (mut slices, mut moment) = (0, house.read(|c| c.now()));
    while !*ending.borrow() {
        let left = house.slice(house.wall(), SLICE);
        let (now, next) = house.read(|c| (c.now(), c.clock().next_or_scheduled()));
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

/// Drops texts that were written for clients and are not read any more, until the door closes.
pub async fn forget(house: Rc<House>) {
    let mut ending = house.ending();
    while !*ending.borrow() {
        tokio::select! {
            () = tokio::time::sleep(FORGET) => house.forget_texts(),
            _ = ending.changed() => {}
        }
    }
}
