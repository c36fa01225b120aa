//! Leader election (`k8s.io/client-go/tools/leaderelection`): of several instances of a process one
//! works and renews a Lease; the others wait until that runs out.
//!
//! A leader renews every two seconds, in the background, so that it keeps no cluster from being steady.
//! In Kubernetes an instance that waits looks at the lease as often. Here a leader that runs is always in
//! time, however far time jumps, so an instance that waits looks when the lease can have run out: a
//! [`Wait::Watchdog`] on the holder.

use std::any::Any;
use std::rc::Rc;

use jiff::SignedDuration;

use super::context::Context;
use super::memory::Memory;
use super::reconciler::Reconciler;
use super::recorder::EventFlavour;
use super::sync::Result;
use super::timer::{ANYWHERE, Wait};
use super::watches::Watches;
use super::why::Why;
use crate::api::digest::Digest;
use crate::api::types::{Lease, LeaseSpec, MicroTime, ObjectMeta};
use crate::api::{Key, Kind, MetaExt, ObjectRef, Timestamp, later};

/// The namespace of the leases of the control plane.
pub const NAMESPACE: &str = "kube-system";
/// How long a lease holds that is not renewed, in seconds (`--leader-elect-lease-duration`).
pub const LEASE_SECONDS: i32 = 15;
/// A leader that could not renew its lease for so long gives up (`--leader-elect-renew-deadline`).
pub const RENEW_DEADLINE: SignedDuration = SignedDuration::from_secs(10);
/// How often it renews the lease, or tries to (`--leader-elect-retry-period`).
pub const RETRY_PERIOD: SignedDuration = SignedDuration::from_secs(2);

/// Takes part in the election for a process.
#[derive(Clone, Debug)]
pub struct LeaderElector {
    /// The process, as `kube-controller-manager`: the name of the lease.
    pub lease: Rc<str>,
    /// The number of the instance, counted from 1.
    pub instance: usize,
    /// The component of its events.
    pub component: Rc<str>,
    /// The seed that its identities are made from.
    pub seed: u64,
}

/// What an elector remembers.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// Its identity, as `control-plane-1_3f2a…`. It has another one after each start.
    pub identity: Rc<str>,
    /// Whether this instance holds the lease.
    pub leads: bool,
    /// The lease that it holds, as it was last written.
    lease: Option<Rc<Lease>>,
    /// When it was last renewed.
    renewed: Option<Timestamp>,
    /// Since when the lease cannot be renewed.
    failing: Option<Timestamp>,
    /// How often it has started.
    starts: u64,
}

impl Memory for State {
    /// When the lease was last renewed is left out: instances that wait for it have deadlines, and these
    /// are part of a cluster's state.
    fn lines(&self, _: Timestamp) -> Vec<String> {
        let held = self.lease.iter().filter(|_| self.leads);
        held.map(|l| format!("leads {}", l.metadata.name())).collect()
    }
}

type Cx = Context<State>;

impl LeaderElector {
    fn key(&self) -> Key {
        Key::new(NAMESPACE, &self.lease)
    }

    /// The host's name and a uuid.
    fn identity(&self, starts: u64) -> String {
        let of = format!("{}/{}/{}/{starts}", self.lease, self.instance, self.seed);
        let bits = Digest::default().with(&of).finish() & !(0xf << 76) & !(0x3 << 62) | 4 << 76 | 2 << 62;
        let hex = format!("{bits:032x}");
        let at = |from: usize, to: usize| hex.get(from..to).unwrap_or_default();
        let uuid = format!("{}-{}-{}-{}-{}", at(0, 8), at(8, 12), at(12, 16), at(16, 20), at(20, 32));
        format!("control-plane-{}_{uuid}", self.instance)
    }

    fn record(&self, cx: &Cx, held: Option<&LeaseSpec>) -> LeaseSpec {
        let me = cx.state(|s| s.identity.to_string());
        let now = Some(MicroTime(cx.now()));
        LeaseSpec {
            holder_identity: Some(me),
            lease_duration_seconds: Some(LEASE_SECONDS),
            acquire_time: now.clone(),
            renew_time: now,
            lease_transitions: Some(held.map_or(0, |s| s.lease_transitions.unwrap_or(0) + 1)),
            ..Default::default()
        }
    }

    /// `tryAcquireOrRenew` of an instance that does not lead.
    async fn acquire(&self, cx: &Cx) -> Result {
        let me = cx.state(|s| s.identity.clone());
        let reference = ObjectRef { kind: Kind::LEASE, key: self.key() };
        let written = match cx.get::<Lease>(self.key()).await {
            Err(e) if e.is_not_found() => {
                let metadata = ObjectMeta {
                    name: Some(self.lease.to_string()),
                    namespace: Some(NAMESPACE.into()),
                    ..Default::default()
                };
                let spec = Some(self.record(cx, None));
                let why = Why::new("leaderelection.create").with("lease", &self.lease).with("identity", &me);
                cx.create(Lease { metadata, spec }).because(why).await
            }
            Err(e) => Err(e),
            Ok(held) => {
                let spec = held.spec.clone().unwrap_or_default();
                let holder = spec.holder_identity.clone().unwrap_or_default();
                let lasts = SignedDuration::from_secs(spec.lease_duration_seconds.unwrap_or(0).into());
                let until = spec.renew_time.as_ref().map_or(Timestamp::MIN, |t| later(t.0, lasts));
                if !holder.is_empty() && until > cx.now() {
                    let wait = Wait::Watchdog { node: holder.as_str().into(), after: lasts };
                    cx.enqueue_waiting(self.key(), until.duration_since(cx.now()), wait);
                    return Ok(());
                }
                let silent = spec.renew_time.as_ref().map_or(0, |t| cx.now().duration_since(t.0).as_secs());
                let why = Why::new("leaderelection.acquire")
                    .read("holder", reference, "spec.holderIdentity", &holder)
                    .with("silent_seconds", silent)
                    .with("lease_seconds", lasts.as_secs());
                let mut new = (*held).clone();
                new.spec = Some(self.record(cx, held.spec.as_ref()));
                cx.update(Rc::new(new)).because(why).await
            }
        };
        match written {
            Ok(lease) => {
                cx.event(&*lease, "Normal", "LeaderElection", format!("{me} became leader"));
                let now = cx.now();
                cx.update_state(move |s| {
                    (s.leads, s.lease, s.renewed) = (true, Some(lease.clone()), Some(now));
                });
                cx.enqueue_after_in_background(self.key(), RETRY_PERIOD);
            }
            // Another instance was quicker: the lease is read again at once. A server that does not answer
            // is asked again when something has changed.
            Err(e) if e.code == 409 => cx.enqueue(self.key()),
            Err(_) => cx.enqueue_waiting(self.key(), RETRY_PERIOD, Wait::Poll { namespace: ANYWHERE.into() }),
        }
        Ok(())
    }

    /// `tryAcquireOrRenew` of the leader: it updates its lease as it was written last, and reads it only
    /// if that is refused.
    async fn renew(&self, cx: &Cx, lease: Rc<Lease>) -> Result {
        let now = cx.now();
        let me = cx.state(|s| s.identity.clone());
        let renew = |lease: &Lease| {
            let mut new = lease.clone();
            new.spec.get_or_insert_default().renew_time = Some(MicroTime(now));
            Rc::new(new)
        };
        let why = || Why::new("leaderelection.renew").with("lease", &self.lease).with("identity", &me);
        let mut answer = cx.update(renew(&lease)).because(why()).in_background().await;
        if answer.is_err()
            && let Ok(held) = cx.get::<Lease>(self.key()).await
            && held.spec.as_ref().and_then(|s| s.holder_identity.as_deref()) == Some(&*me)
        {
            answer = cx.update(renew(&held)).because(why()).in_background().await;
        }
        match answer {
            Ok(lease) => {
                cx.update_state(move |s| {
                    (s.lease, s.renewed, s.failing) = (Some(lease.clone()), Some(now), None);
                });
                cx.enqueue_after_in_background(self.key(), RETRY_PERIOD);
            }
            Err(_) => {
                // Where time has jumped, the renewals in between would have been in time.
                let in_time = later(now, -RETRY_PERIOD);
                let since = cx.state(|s| s.failing.or(s.renewed.map(|r| r.max(in_time)))).unwrap_or(in_time);
                if now.duration_since(since) >= RENEW_DEADLINE {
                    cx.event(&*lease, "Normal", "LeaderElection", format!("{me} stopped leading"));
                    cx.update_state(|s| (s.leads, s.lease) = (false, None));
                } else {
                    cx.update_state(move |s| s.failing = Some(since));
                    cx.enqueue_after(self.key(), RETRY_PERIOD);
                }
            }
        }
        Ok(())
    }
}

impl Reconciler for LeaderElector {
    type Key = Key;
    type State = State;

    fn name(&self) -> Rc<str> {
        if self.instance == 1 {
            "leaderelection".into()
        } else {
            format!("leaderelection-{}", self.instance).into()
        }
    }

    fn user(&self) -> Rc<str> {
        self.lease.clone()
    }

    fn events(&self) -> EventFlavour {
        EventFlavour::Core { component: self.component.clone(), host: None }
    }

    fn watches(&self) -> Watches<State> {
        Watches::new()
    }

    fn initial_keys(&self, _: &Self::State) -> Vec<Key> {
        vec![self.key()]
    }

    async fn sync(self, cx: Cx, _: Key) -> Result {
        match cx.state(|s| s.lease.clone().filter(|_| s.leads)) {
            Some(lease) => self.renew(&cx, lease).await,
            None => self.acquire(&cx).await,
        }
    }

    /// A process that starts anew has a new identity, so the lease that it held before has to run out.
    fn restarted(&self, state: &State) -> State {
        let starts = state.starts + 1;
        State { identity: self.identity(starts).into(), starts, ..State::default() }
    }
}

/// What an elector's component knows; `None` if it is another component's state.
pub fn state_of(state: &dyn Any) -> Option<&State> {
    state.downcast_ref()
}
