//! The owner of the cluster: one thread, whose tasks borrow the cluster for a moment each.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::{Duration, Instant};

use steady::api::Timestamp;
use steady::apimachinery::HttpRequest;
use steady::apiserver::http::{Piece, Served, Stream, TextCache};
use steady::cluster::{Action, Cluster};
use tokio::sync::{Notify, watch};

use crate::limits::Limits;
use crate::places::Places;

/// The longest time for which actions are taken without a break when no request waits.
pub const SLICE: Duration = Duration::from_millis(10);
/// The longest time for which actions are taken before a request is answered.
const BEFORE: Duration = Duration::from_millis(2);
/// After this many actions the clock is read.
const ACTIONS: usize = 16;

/// What makes virtual time pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Time {
    /// The clock of this machine.
    #[default]
    Clock,
    /// Requests to `/steady/…`. Between them nothing happens.
    Stepped,
}

/// The cluster, and what its connections share. It is never borrowed across an await.
pub struct House {
    cluster: RefCell<Cluster>,
    texts: RefCell<TextCache>,
    /// What makes virtual time pass.
    pub time: Time,
    /// The limits of clients.
    pub limits: Limits,
    /// The address that the `Host` header must name; any is allowed if it is `None`.
    pub host: Option<std::net::SocketAddr>,
    began: (Instant, Timestamp),
    changed: watch::Sender<u64>,
    kick: Notify,
    ending: watch::Sender<bool>,
    watches: Cell<usize>,
    /// The connections, and which of them can be asked to close.
    pub places: Rc<Places>,
}

/// A watch counts against the limit as long as this value exists.
pub struct Counted(Rc<House>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.watches.set(self.0.watches.get().saturating_sub(1));
    }
}

impl House {
    /// A house with a cluster, whose virtual time is mapped to the present moment.
    pub fn new(
        cluster: Cluster,
        time: Time,
        limits: Limits,
        host: Option<std::net::SocketAddr>,
        ending: watch::Sender<bool>,
    ) -> House {
        let began = (Instant::now(), cluster.now());
        House {
            cluster: RefCell::new(cluster),
            texts: RefCell::default(),
            time,
            limits,
            host,
            began,
            changed: watch::Sender::new(0),
            kick: Notify::new(),
            ending,
            watches: Cell::new(0),
            places: Rc::default(),
        }
    }

    /// Reads the cluster.
    pub fn read<T>(&self, f: impl FnOnce(&Cluster) -> T) -> T {
        f(&self.cluster.borrow())
    }

    /// Changes the cluster, and notifies the watches.
    pub fn change<T>(&self, f: impl FnOnce(&mut Cluster) -> T) -> T {
        let result = f(&mut self.cluster.borrow_mut());
        self.changed.send_modify(|n| *n = n.wrapping_add(1));
        result
    }

    /// Answers a request. The body of a list or a watch is read with [`House::more`].
    pub fn http(&self, request: &HttpRequest) -> Served {
        if self.time == Time::Clock {
            // Actions that are due come before the request. If they take too long, the rest comes after it.
            let _ = self.slice(self.wall(), BEFORE);
        }
        let (served, writes) = self.cluster.borrow_mut().serve(request);
        if served.changed || !writes.is_empty() {
            self.changed.send_modify(|n| *n = n.wrapping_add(1));
            self.kick.notify_one();
        }
        served
    }

    /// The next piece of the body of a list or a watch.
    pub fn more(&self, stream: &mut Stream) -> Piece {
        self.cluster.borrow_mut().more(stream, &mut self.texts.borrow_mut())
    }

    /// Drops texts that were not read since the last call.
    pub fn forget_texts(&self) {
        self.texts.borrow_mut().age();
    }

    /// Counts a watch; `None` if there are [`Limits::watches`] already.
    pub fn count_watch(self: &Rc<House>) -> Option<Counted> {
        let n = self.watches.get();
        (n < self.limits.watches).then(|| {
            self.watches.set(n + 1);
            Counted(self.clone())
        })
    }

    /// A receiver that is notified of every change from now on.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    /// A receiver that is notified when the door closes.
    pub fn ending(&self) -> watch::Receiver<bool> {
        self.ending.subscribe()
    }

    /// Waits until a request has written something.
    pub async fn kicked(&self) {
        self.kick.notified().await;
    }

    /// The virtual time to which the clock's present moment is mapped.
    pub fn wall(&self) -> Timestamp {
        let (instant, start) = self.began;
        start.checked_add(instant.elapsed()).unwrap_or(start)
    }

    /// Takes actions that are due up to a moment, for at most `time`. Returns whether some are left.
    pub fn slice(&self, to: Timestamp, time: Duration) -> bool {
        let begun = Instant::now();
        self.change(|cluster| {
            for n in 1.. {
                if n % ACTIONS == 0 && begun.elapsed() > time {
                    break;
                }
                match cluster.fair() {
                    Some(Action::Advance) if cluster.clock().next().is_none_or(|at| at > to) => break,
                    None => break,
                    // An action that the fair policy names is enabled, so this does not fail.
                    Some(action) => {
                        if cluster.act(&action).is_err() {
                            break;
                        }
                    }
                }
            }
            let idle = match cluster.fair() {
                Some(Action::Advance) => cluster.clock().next().is_none_or(|at| at > to),
                other => other.is_none(),
            };
            if idle && cluster.now() < to {
                // Only background deadlines are left: heartbeats and polls, which are few. If they repeat
                // for ever, the next slice continues with them.
                let _ = cluster.run_until(to, |_, _| {});
            }
            !idle
        })
    }
}
