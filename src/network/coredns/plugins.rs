//! The settings of CoreDNS' plugins.

use std::net::IpAddr;
use std::rc::Rc;

use jiff::SignedDuration;
use regex::Regex;

use crate::network::dns::{self, Settings};

/// A server: the zones and the port of a server block, and its plugins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Server {
    /// The zones of which it answers, without the dot at their ends; the root is empty.
    pub zones: Vec<Rc<str>>,
    /// The port.
    pub port: u16,
    /// `health`
    pub health: Option<Health>,
    /// The port of `ready`.
    pub ready: Option<u16>,
    /// The port of `prometheus`; `None` also if it can be reached from within the pod alone.
    pub prometheus: Option<u16>,
    /// The interval of `reload`.
    pub reload: Option<SignedDuration>,
    /// Whether it has the plugin `loop`.
    pub finds_loops: bool,
    /// `log`
    pub log: Vec<Log>,
    /// `cache`
    pub cache: Option<Cache>,
    pub(super) rewrite: Vec<Rewrite>,
    pub(super) hosts: Option<Hosts>,
    pub(super) kubernetes: Option<Kubernetes>,
    /// `forward`
    pub(super) forward: Vec<Forward>,
    pub(super) whoami: bool,
}

/// The plugin `health`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Health {
    /// Its port.
    pub port: u16,
    /// For how long CoreDNS goes on to answer after SIGTERM.
    pub lameduck: SignedDuration,
}

/// A sort of answers, for the plugin `log`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// It has records.
    Success,
    /// There is no such name, or none of the asked type.
    Denial,
    /// The server could not answer.
    Error,
}

/// The plugin `log`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Log {
    /// The domains whose names it logs.
    pub zones: Vec<Rc<str>>,
    /// The answers that it logs.
    pub classes: Vec<Class>,
}

impl Log {
    /// Whether a query is logged.
    pub fn logs(&self, name: &str, class: Class) -> bool {
        self.zones.iter().any(|z| dns::is_below(name, z)) && self.classes.contains(&class)
    }
}

/// The plugin `cache`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cache {
    /// The domains whose names it keeps.
    pub zones: Vec<Rc<str>>,
    /// How long an answer with records is kept at most, and at least, in seconds.
    pub success: (u32, u32),
    /// How long it is kept that there is no such record.
    pub denial: (u32, u32),
    /// The domains of which no answers with records are kept.
    pub without_success: Vec<Rc<str>>,
    /// The domains of which it is not kept that there is no record.
    pub without_denial: Vec<Rc<str>>,
}

impl Cache {
    /// For how many seconds an answer is kept whose records may be kept for `ttl` seconds; `None` if it is not kept.
    pub fn keeps(&self, name: &str, class: Class, ttl: u32) -> Option<u32> {
        let below = |zones: &[Rc<str>]| zones.iter().any(|z| dns::is_below(name, z));
        let (without, (most, least)) = match class {
            Class::Success => (&self.without_success, self.success),
            Class::Denial => (&self.without_denial, self.denial),
            Class::Error => return None,
        };
        let keeps = below(&self.zones) && !below(without);
        // An answer whose time is 0 is not kept at all.
        keeps.then(|| ttl.max(least).min(most)).filter(|kept| *kept > 0 && ttl > 0)
    }
}

/// A domain and all below it, or all below the others that a plugin lets through.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Fall {
    /// The domains whose names go to the next plugin; `None` if the plugin does not let any through.
    pub(super) zones: Option<Vec<Rc<str>>>,
}

impl Fall {
    pub(super) fn through(&self, name: &str) -> bool {
        self.zones.iter().flatten().any(|z| dns::is_below(name, z))
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Kubernetes {
    pub(super) settings: Settings,
    pub(super) fall: Fall,
    /// How long records may be kept, in seconds.
    pub(super) ttl: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hosts {
    pub(super) zones: Vec<Rc<str>>,
    /// Names with their addresses, in the order of the files.
    pub(super) names: Vec<(Rc<str>, IpAddr)>,
    pub(super) fall: Fall,
    pub(super) reverse: bool,
    pub(super) ttl: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Forward {
    pub(super) from: Rc<str>,
    pub(super) to: Vec<IpAddr>,
    pub(super) except: Vec<Rc<str>>,
}

impl Forward {
    pub(super) fn takes(&self, name: &str) -> bool {
        dns::is_below(name, &self.from) && !self.except.iter().any(|e| dns::is_below(name, e))
    }
}

/// How `rewrite name` compares a name.
#[derive(Clone, Debug)]
pub(super) enum Match {
    Exact,
    Prefix,
    Suffix,
    Substring,
    Regex(Regex),
}

impl PartialEq for Match {
    fn eq(&self, other: &Match) -> bool {
        match (self, other) {
            (Match::Regex(a), Match::Regex(b)) => a.as_str() == b.as_str(),
            (a, b) => std::mem::discriminant(a) == std::mem::discriminant(b),
        }
    }
}

impl Eq for Match {}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Rewrite {
    pub(super) how: Match,
    pub(super) from: Rc<str>,
    pub(super) to: Rc<str>,
    /// Whether further rules are looked at after this one.
    pub(super) goes_on: bool,
}

impl Rewrite {
    /// The name instead of another one, both without the dot at their ends; `None` if the rule is not about it.
    pub(super) fn apply(&self, name: &str) -> Option<String> {
        // Rules see whole names, which end in a dot.
        let whole = format!("{name}.");
        let new = match &self.how {
            Match::Exact => (whole == *self.from).then(|| self.to.to_string()),
            Match::Prefix => whole.strip_prefix(&*self.from).map(|rest| format!("{}{rest}", self.to)),
            Match::Suffix => whole.strip_suffix(&*self.from).map(|rest| format!("{rest}{}", self.to)),
            Match::Substring => whole.contains(&*self.from).then(|| whole.replace(&*self.from, &self.to)),
            Match::Regex(regex) => regex.captures(&whole).map(|found| {
                let mut to = self.to.to_string();
                for (n, group) in found.iter().enumerate() {
                    to = to.replace(&format!("{{{n}}}"), group.map_or("", |g| g.as_str()));
                }
                to
            }),
        };
        new.map(|n| n.trim_end_matches('.').to_owned())
    }
}
