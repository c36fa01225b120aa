//! Who owns the cluster: one thread, whose tasks borrow it for a moment each.

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

/// So long actions are done in one go where nobody asks anything; then others get their turn.
pub const SLICE: Duration = Duration::from_millis(10);
/// So long actions are done before a request is answered.
const BEFORE: Duration = Duration::from_millis(2);
/// After so many actions the clock is read.
const ACTIONS: usize = 16;

/// What makes time pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Time {
    /// The clock on the wall.
    #[default]
    Clock,
    /// Requests to `/steady/…`; nothing moves until asked.
    Stepped,
}

/// The cluster and what its users share. It is never borrowed across an await.
pub struct House {
    cluster: RefCell<Cluster>,
    texts: RefCell<TextCache>,
    /// What makes time pass.
    pub time: Time,
    /// The limits.
    pub limits: Limits,
    /// Which `Host` a request may name; any if there is none.
    pub host: Option<std::net::SocketAddr>,
    began: (Instant, Timestamp),
    changed: watch::Sender<u64>,
    kick: Notify,
    ending: watch::Sender<bool>,
    watches: Cell<usize>,
    /// Who has a connection and who can be asked to leave.
    pub places: Rc<Places>,
}

/// A watch that is counted as long as this is there.
pub struct Counted(Rc<House>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.watches.set(self.0.watches.get().saturating_sub(1));
    }
}

impl House {
    /// A house around a cluster, whose time is now.
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

    /// Looks at the cluster.
    pub fn read<T>(&self, f: impl FnOnce(&Cluster) -> T) -> T {
        f(&self.cluster.borrow())
    }

    /// Does something to the cluster; who watches hears of it.
    pub fn change<T>(&self, f: impl FnOnce(&mut Cluster) -> T) -> T {
        let result = f(&mut self.cluster.borrow_mut());
        self.changed.send_modify(|n| *n = n.wrapping_add(1));
        result
    }

    /// Answers a request; the body of a list or a watch is to be read with [`House::more`].
    pub fn http(&self, request: &HttpRequest) -> Served {
        if self.time == Time::Clock {
            // What is due comes before what is asked; if that is much, it goes on after it.
            let _ = self.slice(self.wall(), BEFORE);
        }
        let (served, writes) = self.cluster.borrow_mut().serve(request);
        if !writes.is_empty() {
            self.changed.send_modify(|n| *n = n.wrapping_add(1));
            self.kick.notify_one();
        }
        served
    }

    /// The next piece of a body.
    pub fn more(&self, stream: &mut Stream) -> Piece {
        self.cluster.borrow_mut().more(stream, &mut self.texts.borrow_mut())
    }

    /// Forgets texts that nobody read since this was last called.
    pub fn forget_texts(&self) {
        self.texts.borrow_mut().age();
    }

    /// Counts one more watch; `None` if there are too many.
    pub fn count_watch(self: &Rc<House>) -> Option<Counted> {
        let n = self.watches.get();
        (n < self.limits.watches).then(|| {
            self.watches.set(n + 1);
            Counted(self.clone())
        })
    }

    /// Hears of every change from now on.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    /// Hears when the program ends.
    pub fn ending(&self) -> watch::Receiver<bool> {
        self.ending.subscribe()
    }

    /// Waits until somebody wrote something.
    pub async fn kicked(&self) {
        self.kick.notified().await;
    }

    /// What time it is outside, as the cluster counts.
    pub fn wall(&self) -> Timestamp {
        let (instant, start) = self.began;
        start.checked_add(instant.elapsed()).unwrap_or(start)
    }

    /// Does a part of what there is to do up to a moment; whether something is left.
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
                    // An action that the fair policy names is enabled.
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
                // Only the background is left: beats and polls, which are few. Something that runs in
                // a circle there goes on with the next slice.
                let _ = cluster.run_until(to, |_, _| {});
            }
            !idle
        })
    }
}
