//! Which component acts next if a person has not chosen one. In Kubernetes all components run at the same
//! time, so any enabled action can be the next one. A policy is a rule for choosing; every policy leads to a
//! possible run.

use std::fmt;
use std::str::FromStr;

use rand_core::Rng;
use rand_pcg::Pcg32;
use serde::{Deserialize, Serialize};

use super::Cluster;
use super::action::{Action, Actor};

/// A rule for choosing the next action. Under every policy, time passes only when no other action is
/// enabled.
///
/// ```
/// use steady::cluster::Policy;
/// let policy: Policy = "starved:deployment-controller".parse().unwrap();
/// assert_eq!(policy, Policy::Starved { component: "deployment-controller".into() });
/// assert_eq!(policy.to_string(), "starved:deployment-controller");
/// assert!("starved:".parse::<Policy>().is_err());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Policy {
    /// The components issue one command each, in turn, and each is notified of all changes before that. After
    /// time has passed, those whose deadlines were met act first.
    #[default]
    Fair,
    /// The next component is drawn at random from those that can act.
    Random {
        /// The seed of the random numbers; equal seeds lead to equal runs.
        seed: u64,
    },
    /// One component acts only if no other can; the others act as under `Fair`.
    Starved {
        /// The component's name, for example `deployment-controller`; `kubelet` means all kubelets.
        component: String,
    },
    /// The component that has been notified of the newest change acts first, so that older changes wait
    /// longest.
    Newest,
}

/// The text is not a policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoSuchPolicy;

impl fmt::Display for NoSuchPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a policy is fair, newest, random:<seed> or starved:<component>")
    }
}

impl std::error::Error for NoSuchPolicy {}

impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Policy::Fair => f.write_str("fair"),
            Policy::Random { seed } => write!(f, "random:{seed}"),
            Policy::Starved { component } => write!(f, "starved:{component}"),
            Policy::Newest => f.write_str("newest"),
        }
    }
}

impl FromStr for Policy {
    type Err = NoSuchPolicy;

    fn from_str(text: &str) -> Result<Policy, NoSuchPolicy> {
        match text.split_once(':').unwrap_or((text, "")) {
            ("fair", "") => Ok(Policy::Fair),
            ("newest", "") => Ok(Policy::Newest),
            ("random", seed) => seed.parse().map(|seed| Policy::Random { seed }).map_err(|_| NoSuchPolicy),
            ("starved", component) if !component.is_empty() => {
                Ok(Policy::Starved { component: component.to_owned() })
            }
            _ => Err(NoSuchPolicy),
        }
    }
}

/// A policy applied to one step. Its choice depends only on the cluster, the policy and the number of the
/// step.
#[derive(Clone, Debug)]
pub(super) struct Chooser {
    policy: Policy,
    dice: Pcg32,
    /// The chosen component, until it has issued a command or can do nothing more.
    going: Option<Actor>,
}

/// How near an action is to a request, on the way of a change from etcd. Of actions about equally new
/// changes the nearest is taken.
fn stage(action: &Action) -> u8 {
    match action {
        Action::Advance => 0,
        Action::List { .. } | Action::Informers { .. } => 1,
        Action::Watch { .. } => 2,
        Action::Pop { .. } => 3,
        Action::Notify { .. } => 4,
        Action::Start { .. } => 5,
        Action::Record { .. } => 6,
        Action::Send { .. } => 7,
    }
}

impl Chooser {
    /// A policy for the `nth` step of a run.
    pub fn new(policy: Policy, nth: u64) -> Chooser {
        let seed = if let Policy::Random { seed } = policy { seed } else { 0 };
        // Each step has its own stream of random numbers, so that it can be repeated without the steps
        // before it.
        Chooser { policy, dice: Pcg32::new(seed, nth), going: None }
    }

    /// The next action on the way to a command; `None` if the cluster is steady.
    pub fn towards_a_command(&mut self, cluster: &Cluster) -> Option<Action> {
        if let Some(settled) = self.without_choice(cluster) {
            return settled;
        }
        loop {
            if let Some(action) = self.going.and_then(|actor| cluster.next_for(actor)) {
                return Some(action);
            }
            let able: Vec<Actor> = cluster.able().collect();
            self.going = match self.policy {
                Policy::Random { .. } => self.one_of(&able),
                _ => able.into_iter().max_by_key(|a| (cluster.news_of(*a), *a)),
            };
            if self.going.is_none() {
                return cluster.clock.next().map(|_| Action::Advance);
            }
        }
    }

    /// The next action at machinery depth; `None` if the cluster is steady.
    pub fn finest(&mut self, cluster: &Cluster) -> Option<Action> {
        if let Some(settled) = self.without_choice(cluster) {
            return settled;
        }
        let enabled = cluster.enabled();
        match self.policy {
            Policy::Random { .. } => self.one_of(&enabled),
            _ => enabled.into_iter().max_by_key(|a| (cluster.news_in(a), stage(a), *a)),
        }
    }

    /// The choice of `Fair` and `Starved`, which is the same at all depths; `None` for the other policies.
    fn without_choice(&self, cluster: &Cluster) -> Option<Option<Action>> {
        match &self.policy {
            Policy::Fair => Some(cluster.fair()),
            Policy::Starved { component } => Some(cluster.fair_but_for(component)),
            Policy::Random { .. } | Policy::Newest => None,
        }
    }

    fn one_of<T: Copy>(&mut self, of: &[T]) -> Option<T> {
        // The bias of the remainder is below one in forty million for a hundred choices.
        let n = u32::try_from(of.len()).ok().filter(|n| *n > 0)?;
        of.get((self.dice.next_u32() % n) as usize).copied()
    }
}

impl Cluster {
    /// The components that can act before time passes, in order.
    pub fn able(&self) -> impl Iterator<Item = Actor> {
        self.ready.iter().flat_map(move |process| {
            let n = self.processes.get(process as usize).map_or(0, |p| p.components.len());
            let n = u16::try_from(n).unwrap_or(u16::MAX);
            (0..n).map(move |component| Actor { process, component }).filter(|a| self.next_for(*a).is_some())
        })
    }

    /// The newest revision of which a component has been notified, or that is on its way to it.
    fn news_of(&self, actor: Actor) -> u64 {
        let Some(p) = self.processes.get(actor.process as usize) else { return 0 };
        let routes = p.routes.get(usize::from(actor.component)).into_iter().flatten();
        let informers = routes.filter_map(|(n, _)| p.informers.get(usize::from(*n)));
        informers.map(|n| self.newest_on_the_way(n.watch).unwrap_or(n.resource_version)).max().unwrap_or(0)
    }

    fn newest_on_the_way(&self, watch: Option<crate::apimachinery::WatchId>) -> Option<u64> {
        self.api.watches.last_queued(watch?).map(|e| e.revision)
    }

    /// The revision that an action is about, or the newest one of which its component has been notified.
    fn news_in(&self, action: &Action) -> u64 {
        let informer = || {
            let p = self.processes.get(action.process()? as usize)?;
            p.informers.get(usize::from(action.informer()?))
        };
        let version = |o: &crate::api::Object| o.revision().unwrap_or(0);
        match action {
            Action::Advance => 0,
            Action::List { .. } => self.api.resource_version(),
            Action::Watch { .. } => informer()
                .and_then(|n| self.api.watches.queued(n.watch?).next().map(|e| e.revision))
                .unwrap_or(0),
            Action::Pop { .. } => {
                informer().and_then(|n| n.fifo.iter().next().map(|d| version(d.object()))).unwrap_or(0)
            }
            Action::Notify { actor, .. } => informer()
                .and_then(|n| {
                    let place = n.listeners.place_of(usize::from(actor.component))?;
                    n.listeners.untold(place).next()?.object().map(version)
                })
                .unwrap_or(0),
            Action::Start { actor }
            | Action::Send { actor }
            | Action::Record { actor }
            | Action::Informers { actor } => {
                // A change on its way does not count as known to the component yet.
                let p = self.processes.get(actor.process as usize);
                let routes = p.and_then(|p| p.routes.get(usize::from(actor.component)));
                let heard =
                    routes.into_iter().flatten().filter_map(|(n, _)| p?.informers.get(usize::from(*n)));
                heard.map(|n| n.resource_version).max().unwrap_or(0)
            }
        }
    }

    /// As [`Cluster::fair`], but the component of this name acts only if no other can.
    fn fair_but_for(&self, component: &str) -> Option<Action> {
        let starves = |a: Actor| self.actor_name(a).is_some_and(|n| &*n == component);
        match self.fair_among(|a| !starves(a)) {
            None | Some(Action::Advance) => {}
            other => return other,
        }
        let starved = self.able().find(|a| starves(*a)).and_then(|a| self.next_for(a));
        starved.or_else(|| self.clock.next().map(|_| Action::Advance))
    }
}
