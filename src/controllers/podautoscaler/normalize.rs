//! From what the metrics ask for to what is done: stabilization windows, limits, scaling policies
//! (`normalizeDesiredReplicas` and `normalizeDesiredReplicasWithBehaviors` in `horizontal.go`).

use jiff::SignedDuration;

use super::DOWNSCALE_STABILIZATION;
use super::state::{Recommendation, ScaleEvent, State};
use crate::api::types::autoscaling::{HPAScalingRules, HorizontalPodAutoscalerBehavior};
use crate::api::{Key, Timestamp};

/// `status`, `reason` and `message` of a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Said {
    pub(super) status: bool,
    pub(super) reason: &'static str,
    pub(super) message: &'static str,
}

/// What is to be done about the size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Normalized {
    pub(super) replicas: i32,
    /// The condition AbleToScale.
    pub(super) able: Said,
    /// The condition ScalingLimited.
    pub(super) limited: Said,
    /// Whether the same metrics will lead to another size when time has passed.
    pub(super) waits: bool,
}

/// What the metrics ask for, and the bounds of the autoscaler.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    pub(super) current: i32,
    pub(super) desired: i32,
    pub(super) min: i32,
    pub(super) max: i32,
}

const READY: Said =
    Said { status: true, reason: "ReadyForNewScale", message: "recommended size matches current size" };
const DOWN_STABILIZED: Said = Said {
    status: true,
    reason: "ScaleDownStabilized",
    message: "recent recommendations were higher than current one, applying the highest recent recommendation",
};
const UP_STABILIZED: Said = Said {
    status: true,
    reason: "ScaleUpStabilized",
    message: "recent recommendations were lower than current one, applying the lowest recent recommendation",
};

/// Why a size is limited: the reason and the message of ScalingLimited.
type Limit = (&'static str, &'static str);

const WITHIN: Limit = ("DesiredWithinRange", "the desired count is within the acceptable range");
const TOO_MANY: Limit =
    ("TooManyReplicas", "the desired replica count is more than the maximum replica count");
const TOO_FEW: Limit = ("TooFewReplicas", "the desired replica count is less than the minimum replica count");
const UP_LIMIT: Limit =
    ("ScaleUpLimit", "the desired replica count is increasing faster than the maximum scale rate");
const DOWN_LIMIT: Limit =
    ("ScaleDownLimit", "the desired replica count is decreasing faster than the maximum scale rate");

fn limited(replicas: i32, stabilized: i32, limit: Limit) -> Said {
    Said { status: replicas != stabilized, reason: limit.0, message: limit.1 }
}

/// Without `spec.behavior`.
pub(super) fn plain(state: &mut State, key: &Key, now: Timestamp, wanted: Wanted) -> Normalized {
    let is_old = |at: Timestamp| now.duration_since(at) > DOWNSCALE_STABILIZATION;
    let recent = state.recommendations.get(key).into_iter().flat_map(|all| all.iter());
    let recent = recent.filter(|r| !is_old(r.at)).map(|r| r.replicas);
    let stabilized = recent.chain([wanted.desired]).max().unwrap_or(wanted.desired);
    state.note_recommendation(key, wanted.desired, now, is_old);
    let able = if stabilized == wanted.desired { READY } else { DOWN_STABILIZED };
    // One look at most doubles the number of replicas, or makes it 4.
    let fastest = wanted.current.saturating_mul(2).max(4);
    let (most, at_most) = if wanted.max > fastest { (fastest, UP_LIMIT) } else { (wanted.max, TOO_MANY) };
    let (replicas, limit) = match stabilized {
        n if n < wanted.min => (wanted.min, TOO_FEW),
        n if n > most => (most, at_most),
        n => (n, WITHIN),
    };
    let waits = stabilized != wanted.desired;
    Normalized { replicas, able, limited: limited(replicas, stabilized, limit), waits }
}

/// With `spec.behavior`.
pub(super) fn with_behavior(
    state: &mut State,
    key: &Key,
    now: Timestamp,
    wanted: Wanted,
    behavior: &HorizontalPodAutoscalerBehavior,
) -> Normalized {
    let none = HPAScalingRules::default();
    let up = behavior.scale_up.as_ref().unwrap_or(&none);
    let down = behavior.scale_down.as_ref().unwrap_or(&none);
    let (stabilized, stabilizes) = stabilize(state, key, now, wanted, up, down);
    let able = if stabilized == wanted.desired { READY } else { stabilizes };
    let events = |map: &crate::api::persistent::Map<Key, std::rc::Rc<Vec<ScaleEvent>>>| {
        map.get(key).map(|all| (**all).clone()).unwrap_or_default()
    };
    let history = History { ups: events(&state.scale_ups), downs: events(&state.scale_downs), now };
    let (replicas, limit) = convert(Wanted { desired: stabilized, ..wanted }, &history, up, down);
    let rules = if limit == UP_LIMIT { up } else { down };
    let slow = [UP_LIMIT, DOWN_LIMIT].contains(&limit) && rules.select_policy.as_deref() != Some("Disabled");
    let waits = stabilized != wanted.desired || slow;
    Normalized { replicas, able, limited: limited(replicas, stabilized, limit), waits }
}

/// The recommendation within the bounds of the recent ones, and the condition to set if it is not `wanted.desired`.
fn stabilize(
    state: &mut State,
    key: &Key,
    now: Timestamp,
    wanted: Wanted,
    up: &HPAScalingRules,
    down: &HPAScalingRules,
) -> (i32, Said) {
    let window = |rules: &HPAScalingRules, otherwise: SignedDuration| {
        let seconds = rules.stabilization_window_seconds;
        seconds.map_or(otherwise, |s| SignedDuration::from_secs(i64::from(s)))
    };
    let (up, down) = (window(up, SignedDuration::ZERO), window(down, DOWNSCALE_STABILIZATION));
    let (mut lowest, mut highest) = (wanted.desired, wanted.desired);
    for Recommendation { replicas, at } in state.recommendations.get(key).iter().flat_map(|all| all.iter()) {
        let age = now.duration_since(*at);
        if age < up {
            lowest = lowest.min(*replicas);
        }
        if age < down {
            highest = highest.max(*replicas);
        }
    }
    let is_old = |at: Timestamp| {
        let age = now.duration_since(at);
        age > up && age > down
    };
    state.note_recommendation(key, wanted.desired, now, is_old);
    let said = if wanted.desired >= wanted.current { UP_STABILIZED } else { DOWN_STABILIZED };
    (wanted.current.max(lowest).min(highest), said)
}

/// The changes of size of an autoscaler.
struct History {
    ups: Vec<ScaleEvent>,
    downs: Vec<ScaleEvent>,
    now: Timestamp,
}

impl History {
    fn changed(&self, events: &[ScaleEvent], seconds: i32) -> i32 {
        let period = SignedDuration::from_secs(i64::from(seconds));
        let recent = events.iter().filter(|e| self.now.duration_since(e.at) < period);
        recent.fold(0, |sum: i32, e| sum.saturating_add(e.change))
    }

    /// The size at the beginning of a period that ends now.
    fn size_before(&self, current: i32, seconds: i32) -> i32 {
        let added = self.changed(&self.ups, seconds);
        current.saturating_sub(added).saturating_add(self.changed(&self.downs, seconds))
    }
}

/// The size within the limits of the policies (`convertDesiredReplicasWithBehaviorRate`).
fn convert(wanted: Wanted, history: &History, up: &HPAScalingRules, down: &HPAScalingRules) -> (i32, Limit) {
    let Wanted { current, desired, min, max } = wanted;
    if desired > current {
        let fastest = scale_up_limit(current, history, up).max(current);
        let (most, why) = if max > fastest { (fastest, UP_LIMIT) } else { (max, TOO_MANY) };
        if desired > most {
            return (most, why);
        }
    } else if desired < current {
        let fastest = scale_down_limit(current, history, down).min(current);
        let (fewest, why) = if min < fastest { (fastest, DOWN_LIMIT) } else { (min, TOO_FEW) };
        if desired < fewest {
            return (fewest, why);
        }
    }
    (desired, WITHIN)
}

/// The most replicas that the policies allow now (`calculateScaleUpLimitWithScalingRules`).
fn scale_up_limit(current: i32, history: &History, rules: &HPAScalingRules) -> i32 {
    let proposals = rules.policies.iter().flatten().map(|p| {
        let before = history.size_before(current, p.period_seconds);
        match p.type_.as_str() {
            "Pods" => before.saturating_add(p.value),
            // A share of a few pods is rounded up, or nothing would ever be added.
            _ => (f64::from(before) * (1.0 + f64::from(p.value) / 100.0)).ceil() as i32,
        }
    });
    match rules.select_policy.as_deref() {
        Some("Disabled") => current,
        Some("Min") => proposals.min().unwrap_or(i32::MAX),
        _ => proposals.max().unwrap_or(i32::MIN),
    }
}

/// The fewest replicas that the policies allow now (`calculateScaleDownLimitWithBehaviors`).
fn scale_down_limit(current: i32, history: &History, rules: &HPAScalingRules) -> i32 {
    let proposals = rules.policies.iter().flatten().map(|p| {
        let before = history.size_before(current, p.period_seconds);
        match p.type_.as_str() {
            "Pods" => before.saturating_sub(p.value),
            _ => (f64::from(before) * (1.0 - f64::from(p.value) / 100.0)) as i32,
        }
    });
    match rules.select_policy.as_deref() {
        Some("Disabled") => current,
        Some("Min") => proposals.max().unwrap_or(i32::MIN),
        _ => proposals.min().unwrap_or(i32::MAX),
    }
}

/// The longest period of a policy (`getLongestPolicyPeriod`).
pub(super) fn longest_period(rules: Option<&HPAScalingRules>) -> SignedDuration {
    let policies = rules.and_then(|r| r.policies.as_deref()).unwrap_or_default();
    SignedDuration::from_secs(policies.iter().map(|p| i64::from(p.period_seconds)).max().unwrap_or(0))
}
