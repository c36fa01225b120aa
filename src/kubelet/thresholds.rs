//! The signals of a node, and the thresholds below which its kubelet acts (`pkg/kubelet/eviction/api/types.go`,
//! `helpers.go`: `ParseThresholdConfig`, `thresholdsMet`; the defaults are `DefaultEvictionHard` of
//! `pkg/kubelet/eviction/defaults_linux.go`).

use jiff::SignedDuration;

use super::said::Said;
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
    /// A share in percent or an amount; `None` for a share of 0% and 100%, which mean that there is no threshold.
    fn parse(signal: Signal, text: &str) -> Result<Option<Value>, String> {
        if let Some(number) = text.strip_suffix('%') {
            let name = signal.as_str();
            let parsed = number.parse::<f32>().ok().filter(|percent| percent.is_finite());
            let percent = parsed.ok_or_else(|| format!("{text} is not a percentage"))?;
            return match percent {
                _ if percent == 0.0 || percent == 100.0 => Ok(None),
                _ if percent < 0.0 => {
                    Err(format!("eviction percentage threshold {name} must be >= 0%: {text}"))
                }
                _ if percent > 100.0 => {
                    Err(format!("eviction percentage threshold {name} must be <= 100%: {text}"))
                }
                _ => Ok(Some(Value::Share(percent / 100.0))),
            };
        }
        let amount = Amount::parse(text).map_err(|why| why.to_string())?.value();
        if amount <= 0 {
            return Err(format!("eviction threshold {} must be positive: {text}", signal.as_str()));
        }
        Ok(Some(Value::Quantity(amount)))
    }

    /// How much more has to be there (`parseMinimumReclaims`): 0 is no more.
    fn reclaim(signal: Signal, text: &str) -> Result<Option<Value>, String> {
        match Amount::parse(text) {
            Ok(amount) if amount.value() == 0 => Ok(None),
            Ok(amount) if amount.sign() < 0 => {
                Err(format!("negative eviction minimum reclaim specified for {}", signal.as_str()))
            }
            _ => Value::parse(signal, text),
        }
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

/// The entries of a flag such as `--eviction-hard`: signals with what is said behind a sign.
fn entries<T>(
    text: &str,
    sign: char,
    read: impl Fn(Signal, &str) -> Result<Option<T>, String>,
) -> Result<Vec<(Signal, T)>, String> {
    let mut all = Vec::new();
    for entry in text.split(',').map(str::trim).filter(|entry| !entry.is_empty()) {
        let (name, value) = entry
            .split_once(sign)
            .ok_or_else(|| format!("{entry} must be formatted as signal{sign}value"))?;
        let signal = Signal::ALL.into_iter().find(|s| s.as_str() == name.trim());
        let signal = signal.ok_or_else(|| format!("unsupported eviction signal {}", name.trim()))?;
        all.extend(read(signal, value.trim())?.map(|value| (signal, value)));
    }
    Ok(all)
}

/// A grace period (`parseGracePeriods`).
fn grace(_: Signal, text: &str) -> Result<Option<SignedDuration>, String> {
    match duration::parse(text)? {
        nanos if nanos <= 0 => {
            Err(format!("invalid eviction grace period specified: {text}, must be a positive value"))
        }
        nanos => Ok(Some(SignedDuration::from_nanos(nanos))),
    }
}

/// The thresholds that a kubelet is told of; without `eviction-hard` it has the defaults. A soft threshold needs a grace period.
pub(super) fn parse(said: &Said<'_>) -> Vec<Threshold> {
    let hard = said.read("eviction-hard", |text| entries(text, '<', Value::parse));
    let hard = hard.or_else(|| entries(DEFAULTS, '<', Value::parse).ok()).unwrap_or_default();
    let soft = said.read("eviction-soft", |text| entries(text, '<', Value::parse)).unwrap_or_default();
    let graces =
        said.read("eviction-soft-grace-period", |text| entries(text, '=', grace)).unwrap_or_default();
    let reclaims =
        said.read("eviction-minimum-reclaim", |text| entries(text, '=', Value::reclaim)).unwrap_or_default();
    let of = |(signal, value): (Signal, Value), grace: SignedDuration| {
        let reclaim = reclaims.iter().find(|(s, _)| *s == signal).map(|(_, value)| *value);
        Threshold { signal, value, grace, reclaim }
    };
    let mut all: Vec<Threshold> = hard.into_iter().map(|entry| of(entry, SignedDuration::ZERO)).collect();
    // What holds for the memory of the node holds for that of the pods (`addAllocatableThresholds`).
    let pods = all.iter().find(|t| t.signal == Signal::Memory).copied();
    all.extend(pods.map(|t| Threshold { signal: Signal::AllocatableMemory, ..t }));
    for entry in soft {
        match graces.iter().find(|(signal, _)| *signal == entry.0) {
            Some((_, grace)) => all.push(of(entry, *grace)),
            None => {
                let name = entry.0.as_str();
                let why = format!("grace period must be specified for the soft eviction threshold {name}");
                said.refuse("eviction-soft", &why);
            }
        }
    }
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
        let parse = |flags: &[(&str, &str)]| {
            let name = |flag: &str| format!("sim.steady/{flag}");
            let annotations = flags.iter().map(|(flag, value)| (name(flag), (*value).to_owned())).collect();
            let mut node = crate::api::types::Node::default();
            node.metadata.annotations = Some(annotations);
            let said = Said::of(&node);
            (super::parse(&said), said.wrong())
        };
        let (all, _) = parse(&[]);
        let names: Vec<&str> = all.iter().map(|t| t.signal.as_str()).collect();
        let all_but_pids: Vec<&str> = Signal::ALL.iter().map(|s| s.as_str()).take(6).collect();
        assert_eq!(names, all_but_pids);
        let (some, wrong) = parse(&[
            ("eviction-hard", "memory.available<150Mi, nodefs.available<0%"),
            ("eviction-soft", "memory.available<300Mi,pid.available<10%"),
            ("eviction-soft-grace-period", "memory.available=30s"),
            ("eviction-minimum-reclaim", "memory.available=0,nodefs.available=5%"),
        ]);
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
        let soft =
            "invalid argument \"memory.available<300Mi,pid.available<10%\" for \"--eviction-soft\" flag";
        let why = "grace period must be specified for the soft eviction threshold pid.available";
        assert_eq!(wrong, [format!("{soft}: {why}").into()]);
        for (flag, text, why) in [
            ("eviction-hard", "nothing<1", "unsupported eviction signal nothing"),
            ("eviction-hard", "memory.available=1", "memory.available=1 must be formatted as signal<value"),
            (
                "eviction-hard",
                "memory.available<0",
                "eviction threshold memory.available must be positive: 0",
            ),
            (
                "eviction-hard",
                "nodefs.available<101%",
                "eviction percentage threshold nodefs.available must be <= 100%: 101%",
            ),
            (
                "eviction-soft-grace-period",
                "pid.available=-1s",
                "invalid eviction grace period specified: -1s, must be a positive value",
            ),
            (
                "eviction-minimum-reclaim",
                "pid.available=-1",
                "negative eviction minimum reclaim specified for pid.available",
            ),
        ] {
            let (thresholds, wrong) = parse(&[(flag, text)]);
            assert_eq!(thresholds, all, "{text}");
            assert_eq!(wrong, [format!("invalid argument {text:?} for \"--{flag}\" flag: {why}").into()]);
        }
    }

    /// `pkg/kubelet/eviction/api/types.go`, `GetThresholdQuantity`: the share is a `float32`.
    #[test]
    fn a_share_of_a_capacity_is_rounded_as_in_go() {
        let share = Value::parse(Signal::Memory, "10%").unwrap_or_default();
        assert_eq!(share.map(|v| v.of(1000)), Some(100));
        assert_eq!(share.map(|v| v.of(107_374_182_400)), Some(10_737_418_400));
        assert_eq!(Resource::Storage.text(10_737_418_400), "10737418400");
        assert_eq!(Resource::Memory.text(100 << 20), "100Mi");
    }
}
