//! What a Node's annotations say to its kubelet in the place of flags, and what of it cannot be read. A real kubelet does not start with
//! such a flag; this one starts without it, and an event about its Node says why.

use std::cell::RefCell;
use std::rc::Rc;

use jiff::SignedDuration;

use super::behaviour::NAMESPACE;
use crate::api::duration;
use crate::api::quantity::Amount;
use crate::api::quote::go_quote;
use crate::api::{MetaExt, order, types::Node};

/// The names of the annotations of a Node that its kubelet reads, without their prefix: those of flags, and those that say what the
/// machine is like or what happens to it.
const KNOWN: [&str; 34] = [
    "allowed-unsafe-sysctls",
    "cpu-manager-policy",
    "cpu-manager-policy-options",
    "eviction-hard",
    "eviction-max-pod-grace-period",
    "eviction-minimum-reclaim",
    "eviction-pressure-transition-period",
    "eviction-soft",
    "eviction-soft-grace-period",
    "http-check-frequency",
    "image-gc-high-threshold",
    "image-gc-low-threshold",
    "images",
    "inodes",
    "kube-reserved",
    "manifest-url",
    "manifest-url-header",
    "minimum-image-ttl-duration",
    "numa-nodes",
    "pid-max",
    "reserved-cpus",
    "runtime-handlers",
    "shutdown",
    "shutdown-grace-period",
    "shutdown-grace-period-by-pod-priority",
    "shutdown-grace-period-critical-pods",
    "system-disk",
    "system-inodes",
    "system-memory",
    "system-pids",
    "system-reserved",
    "threads-per-core",
    "topology-manager-policy",
    "topology-manager-scope",
];

/// The annotations of a Node that are meant for its kubelet.
pub(super) struct Said<'a> {
    node: &'a Node,
    wrong: RefCell<Vec<Rc<str>>>,
}

impl<'a> Said<'a> {
    pub(super) fn of(node: &'a Node) -> Said<'a> {
        let names = node.metadata.annotations.iter().flat_map(|all| all.keys());
        let own = names.filter_map(|name| name.strip_prefix(NAMESPACE));
        let wrong = own.filter(|name| !KNOWN.contains(name)).map(|name| unknown(name).into()).collect();
        Said { node, wrong: RefCell::new(wrong) }
    }

    /// The value of a flag.
    pub(super) fn text(&self, flag: &str) -> Option<&'a str> {
        debug_assert!(KNOWN.contains(&flag), "{flag} is not among the names that a kubelet knows");
        self.node.metadata.annotation(&format!("{NAMESPACE}{flag}")).map(str::trim)
    }

    /// The value of a flag as `read` reads it; `None` if it is absent or cannot be read.
    pub(super) fn read<T>(&self, flag: &str, read: impl FnOnce(&'a str) -> Result<T, String>) -> Option<T> {
        read(self.text(flag)?).map_err(|why| self.refuse(flag, &why)).ok()
    }

    /// Notes why the value of a flag does not count.
    pub(super) fn refuse(&self, flag: &str, why: &str) {
        let text = go_quote(self.text(flag).unwrap_or_default());
        let why: Rc<str> = format!("invalid argument {text} for \"--{flag}\" flag: {why}").into();
        let mut all = self.wrong.borrow_mut();
        if !all.contains(&why) {
            all.push(why);
        }
    }

    /// An amount that is not negative, in whole units.
    pub(super) fn amount(&self, flag: &str) -> Option<i64> {
        self.read(flag, amount).map(Amount::value)
    }

    /// A duration that is not negative.
    pub(super) fn duration(&self, flag: &str) -> Option<SignedDuration> {
        self.read(flag, |text| match duration::parse(text)? {
            nanos if nanos < 0 => Err("must not be negative".to_owned()),
            nanos => Ok(SignedDuration::from_nanos(nanos)),
        })
    }

    /// Amounts by name: `cpu=500m,memory=1Gi`.
    pub(super) fn amounts(&self, flag: &str) -> Vec<(&'a str, Amount)> {
        let entry = |text: &'a str| {
            let (name, value) =
                text.split_once('=').ok_or_else(|| format!("{text} must be formatted as name=value"))?;
            Ok((name.trim(), amount(value.trim())?))
        };
        let all = |text: &'a str| {
            text.split(',').map(str::trim).filter(|text| !text.is_empty()).map(entry).collect()
        };
        self.read(flag, all).unwrap_or_default()
    }

    /// What cannot be read, in the order of its text.
    pub(super) fn wrong(self) -> Vec<Rc<str>> {
        let mut all = self.wrong.into_inner();
        order::sort(&mut all);
        all
    }
}

fn amount(text: &str) -> Result<Amount, String> {
    let amount = Amount::parse(text).map_err(|why| why.to_string())?;
    if amount.sign() < 0 { Err("must not be negative".to_owned()) } else { Ok(amount) }
}

/// Why an annotation that no kubelet knows has no effect.
fn unknown(name: &str) -> String {
    let near = KNOWN.iter().map(|known| (strsim::osa_distance(name, known), known)).min();
    let meant = near.filter(|(distance, _)| *distance <= 2);
    let meant = meant.map(|(_, known)| format!(", did you mean {NAMESPACE}{known}?")).unwrap_or_default();
    format!("a kubelet knows no annotation {NAMESPACE}{name}{meant}")
}
