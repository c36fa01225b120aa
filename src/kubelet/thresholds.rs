//! The signals of a node, and the thresholds below which its kubelet acts (`pkg/kubelet/eviction/api/types.go`,
//! `helpers.go`: `ParseThresholdConfig`, `thresholdsMet`; the defaults are `DefaultEvictionHard` of
//! `pkg/kubelet/apis/config/v1beta1/defaults_linux.go`).

use jiff::SignedDuration;

use crate::api::duration;
use crate::api::quantity::{Amount, Format};

/// What a kubelet observes of its node. The order is that in which thresholds are looked at: memory first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Signal {
    /// The memory that nobody uses, in bytes.
    Memory,
    /// The memory that pods may still use: what the node reserves for itself is not theirs. In bytes.
    AllocatableMemory,
    /// What is free on the file system of the kubelet, in bytes.
    NodeFs,
    /// The free inodes of that file system.
    NodeFsInodes,
    /// What is free on the file system of images, in bytes. It is the same file system here, as on a machine with one disk.
    ImageFs,
    /// The free inodes of that file system.
    ImageFsInodes,
    /// The process ids that are left.
    Pid,
}

/// What is short when a threshold is met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Resource {
    Memory,
    Storage,
    Inodes,
    Pids,
}

/// The conditions of a node that say so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pressure {
    Memory,
    Disk,
    Pid,
}

impl Pressure {
    pub(super) const ALL: [Pressure; 3] = [Pressure::Memory, Pressure::Disk, Pressure::Pid];

    /// The type of the condition.
    pub(super) const fn condition(self) -> &'static str {
        match self {
            Pressure::Memory => "MemoryPressure",
            Pressure::Disk => "DiskPressure",
            Pressure::Pid => "PIDPressure",
        }
    }
}

impl Resource {
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Resource::Memory => "memory",
            Resource::Storage => "ephemeral-storage",
            Resource::Inodes => "inodes",
            Resource::Pids => "pids",
        }
    }

    /// An amount of it as it stands in messages.
    pub(super) fn text(self, amount: i64) -> String {
        let format = match self {
            Resource::Memory | Resource::Storage => Format::BinarySI,
            Resource::Inodes | Resource::Pids => Format::DecimalSI,
        };
        Amount::from_value(amount, format).canonical()
    }
}

impl Signal {
    pub(super) const ALL: [Signal; 7] = [
        Signal::Memory,
        Signal::AllocatableMemory,
        Signal::NodeFs,
        Signal::NodeFsInodes,
        Signal::ImageFs,
        Signal::ImageFsInodes,
        Signal::Pid,
    ];

    /// Its name in a kubelet's configuration.
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Signal::Memory => "memory.available",
            Signal::AllocatableMemory => "allocatableMemory.available",
            Signal::NodeFs => "nodefs.available",
            Signal::NodeFsInodes => "nodefs.inodesFree",
            Signal::ImageFs => "imagefs.available",
            Signal::ImageFsInodes => "imagefs.inodesFree",
            Signal::Pid => "pid.available",
        }
    }

    pub(super) const fn resource(self) -> Resource {
        match self {
            Signal::Memory | Signal::AllocatableMemory => Resource::Memory,
            Signal::NodeFs | Signal::ImageFs => Resource::Storage,
            Signal::NodeFsInodes | Signal::ImageFsInodes => Resource::Inodes,
            Signal::Pid => Resource::Pids,
        }
    }

    pub(super) const fn pressure(self) -> Pressure {
        match self.resource() {
            Resource::Memory => Pressure::Memory,
            Resource::Storage | Resource::Inodes => Pressure::Disk,
            Resource::Pids => Pressure::Pid,
        }
    }
}

/// An amount, or a share of the capacity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Value {
    Quantity(i64),
    /// Between 0 and 1. Go has it as a `float32`, so that 10 % of a capacity is a little more than a tenth.
    Share(f32),
}

impl Value {
    fn parse(text: &str) -> Option<Value> {
        if let Some(number) = text.strip_suffix('%') {
            let percent: f32 = number.parse().ok()?;
            // 0% and 100% mean that there is no threshold.
            return (percent > 0.0 && percent < 100.0).then_some(Value::Share(percent / 100.0));
        }
        Amount::parse(text).ok().map(Amount::value).filter(|v| *v > 0).map(Value::Quantity)
    }

    /// The amount for a capacity (`GetThresholdQuantity`).
    pub(super) fn of(self, capacity: i64) -> i64 {
        match self {
            Value::Quantity(amount) => amount,
            Value::Share(share) => (capacity as f64 * f64::from(share)) as i64,
        }
    }
}

/// A threshold: it is met when less than its value is available.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Threshold {
    pub(super) signal: Signal,
    pub(super) value: Value,
    /// How long it has to be met before pods are evicted; zero for a hard one.
    pub(super) grace: SignedDuration,
    /// How much more than the value has to be available until it counts as no longer met.
    pub(super) reclaim: Option<Value>,
}

impl Threshold {
    pub(super) fn is_hard(&self) -> bool {
        self.grace.is_zero()
    }

    /// Whether it is the same threshold (`hasThreshold`).
    pub(super) fn is_same(&self, other: &Threshold) -> bool {
        (self.signal, self.value, self.grace) == (other.signal, other.value, other.grace)
    }
}

/// The hard thresholds of a kubelet that is not told any.
const DEFAULTS: &str = "memory.available<100Mi,nodefs.available<10%,nodefs.inodesFree<5%,imagefs.available<15%,imagefs.inodesFree<5%";

/// The entries of a flag such as `--eviction-hard`: signals with the words behind a sign. What names no signal is left out.
fn entries(text: &str, sign: char) -> impl Iterator<Item = (Signal, &str)> {
    text.split(',').filter_map(move |entry| {
        let (name, value) = entry.split_once(sign)?;
        let signal = Signal::ALL.into_iter().find(|s| s.as_str() == name.trim())?;
        Some((signal, value.trim()))
    })
}

/// The thresholds of a kubelet with these flags; an absent `hard` means the defaults. A soft threshold needs a grace period,
/// or else it does not count. (A real kubelet does not start then.)
pub(super) fn parse(hard: Option<&str>, soft: &str, graces: &str, reclaims: &str) -> Vec<Threshold> {
    let reclaim = |signal: Signal| {
        entries(reclaims, '=').filter(|(s, _)| *s == signal).find_map(|(_, v)| Value::parse(v))
    };
    let grace = |signal: Signal| {
        let text = entries(graces, '=').find(|(s, _)| *s == signal).map(|(_, text)| text)?;
        duration::parse(text).ok().filter(|nanos| *nanos > 0).map(SignedDuration::from_nanos)
    };
    let of = |(signal, text): (Signal, &str), grace: SignedDuration| {
        Some(Threshold { signal, value: Value::parse(text)?, grace, reclaim: reclaim(signal) })
    };
    let mut all: Vec<Threshold> =
        entries(hard.unwrap_or(DEFAULTS), '<').filter_map(|e| of(e, SignedDuration::ZERO)).collect();
    // What holds for the memory of the node holds for that of the pods (`addAllocatableThresholds`).
    let pods = all.iter().find(|t| t.signal == Signal::Memory).copied();
    all.extend(pods.map(|t| Threshold { signal: Signal::AllocatableMemory, ..t }));
    all.extend(entries(soft, '<').filter_map(|e| of(e, grace(e.0)?)));
    // Go keeps the flags in a map, which has no order.
    crate::api::order::sort_by_key(&mut all, |t| (t.signal, !t.is_hard()));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `pkg/kubelet/eviction/helpers_test.go`, `TestParseThresholdConfig`
    #[test]
    fn thresholds_are_read_as_the_flags_are() {
        let all = parse(None, "", "", "");
        let names: Vec<&str> = all.iter().map(|t| t.signal.as_str()).collect();
        let all_but_pids: Vec<&str> = Signal::ALL.iter().map(|s| s.as_str()).take(6).collect();
        assert_eq!(names, all_but_pids);
        let some = parse(
            Some("memory.available<150Mi, nodefs.available<0%, nothing<1"),
            "memory.available<300Mi,pid.available<10%",
            "memory.available=30s",
            "memory.available=0,nodefs.available=5%",
        );
        let said: Vec<_> = some.iter().map(|t| (t.signal, t.value, t.grace.as_secs(), t.reclaim)).collect();
        let mi = |n: i64| Value::Quantity(n << 20);
        assert_eq!(
            said,
            [
                (Signal::Memory, mi(150), 0, None),
                (Signal::Memory, mi(300), 30, None),
                (Signal::AllocatableMemory, mi(150), 0, None),
            ]
        );
    }

    /// `pkg/kubelet/eviction/api/types.go`, `GetThresholdQuantity`: the share is a `float32`.
    #[test]
    fn a_share_of_a_capacity_is_rounded_as_in_go() {
        let share = Value::parse("10%");
        assert_eq!(share.map(|v| v.of(1000)), Some(100));
        assert_eq!(share.map(|v| v.of(107_374_182_400)), Some(10_737_418_400));
        assert_eq!(Resource::Storage.text(10_737_418_400), "10737418400");
        assert_eq!(Resource::Memory.text(100 << 20), "100Mi");
    }
}
