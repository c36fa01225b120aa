//! Validation of a Job's policies for failed pods, for success and for the replacement of pods
//! (`pkg/apis/batch/validation/validation.go`).

use std::collections::BTreeSet;

use crate::api::types as t;

use crate::apiserver::validation::field::{BadValue, Errors, FieldError, Path, go_quote};
use crate::apiserver::validation::meta::non_negative;
use crate::apiserver::validation::{list, names, text};

const MAX_RULES: usize = 20;
const MAX_EXIT_CODES: usize = 255;
const MAX_CONDITIONS: usize = 20;
/// The length of `succeededIndexes`, in bytes.
const MAX_SUCCEEDED_INDEXES: usize = 64 * 1024;

const ACTIONS: &[&str] = &["Count", "FailIndex", "FailJob", "Ignore"];
const OPERATORS: &[&str] = &["In", "NotIn"];
const STATUSES: &[&str] = &["False", "True", "Unknown"];

/// `validatePodFailurePolicy`
pub(in crate::apiserver) fn failure(errs: &mut Errors, spec: &t::JobSpec, path: &Path) {
    let Some(policy) = &spec.pod_failure_policy else { return };
    let at = path.child("rules");
    if policy.rules.len() > MAX_RULES {
        errs.push(FieldError::too_many(&at, policy.rules.len(), MAX_RULES));
    }
    let pod = spec.template.spec.as_ref();
    let containers = pod.into_iter().flat_map(|s| s.containers.iter().chain(list(&s.init_containers)));
    let containers: BTreeSet<&str> = containers.map(|c| c.name.as_str()).collect();
    for (i, rule) in policy.rules.iter().enumerate() {
        failure_rule(errs, spec, rule, &at.index(i), &containers);
    }
}

fn failure_rule(
    errs: &mut Errors,
    spec: &t::JobSpec,
    rule: &t::PodFailurePolicyRule,
    path: &Path,
    containers: &BTreeSet<&str>,
) {
    let at = path.child("action");
    let action = rule.action.as_str();
    if action.is_empty() {
        errs.push(FieldError::required(&at, format!("valid values: {}", quoted(ACTIONS))));
    } else if action == "FailIndex" {
        if spec.backoff_limit_per_index.is_none() {
            errs.push(FieldError::invalid(&at, action, "requires the backoffLimitPerIndex to be set"));
        }
    } else if !ACTIONS.contains(&action) {
        errs.push(FieldError::not_supported(&at, action, ACTIONS));
    }
    let conditions = list(&rule.on_pod_conditions);
    if let Some(codes) = &rule.on_exit_codes {
        exit_codes(errs, codes, &path.child("onExitCodes"), containers);
    }
    if !conditions.is_empty() {
        pod_conditions(errs, conditions, &path.child("onPodConditions"));
    }
    let message = match (&rule.on_exit_codes, conditions.is_empty()) {
        (Some(_), false) => "specifying both OnExitCodes and OnPodConditions is not supported",
        (None, true) => "specifying one of OnExitCodes and OnPodConditions is required",
        _ => return,
    };
    errs.push(FieldError::invalid(path, BadValue::Omitted, message));
}

fn pod_conditions(errs: &mut Errors, patterns: &[t::PodFailurePolicyOnPodConditionsPattern], path: &Path) {
    if patterns.len() > MAX_CONDITIONS {
        errs.push(FieldError::too_many(path, patterns.len(), MAX_CONDITIONS));
    }
    for (i, pattern) in patterns.iter().enumerate() {
        let at = path.index(i);
        let type_ = pattern.type_.as_str();
        for message in names::qualified_name(type_) {
            errs.push(FieldError::invalid(&at.child("type"), type_, message));
        }
        let at = at.child("status");
        match text(&pattern.status) {
            "" => errs.push(FieldError::required(&at, format!("valid values: {}", quoted(STATUSES)))),
            status if !STATUSES.contains(&status) => {
                errs.push(FieldError::not_supported(&at, status, STATUSES));
            }
            _ => {}
        }
    }
}

fn exit_codes(
    errs: &mut Errors,
    codes: &t::PodFailurePolicyOnExitCodesRequirement,
    path: &Path,
    containers: &BTreeSet<&str>,
) {
    let at = path.child("operator");
    let operator = codes.operator.as_str();
    if operator.is_empty() {
        errs.push(FieldError::required(&at, format!("valid values: {}", quoted(OPERATORS))));
    } else if !OPERATORS.contains(&operator) {
        errs.push(FieldError::not_supported(&at, operator, OPERATORS));
    }
    if let Some(name) = codes.container_name.as_deref().filter(|n| !containers.contains(n)) {
        let message = "must be one of the container or initContainer names in the pod template";
        errs.push(FieldError::invalid(&path.child("containerName"), name, message));
    }
    let at = path.child("values");
    let quote = || {
        let numbers: Vec<String> = codes.values.iter().map(i32::to_string).collect();
        BadValue::Json(format!("[{}]", numbers.join(",")))
    };
    if codes.values.is_empty() {
        errs.push(FieldError::invalid(&at, quote(), "at least one value is required"));
    } else if codes.values.len() > MAX_EXIT_CODES {
        errs.push(FieldError::too_many(&at, codes.values.len(), MAX_EXIT_CODES));
    }
    let mut seen = BTreeSet::new();
    for (i, code) in codes.values.iter().enumerate() {
        if operator == "In" && *code == 0 {
            errs.push(FieldError::invalid(&at.index(i), *code, "must not be 0 for the In operator"));
        }
        if !seen.insert(*code) {
            errs.push(FieldError::duplicate(&at.index(i), *code));
        }
    }
    if !codes.values.is_sorted() {
        errs.push(FieldError::invalid(&at, quote(), "must be ordered"));
    }
}

/// `validateSuccessPolicy`
pub(in crate::apiserver) fn success(
    errs: &mut Errors,
    spec: &t::JobSpec,
    policy: &t::SuccessPolicy,
    path: &Path,
) {
    let at = path.child("rules");
    if policy.rules.is_empty() {
        let message = "at least one rules must be specified when the successPolicy is specified";
        errs.push(FieldError::required(&at, message));
    }
    if policy.rules.len() > MAX_RULES {
        errs.push(FieldError::too_many(&at, policy.rules.len(), MAX_RULES));
    }
    // An indexed Job without completions is refused by another rule.
    let completions = spec.completions.unwrap_or(0);
    for (i, rule) in policy.rules.iter().enumerate() {
        success_rule(errs, rule, completions, &at.index(i));
    }
}

fn success_rule(errs: &mut Errors, rule: &t::SuccessPolicyRule, completions: i32, path: &Path) {
    if rule.succeeded_count.is_none() && rule.succeeded_indexes.is_none() {
        let message = "at least one of succeededCount or succeededIndexes must be specified";
        errs.push(FieldError::required(path, message));
    }
    let mut total = 0;
    if let Some(indexes) = &rule.succeeded_indexes {
        let at = path.child("succeededIndexes");
        if indexes.len() > MAX_SUCCEEDED_INDEXES {
            errs.push(FieldError::too_long(&at, MAX_SUCCEEDED_INDEXES));
        }
        match indexes_format(indexes, completions) {
            Ok(n) => total = n,
            Err(why) => {
                let message = format!("error parsing succeededIndexes: {why}");
                errs.push(FieldError::invalid(&at, indexes, message));
            }
        }
    }
    if let Some(count) = rule.succeeded_count {
        let at = path.child("succeededCount");
        non_negative(errs, count, &at);
        let mut at_most = |max: i32, of: &str| {
            if count > max {
                let message = format!("must be less than or equal to {max} (the number of {of})");
                errs.push(FieldError::invalid(&at, count, message));
            }
        };
        at_most(completions, "specified completions");
        if rule.succeeded_indexes.is_some() {
            at_most(total, "indexes in the specified succeededIndexes field");
        }
    }
}

/// Counts the indexes that a text like `1,3-5` names (`validateIndexesFormat`).
pub(in crate::apiserver) fn indexes_format(text: &str, completions: i32) -> Result<i32, String> {
    if text.is_empty() {
        return Ok(0);
    }
    let mut last: Option<i32> = None;
    let mut total = 0i32;
    for interval in text.split(',') {
        let (from, to) = index_interval(interval, completions)?;
        if let Some(last) = last.filter(|last| *last >= from) {
            return Err(format!("non-increasing order, previous: {last}, current: {from}"));
        }
        total = total.saturating_add(to.saturating_sub(from).saturating_add(1));
        last = Some(to);
    }
    Ok(total)
}

/// `parseIndexInterval`
pub(in crate::apiserver) fn index_interval(text: &str, completions: i32) -> Result<(i32, i32), String> {
    let limits: Vec<&str> = text.split('-').collect();
    let index = |limit: &str| {
        let n = limit.parse::<i64>().map_err(|_| {
            format!("cannot convert string to integer for index: {limit}", limit = go_quote(limit))
        })?;
        i32::try_from(n)
            .ok()
            .filter(|n| *n < completions)
            .ok_or_else(|| format!("too large index: {limit}", limit = go_quote(limit)))
    };
    match limits.as_slice() {
        [one] => index(one).map(|n| (n, n)),
        [from, to] => {
            let (from, to) = (index(from)?, index(to)?);
            if from >= to {
                return Err(format!("non-increasing order, previous: {from}, current: {to}"));
            }
            Ok((from, to))
        }
        _ => Err(format!(
            "the fragment {text} violates the requirement that an index interval can have at most two parts separated by '-'",
            text = go_quote(text)
        )),
    }
}

/// `validatePodReplacementPolicy`
pub(in crate::apiserver) fn replacement(errs: &mut Errors, spec: &t::JobSpec, path: &Path) {
    let Some(policy) = spec.pod_replacement_policy.as_deref() else { return };
    let supported: &[&str] =
        if spec.pod_failure_policy.is_some() { &["Failed"] } else { &["Failed", "TerminatingOrFailed"] };
    if !supported.contains(&policy) {
        errs.push(FieldError::not_supported(path, policy, supported));
    }
}

/// Names in a message, as Go's `%q` prints a list of them.
pub(super) fn quoted(names: &[&str]) -> String {
    format!("[{}]", names.iter().map(go_quote).collect::<Vec<_>>().join(" "))
}
