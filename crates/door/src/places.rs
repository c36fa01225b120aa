//! The places of connections. An idle connection gives its place to a new one if there is none left.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::{Duration, Instant};

use tokio::sync::Notify;

/// An idle connection keeps its place for at least this time.
const KEPT: Duration = Duration::from_millis(200);

/// The idle connections, in the order in which they became idle.
#[derive(Default)]
pub struct Places {
    idle: RefCell<BTreeMap<u64, (Instant, Rc<Notify>)>>,
    count: Cell<u64>,
    one_more: Notify,
}

impl Places {
    /// Registers a new connection, which is idle.
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

    /// Asks the connection that has been idle for the longest time to close; waits if there is none.
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

/// The place of a connection.
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

    /// Marks the connection as busy until the returned value is dropped: a whole request has been read and
    /// has to be answered.
    pub fn busy(self: &Rc<Seat>) -> Busy {
        self.forget();
        self.has_asked.set(true);
        Busy(self.clone())
    }

    /// Whether a request was ever read from the connection.
    pub fn has_asked(&self) -> bool {
        self.has_asked.get()
    }

    /// Waits until the connection is asked to close.
    pub async fn must_leave(&self) {
        self.leave.notified().await;
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.forget();
    }
}

/// A connection with a request that has to be answered.
pub struct Busy(Rc<Seat>);

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.idle();
    }
}
