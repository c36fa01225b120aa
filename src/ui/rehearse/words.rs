//! What a rehearsal says, in words.

use steady::engine::explorer::rehearsal::{Mend, NoRehearsal, Trigger};

use super::model::Trouble;
use crate::ui::i18n::Texts;

/// What a mend is called, and what it does.
pub fn mend(t: &Texts, mend: Mend) -> (String, String) {
    let (key, seconds) = match mend {
        Mend::ReadinessProbe => ("readiness", 0),
        Mend::PreStopSleep => ("sleep", 0),
        Mend::LongerSleep(seconds) => ("longer-sleep", seconds),
        Mend::LongerGrace(seconds) => ("longer-grace", seconds),
        Mend::NoneUnavailable => ("available", 0),
        Mend::MinReadySeconds => ("min-ready", 0),
        Mend::Drain => ("drain", 0),
    };
    let name = t.with(&format!("mend-{key}"), &[("seconds", (seconds as f64).into())]);
    (name, t.get(&format!("mend-{key}-about")))
}

/// How it was begun that pods are replaced, as the end of a sentence.
pub fn trigger(t: &Texts, trigger: &Trigger) -> String {
    let number = |n: i64| fluent_bundle::FluentValue::from(n as f64);
    match trigger {
        Trigger::Restart => t.get("rehearse-by-restart"),
        Trigger::Apply => t.get("rehearse-by-apply"),
        Trigger::Undo(revision) => t.with("rehearse-by-undo", &[("revision", revision.to_string().into())]),
        Trigger::Scale(from, to) => {
            t.with("rehearse-by-scale", &[("from", number((*from).into())), ("to", number((*to).into()))])
        }
        Trigger::Drain(node) => t.with("rehearse-by-drain", &[("node", node.as_str().into())]),
    }
}

/// Why there is no rehearsal.
pub fn none(t: &Texts, why: &NoRehearsal) -> String {
    match why {
        NoRehearsal::NoWorkload => t.get("rehearse-no-workload"),
        NoRehearsal::NoService => t.get("rehearse-no-service"),
        NoRehearsal::NotReached(port) => {
            let args = [("service", port.service.as_str().into()), ("port", port.port.to_string().into())];
            t.with("rehearse-not-reached", &args)
        }
        NoRehearsal::NoFormerRevision => t.get("rehearse-no-former"),
        NoRehearsal::TooFewPods => t.get("rehearse-too-few"),
        NoRehearsal::NoPods => t.get("rehearse-no-pods"),
        NoRehearsal::OfDaemonSet => t.get("rehearse-of-daemon-set"),
        NoRehearsal::NoNode => t.get("rehearse-no-node"),
        NoRehearsal::NoHttp(url) => t.with("rehearse-no-http", &[("url", url.clone().into())]),
        NoRehearsal::Restless => t.get("rehearse-restless"),
        NoRehearsal::Refused(why) => t.with("rehearse-refused", &[("why", why.trim().into())]),
    }
}

/// Why there is no answer.
pub fn trouble(t: &Texts, trouble: &Trouble) -> String {
    match trouble {
        Trouble::None(why) => none(t, why),
        Trouble::Worker(why) => t.with("rehearse-failed", &[("why", why.as_str().into())]),
    }
}
