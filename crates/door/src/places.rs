//! Places for connections. Who keeps one without asking anything leaves it to whoever comes.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::{Duration, Instant};

use tokio::sync::Notify;

/// A connection that asks nothing keeps its place for so long, even where others wait for one.
const KEPT: Duration = Duration::from_millis(200);

/// The connections that have no request under way, in the order in which they came to that.
#[derive(Default)]
pub struct Places {
    idle: RefCell<BTreeMap<u64, (Instant, Rc<Notify>)>>,
    count: Cell<u64>,
    one_more: Notify,
}

impl Places {
    /// A new connection, which is idle.
    pub fn seat(self: &Rc<Places>) -> Rc<Seat> {
        let seat = Seat {
            places: self.clone(),
            leave: Rc::default(),
            number: Cell::new(None),
            has_asked: Cell::new(false),
        };
        seat.idle();
        Rc::new(seat)
    }

    /// Asks the connection that was idle for the longest time to leave, when there is one.
    pub async fn make_room(&self) {
        loop {
            let heard = self.one_more.notified();
            let oldest = self.idle.borrow().first_key_value().map(|(n, (since, _))| (*n, *since));
            let Some((number, since)) = oldest else {
                heard.await;
                continue;
            };
            let left = KEPT.saturating_sub(since.elapsed());
            if left.is_zero() {
                if let Some((_, leave)) = self.idle.borrow_mut().remove(&number) {
                    leave.notify_one();
                }
                return;
            }
            tokio::time::sleep(left).await;
        }
    }
}

/// A connection's place.
pub struct Seat {
    places: Rc<Places>,
    leave: Rc<Notify>,
    number: Cell<Option<u64>>,
    has_asked: Cell<bool>,
}

impl Seat {
    fn idle(&self) {
        let number = self.places.count.get();
        self.places.count.set(number + 1);
        self.number.set(Some(number));
        self.places.idle.borrow_mut().insert(number, (Instant::now(), self.leave.clone()));
        self.places.one_more.notify_one();
    }

    fn forget(&self) {
        if let Some(number) = self.number.take() {
            self.places.idle.borrow_mut().remove(&number);
        }
    }

    /// A whole request was read: the connection is owed an answer until this is dropped.
    pub fn busy(self: &Rc<Seat>) -> Busy {
        self.forget();
        self.has_asked.set(true);
        Busy(self.clone())
    }

    /// Whether a request was ever read.
    pub fn has_asked(&self) -> bool {
        self.has_asked.get()
    }

    /// Waits until the connection must leave.
    pub async fn must_leave(&self) {
        self.leave.notified().await;
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.forget();
    }
}

/// A connection that is owed an answer.
pub struct Busy(Rc<Seat>);

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.idle();
    }
}
